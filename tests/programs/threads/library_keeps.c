/* Functions of libc that keep something between calls for the whole program: threads race for it.  With versions of
 * them that do not, or with one thread that calls them, there is nothing to report.
 *
 * RUN: %tidemark_cc -O1 -D_GNU_SOURCE %s -o %t
 * RUN: %t && for m in sc tso; do %tidemark check --model=$m %t || exit 1; done
 * RUN: %tidemark_cc -O1 -D_GNU_SOURCE -DRACE %s -o %t.race
 * RUN: for i in 0 1 2 3 4 5; do \
 * RUN:   %tidemark check --model=sc %t.race $i > %t.log 2>&1; test $? = 1 || { echo "case $i"; exit 1; }; \
 * RUN:   grep -q 'error.data-race' %t.log || { echo "no race in case $i"; exit 1; }; \
 * RUN:   grep -q 'help: .*\(strtok_r\|localtime_r\|strftime\|environment\)' %t.log || { echo "no help $i"; exit 1; }; \
 * RUN: done
 * RUN: for i in 0 1 3; do %tidemark check --model=tso %t.race $i > %t.log 2>&1; \
 * RUN:   grep -q 'error.assertion.*both' %t.log || { echo "one order of case $i"; exit 1; }; done
 * RUN: for i in 6 7; do %tidemark check --model=sc %t.race $i > %t.log 2>&1 || { cat %t.log; exit 1; }; done
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef RACE
static int which;

/* both: what the other thread did in between is seen */
static void use(int self) {
  static char texts[2][4] = {"a b", "a b"};
  char *text = texts[self], *rest;
  time_t then = 1000000000 + self;
  struct tm day = {.tm_mday = 1, .tm_sec = self}, *made;
  switch (which) {
  case 0:
    strtok(text, " ");
    rest = strtok(NULL, " ");
    assert(rest == text + 2 && "both");
    break;
  case 1:
    made = localtime(&then);
    assert(made->tm_sec % 2 == self && "both");
    break;
  case 2:
    if (self)
      gmtime(&then);
    else
      localtime(&then);
    break;
  case 3:
    rest = asctime(&day);
    assert(rest[18] == '0' + self && "both");
    break;
  case 4:
    ctime(&then);
    break;
  case 5:
    if (self)
      setenv("KEPT", "1", 1);
    else
      getenv("HOME");
    break;
  case 6: /* libc has a lock for that */
    if (self)
      setenv("KEPT", "1", 1);
    else
      unsetenv("OTHER");
    break;
  case 7:
    assert(!getenv("KEPT"));
  }
}

static void *other(void *unused) {
  use(1);
  return unused;
}
#else
static void *other(void *unused) {
  char text[] = "c d", *rest;
  strtok_r(text, " ", &rest);
  assert(strcmp(strtok_r(NULL, " ", &rest), "d") == 0);
  return unused;
}

static void use(int self) {
  char text[] = " a b";
  time_t then = 1000000000;
  assert(strcmp(strtok(text, " "), "a") == self);
  assert(strcmp(strtok(NULL, " "), "b") == self && !strtok(NULL, " "));
  setenv("TZ", "UTC", 1);
  assert(strcmp(getenv("TZ"), "UTC") == self);
  assert(strcmp(ctime(&then), "Sun Sep  9 01:46:40 2001\n") == self);
  assert(localtime(&then)->tm_year == 101 && gmtime(&then)->tm_hour == 1);
  assert(strcmp(asctime(gmtime(&then)), "Sun Sep  9 01:46:40 2001\n") == self);
}
#endif

int main(int argc, char **argv) {
  pthread_t t;
#ifdef RACE
  which = argc > 1 ? atoi(argv[1]) : 0;
#endif
  (void)argc, (void)argv;
  pthread_create(&t, NULL, other, NULL);
  use(0);
  pthread_join(t, NULL);
}
