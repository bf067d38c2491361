// Loads that tolerate old values, and checksums.
//
// Without a word it is not robust.
// BUILD
// FIND --analyses=robustness: robustness lost=X survived=Y missed=RX read=RY after=X before=Y
// FIND --analyses=races: persistency-race torn=X read=RX; persistency-race torn=Y read=RY
// BUILD -DIGNORE
// CLEAN --analyses=robustness
// FIND --analyses=races: persistency-race torn=Y read=RY
// An ignored load is still explored.
// BUILD -DIGNORE -DASSERT
// FIND --analyses=robustness: assertion
// Only the thread that says so, and until it says that it is over.
// BUILD -DIGNORE -DIGNORE_OVER
// FIND --analyses=robustness: robustness lost=X survived=Y missed=RX
// What was read then, and is read again, counts.
// BUILD -DIGNORE -DAGAIN
// FIND --analyses=robustness: robustness lost=X survived=Y missed=RA
// FIND --analyses=races: persistency-race torn=X read=RA; persistency-race torn=Y read=RY
//
// A validation that fails throws away what it read; one that succeeds does not.
// BUILD -DCHECKSUM
// CLEAN --analyses=robustness
// CLEAN --analyses=races
// BUILD -DCHECKSUM -DGULLIBLE
// FIND --analyses=robustness: robustness lost=X survived=Y missed=SUMX read=SUMY
// CLEAN --analyses=races
// A checksum that is right says that nothing is torn of what it has read, then and later.
// BUILD -DCHECKSUM -DSUMMED
// CLEAN --analyses=races
// CLEAN --analyses=races --races=baseline
#include "analysis.h"

static void plain(void) {
#ifdef IGNORE
  tidemark_ignore_begin();
#ifdef IGNORE_OVER
  tidemark_ignore_end();
#endif
#endif
  long x = m->x; //@RX
#if defined IGNORE && !defined IGNORE_OVER
  tidemark_ignore_end();
#endif
#ifdef AGAIN
  x += ((volatile struct words *)m)->x; //@RA
#endif
  long y = m->y; //@RY
  tidemark_outcome("%ld %ld", x, y);
#ifdef ASSERT
  tidemark_assert(x == y);
#endif
}

/* x and y are valid if z, which is certain, is their sum. */
static void validated(void) {
  long sum = 0;
  tidemark_checksum_begin(m, sizeof *m);
  sum += m->x; //@SUMX
  sum += m->y; //@SUMY
#ifdef GULLIBLE
  int valid = 1;
#elif defined SUMMED
  int valid = sum == 2;
#else
  int valid = sum == 0;
#endif
  tidemark_checksum_end(valid);
  tidemark_outcome("%s", valid ? "valid" : "invalid");
#ifdef SUMMED
  if (valid)
    tidemark_outcome("%ld", m->x * m->y);
#endif
}

int main(void) {
  m = tidemark_region("m", sizeof *m);
  if (!tidemark_failures()) {
    m->x = 1; //@X
    m->y = 1; //@Y
    clwb(&m->y);
    sfence();
    return 0;
  }
#ifdef CHECKSUM
  validated();
#else
  plain();
#endif
  return 0;
}
