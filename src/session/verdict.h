/* From stops to findings: what the end of an execution means, merged over executions.
 *
 * verdict_of is asked once for each program run, verdict_count for each execution covered; the
 * details of a finding are taken from the history of its first execution. */
#ifndef SESSION_VERDICT_H
#define SESSION_VERDICT_H

#include "finding/finding.h"
#include "process/stop.h"
#include "search/history.h"

/* A number that stands for how this run ended and what it said (outcome NULL: nothing). */
uint32_t verdict_of(const struct stop *why, const char *outcome, int thread, int machine);

/* Will verdict_count describe an execution that ended like that? */
bool verdict_is_new(uint32_t verdict);

/* One more execution ended like that. */
void verdict_count(const struct history *h, uint32_t verdict);

/* The program's part of the stack at a stop, innermost first. */
void verdict_stack(const struct stop *why, place_list *out);

/* Findings that some execution has shown so far. */
void verdict_reset(void); /* forget what was counted */
size_t verdict_findings(void);

/* Move everything into the results. */
void verdict_collect(struct results *r);

void verdict_share(void); /* register what a run changes, for --isolate */

#endif
