/* Cache lines of watched memory: which stores each has seen, and what of them may have survived failures.
 *
 * This is the constraint part of lazy constraint refinement (Jaaru): what a failure leaves is not enumerated; each line
 * has an interval of possibilities, which loads narrow.  memory/ lists the candidates for a load and applies the one
 * that is chosen; searches choose.
 *
 * A line keeps its stores in the order in which they reached the cache.  Each store belongs to a failure *domain*: in
 * the pm model one execution between two power failures, in the cxl model one machine.  For every domain the line knows
 * an interval [low, high] of positions:
 *
 *      position   1     2     3     4     5
 *      store     x=1   y=1   x=2   y=2   x=3          (all of domain d)
 *                       ^low        ^high
 *
 * While a domain is alive all its stores are visible.  Once it has failed, the last write-back of the line happened at
 * some position w with low <= w <= high: stores of the domain up to w are visible, later ones are lost.  Flushes raise
 * low before the failure; reading a store after the failure raises low or lowers high.  Invariants: L1: low <= high.
 * L2: an interval only shrinks, until that is undone.
 *
 * Open domains (--schedule=all, search/traces.h): where a failed execution was cut off may be left open (memory.open).
 * Then which of its stores were made, and which write-backs took effect, depends on a cut (memory/cut.h).  An answer to
 * a load narrows the cut, and the cut narrows the line (memory_settle).
 *
 * Divided lines: a load whose answers make no difference need not choose among them.  The interval stays, divided into
 * cells, one for each answer (memory_divide); each cell that is left in the end is an execution.
 *
 * Host memory: survives resets of the program.  Changes are recorded on a trail and undone in reverse order
 * (memory_undo). */
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
  uint64_t stamp;         /* if the stamp is the same as earlier, so are its stores and intervals */
  const uint8_t *initial; /* contents before the first store; NULL: zeros */
  VEC(struct store) stores;
  uint32_t positions;           /* position of the newest store */
  bool plain;                   /* some store to it, perhaps in another execution, was not atomic */
  uint32_t latest[DOMAINS_MAX]; /* position of each domain's newest store, 0: none */
  struct interval interval[DOMAINS_MAX];
  VEC(uint32_t) cells; /* divided: positions where further cells of cells_domain's interval begin */
  uint8_t cells_domain;
  VEC(struct write_back) write_backs; /* of open domains, in the order of the execution */
  /* For analyses that are memoised with walks (memory.watched).  told: bytes of which they have heard by loads, in the
   * execution after told_level failures.  whole: steps of stores before which no store to the line is torn; with
   * memory.told_in, MEMORY_WHOLE and MEMORY_TORN of steps. */
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
  /* APPENDED: the domain's previous newest position; DIVIDED: how many cells there were. */
  uint32_t latest;
  struct line *line; /* except CUT */
  union {
    struct interval interval; /* INTERVAL: the domain's previous one */
    size_t cut;               /* CUT: mark before it */
  };
  uint64_t stamp; /* INTERVAL, APPENDED: the line's previous one; TOLD: its bytes */
};

/* A store or write-back of an open domain.  It is number `tick` among the moments of its process (explore/dpor.h), and
 * happens after times[p] moments of each process p: a vector clock. */
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
  uint32_t open;   /* bit d: domain d is open */
  uint32_t opened; /* how many executions were open so far; raised by whoever opens one */
  /* analyses: not only values matter, but which store was read, and if for the first time. */
  bool watched;
  /* cxl: likewise where loads of the line tell analyses something: an even number, the same only in one walk, or an odd
   * one if stores to it may be torn.  0: they tell nothing.  NULL: nowhere. */
  uint32_t (*told_in)(const struct line *l);
  struct cuts cuts;
  const struct moments *moments[DOMAINS_MAX]; /* of open domains */
  VEC(struct line *) divided;                 /* the lines that are divided now */
  size_t undone_to; /* the least mark that memory_undo has gone back to since recall.c set this */
};

/* What an answer says about the line's write-backs in one domain. */
struct refinement {
  uint8_t domain;
  struct interval interval;
};

/* One way a load can be answered: the bytes, and what that says about write-backs. */
struct candidate {
  uint64_t value;
  uint32_t store; /* event of the newest store read, or CANDIDATE_INITIAL */
  uint8_t domain; /* of that store */
  int refinement_count;
  struct refinement refinements[DOMAINS_MAX];
  /* Open domains: 1 + a moment of cut_domain that must have come (made), or must not (unmade); 0: nothing is said.
   * uncovered: no write-back in it that covers this position of the line has come; 0: nothing is said. */
  uint32_t made, unmade, uncovered;
  uint8_t cut_domain;
};

#define CANDIDATE_INITIAL UINT32_MAX

typedef VEC(struct candidate) candidate_list;

void line_init(struct line *l, uintptr_t address);

/* Append a store; it gets the next position, or the newest one again if `joined`. */
void memory_append(struct memory *m, struct line *l, const struct store *s, bool joined);

/* The domain's stores up to `position` are written back. */
void memory_raise(struct memory *m, struct line *l, int domain, uint32_t position);

/* The same for an open domain: they are if the failure came after that moment. */
void memory_write_back(struct memory *m, struct line *l, int domain, uint32_t position,
                       uint32_t moment);

/* That step of an open domain has happened.  False: it cannot have. */
bool memory_require(struct memory *m, int domain, const struct cut_step *s);

/* Narrow the line by what is known about the cut.  Call it before the line is asked for answers. */
void memory_settle(struct memory *m, struct line *l);

