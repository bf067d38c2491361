/* From stops to findings: what the ends of executions mean, merged over all executions of a search.
 *
 * A *verdict* is a number for how a run ended and what it said.  verdict_of is asked once for each program run,
 * verdict_count is called for each execution that is covered; the details of a finding are taken from the history of
 * its first execution (describe.h). */
#ifndef SESSION_VERDICT_H
#define SESSION_VERDICT_H

#include "base/bigint.h"
#include "finding/finding.h"
#include "process/stop.h"
#include "search/history.h"

/* A number that stands for how this run ended and what it said (outcome NULL: nothing). */
uint32_t verdict_of(const struct stop *why, const char *outcome, int thread, int machine);

bool verdict_is_finding(uint32_t verdict);

/* Will verdict_count describe an execution that ended like that? */
bool verdict_is_new(uint32_t verdict);
bool verdict_is_unseen(uint32_t verdict); /* and would verdict_glimpse? */

/* One more execution ended like that. */
void verdict_count(const struct history *h, uint32_t verdict);

/* So many more executions ended like that, and were not walked.  pre: verdict_known: one was counted by itself. */
void verdict_repeat(uint32_t verdict, const struct bigint *times);

/* The same for an execution that ended in several ways, one for each machine: it shows a finding once. */
void verdict_count_all(const struct history *h, const uint32_t *verdicts, size_t count);
void verdict_repeat_all(const uint32_t *verdicts, size_t count, const struct bigint *times);
bool verdict_known(uint32_t verdict);
/* Of each finding so many executions are looked at one by one (for advice), before others may be only counted. */
void verdict_look_at(uint64_t executions);

/* A look ahead has seen an execution that ends like that: describe it if it is the first.  verdict_count comes later,
 * or never. */
void verdict_glimpse(const struct history *h, uint32_t verdict);

/* Where a finding of an analysis is: two of them on the same lines are one.  Those that a flush or fence prevents are
 * told apart by the column of the store as well, because each needs one of its own; the report puts them together. */
struct verdict_line {
  const char *file;      /* NULL: only the code is known */
  uint32_t line, column; /* column 0: it does not matter */
  uintptr_t code;
};

struct verdict_places {
  struct verdict_line store, load;
};

struct verdict_line verdict_line(const struct abi_site *site, uintptr_t code);
void verdict_line_text(const struct verdict_line *l, struct str *out);
bool verdict_same_line(const struct verdict_line *a, const struct verdict_line *b);

/* An analysis has found something in the execution under way.  Returns the finding, to be filled in; NULL: it is known,
 * and was described by an execution of the same or a lower rank. */
struct finding *verdict_found(const struct history *h, enum finding_kind kind,
                              const struct verdict_places *at, uint64_t rank);

/* A number like a verdict for that finding, to count how often it was found with verdict_repeat and verdict_known.
 * pre: it was found. */
uint32_t verdict_reported(enum finding_kind kind, const struct verdict_places *at);
bool verdict_is_report(uint32_t verdict);

/* As verdict_found, where only the first execution is described.  True: it is known, and was counted once more. */
bool verdict_again(enum finding_kind kind, const struct verdict_places *at);

/* The same in an execution that does not count (a look ahead): is it known?  And the finding, to be filled in. */
bool verdict_knows(enum finding_kind kind, const struct verdict_places *at);
struct finding *verdict_foreseen(const struct history *h, enum finding_kind kind,
                                 const struct verdict_places *at); /* pre: it is not known */

/* reset: the search starts again; forget what was counted.  keep: but report what was found, even if it is not found
 * again. forget: everything was handed over, and counting starts from zero. */
void verdict_reset(void);
void verdict_keep(void);
void verdict_forget(void);

/* A range (ranges.h) begins at that position; the one that began there is about to be handed over.  Advice considers
 * the first executions of a finding only: in ranges behind one that has enough of them none needs to be. */
void verdict_range_begins(const char *from);
void verdict_range_ends(const char *from);
size_t verdict_findings(void);

/* Move everything into the results. */
void verdict_collect(struct results *r);

void verdict_share(void); /* register what a run changes, for --isolate */

#endif
