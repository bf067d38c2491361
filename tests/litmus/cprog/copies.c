// Copies of structs in pieces, whose number is known only when it is known where they go.
// CHECK sc: verified
// CHECK rc11: verified
// CHECK rc11 -DBYTE=4: violated 38
#ifndef BYTE
#define BYTE 3
#endif
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct item {
  short tag;
  struct { unsigned lo : 4, hi : 12; int wide : 19; } f;
  _Atomic int n;
  int plain;
  struct item *next;
  union { unsigned w; unsigned char b[4]; } u;
};
static struct item *_Atomic head;
static pthread_mutex_t mutex[2], other;
static struct item *make(int v) {
  struct item *i = malloc(sizeof *i), fresh = {.tag = 1, .plain = v};
  *i = fresh;
  return i;
}
static void *put(void *arg) {
  pthread_mutex_lock(&mutex[1]);
  struct item *i = atomic_exchange(&head, make(5));
  free(i);
  pthread_mutex_unlock(&mutex[1]);
  return arg;
}
static void *get(void *arg) {
  struct item *i = atomic_load(&head), copy = {.u = {.w = 0x01020304}}, again;
  memcpy(&again, &copy, sizeof copy);
  assert(again.u.b[(long)arg & 3] == BYTE && (!i || (i->plain == 5 && i->tag == 1)));
  return arg;
}
int main(void) {
  pthread_t t[2];
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&other, &kind);
  pthread_create(&t[0], 0, put, (void *)0);
  pthread_create(&t[1], 0, get, (void *)1);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
}