/* All ways to answer a load of `size` <= 8 bytes at `offset`, newest store first; at least one.
 * Two candidates differ in a store they read, though perhaps not in their value. */
void memory_candidates(const struct memory *m, const struct line *l, int offset, int size,
                       candidate_list *out);

/* The answer if there is only one; false if there are several. */
bool memory_certain(const struct memory *m, const struct line *l, int offset, int size,
                    uint64_t *value);

/* Are the bytes those of `value`, whatever was lost?  Then a load of them has one answer, which says nothing.  never_other:
 * were they never anything else, since before the first store? */
bool memory_holds(const struct memory *m, const struct line *l, int offset, int size,
                  uint64_t value);
bool memory_never_other(const struct line *l, int offset, int size, uint64_t value);

/* The bytes of the newest stores that are not known to be lost. */
uint64_t memory_newest(const struct memory *m, const struct line *l, int offset, int size);

/* The position of the domain's newest store that a load of these bytes reads, given that the load
 * has only one answer; 0 if it reads none of the domain's. */
uint32_t memory_newest_read(const struct memory *m, const struct line *l, int domain, int offset,
                            int size);

/* For analyses: what an answer to a load says about one store.  It was read, or it was not although it is newer than
 * what was read. */
struct sighting {
  uint32_t step;
  uint32_t position; /* in the line */
  bool read;
  bool atomic, release; /* the store */
};

typedef VEC(struct sighting) sighting_list;

/* Append the sightings of a candidate or, c NULL, of a load that has been answered.  Only stores of domains below
 * `domain` count: others were made later.  False: nothing is said about some bytes, which one of several stores of the
 * same value has left. */
bool memory_sightings(const struct memory *m, const struct line *l, const struct candidate *c,
                      int domain, int offset, int size, sighting_list *out);

/* The newest of the domain's stores to the line that were certainly written back.  NULL: there is none, or a later
 * store has bytes of this load, or is another domain's. */
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

/* Two answers of one value in an open domain, of which the older one's interval ends where the newer one's begins: can
 * the case in which the newer store had not been made yet be told apart?  Then `alone` becomes that answer, which reads
 * what `older` does, and `both` gets the condition that the newer store had been made. */
bool memory_tell_apart(const struct memory *m, const struct line *l, const struct refinement *newer,
                       const struct candidate *older, struct candidate *both,
                       struct candidate *alone);

/* The next write-back from number n on that may have come, and after which it is certain that the newer one is read; of
 * those that follow each other the first.  Returns 1 + its number; 0: there is none. */
size_t memory_next_cover(const struct memory *m, const struct line *l, size_t n,
                         const struct refinement *newer);

/* Is the store at that position certainly written back in every cut that has the moment? */
bool memory_is_covered(const struct memory *m, const struct line *l, int domain, uint32_t position,
                       uint32_t moment);

/* Take a candidate: refine the line's intervals. */
void memory_choose(struct memory *m, struct line *l, const struct candidate *c);

/* Instead of memory_choose: leave open which of these candidates (all there are) it is, and divide the line into cells.
 *  False: the candidates are no cells of one interval. */
bool memory_divide(struct memory *m, struct line *l, const struct candidate *c, size_t count);

uint32_t memory_cells(const struct line *l); /* cells that are left; 1 if the line is not divided */

/* With memory.watched.  untold: of these bytes those (bit n: byte n of the line) of which analyses have not heard by a
 * load of the execution at that level.  tell: now they have.  note_whole: a step for line.whole. */
uint64_t memory_untold(const struct line *l, int level, int offset, int size);
void memory_tell(struct memory *m, struct line *l, int level, int offset, int size);
void memory_note_whole(struct memory *m, struct line *l, uint32_t step);

/* Numbers for memory_note_whole, with memory.told_in: this store is known not to be torn; it may be torn, and was
 * read. */
#define MEMORY_WHOLE(step) (2 * (step))
#define MEMORY_TORN(step) (2 * (step) + 1)

/* A cache: the version of a line when it was last asked for, with these domains failed. */
#define MEMORY_VERSIONS_KEPT 2
struct memory_version_of {
  uint64_t stamp; /* 0: none */
  const uint8_t *initial;
  uint32_t failed, version;
  uint32_t told; /* memory.told_in */
};

/* Versions: interned numbers for what loads of a line can read, for memoisation (search/recall.h).  A version stands
 * for the bytes up to the first store in doubt, and the stores from there on that are not lost, in their order, with
 * the cells that begin at them.  If a line has the same version twice, its loads have the same answers, and still do
 * after the same one is taken. With memory.watched also the same stores are read or missed, in the same executions.
 *
 * With an open domain a version is only valid within that execution, and what is known about the cut matters as well,
 * for those processes that memory_concerns names: memory_cut_version is a number for that. */
struct memory_versions {
  struct intern versions;
  struct str version;               /* scratch */
  VEC(struct memory_version_of) of; /* by line, MEMORY_VERSIONS_KEPT each */
};

uint32_t memory_version(const struct memory *m, const struct line *l, struct memory_versions *v);
void memory_versions_clear(struct memory_versions *v);
uint32_t memory_cut_version(const struct memory *m, uint32_t process, struct memory_versions *v);

/* Does the line narrow the cut, or the cut the line, as far as that process is concerned?  pre: some domain is open. */
bool memory_concerns(const struct memory *m, const struct line *l, uint32_t process);
uint32_t memory_processes(const struct memory *m); /* of the open domain; 0: none is open */

size_t memory_mark(const struct memory *m);
void memory_undo(struct memory *m, size_t mark);

#endif
