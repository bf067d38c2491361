// Functions of the C library that are written in C (include/tidemark-litmus/library.c).
// CHECK sc --unroll=6: verified
// CHECK rc11 --unroll=6: verified
// CHECK rc11 --unroll=6 -DFREED: violated 41
// CHECK sc --unroll=6 -DSHORT: violated 43
// CHECK rc11 --unroll=6 -DRACE: violated
// CHECK sc --unroll=6 -DNULL_STRING: violated 46
// ERROR sc --unroll=6 -DUNKNOWN_SIZE: library.c:49:10: memory that is not known to be from one call of malloc
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
static pthread_key_t key;
static _Atomic(char *) shared;
static char text[4] = "ab";
static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void *work(void *arg) {
  errno = (int)(long)arg;
  pthread_setspecific(key, arg);
  int numbers[3] = {3, 1, 2};
  qsort(numbers, 3, sizeof *numbers, less);
  assert(numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 3);
#ifdef RACE
  strchr(text, 'b');
  text[1] = 0;
#endif
  assert(errno == (int)(long)arg && pthread_getspecific(key) == arg);
  return NULL;
}
static void strings(void) {
  char b[8] = "abc", *copy = strdup("hello"), *longer = realloc(malloc(2), 4);
  strcat(b, "d");
  assert(!strcmp(b, "abcd") && strchr(b, 'c') == b + 2 && !strchr(b, 'x') && strrchr("abab", 'a')[1] == 'b');
  assert(memchr(b, 'd', 4) == b + 3 && !memchr(b, 'd', 3) && strstr(copy, "ll") == copy + 2 && !strstr(copy, "lo!"));
  assert(atoi("-120") == -120 && atoi("7x") == 7 && copy[4] == 'o' && !copy[5]);
#ifdef FREED
  char *again = realloc(copy, 9), c = copy[0];
#elif defined SHORT
  longer[4] = 0;
#endif
#ifdef NULL_STRING
  strchr(shared, 'a');
#endif
#ifdef UNKNOWN_SIZE
  copy = realloc(shared, 3);
#endif
  longer[3] = 1;
  char *more = realloc(longer, 8);
  assert(more[3] == 1);
  free(more);
  free(realloc(NULL, 3));
}
int main(void) {
  pthread_t t[2];
  struct timespec ts;
  struct timeval tv;
  pthread_key_create(&key, NULL);
  for (long i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, work, (void *)(i + 1));
  strings();
  clock_gettime(CLOCK_MONOTONIC, &ts);
  gettimeofday(&tv, NULL);
  assert(ts.tv_nsec < 1000000000 && tv.tv_usec >= 0);
  assert(!pthread_getspecific(key));
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
}
