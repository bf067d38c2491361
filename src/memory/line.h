/* Cache lines of watched memory: which stores each has seen, and what of them may have survived.
 *
 * A line keeps its stores in the order in which they reached the cache.  Each store belongs to a
 * failure domain: in the pm model one execution between two power failures, in the cxl model one
 * machine.  For every domain the line knows an interval [low, high] of positions:
 *
 *      position   1     2     3     4     5
 *      store     x=1   y=1   x=2   y=2   x=3          (all of domain d)
 *                       ^low        ^high
 *
 * While a domain is alive all its stores are visible.  Once it has failed, the last write-back of
 * the line happened at some position w with low <= w <= high: stores of the domain up to w are
 * visible, later ones are lost.  Flushes raise low before the failure; reading a store after the
 * failure raises low or lowers high (constraint refinement).  Invariants: L1: low <= high.  L2: an
 * interval only shrinks, until that is undone.
 *
 * Where a failed domain was cut off may be open (memory.open): then which of its stores were made, and
 * which of its write-backs took effect, depends on a cut (memory/cut.h) that loads narrow.  A line
 * then says more about the cut when a load is answered, and the cut about the line (memory_settle).
 *
 * A load whose answers make no difference need not choose among them: the interval stays, divided into
 * cells, one for each answer (memory_divide).  Each cell that is left in the end is an execution.
 *
 * Host memory: survives resets of the program.  Changes are recorded on a trail and undone in
 * reverse order (memory_undo). */
#ifndef MEMORY_LINE_H
#define MEMORY_LINE_H

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "memory/cut.h"
#include <stdbool.h>
#include <stdint.h>

#define LINE_BYTES 64
#define LINE_OF(address) ((address) & ~(uintptr_t)(LINE_BYTES - 1))
#define DOMAINS_MAX 16
#define POSITION_MAX UINT32_MAX

/* One store of at most 8 bytes that does not cross an 8-byte boundary.  The two halves of a
 * 16-byte atomic store share their position: they survive together or not at all. */
struct store {
  uint64_t value;
  uint32_t position; /* 1, 2, ... within the line */
  uint32_t event;    /* index of the event that made it, for reports; or STORE_NAMELESS */
  uint32_t step;     /* number of its step in the execution (event/trace.h) */
  uint32_t moment;   /* open domains: when it was made (memory.moments) */
  uint8_t offset, size, domain;
  bool atomic, release; /* in the source (event/event.h) */
};

#define STORE_NAMELESS UINT32_MAX

struct interval {
  uint32_t low, high;
};

/* Open domains: the stores up to `position` are written back if that moment has come. */
struct write_back {
  uint32_t position, moment;
  uint8_t domain;
};

struct line {
  uintptr_t address;
  uint32_t number;        /* given by whoever has the lines; small */
  uint64_t stamp;         /* the same wherever its stores and intervals are the same as before */
  const uint8_t *initial; /* contents before the first store; NULL: zeros */
  VEC(struct store) stores;
  uint32_t positions;           /* position of the newest store */
  bool plain;                   /* some store, perhaps of another execution, was not atomic */
  uint32_t latest[DOMAINS_MAX]; /* position of each domain's newest store, 0: none */
  struct interval interval[DOMAINS_MAX];
  VEC(uint32_t) cells; /* where in the interval of cells_domain further ones begin */
  uint8_t cells_domain;
  VEC(struct write_back) write_backs; /* of open domains, in the order of the execution */
  /* If somebody watches (memory.watched): bytes that loads have told about, in the execution after
   * told_level failures; and steps, of stores: all before one of them on the line is whole.  With
   * memory.may_tear: MEMORY_WHOLE and MEMORY_TORN of steps. */
  uint64_t told;
  uint8_t told_level;
  VEC(uint32_t) whole;
};

