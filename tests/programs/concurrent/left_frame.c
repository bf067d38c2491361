/* A thread gets the address of a local variable, and its function returns before the thread is done with it (FIXED: it
 * waits).  The store would hit whatever lies there next, which here are frames of the checker. */
#include "twin.h"
#include <string.h>

static pthread_t other;

static void *fill(void *room) {
  memset(room, 0x41, 4096);
  return room;
}

static __attribute__((noinline)) void start(void) {
  char room[4096];
  pthread_create(&other, NULL, fill, room);
#ifdef FIXED
  pthread_join(other, NULL);
#endif
}

int main(void) {
  start();
#ifndef FIXED
  pthread_join(other, NULL);
#endif
}
