/* The cxl model's state: which machines have failed, what they left in doubt, and how to go back.
 *
 * access_cxl.c says what accesses mean; a search (search/cluster.h) answers its questions through
 * the door, and saves and restores this state where it comes back to a decision. */
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
  uint32_t
      looks_max; /* at whether machines live, with nothing stored or locked in between: a hang */
};

/* What goes back with the execution besides the world and the trails: copied by the search. */
struct cxl_state {
  uint16_t failed;       /* bit per machine */
  bool reads_known;      /* the last one has: bytes that are known may be read without asking */
  uint16_t quiet;        /* bit per machine: did nothing visible since it was last asked to fail */
  uint32_t synchronised; /* lock operations so far */
  uint32_t looks;        /* see looks_max; while machines may fail */
  uint32_t
      consulted; /* newest line that was (cxl.consults): the one an access is in the middle of; 0: none */
  size_t allocated[MACHINES_MAX]; /* bytes handed out by tidemark_alloc */
  void (*poison_handler[MACHINES_MAX])(void *);
};

struct cxl_change;

typedef VEC(uint64_t) cxl_line_set; /* a bit for each line, by number */

/* A line of which bytes are known since the last failure, and what was there before. */
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
  bool
      reads_private; /* some machine, in some execution, has read an address of what another one has for itself */
  bool consults;
  cxl_line_set
      consulted; /* if so: lines on which it depended what has happened, for whoever clears it */
  bool stores_apart; /* what survivors store is not added to lines, but see cxl_put_stores */
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

/* The machine is gone: what it had not written back is lost or not, nobody knows yet. */
void cxl_lose(int machine);

/* Is the value an address in memory that a machine, other than these, has for itself? */
bool cxl_is_private(uint64_t value, uint32_t except);

/* Change a variable outside world memory so that going back undoes it; at most 8 bytes. */
void cxl_set(void *variable, uint64_t value, int size);

/* Bytes of the line become known, or it is stored to; pre: settled, before that is noted. */
void cxl_touch(struct space_line *l);

/* After the last failure, as access_forget (of stores, too, with stores_apart), access_put_state and
 * access_set_state. */
void cxl_forget(void);
void cxl_put_state(struct str *out);
void cxl_set_known(const char *bytes, size_t n);
void cxl_know(struct space_line *l, uintptr_t address, int size, uint64_t value);

/* While machines may fail: everything but lines and counters that the future depends on, as bytes that are equal
 * exactly if that is the same; and numbers for lines of which the same is true, until they are forgotten. */
void cxl_put_machines(struct str *out);
uint32_t cxl_line_version(uint32_t number);
/* How many of the stores that count there a write-back up to that position would make certain: with the line's
 * number, which these are. */
uint32_t cxl_covered(const struct line *l, uint32_t position);
void cxl_forget_versions(void);

/* Note that what happens depends on the line there. */
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

/* With stores_apart: what was stored since that was last forgotten, as bytes; and add such stores to lines. */
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
