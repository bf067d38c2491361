/* A message comes in two parts: who asks for all of it gets all (FIXED), others what has come. */
#include "twin.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef FIXED
#define HOW MSG_WAITALL
#else
#define HOW 0
#endif

static int ends[2];

static void *sends(void *unused) {
  assert(write(ends[1], "ab", 2) == 2);
  assert(write(ends[1], "cd", 2) == 2);
  return unused;
}

int main(void) {
  char text[5] = "";
  pthread_t sender;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pthread_create(&sender, NULL, sends, NULL);
  assert(recv(ends[0], text, 4, HOW) == 4 && !strcmp(text, "abcd"));
  pthread_join(sender, NULL);
  assert(write(ends[1], "ef", 2) == 2 && shutdown(ends[1], SHUT_WR) == 0);
  assert(recv(ends[0], text, 4, MSG_WAITALL | MSG_DONTWAIT) == 2 && recv(ends[0], text, 4, MSG_WAITALL) == 0);
}