/* One thing that can be undone. */
enum change_kind {
  CHANGE_INTERVAL,
  CHANGE_APPENDED,
  CHANGE_WRITE_BACK,
  CHANGE_CUT,
  CHANGE_DIVIDED,
  CHANGE_TOLD,
  CHANGE_WHOLE
};

struct change {
  uint8_t kind; /* enum change_kind */
  uint8_t domain;
  uint32_t latest;   /* APPENDED: the domain's previous newest position; DIVIDED: cells */
  struct line *line; /* except CUT */
  union {
    struct interval interval; /* INTERVAL: the domain's previous one */
    size_t cut;               /* CUT: mark before it */
  };
  uint64_t stamp; /* INTERVAL, APPENDED: the line's previous one; TOLD: its bytes */
};

/* Something of an open domain that happens once: number `tick` of its process, after times[p] of each
 * process p. */
struct moment {
  uint32_t process, tick;
  uint32_t times; /* offset of `width` numbers in the pool */
};

struct moments {
  VEC(struct moment) all;
  VEC(uint32_t) pool;
  uint32_t width;
};

struct memory {
  VEC(struct change) trail;
  uint64_t stamps; /* given so far */
  uint32_t failed; /* bit d: domain d has failed */
  uint32_t open;   /* bit d: where it was cut off is not decided */
  uint32_t opened; /* counts executions that were open; whoever opens one raises it */
  bool
      watched; /* not only values matter, but which store was read, and whether for the first time */
  bool may_tear; /* likewise, of stores that may be torn (cxl) */
  struct cuts cuts;
  const struct moments *moments[DOMAINS_MAX]; /* of open domains */
  VEC(struct line *) divided;                 /* those that are */
  size_t undone_to; /* the least mark that was gone back to since somebody set this */
};

/* One way a load can be answered: the bytes, and what that says about the line's write-backs. */
struct refinement {
  uint8_t domain;
  struct interval interval;
};

struct candidate {
  uint64_t value;
  uint32_t store; /* event of the newest store read, or CANDIDATE_INITIAL */
  uint8_t domain; /* of that store */
  int refinement_count;
  struct refinement refinements[DOMAINS_MAX];
  /* Open domains: 1 + a moment of cut_domain that had come, or had not; 0: nothing is said. */
  uint32_t made, unmade;
  uint8_t cut_domain;
};

#define CANDIDATE_INITIAL UINT32_MAX

typedef VEC(struct candidate) candidate_list;

void line_init(struct line *l, uintptr_t address);

/* Append a store; it gets the next position, or the newest one again if `joined`. */
void memory_append(struct memory *m, struct line *l, const struct store *s, bool joined);

/* The domain's stores up to `position` are written back. */
void memory_raise(struct memory *m, struct line *l, int domain, uint32_t position);

/* The same, if that moment of an open domain has come. */
void memory_write_back(struct memory *m, struct line *l, int domain, uint32_t position,
                       uint32_t moment);

/* That has happened in an open domain.  False: it cannot have. */
bool memory_require(struct memory *m, int domain, const struct cut_step *s);

/* Take over what is known about cuts; pre: before the line is asked for answers. */
void memory_settle(struct memory *m, struct line *l);

/* All ways to answer a load of `size` <= 8 bytes at `offset`, newest store first; at least one.
 * Two candidates differ in a store they read, though perhaps not in their value. */
void memory_candidates(const struct memory *m, const struct line *l, int offset, int size,
                       candidate_list *out);

/* The answer if there is only one; false if there are several. */
bool memory_certain(const struct memory *m, const struct line *l, int offset, int size,
                    uint64_t *value);

/* The newest bytes that are not known to be lost. */
uint64_t memory_newest(const struct memory *m, const struct line *l, int offset, int size);

/* The position of the domain's newest store that a load of these bytes reads, given that the load
 * has only one answer; 0 if it reads none of the domain's. */
uint32_t memory_newest_read(const struct memory *m, const struct line *l, int domain, int offset,
                            int size);

