/* From stops to findings: what the end of an execution means, merged over executions.
 *
 * verdict_of is asked once for each program run, verdict_count for each execution covered; the
 * details of a finding are taken from the history of its first execution. */
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
bool verdict_is_unseen(uint32_t verdict); /* ... and verdict_glimpse? */

/* One more execution ended like that. */
void verdict_count(const struct history *h, uint32_t verdict);

/* So many more did, which nobody has walked; pre: verdict_known, one like that was counted. */
void verdict_repeat(uint32_t verdict, const struct bigint *times);

/* The same for an execution that ended in several ways, one for each machine: it shows a finding once. */
void verdict_count_all(const struct history *h, const uint32_t *verdicts, size_t count);
void verdict_repeat_all(const uint32_t *verdicts, size_t count, const struct bigint *times);
bool verdict_known(uint32_t verdict);
void verdict_look_at(uint64_t executions); /* of each finding, before the rest is only counted */

/* There is an execution that ends like that; verdict_count comes later, or never. */
void verdict_glimpse(const struct history *h, uint32_t verdict);

/* Where a finding of an analysis is: two of them on the same lines are one. */
struct verdict_line {
  const char *file; /* NULL: only the code is known */
  uint32_t line;
  uintptr_t code;
};

struct verdict_places {
  struct verdict_line store, load;
};

struct verdict_line verdict_line(const struct abi_site *site, uintptr_t code);
void verdict_line_text(const struct verdict_line *l, struct str *out);
bool verdict_same_line(const struct verdict_line *a, const struct verdict_line *b);

/* An analysis has found something in the execution under way.  The finding is to be filled in, or
 * NULL: it is known already, and was described with a rank that is as low. */
struct finding *verdict_found(const struct history *h, enum finding_kind kind,
                              const struct verdict_places *at, uint64_t rank);

/* A number like that of a verdict, for whoever counts how often that was found; verdict_repeat and verdict_known take
 * it, too.  pre: it was found. */
uint32_t verdict_reported(enum finding_kind kind, const struct verdict_places *at);
bool verdict_is_report(uint32_t verdict);

/* The same where only the first one is described: true if it is known, and one more. */
bool verdict_again(enum finding_kind kind, const struct verdict_places *at);

/* The same in an execution that does not count. */
bool verdict_knows(enum finding_kind kind, const struct verdict_places *at);
struct finding *verdict_foreseen(const struct history *h, enum finding_kind kind,
                                 const struct verdict_places *at); /* pre: it is not known */

/* Findings that some execution has shown so far. */
void verdict_reset(void);  /* forget what was counted */
void verdict_keep(void);   /* but report what was found, though it is not found again */
void verdict_forget(void); /* everything was handed over, and counts from here on are new */

/* A range (ranges.h) begins at that position; the one that began there is about to be handed over.  Advice considers
 * the first executions of a finding: behind a range that has enough of them nobody has to. */
void verdict_range_begins(const char *from);
void verdict_range_ends(const char *from);
size_t verdict_findings(void);

/* Move everything into the results. */
void verdict_collect(struct results *r);

void verdict_share(void); /* register what a run changes, for --isolate */

#endif
