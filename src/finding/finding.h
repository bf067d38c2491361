/* Findings as data: what the worker found, for any report to format.
 *
 * A finding is one bug: executions that show the same thing at the same place are merged and
 * counted; the details are those of the first with the fewest failures.  Places inside the program are
 * given as source positions where the instrumentation knows them, otherwise as an offset into an
 * executable, which the reader turns into a position. */
#ifndef FINDING_FINDING_H
#define FINDING_FINDING_H

#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

enum finding_kind {
#define FINDING(name, text) FINDING_##name,
#include "finding/finding.def"
#undef FINDING
  FINDING_KINDS
};

const char *finding_kind_text(int kind);
int finding_kind_parse(const char *text); /* -1: no such kind */

/* Is it about all executions together?  Then no single one shows it, and there is none to replay. */
bool finding_kind_is_of_all(int kind);

/* offset lies inside the instruction, also where it was found as a return address. */
struct place {
  char *file, *function; /* NULL if not known */
  uint32_t line, column;
  char *object;    /* executable or library, NULL if the source position is known */
  uint64_t offset; /* of the code in it */
};

typedef VEC(struct place) place_list;

/* One store a load could have read. */
struct finding_store {
  bool initial; /* no store: the contents before the first one */
  bool chosen;
  bool unmade; /* it had not been made when the power failed */
  uint64_t value;
  int thread, machine, execution; /* execution: failures before the store */
  struct place place;
};

/* A load that could read more than one store. */
struct finding_load {
  struct place place;
  uint64_t address;
  int size, execution;
  char *region; /* name of the region, and where in it */
  uint64_t region_offset;
  VEC(struct finding_store) stores; /* newest first */
};

/* A thread went on, or its store buffer drained, where others could have (explored schedules). */
struct finding_turn {
  int execution, thread;
  bool drain;
  char *what; /* "load", "store", "fence", ...: with what it went on */
  struct place place;
  place_list stack; /* innermost first; empty if nobody has asked for it */
  char *call;       /* the function that was called at place, if it is code of a library; or NULL */
};

/* A failure that was injected. */
struct finding_failure {
  int execution, machine; /* machine -1: the whole system */
  uint32_t point;
  char *before; /* "clwb", "sfence", "the end of the program", ... */
  struct place place;
  place_list stack;                /* of the thread that was running, innermost first */
  place_list own;                  /* where the machine itself stood, if another one was running */
  bool ended;                      /* its program was over */
  VEC(struct finding_turn) stands; /* what each thread was about to do, or its buffer held back */
};

/* What a finding of an analysis is about: a store that was lost, or may be torn, one that survived, a
 * load that shows it. */
#define FINDING_ROLES(ROLE) \
  ROLE(LOST, "lost")         /* the store that is not persistent */ \
  ROLE(SURVIVED, "survived") /* a later one that was */ \
  ROLE(MISSED, "missed")     /* the load that did not see the first */ \
  ROLE(READ, "read")         /* the load that saw the second, or a torn one */ \
  ROLE(TORN, "torn")         /* the store that is not atomic */ \
  ROLE(USELESS, "useless")   /* the flush or fence without effect */ \
  ROLE(FIRST, "first")       /* data race: the two accesses */ \
  ROLE(SECOND, "second") \
  ROLE(DELAYED, "delayed")     /* the store that a store buffer can hold back */ \
  ROLE(EARLY, "early")         /* the load that can come before it */ \
  ROLE(CONFLICT, "conflict")   /* the store of another thread that the load then misses */ \
  ROLE(FREED, "freed")         /* where the block was given back */ \
  ROLE(LATE, "late")           /* the store that left its buffer afterwards */ \
  ROLE(DESTROYED, "destroyed") /* where the lock was */ \
  ROLE(WAITS, "waits")         /* deadlock: where another thread waits */ \
  ROLE(HOLDS, "holds")         /* and where one has taken what somebody waits for, */ \
  ROLE(UNHEARD, "unheard")     /* or woke somebody up too early */

enum finding_role {
#define ROLE(name, text) FINDING_ROLE_##name,
  FINDING_ROLES(ROLE)
#undef ROLE
      FINDING_ROLE_COUNT
};

const char *finding_role_text(int role);
int finding_role_parse(const char *text); /* -1: no such role */

struct finding_part {
  enum finding_role role;
  int thread, execution; /* failures before it */
  int size;              /* bytes; 0: it has no address */
  bool copied;           /* a part of a copy, not a scalar */
  char *region;          /* and where in it */
  uint64_t region_offset;
  struct place place;
  place_list stack; /* innermost first; empty if nobody has asked for it */
  char *field,
      *type; /* "next of struct node", "struct node *", if debug information has it; or NULL */
  bool bit_field, array; /* array: the type is that of its elements */
};

