#include "log.h"

#include "config.h"
#include <immintrin.h>

#if !defined HAVE_CLOCK_GETTIME || !defined LINKS_THREADS || SIZEOF_LONG != 8 ||                    \
    ALIGNOF_LONG != 8 || RUN_STATUS != 3 || COMPUTED != 16
#error "a probe missed something"
#endif
#if defined HAVE_NO_SUCH_FUNCTION || defined HAVE_NO_SUCH_HEADER || defined LINKS_NOTHING
#error "a probe found something that is not there"
#endif

static void persist(void *p) {
  _mm_clwb(p);
  _mm_sfence();
}

void log_write(struct entry *entry, long value) {
  entry->value = value;
#ifndef BROKEN
  persist(entry);
#endif
  entry[4].is_valid = 1; /* of this entry, in the next line */
  persist(entry + 4);
}
