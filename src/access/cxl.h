/* The state of the cxl model: which machines have failed, what they left in doubt, and how to go back.
 *
 * access_cxl.c says what accesses mean; a search (search/cluster.h) answers its questions through the door, and saves
 * and restores this state where it comes back to a decision.  One struct, `cxl`.  Host memory. */
#ifndef ACCESS_CXL_H
#define ACCESS_CXL_H

#include "access/space.h"
#include "thread/thread.h"

struct cxl_options {
  int machines, failures_max;
  bool gpf;             /* what is cached survives a failure */
  bool poison;          /* lines that lost something poison their readers */
  bool paper_coherence; /* --coherence=cxlmc */
  bool global_flush;    /* --flush=global */
  /* After so many questions whether machines live, with nothing stored or locked in between, the program hangs. */
  uint32_t looks_max;
};

/* After so many decisions in vain (cxl_state) states are compared; a power of two. */
#define CXL_VAIN_MIN 16

/* What goes back with the execution besides the world and the trails: copied by the search. */
struct cxl_state {
  uint16_t failed;  /* bit per machine */
  bool reads_known; /* the last failure has happened: known bytes may be read without asking */
  /* Bit per machine: it has released a lock, or something like it, that others may take; with analyses. */
  uint16_t released;
  /* Bit per machine: it did nothing visible since it was last asked to fail. */
  uint16_t quiet;
  uint32_t synchronised; /* lock operations so far */
  uint32_t looks;        /* see looks_max; while machines may fail */
  uint64_t looked;       /* how many steps there were then */
  uint32_t vain;         /* decisions since a byte of shared memory changed (search/standstill.h) */
  /* The newest line that was consulted, which the access under way goes on with after a decision; 0: none. */
  uint32_t consulted;
  uint32_t fetched; /* up to which position the load under way has written its line back */
  size_t allocated[MACHINES_MAX]; /* bytes handed out by tidemark_alloc */
  void (*poison_handler[MACHINES_MAX])(void *);
};

struct cxl_change;

typedef VEC(uint64_t) cxl_line_set; /* a bit for each line, by number */

/* A line of which bytes have become known since the last failure, and what its alias held before. */
struct cxl_touched {
  struct space_line *line;
  unsigned char before[LINE_BYTES];
};

struct cxl {
  struct cxl_options options;
  struct cxl_state state;
  struct memory memory;
  VEC(struct cxl_change) changes; /* by cxl_set */
  VEC(struct cxl_touched) touched;
  /* In some execution a machine has read a value that may be an address in another machine's private memory. */
  bool reads_private;
  bool asked;    /* in some execution a machine has asked whether others live */
  bool consults; /* keep `consulted`: */
  /* The lines on which depended what has happened since somebody cleared it. */
  cxl_line_set consulted;
  uint64_t
      changes_made; /* stores that made a difference to somebody, ever and in whichever execution */
  bool stores_apart; /* what survivors store is kept apart from lines (cxl_put_stores) */
};

extern struct cxl cxl;
void cxl_consult_first(uint32_t number);

static inline bool cxl_failed(int machine) {
  return cxl.state.failed >> machine & 1;
}

int cxl_failures(void);
int cxl_failures_left(void);

/* Has the last failure of the scenario happened?  From then on each byte is resolved when it is first
 * read (space_line.known). */
bool cxl_settled(void);

/* The machine has failed: its stores that were not written back are in doubt from now on. */
void cxl_lose(int machine);

/* Is the value an address in private memory of a machine other than these? */
bool cxl_is_private(uint64_t value, uint32_t except);

/* What happened on this machine may be known to whoever takes that (event.h, EVENT_RELEASE). */
void cxl_note_release(const void *object);

/* Change a variable outside world memory so that going back undoes it; at most 8 bytes. */
void cxl_set(void *variable, uint64_t value, int size);

/* Bytes of the line are about to become known or to be stored: keep what was there.  pre: cxl_settled. */
void cxl_touch(struct space_line *l);

/* After the last failure: access_forget (with stores_apart, of stores, too), access_put_state and access_set_state of
 * the cxl model. */
void cxl_forget(void);
void cxl_put_state(struct str *out);
void cxl_set_known(const char *bytes, size_t n);
void cxl_know(struct space_line *l, uintptr_t address, int size, uint64_t value);

/* While machines may fail (search/fate.h).  put_machines: everything of this state that the future depends on, except
 * lines, as bytes that are equal exactly if that is the same.  line_version: a number for what a line holds, equal
 * exactly if that is the same, until cxl_forget_versions. */
void cxl_put_machines(struct str *out);
uint32_t cxl_line_version(uint32_t number);
/* How many of the stores in the line's version a write-back up to that position would make certain. */
uint32_t cxl_covered(const struct line *l, uint32_t position);
void cxl_forget_versions(void);
/* All lines, as bytes that are equal only if from now on everybody reads the same whoever fails: how often a machine has
 * repeated a store does not count. */
void cxl_put_contents(struct str *out);

/* Note that what happens next depends on the line at that address. */
static inline void cxl_consult(uintptr_t address) {
  if (!cxl.consults)
    return;
  uint32_t n = cxl.state.consulted = space_line(address)->line.number;
  if (n / 64 < cxl.consulted.length)
    cxl.consulted.data[n / 64] |= (uint64_t)1 << n % 64;
  else
    cxl_consult_first(n);
}

/* As access_peek. */
uint64_t cxl_peek(uintptr_t address, int size);

/* With stores_apart: what was stored since cxl_forget, as bytes; and add such stores to their lines. */
void cxl_put_stores(struct str *out);
void cxl_add_stores(const char *bytes, size_t n);

/* Going back: everything but `state`. */
struct cxl_mark {
  size_t memory, changes, touched;
};
struct cxl_mark cxl_mark(void);
void cxl_undo(struct cxl_mark m);

void cxl_share(void); /* register what a run changes, for --isolate */

#endif