/* Where a flush or fence belongs: after one place and before another, in one thread. */
struct finding_window {
  int thread;
  bool primary;      /* of the thread that made the store */
  bool flush, fence; /* what is missing there */
  struct place after, before;
  uint64_t
      lost_offset; /* in `further`: of the lost store, in the region of the finding's own; or UINT64_MAX */
};

/* What would have prevented executions that show a finding (prevention.h). */
struct finding_case {
  uint64_t before, effort; /* executions that show the finding before it, and their steps */
  bool hopeless; /* the execution could have happened anyway; unsure: as far as that is known */
  bool unsure;
  VEC(char *) remedies; /* each prevents it; texts that are the same if the same is to be done */
  char *text;           /* the first one in words; NULL: there is none */
  struct place place;
  struct finding_window window; /* of the first one, if it is a flush or fence */
};

struct finding_prevention {
  VEC(struct finding_case) cases; /* in the order of their executions */
  uint64_t executions, effort;    /* that show the finding, as far as they were looked at; steps */
};

/* A variable of the program (or of a library) that the finding is about. */
struct finding_variable {
  uint64_t address; /* in the program as it was run: messages may contain it */
  char *object;
  uint64_t offset; /* the address as the file knows it */
  char *name;      /* "table", "table+8", ns::table; NULL: not known, or nobody has looked yet */
};

struct finding {
  bool refutes; /* no finding: those of the same kind, place and callers are none either */
  enum finding_kind kind;
  char *message;
  char *said;    /* the program's last line on its standard error, if it gave up; or NULL */
  char *token;   /* replay token */
  int execution; /* failures before the execution that shows it */
  int thread, machine;
  uint64_t count;   /* executions that show it */
  char *count_text; /* the same in digits, if it may be more than fits; or NULL */
  struct place place;
  place_list stack;
  VEC(struct finding_failure) failures;
  VEC(struct finding_load) loads;
  VEC(struct finding_turn) turns; /* in order; a thread's steps in a row are one */
  VEC(struct finding_part) parts; /* analyses */
  VEC(struct finding_variable) variables;
  char *fix; /* a sentence, or NULL */
  struct place fix_place;
  VEC(struct finding_window) windows; /* if a flush or fence is missing; the first one is meant */
  /* Report: the windows of other stores of the same line, which the finding is about, too. */
  VEC(struct finding_window) further;
  char *identity; /* findings of parts of a search with the same one are the same; NULL: unknown */
  uint64_t rank;  /* analyses: of what is described; the least is kept */
  struct finding_prevention prevention; /* not settled yet: becomes fix, fix_place, windows */
};

/* What a search found, as a whole. */
struct outcome {
  char *text;
  uint64_t count;
  char *count_text; /* as for findings */
};

struct results {
  bool complete;
  char *incomplete_why; /* NULL if complete */
  char *error;          /* the program could not be loaded or run: exit 3 */
  place_list
      error_stack;   /* where the program asked for what is refused, innermost first; or empty */
  VEC(char *) notes; /* what the program met here that it may not meet elsewhere, one line each */
  char *executions_text; /* as for findings */
  uint64_t executions, program_runs, failure_points, steps, peak_bytes;
  bool points_of_longest; /* failure points are those of one execution, the longest (cxl) */
  uint64_t
      looked_ahead; /* executions with fewer deviations than that were looked at; or so many sampled schedules,
                             without failures (cxl) */
  uint64_t schedules;  /* of the program before any failure; pm */
  bool every_schedule; /* was explored, although fewer were asked for */
  uint64_t estimate;   /* about how many executions there are (sc, tso: at least); 0: not known */
  uint64_t shortest,
      longest;      /* steps that others could notice, of executions of ordinary programs */
  uint64_t threads; /* of the first execution, if they run in the fixed schedule; pm */
  bool no_failures; /* the options allow none: nothing is known about stores then */
  uint64_t
      stores; /* to watched memory, by the first execution that has some; 0: nothing was checked */
  char *foreign; /* file whose code, not built with tidemark-cc, reached watched memory most */
  uint64_t foreign_accesses; /* by it, in all runs together; 0: there was none */
  uint64_t input_bytes,
      input_hash; /* standard input that the program asked for; hash 0: it did not */
  double cpu_seconds;
  char *eager_states; /* decimal, or NULL */
  VEC(struct outcome) outcomes;
  VEC(struct finding) findings;
  place_list fences; /* the fewest that make the program store-buffer safe, each behind a line */
};

/* Numbers beyond this one are texts in reports: not every reader of JSON keeps all their digits. */
#define FINDING_COUNT_MAX ((uint64_t)1 << 53)

/* Adds `more`.  If the sum is too large for a number, that becomes FINDING_COUNT_MAX, and the
 * result has all digits; otherwise it is NULL. */
struct bigint;
char *finding_total(uint64_t *count, const struct bigint *more);

struct place place_copy(const struct place *p);
void place_free(struct place *p);
void finding_free(struct finding *f);
void finding_case_free(struct finding_case *c);
void results_free(struct results *r);

#endif
