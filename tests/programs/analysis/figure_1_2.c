// Figure 1.2 of the thesis: the child is persistent before the pointer that publishes it is stored.
// BUILD
// CLEAN --analyses=robustness
// BUILD -DNO_FLUSH
// FIND --analyses=robustness: robustness at=DATA lost=DATA survived=LINK missed=READ read=FOLLOW after=DATA before=LINK thread=0 needs=flush+fence
// BUILD -DNO_FENCE
// FIND --analyses=robustness: robustness lost=DATA survived=LINK after=FLUSH before=LINK needs=fence fix=this_flush_has_not_completed
// BUILD -DSTREAM
// FIND --analyses=robustness: robustness lost=DATA survived=LINK after=DATA before=LINK needs=fence fix=add_a_fence_(sfence)_right_after_this_non-temporal_store
#include "analysis.h"

#ifdef STREAM
#define SET(word, value) _mm_stream_si64((long long *)&(word), value)
#else
#define SET(word, value) ((word) = (value))
#endif

struct node {
  struct node *child;
  long pad[7];
  long data;
};

static void add_child(struct node *parent, struct node *child) {
  SET(child->data, 7); //@DATA
#if !defined NO_FLUSH && !defined STREAM
  clwb(&child->data); //@FLUSH
#endif
#if !defined NO_FENCE && !defined NO_FLUSH && !defined STREAM
  sfence();
#endif
  parent->child = child; //@LINK
  clwb(&parent->child);
  sfence();
}

static long read_child(const struct node *parent) {
  const struct node *child = parent->child; //@FOLLOW
  return child ? child->data : 0;           //@READ
}

int main(void) {
  struct node *nodes = tidemark_region("nodes", 2 * sizeof *nodes);
  if (tidemark_failures())
    tidemark_outcome("%ld", read_child(&nodes[0]));
  else
    add_child(&nodes[0], &nodes[1]);
  return 0;
}
