/* A question and its answer over a pair of sockets; the answer is meant for who asked (FIXED: one asks after the other). */
#include "twin.h"
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *answers(void *unused) {
  char question;
  while (recv(ends[1], &question, 1, 0) == 1) {
    question++;
    assert(send(ends[1], &question, 1, MSG_NOSIGNAL) == 1);
  }
  return unused;
}

static void ask(char question) {
  char answer;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  assert(write(ends[0], &question, 1) == 1);
  assert(read(ends[0], &answer, 1) == 1);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  assert(answer == question + 1);
}

static void *asks(void *unused) {
  ask('p');
  return unused;
}

int main(void) {
  (void)lock;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pthread_t server, other;
  pthread_create(&server, NULL, answers, NULL);
  pthread_create(&other, NULL, asks, NULL);
  ask('a');
  pthread_join(other, NULL);
  shutdown(ends[0], SHUT_WR);
  pthread_join(server, NULL);
}
