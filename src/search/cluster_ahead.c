/* Looks ahead (scout.h) while a search of the cxl model takes long, and runs without failures of sampled schedules.
 *
 * Depth first, the last machine to fail, in all its ways, can take all the time there is.  A look ahead goes through
 * executions with few deviations beyond the first failure: a further machine fails, or a load reads something older
 * than the newest store. */
#include "search/cluster_internal.h"
#include <math.h>

/* How many machines fail in the first `count` decisions, and how many other decisions take another alternative than the
 * first. */
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

/* One execution may take longer than the time that is left.  With analyses it goes on, because they would report again
 * what they have found in it. */
void cluster_check_ending(void) {
  if (cluster.next_range && !cluster.scout.on && !cluster.analyses && cluster.ending())
    choice_stand_back(&cluster.history.choices);
}

void cluster_check_scout(void) {
  if (cluster.scout.on && !now.measures && (cluster.interrupted() || scout_is_over(&cluster.scout)))
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

/* If the first schedule has fewer failure points, exploring its failures takes so little that no look at the others is
 * needed before. */
#define POINTS_MIN 20

/* From here on executions run without failures; *to keeps where the range under way ends. */
static void begin_undisturbed(struct str *to) {
  token_append(to, &cluster.history.choices.to);
  cluster.scout.on = now.undisturbed = cluster.looks_at_schedules = true;
  cluster.scout.until = HUGE_VAL;
}

/* Back to the range from `from` to *to. */
static void end_undisturbed(const char *from, bool bounded, struct str *to) {
  cluster.scout.on = now.undisturbed = now.unseen = cluster.looks_at_schedules = false;
  choice_set_range(&cluster.history.choices, from, bounded ? str_text(to) : NULL);
  str_free(to);
}

/* Failures in the first sampled schedule can take all the time there is, so each schedule is run once without any
 * before. */
void cluster_look_at_schedules(void) {
  struct choices *c = &cluster.history.choices;
  struct str to = {0};
  bool bounded = c->bounded;
  if (cluster.isolate || cluster.analyses || c->replaying || cxl.options.failures_max == 0)
    return;
  begin_undisturbed(&to);
  for (uint64_t run = 0; run < cluster.runs && !c->past && !cluster.stopped(); run++) {
    now.unseen = run == 0; /* the search itself begins with this execution */
    cluster_explore(run);
    if (run == 0 && now.points < POINTS_MIN && !cluster.scout.every)
      break;
    cluster.undisturbed += !c->past;
  }
  end_undisturbed("", bounded, &to);
}

uint32_t cluster_length(uint64_t run) {
  uint32_t longest = 0;
  for (uint64_t i = 0; i < run && i < CLUSTER_TRIALS; i++)
    longest = now.lengths[i] > longest ? now.lengths[i] : longest;
  return longest;
}

void cluster_note_length(uint64_t run) {
  if (run < CLUSTER_TRIALS && !cluster.history.failures.length)
    now.lengths[run] = now.picks.choices;
}

void cluster_measure_before(uint64_t run) {
  struct choices *c = &cluster.history.choices;
  uint64_t first = 0, end = run < CLUSTER_TRIALS ? run : CLUSTER_TRIALS;
  while (first < end && now.lengths[first])
    first++;
  if (cluster.strategy.kind != STRATEGY_PCT || first == end)
    return;
  struct str from = {0}, to = {0};
  bool bounded = c->bounded;
  if (c->starting)
    token_append(&from, &c->from);
  begin_undisturbed(&to);
  now.unseen = now.measures = true;
  choice_set_range(c, "", NULL);
  for (; first < end; first++)
    if (!now.lengths[first])
      cluster_explore(first);
  now.measures = false;
  end_undisturbed(str_text(&from), bounded, &to);
  str_free(&from);
}
