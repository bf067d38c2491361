/* What a program may tell the checker and ask of it.  Everything here is optional.
 *
 * In a normal run regions are ordinary zeroed memory, a failed tidemark_assert aborts, and the
 * rest does nothing.  Programs built with tidemark-cc find this header and the library by
 * themselves; there is nothing to link. */
#ifndef TIDEMARK_H
#define TIDEMARK_H

#include <pthread.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The simulated persistent (--model=pm) or CXL (--model=cxl) memory of that name: the same
 * address in every execution, zero before its first use (or garbage: --fill).  Asking again gives
 * the same region; the size of the first request counts.  NULL if there is no room. */
void *tidemark_region(const char *name, size_t bytes);

/* Allocate in a default region.  The allocator's own state is kept by the checker: it survives
 * failures and is never the bug.  Memory is zeroed (but see --fill) and aligned to a cache line. */
void *tidemark_alloc(size_t bytes);
void tidemark_free(void *p);

/* Failures so far; 0 = nothing has failed yet. */
int tidemark_failures(void);

/* The machine this code runs on, how many there are, and whether one has failed. */
int tidemark_machine(void);
int tidemark_machines(void);
int tidemark_machine_failed(int machine);

/* Was the mutex last released because its owner's machine failed? */
int tidemark_mutex_owner_failed(pthread_mutex_t *mutex);

/* --poison: called instead of a finding when this machine reads a line that a failure lost. */
void tidemark_on_poison(void (*handler)(void *address));

/* This execution's observable outcome.  Several calls are joined with "; " in call order. */
void tidemark_outcome(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Loads in between validate a checksum over [p, p + n); `valid` is what the validation found.  If it
 * is 0 the program must forget what it has read in between (it may read again): executions that
 * differ in that only are run once. */
void tidemark_checksum_begin(const void *p, size_t n);
void tidemark_checksum_end(int valid);

/* Loads in between are known to tolerate stale values. */
void tidemark_ignore_begin(void);
void tidemark_ignore_end(void);

/* A number below `count`, with --model=sc and --model=tso: each of them is explored, so use few.  0 in a
 * normal run; other models refuse it. */
unsigned tidemark_choose(unsigned count);

void tidemark_assert_failed(const char *expression, const char *file, int line,
                            const char *function) __attribute__((cold));
void tidemark_assume_failed(void) __attribute__((cold));

/* A finding when false; a reason to leave this execution out when false. */
#define tidemark_assert(e) \
  ((e) ? (void)0 : tidemark_assert_failed(#e, __FILE__, __LINE__, __func__))
#define tidemark_assume(e) ((e) ? (void)0 : tidemark_assume_failed())

#ifdef __cplusplus
}
#endif

#endif
