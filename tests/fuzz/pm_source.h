/* How the sections of the programs of pm_source.py are run. */
#ifndef TESTS_FUZZ_PM_SOURCE_H
#define TESTS_FUZZ_PM_SOURCE_H

#include "source.h"

#define REGION_BYTES 512

typedef void operations(void);

/* Two threads, one after the other: the second begins when the first was joined, or has said so with a plain store. */
static operations *of_first, *of_second;
static int waits;
#ifdef __cplusplus
static std::atomic<int> handed_over, finished;
#define HANDED(x) (x).load(std::memory_order_acquire)
#define HAND(x) (x).store(1, std::memory_order_release)
#else
static atomic_int handed_over, finished;
#define HANDED(x) atomic_load_explicit(&(x), memory_order_acquire)
#define HAND(x) atomic_store_explicit(&(x), 1, memory_order_release)
#endif

static void *first_thread(void *unused) {
  (void)unused;
  of_first();
  HAND(handed_over);
  while (waits && !HANDED(finished))
    sched_yield();
  return NULL;
}

static void *second_thread(void *unused) {
  (void)unused;
  of_second();
  return NULL;
}

static __attribute__((unused)) void run_two(operations *first, operations *second, int joined) {
  pthread_t a, b;
  of_first = first, of_second = second, waits = !joined;
  pthread_create(&a, NULL, first_thread, NULL);
  if (joined)
    pthread_join(a, NULL);
  while (!HANDED(handed_over))
    sched_yield();
  pthread_create(&b, NULL, second_thread, NULL);
  pthread_join(b, NULL);
  HAND(finished);
  if (!joined)
    pthread_join(a, NULL);
}

/* Runs a program until the power fails, or after that. */
static int run_program(void (*program)(void)) {
  region = (uint8_t *)tidemark_region("pm", REGION_BYTES);
  program();
  if (tidemark_failures())
    tidemark_outcome("%s", seen->length ? seen->text + 1 : "nothing");
  return 0;
}

#endif
