/* Looks ahead (scout.h) while a search of the cxl model takes long.
 *
 * Depth first, the last machine to fail, in all its ways, can take all the time there is.  A look ahead goes through
 * executions in which few things go wrong beyond the first failure: a further machine fails, or a load reads
 * something older than the newest store. */
#include "search/cluster_internal.h"
#include <math.h>

/* Machines that fail in the first `count` decisions, and what else goes wrong there. */
static void look_at(size_t count, uint32_t *failures, uint32_t *others) {
  *failures = *others = 0;
  for (size_t i = 0; i < count; i++) {
    const struct choice *c = &cluster.history.choices.stack.data[i];
    if (c->kind == CHOICE_MACHINE)
      *failures += c->taken;
    else
      *others += c->taken > 0;
  }
}

uint32_t cluster_deviations(void) {
  uint32_t failures, others;
  look_at(cluster.history.choices.stack.length, &failures, &others);
  return others + (failures ? failures - 1 : 0);
}

bool cluster_may_deviate(enum choice_kind kind, size_t before) {
  uint32_t failures, others;
  if (!cluster.scout.on)
    return true;
  if (now.undisturbed)
    return false;
  look_at(before, &failures, &others);
  if (!failures && kind == CHOICE_MACHINE)
    return others <= cluster_walk.deviations_max;
  return others + (failures ? failures - 1 : 0) < cluster_walk.deviations_max;
}

void cluster_check_scout(void) {
  if (cluster.scout.on && (cluster.interrupted() || scout_is_over(&cluster.scout)))
    choice_stop(&cluster.history.choices);
}

bool cluster_glimpse(void) {
  if (!cluster.scout.on)
    return false;
  cluster.scout.ends++;
  if (!cluster_over() && !now.unseen)
    cluster.glimpsed(now.verdicts.data, now.verdicts.length);
  cluster_check_scout();
  return true;
}

static void look_ahead(uint32_t deviations) {
  cluster_walk.limited = true;
  cluster_walk.deviations_max = deviations;
  cluster_explore(0);
  cluster_walk.limited = false;
}

/* Only whoever searches from the beginning looks ahead. */
void cluster_begin_scout(void) {
  const struct choices *c = &cluster.history.choices;
  bool can = cluster.share && !cluster.analyses && !c->replaying && !c->starting &&
             cxl.options.failures_max > 0 && cluster.strategy.kind == STRATEGY_FIXED;
  scout_begin(&cluster.scout, &cluster.history.choices, can);
}

bool cluster_explore_all(uint64_t run) {
  bool here = cluster_explore(run);
  while (here && cluster.scout.due && !cluster.stopped()) {
    scout_look(&cluster.scout, &cluster.history.choices, look_ahead);
    here = cluster_explore(run);
  }
  return here;
}

/* ---- sampled schedules ---- */

/* With fewer decisions about failures an execution is no small part of what follows from its schedule. */
#define POINTS_MIN 20

/* Failures in the first schedule can take all the time there is: each schedule is run without any before.  Only random
 * ones: with pct, how long earlier ones were is part of a schedule. */
void cluster_look_at_schedules(void) {
  struct choices *c = &cluster.history.choices;
  uint32_t longest = now.longest;
  struct str to = {0};
  bool bounded = c->bounded;
  if (cluster.strategy.kind != STRATEGY_RANDOM || cluster.isolate || cluster.analyses ||
      c->replaying || cxl.options.failures_max == 0)
    return;
  token_append(&to, &c->to);
  cluster.scout.on = now.undisturbed = cluster.looks_at_schedules = true;
  cluster.scout.until = HUGE_VAL;
  for (uint64_t run = 0; run < cluster.runs && !c->past && !cluster.stopped(); run++) {
    now.unseen = run == 0; /* that is where the search begins */
    cluster_explore(run);
    if (run == 0 && now.points < POINTS_MIN && !cluster.scout.every)
      break;
    cluster.undisturbed += !c->past;
  }
  cluster.scout.on = now.undisturbed = now.unseen = cluster.looks_at_schedules = false;
  now.longest = longest;
  choice_set_range(c, "", bounded ? str_text(&to) : NULL);
  str_free(&to);
}
