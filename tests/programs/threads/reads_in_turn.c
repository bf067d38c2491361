/* Threads that read from one file: who comes first gets what comes first, in either order.  A thread alone has one
 * execution.
 *
 * RUN: printf 'ab' > %t.txt && %tidemark_cc -O1 %s -o %t
 * RUN: for i in 0 1 2 3 4 5 6 8 9 10; do for m in sc tso; do \
 * RUN:   %tidemark check --model=$m --json=%t.json %t %t.txt $i < /dev/null || exit 1; \
 * RUN:   grep -q '"a b": 1' %t.json && grep -q '"b a": 1' %t.json || { echo "case $i $m"; exit 1; }; done; done
 * RUN: %tidemark check --model=sc --stdin=%t.txt --json=%t.json %t %t.txt 7 && grep -q '"b a": 1' %t.json
 * RUN: %tidemark_cc -O1 -DLOCKED %s -o %t.locked
 * RUN: for i in 0 8 11; do %tidemark check --model=sc --json=%t.json %t.locked %t.txt $i || exit 1; \
 * RUN:   grep -q '"a b": 1' %t.json && grep -q '"b a": 1' %t.json || { echo "locked $i"; exit 1; }; done
 * RUN: %tidemark_cc -O1 -DALONE %s -o %t.alone && %tidemark check --model=sc --json=%t.json %t.alone %t.txt 0
 * RUN: grep -q '"executions": 1,' %t.json
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <tidemark.h>
#include <unistd.h>

static FILE *file;
static int fd, how;
static char got[2];

static char read_locked(void) {
#ifdef LOCKED
  flockfile(file);
  char c = (char)getc_unlocked(file); /* from memory, at -O1 */
  funlockfile(file);
  return c;
#else
  return 0;
#endif
}

static char move(void) {
  fpos_t place;
  fgetpos(file, &place);
  char c = (char)('a' + place.__pos++);
  fsetpos(file, &place);
  return c;
}

static char read_one(void) {
  char c = 0, text[2];
  switch (how) {
  case 0:
    return (char)fgetc(file);
  case 1:
    return read(fd, &c, 1) == 1 ? c : 0;
  case 2:
    return fread(&c, 1, 1, file) == 1 ? c : 0;
  case 3:
    return fgets(text, 2, file) ? text[0] : 0;
  case 4:
    return fscanf(file, "%c", &c) == 1 ? c : 0;
  case 5:
    return (char)getc(file);
  case 6:
    return (char)('a' - 1 + lseek(fd, 1, SEEK_CUR));
  case 8:
    return (char)(fseek(file, 1, SEEK_CUR) ? 0 : 'a' - 1 + ftell(file));
  case 9:
    return (char)(fseeko64(file, 1, SEEK_CUR) ? 0 : 'a' - 1 + ftello64(file));
  case 10:
    return move();
  case 11:
    return read_locked();
  default:
    return (char)getchar();
  }
}

static void *reads(void *which) {
  got[(long)which] = read_one();
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t a, b;
  assert(argc == 3);
  file = fopen(argv[1], "r");
  fd = open(argv[1], O_RDONLY);
  how = atoi(argv[2]);
  pthread_create(&a, NULL, reads, (void *)0);
#ifdef ALONE
  pthread_join(a, NULL);
#endif
  pthread_create(&b, NULL, reads, (void *)1);
#ifndef ALONE
  pthread_join(a, NULL);
#endif
  pthread_join(b, NULL);
  tidemark_outcome("%c %c", got[0], got[1]);
}
