// The likely fix of an ordinary finding.  Each build shows a finding; following the advice literally,
// as the second build of each pair does, removes it.
//
// The node and the pointer to it are flushed together: the node must be persistent before the pointer
// is stored, and a fence after its clwb, where there is one, would change nothing.
// BUILD -DTOGETHER
// FIND : assertion after=V before=HEAD needs=flush+fence fix=add_a_flush_(clwb)_of_this_store's_cache_line
// BUILD -DTOGETHER -DFIX_STORE
// CLEAN
// A clwb without its fence.
// BUILD -DFLUSHED
// FIND : assertion after=FLUSH before=HEAD needs=fence fix=this_flush_has_not_completed
// BUILD -DFLUSHED -DFIX_FENCE
// CLEAN
// A non-temporal store needs a fence, no flush.
// BUILD -DSTREAM
// FIND : assertion after=V before=HEAD needs=fence fix=add_a_fence_(sfence)_right_after_this_non-temporal_store
// BUILD -DSTREAM -DFIX_FENCE
// CLEAN
// Two places: one flush is not enough, and both are named.
// BUILD -DTWO
// FIND : assertion after=W before=HEAD or=V..HEAD
// BUILD -DTWO -DFIX_STORE -DFIX_OTHER
// CLEAN
// No flush helps if the order is wrong.
// BUILD -DORDER
// FIND : assertion fix=no_flush_or_fence_prevents_this
// A reader that acts on what it read has to persist it first.
// BUILD -DREADER
// FIND : assertion after=READ before=DONE thread=2 needs=flush+fence fix=persist_what_was_read_here
// BUILD -DREADER -DFIX_READER
// CLEAN
// Events of other schedules do not count: there the store is flushed in time.
// BUILD -DREADER -DFREE
// FIND --schedule=all: assertion after=READ before=DONE needs=flush+fence fix=persist_what_was_read_here
// A log with a checksum says that the node is there: what a valid one has read counts.
// BUILD -DSUM
// FIND : assertion after=NODE before=LOG needs=flush+fence fix=add_a_flush_(clwb)_of_this_store's_cache_line
// BUILD -DSUM -DFIX_STORE
// CLEAN
// A checksum is wrong because a line of the log was lost; other ways to be wrong go on alike.  Nobody knows whether
// a flush prevents all of them, and nobody says that none does.
// BUILD -DSUM -DFIX_STORE -DACKNOWLEDGE
// FIND : assertion fix=-
// BUILD -DSUM -DFIX_STORE -DACKNOWLEDGE -DFIX_LOG
// CLEAN
// It is wrong because nothing was written yet: no flush prevents that.
// BUILD -DSUM -DFIX_STORE -DACKNOWLEDGE -DFIX_LOG -DEARLY
// FIND : assertion fix=no_flush_or_fence_prevents_this
#include "analysis.h"

struct node {
  _Alignas(64) long v;
  _Alignas(64) long w;
};

struct root {
  struct node n;
  _Alignas(64) struct node *head;
  struct { _Alignas(64) long word; } log[2];
  _Alignas(64) long done;
};

static struct root *r;

#ifdef FREE
#define wait_for(n) (void)0
#endif

#ifdef STREAM
#define SET(word, value) _mm_stream_si64((long long *)&(word), value)
#else
#define SET(word, value) ((word) = (value))
#endif

static void before(void) {
#ifdef ORDER
  r->head = &r->n;
  clwb(&r->head);
  sfence();
#endif
  SET(r->n.v, 7); //@V
#ifdef FIX_STORE
  clwb(&r->n.v);
  sfence();
#endif
#ifdef FLUSHED
  clwb(&r->n.v); //@FLUSH
#endif
#ifdef FIX_FENCE
  sfence();
#endif
#ifdef TWO
  r->n.w = 8; //@W
#ifdef FIX_OTHER
  clwb(&r->n.w);
  sfence();
#endif
#endif
  r->head = &r->n; //@HEAD
#ifdef TOGETHER
  clwb(&r->n.v);
#endif
  clwb(&r->head);
  sfence();
}

static void persist(const long *p) {
  clwb(p);
  sfence();
}

static void write_log(void) {
#ifdef EARLY
  r->done = 1;
  persist(&r->done);
#endif
  r->n.v = 7; //@NODE
#ifdef FIX_STORE
  persist(&r->n.v);
#endif
  r->log[0].word = 3; //@LOG
  r->log[1].word = 3 + 77;
#ifdef FIX_LOG
  persist(&r->log[0].word);
#endif
  persist(&r->log[1].word);
#ifdef ACKNOWLEDGE
  r->done = 1;
  persist(&r->done);
#endif
}

static void read_log(void) {
  tidemark_checksum_begin(r->log, sizeof r->log);
  int valid = r->log[1].word == r->log[0].word + 77;
  tidemark_checksum_end(valid);
  tidemark_assert(valid ? r->n.v == 7 : !r->done);
}

static void *writer(void *unused) {
  wait_for(0);
  m->x = 1;
  turn = 1;
  wait_for(2);
  clwb(&m->x);
  sfence();
  return unused;
}

static void *reader(void *unused) {
  wait_for(1);
  if (m->x) { //@READ
#ifdef FIX_READER
    clwb(&m->x);
    sfence();
#endif
    m->y = 1; //@DONE
    clwb(&m->y);
    sfence();
  }
  turn = 2;
  return unused;
}

int main(void) {
#ifdef READER
  m = tidemark_region("m", sizeof *m);
  if (tidemark_failures())
    tidemark_assert(!m->y || m->x);
  else
    run_two(writer, reader);
#else
  r = tidemark_region("r", sizeof *r);
#ifdef SUM
  if (tidemark_failures())
    read_log();
  else
    write_log();
  return 0;
#endif
  if (!tidemark_failures())
    before();
  else if (r->head) {
    long ok = r->head->v == 7;
#ifdef TWO
    ok &= r->head->w == 8;
#endif
    tidemark_assert(ok);
  }
#endif
  return 0;
}
