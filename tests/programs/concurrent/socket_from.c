// Sending and receiving by sendto and recvfrom are steps: what was sent may be there already.
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>

static int ends[2];

static void *writer(void *unused) {
  sendto(ends[1], "x", 1, 0, NULL, 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  char byte;
  assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  pthread_create(&thread, NULL, writer, NULL);
#ifdef FIXED
  assert(recvfrom(ends[0], &byte, 1, 0, NULL, NULL) == 1 && byte == 'x');
  pthread_join(thread, NULL);
#else
  ssize_t n = recvfrom(ends[0], &byte, 1, MSG_DONTWAIT, NULL, NULL);
  pthread_join(thread, NULL);
  assert(n < 0);
#endif
}