/* What an answer to a load says about single stores: this one was read, or was not although it is
 * newer than what was read. */
struct sighting {
  uint32_t step;
  uint32_t position; /* in the line */
  bool read;
  bool atomic, release; /* the store */
};

typedef VEC(struct sighting) sighting_list;

/* The sightings of a candidate, or of a load that has been answered (NULL), appended to `out`.  Only
 * stores of domains below `domain` count: later ones had not been made.  About bytes that one of
 * several stores of the same value may have left nothing is said: then the result is false. */
bool memory_sightings(const struct memory *m, const struct line *l, const struct candidate *c,
                      int domain, int offset, int size, sighting_list *out);

/* The newest of the domain's stores to the line that were written back, if no later one has bytes of this
 * load; otherwise, or if there is none, or another domain's comes later, NULL. */
static inline const struct store *memory_newest_settled(const struct line *l, int domain,
                                                        int offset, int size) {
  for (size_t n = l->stores.length; n-- > 0;) {
    const struct store *s = &l->stores.data[n];
    if (s->domain != domain)
      return NULL;
    if (s->position <= l->interval[domain].low)
      return s;
    if (s->offset < offset + size && offset < s->offset + s->size)
      return NULL;
  }
  return NULL;
}

/* Two answers of one value, of which the older ends, in an open domain, where the newer begins: can it be told
 * that the newer one's store had not been made yet?  Then that becomes part of `alone`, which is to read
 * what `older` does, and that it had been made part of `both`. */
bool memory_tell_apart(const struct memory *m, const struct line *l, const struct refinement *newer,
                       const struct candidate *older, struct candidate *both,
                       struct candidate *alone);

/* Take a candidate: refine the line's intervals. */
void memory_choose(struct memory *m, struct line *l, const struct candidate *c);

/* Instead: leave open which of these candidates, all there are, it is.  False: that cannot be said. */
bool memory_divide(struct memory *m, struct line *l, const struct candidate *c, size_t count);

uint32_t memory_cells(const struct line *l); /* so many are left; 1 if it is not divided */

/* While somebody watches.  Of these bytes (bit n: number n of the line), those that no load of the execution
 * at that level has told about; from now on they have.  And the step makes the line whole. */
uint64_t memory_untold(const struct line *l, int level, int offset, int size);
void memory_tell(struct memory *m, struct line *l, int level, int offset, int size);
void memory_note_whole(struct memory *m, struct line *l, uint32_t step);

/* Of single stores, as numbers for memory_note_whole: it is known not to be torn; it may be, and was read. */
#define MEMORY_WHOLE(step) (2 * (step))
#define MEMORY_TORN(step) (2 * (step) + 1)

/* Numbers for what loads of a line can read: the bytes up to the first store in doubt, and the stores from
 * there on that are not lost, in their order, with the cells that begin at them.  Where it is the same
 * number for the same line, loads have the same answers, and so they do whatever of these is taken.
 * While somebody watches it is also the same stores that are read or missed, in the same executions.
 *
 * With an open domain it is a number for what is known about the line in that execution, and nothing is the
 * same in others.  Then what is known about the cut matters as well, as far as processes are concerned that
 * memory_concerns names: memory_cut_version is a number for that. */
struct memory_versions {
  struct intern versions;
  struct str version; /* scratch */
};

uint32_t memory_version(const struct memory *m, const struct line *l, struct memory_versions *v);
void memory_versions_clear(struct memory_versions *v);
uint32_t memory_cut_version(const struct memory *m, uint32_t process, struct memory_versions *v);

/* Is what the line says about the cut, or the cut about the line, a matter of that process?  pre: some domain
 * is open. */
bool memory_concerns(const struct memory *m, const struct line *l, uint32_t process);
uint32_t memory_processes(const struct memory *m); /* so many there are in open domains */

size_t memory_mark(const struct memory *m);
void memory_undo(struct memory *m, size_t mark);

#endif
