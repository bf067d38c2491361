#include "config.h"

#include "counter.h"
#include <immintrin.h>
#include <tidemark.h>

#if SIZEOF_LONG != 8 || !HAVE_STRLEN || !HAVE_CLOCK_GETTIME || !HAVE_PTHREAD_H ||                  \
    !HAVE_SSIZE_T || !HAVE_LIBM
#error "a probe missed something"
#endif
#if defined HAVE_NO_SUCH_FUNCTION || defined HAVE_NO_SUCH_HEADER_H || defined HAVE_NO_SUCH_TYPE
#error "a probe found something that is not there"
#endif

long *counter_open(void) {
  return tidemark_region("counter", sizeof(long));
}

long counter_next(long *counter) {
  counter_last = ++*counter;
#ifndef BROKEN
  _mm_clwb(counter);
  _mm_sfence();
#endif
  return counter_last;
}
