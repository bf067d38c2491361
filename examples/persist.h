/* Making stores durable on x86: write the cache lines back, then fence.
 *
 * clwb starts the write-back of one line and is ordered only with stores to that line; sfence waits
 * for the write-backs that this thread started.  Nothing is durable between the two.  A line may
 * also be written back at any other time, so a flush can never be used to keep a store away from
 * memory: what must not become durable first must not be stored first.
 *
 * Stores to one line become durable in the order in which they were made, stores to different
 * lines in any order.  A store of up to 8 aligned bytes is never torn. */
#ifndef EXAMPLES_PERSIST_H
#define EXAMPLES_PERSIST_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_LINE = 64 };

static inline void flush_line(const void *p) {
#ifdef PERSIST_WITH_CLFLUSH /* for processors without clwb */
  __asm__ volatile("clflush %0" : "+m"(*(volatile char *)p));
#else
  __asm__ volatile("clwb %0" : "+m"(*(volatile char *)p));
#endif
}

static inline void fence(void) {
  __asm__ volatile("sfence" ::: "memory");
}

/* For words that other threads use, and for commits: atomic, so that neither the compiler nor a
 * failure tears them.  Macros, because reports then name the line that uses them. */
#define load(word) atomic_load_explicit(word, memory_order_acquire)
#define store(word, value) atomic_store_explicit(word, value, memory_order_release)

/* Start writing back every line that [p, p + bytes) touches. */
static inline void flush(const void *p, size_t bytes) {
  uintptr_t end = (uintptr_t)p + bytes;
  for (uintptr_t line = (uintptr_t)p & ~(uintptr_t)(CACHE_LINE - 1); line < end; line += CACHE_LINE)
    flush_line((const void *)line);
}

static inline void persist(const void *p, size_t bytes) {
  flush(p, bytes);
  fence();
}

#endif
