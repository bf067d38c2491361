/* Random numbers, the same in every execution.
 *
 * The first thread of a machine has the numbers of libc.  Every other one has numbers of its own, which follow from the seed that its
 * creator had and from whose child it is: libc has one sequence for all of them, so that who gets which number would
 * depend on the order of calls, and calls are no steps.  Where all schedules are explored that holds for the numbers of
 * the system (getrandom and the like), too (clock_random). */
#include "access/unseen.h"
#include "libc/memory.h"
#include "process/caller.h"
#include "process/system_call.h"
#include "process/virtual_clock.h"
#include "thread/entered.h"
#include "thread/thread.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Has the caller numbers of its own?  Whatever numbers it gets, it does not go round in the same state. */
static bool has_own(void) {
  if (!thread_current()) /* a program without a scheduler */
    return false;
  unseen_changes();
  return thread_current()->start; /* not main */
}

#define OWN() (CALLED_BY_PROGRAM() && has_own())

static uint64_t next(void) {
  return rng_next(&thread_current()->random);
}

INTERPOSE int rand(void) { /* layers: ok, the program's */
  return OWN() ? (int)(next() >> 33) : REAL(rand)();
}

INTERPOSE long random(void) {
  return OWN() ? (long)(next() >> 33) : REAL(random)();
}

/* Of the first thread, too: its children follow it. */
#define DEFINE_SEED(name, type) \
  INTERPOSE void name(type seed) { \
    if (CALLED_BY_PROGRAM() && thread_current()) \
      thread_seed(thread_current(), (uint64_t)seed); \
    if (!OWN()) \
      REAL(name)(seed); \
  }
DEFINE_SEED(srand, unsigned) /* layers: ok, the program's */
DEFINE_SEED(srandom, unsigned)
DEFINE_SEED(srand48, long)

INTERPOSE double drand48(void) {
  return OWN() ? (double)(next() >> 11) * 0x1p-53 : REAL(drand48)();
}

INTERPOSE long lrand48(void) {
  return OWN() ? (long)(next() >> 33) : REAL(lrand48)();
}

INTERPOSE long mrand48(void) {
  return OWN() ? (long)(int32_t)(next() >> 32) : REAL(mrand48)();
}

/* ---- of the system ---- */

static void fill_random(void *to, size_t bytes) {
  for (size_t done = 0; done < bytes; done += 8) {
    uint64_t r = clock_random();
    memory_give((char *)to + done, &r, bytes - done < 8 ? bytes - done : 8);
  }
}

INTERPOSE ssize_t getrandom(void *to, size_t bytes, unsigned flags) {
  ENTERED();
  if (!CALLED_BY_PROGRAM())
    return system_call_errno(SYS_getrandom, to, bytes, flags);
  fill_random(to, bytes);
  return (ssize_t)bytes;
}

INTERPOSE int getentropy(void *to, size_t bytes) {
  ENTERED();
  if (!CALLED_BY_PROGRAM())
    return REAL(getentropy)(to, bytes);
  if (bytes > 256) {
    errno = EIO;
    return -1;
  }
  fill_random(to, bytes);
  return 0;
}

INTERPOSE uint32_t arc4random(void) {
  return (uint32_t)clock_random();
}

INTERPOSE void arc4random_buf(void *to, size_t bytes) {
  ENTERED();
  fill_random(to, bytes);
}

INTERPOSE uint32_t arc4random_uniform(uint32_t below) {
  return below ? (uint32_t)(clock_random() % below) : 0;
}

/* std::random_device; the library's own asks the processor. */
INTERPOSE unsigned random_device_get(void *self) __asm__("_ZNSt13random_device9_M_getvalEv");
unsigned random_device_get(void *self) {
  (void)self;
  return (unsigned)clock_random();
}

INTERPOSE void random_device_init(void *self, const void *token) __asm__(
    "_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
void random_device_init(void *self, const void *token) {
  (void)self;
  (void)token;
}

INTERPOSE void random_device_fini(void *self) __asm__("_ZNSt13random_device7_M_finiEv");
void random_device_fini(void *self) {
  (void)self;
}

INTERPOSE double
random_device_entropy(const void *self) __asm__("_ZNKSt13random_device13_M_getentropyEv");
double random_device_entropy(const void *self) {
  (void)self;
  return 32;
}
