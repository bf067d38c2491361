#include "search/cluster.h"
#include "access/access.h"
#include "access/spin.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/mem.h"
#include "finding/job.h"
#include "process/fault.h"
#include "process/files.h"
#include "process/share.h"
#include "process/world.h"
#include "search/cluster_internal.h"
#include "search/standstill.h"
#include "search/survivors.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>

struct cluster cluster;

struct cluster_now now;
struct walk cluster_walk;

struct state cluster_state(void) {
  return (struct state){.model = cxl.state,
                        .points = now.points,
                        .steps = access_steps(),
                        .where = now.where,
                        .picks = now.picks};
}

void cluster_set_state(const struct state *s) {
  cxl.state = s->model;
  cxl.memory.failed = s->model.failed;
  now.points = s->points;
  access_set_steps(s->steps);
  now.where = s->where;
  now.picks = s->picks;
}

bool cluster_over(void) {
  const struct choices *c = &cluster.history.choices;
  return c->diverged || c->past || cluster.stopped();
}

/* The first alternative from number `from` on that is to be tried, or c->count: none.  before: decisions before this
 * one. */
static uint32_t next_to_try(const struct checkpoint *c, uint32_t from, size_t before) {
  if (c->kind != CHOICE_SCHEDULE)
    return cluster_may_deviate(c->kind, before) ? from : c->count;
  if (strategy_samples(&cluster.strategy))
    return c->count;
  return cluster_sleeps() ? sleep_first_awake(&now.sleep, c->options, c->count, from) : from;
}

/* A checkpoint of everything but the program's world. */
static struct checkpoint checkpoint_here(void) {
  struct checkpoint c = {.state = cluster_state(),
                         .mark = cxl_mark(),
                         .outcome = outcome_mark(),
                         .analyses = cluster_analyses_mark(),
                         .failure = now.failure,
                         .sleep = sleep_here(&now.sleep)};
  c.events = cluster.history.events.length;
  c.candidates = cluster.history.candidates.length;
  c.reads = cluster.history.reads.length;
  c.failures = cluster.history.failures.length;
  c.verdicts = now.verdicts.length;
  c.steps = cluster.history.steps.length;
  return c;
}

/* The next owner of a lock learns that a failed machine has released it, or held it, and by no load that a trie could ask
 * for. */
static bool locks_tell(int failing) {
  uint32_t gone = cxl.state.failed | 1u << failing;
  return cxl.state.released & gone || thread_holds_mutexes(failing);
}

/* Take a checkpoint for the decision that a fiber has asked for; with the world only if there is another alternative to
 * try. False: it is known what comes of the decision (fate.h). */
static bool save(void) {
  fate_collect();
  cxl.state.vain = now.kind == CHOICE_SCHEDULE ? 0 : cxl.state.vain + 1;
  struct checkpoint c = checkpoint_here();
  c.kind = now.kind;
  c.count = now.count;
  if (c.kind == CHOICE_SCHEDULE) {
    c.options = mem_alloc(c.count * sizeof *c.options);
    memcpy(c.options, now.options, c.count * sizeof *c.options);
  }
  size_t before = cluster.history.choices.stack.length;
  if (!cluster.isolate && next_to_try(&c, now.first + 1, before) < c.count)
    c.world = world_save();
  c.alone = cluster.analyses && now.kind == CHOICE_MACHINE && locks_tell(now.failure.machine);
  c.begun = !cluster.history.choices.starting;
  standstill_decide(&c);
  fate_begin(&c);
  bool is_known = fate_take(&c);
  if (!is_known && c.world && survivors_shared(&c))
    c.place = survivors_place(now.failure.machine, c.world);
  vec_push(&now.checkpoints, c);
  return !is_known;
}

/* whole: everything that can come of the newest decision was explored. */
static void drop_newest(bool whole) {
  CHECK(now.checkpoints.length, "no decision is left");
  struct checkpoint c = vec_pop(&now.checkpoints);
  fate_end(&c, whole && c.begun);
  world_drop(c.world);
  mem_free(c.options, c.options ? c.count * sizeof *c.options : 0);
}

void cluster_restore(const struct checkpoint *c) {
  const struct history *h = &cluster.history;
  CHECK(h->events.length >= c->events && h->candidates.length >= c->candidates &&
            h->reads.length >= c->reads && h->failures.length >= c->failures &&
            h->steps.length >= c->steps && now.verdicts.length >= c->verdicts,
        "an execution of %zu events goes back to %zu", h->events.length, c->events);
  cluster_set_state(&c->state);
  now.failure = c->failure;
  cxl_undo(c->mark);
  cluster_analyses_undo(&c->analyses, c->events);
  cluster.history.events.length = c->events;
  cluster.history.candidates.length = c->candidates;
  cluster.history.reads.length = c->reads;
  cluster.history.failures.length = c->failures;
  now.verdicts.length = c->verdicts;
  cluster.history.steps.length = c->steps;
  sleep_return(&now.sleep, c->sleep);
  outcome_truncate(c->outcome);
}

static void take_turn(const struct checkpoint *c, uint32_t taken) {
  struct history *h = &cluster.history;
  vec_push(&h->steps, ((struct history_step){.execution = (int)h->failures.length,
                                             .operation = c->options[taken]}));
  if (cluster_sleeps())
    sleep_take(&now.sleep, c->options, taken);
}

/* Take that alternative of the newest decision: the fiber goes on with it. */
static void answer(uint32_t taken) {
  CHECK(now.checkpoints.length, "an answer, but no decision");
  const struct checkpoint *c = &vec_last(&now.checkpoints);
  CHECK(taken < c->count, "answer %u of %u", taken, c->count);
  now.answer = taken;
  now.where = hash_u64(now.where, (uint64_t)c->kind << 32 | taken);
  if (c->kind == CHOICE_SCHEDULE)
    take_turn(c, taken);
  if (c->kind == CHOICE_READ)
    vec_last(&cluster.history.reads).taken = taken;
  if (c->kind == CHOICE_MACHINE && taken)
    sleep_clear(&now.sleep);
}

static void look_at_answers(void) {
  if (now.kind == CHOICE_READ)
    cluster_note_answers(now.line, &vec_last(&cluster.history.reads),
                         &vec_last(&cluster.history.choices.stack));
}

/* A sampled schedule has no alternatives. */
static uint32_t open_choice(void) {
  struct choices *c = &cluster.history.choices;
  if (now.kind != CHOICE_SCHEDULE || !strategy_samples(&cluster.strategy) || c->replaying)
    return choice_open_at(c, now.kind, now.count, now.first);
  choice_pass(c, now.kind, now.first);
  return now.first;
}

/* A range may begin with an alternative that is in the sleep set, because whoever divided the search did not know the
 * set. Go to the next one that is not; false: there is none. */
static bool skip_sleepers(uint32_t *taken) {
  if (now.kind != CHOICE_SCHEDULE || !cluster_sleeps())
    return true;
  uint32_t first =
      sleep_first_awake(&now.sleep, vec_last(&now.checkpoints).options, now.count, *taken);
  bool moved = first != *taken;
  *taken = first;
  return !moved || choice_jump(&cluster.history.choices, first);
}

/* Answer the fiber's question with the first alternative; back_up tries the others later.  False: the execution need
 * not go on. */
static bool decide(void) {
  now.asked = false;
  cluster_check_scout();
  cluster_check_ending();
  if (!save()) {
    drop_newest(true);
    return false;
  }
  bool begun = !cluster.history.choices.starting; /* otherwise it belongs to an earlier range */
  uint32_t taken = open_choice();
  if (!skip_sleepers(&taken)) {
    drop_newest(false);
    return false;
  }
  if (begun)
    look_at_answers();
  bool shared = taken && survivors_shared(&vec_last(&now.checkpoints));
  now.aside = shared || cluster.history.choices.past;
  answer(taken);
  return true;
}

static void count_execution(void) {
  cluster.program_runs++;
  if (cluster_glimpse())
    return;
  if (choice_complete(&cluster.history.choices)) {
    cluster.executions++;
    cluster.schedules += cluster.history.failures.length == 0;
    if (!cluster.history.failures.length)
      cluster.first_points = now.points;
    cluster.finished(now.verdicts.data, now.verdicts.length);
    fate_count(NULL);
  }
  if (cluster.failure_points < now.points)
    cluster.failure_points = now.points;
}

/* --isolate: the process of this alternative has explored all that follows from it. */
static _Noreturn void end_child(void) {
  now.child_done = true;
  share_publish();
  _exit(0);
}

/* --isolate: each alternative goes on in a forked copy of this process, which in turn forks at its
 * next decision.  Returns in the copies, with the answer; in this process all is done then. */
static bool decide_in_children(void) {
  now.asked = false;
  save();
  size_t depth = now.checkpoints.length;
  struct files_snapshot *files = files_save(); /* positions in files are shared with the copies */
  uint32_t taken = choice_open(&cluster.history.choices, now.kind, now.count);
  look_at_answers();
  do {
    now.child_done = false;
    int child = share_fork();
    if (child == 0) {
      now.child = true;
      answer(taken);
      return true;
    }
    int status = share_wait(child);
    bool was_child = now.child;
    share_collect();
    now.child = was_child;
    if (!now.child_done)
      cluster.died(status);
    files_restore(files);
    now.checkpoints.length = depth;
    cluster_restore(&vec_last(&now.checkpoints));
    cluster.history.choices.stack.length = depth;
    taken++;
  } while (!cluster.stopped() && choice_next(&cluster.history.choices));
  now.checkpoints.length--;
  files_drop(files);
  if (now.child)
    end_child();
  return false;
}

/* For estimates: the failure at another point of the execution without failures is taken, the last point first. */
static void note_begun(const struct checkpoint *c) {
  if (c->kind == CHOICE_MACHINE && !c->state.model.failed && !cluster.scout.on)
    cluster.points_begun++;
}

/* Backtrack to the newest decision with an alternative left, and take that; false: there is none. */
static bool back_up(void) {
  fate_collect();
  while (now.checkpoints.length && !cluster_over()) {
    struct checkpoint *c = &vec_last(&now.checkpoints);
    sleep_return(&now.sleep, c->sleep);
    const choice_list *stack = &cluster.history.choices.stack;
    uint32_t next = next_to_try(c, vec_last(stack).taken + 1, stack->length - 1);
    if (choice_jump(&cluster.history.choices, next)) {
      cluster_restore(c);
      note_begun(c);
      if (survivors_shared(c)) {
        survivors_explore(c);
        continue; /* there is no third alternative */
      }
      world_restore(c->world);
      answer(next);
      return true;
    }
    bool whole = !cluster_over();
    if (whole && c->fate.state)
      cluster_restore(c);
    drop_newest(whole);
  }
  return false;
}

static void begin(void) {
  cluster_restore(&now.begin);
  cluster.start();
}

/* A loop that was taken for waiting ended by itself (access/spin.h).  Go back to the newest decision with a saved
 * world, and run again, now that this is known. */
static void run_again(void) {
  struct choices *choices = &cluster.history.choices;
  spin_begin();
  while (now.checkpoints.length && !vec_last(&now.checkpoints).world) {
    drop_newest(false);
    choice_close(choices);
  }
  if (!now.checkpoints.length) {
    begin();
    return;
  }
  const struct checkpoint *c = &vec_last(&now.checkpoints);
  cluster_restore(c);
  world_restore(c->world);
  answer(vec_last(&choices->stack).taken);
}

/* The program of one machine has ended.  Are there others that go on? */
static bool others_go_on(void) {
  thread_end_machine(thread_current()->machine);
  return thread_live() > 0;
}

/* Does such a stop end the whole execution, and not only one machine's program? */
static bool concerns_all(enum stop_kind kind) {
  return kind == STOP_REFUSED || kind == STOP_ASSUME || kind == STOP_DEADLOCK ||
         kind == STOP_HANG || kind == STOP_NONDETERMINISM;
}

/* Run until somebody has a question or ends. */
static void run(struct stop *why) {
  standstill_begin();
  do
    thread_run(why);
  while (why->kind == STOP_NONE && standstill_asked() && standstill_look());
}

static bool run_to_end(void) {
  for (;;) {
    struct stop why = {.kind = STOP_FATAL_SIGNAL, .message = JOB_SKIPPED};
    if (!cluster.resume()) {
      now.last_stop = why;
      vec_push(&now.verdicts, cluster.verdict(&why, true));
      return true;
    }
    run(&why);
    if (why.kind == STOP_NONE && survivors_asked()) {
      if (survivors_answer())
        continue;
      why.kind = STOP_KNOWN;
    }
    if (why.kind == STOP_NONE && now.asked) {
      if (cluster.isolate && !decide_in_children())
        return false;
      if (!cluster.isolate && !decide())
        why.kind = STOP_KNOWN;
      else if (now.aside)
        return true;
      else
        continue;
    }
    if (why.kind == STOP_KNOWN) {
      now.last_stop = why;
      return true;
    }
    if (!concerns_all(why.kind)) {
      vec_push(&now.verdicts, cluster.verdict(&why, false));
      if (others_go_on())
        continue;
      why = (struct stop){.kind = STOP_FINISHED};
    }
    now.last_stop = why;
    vec_push(&now.verdicts, cluster.verdict(&why, true));
    return true;
  }
}

bool cluster_run_to_end(void) {
  bool here = run_to_end();
  while (here && !now.aside && spin_ended()) {
    run_again();
    here = run_to_end();
  }
  return here;
}

/* The newest decision is the last failure: walk what the survivors do instead of running it. */
static void explore_aside(void) {
  struct checkpoint *c = &vec_last(&now.checkpoints);
  now.aside = false;
  if (cluster_over())
    return;
  cluster_restore(c);
  survivors_explore(c);
}

bool cluster_explore(uint64_t run) {
  size_t before = cluster.history.choices.stack.length;
  begin();
  cluster.strategy.length = cluster_length(run);
  strategy_begin(&cluster.strategy, &now.picks, run, 0);
  now.begin.state.picks = now.picks; /* if the run has to begin again */
  do {
    if (!cluster_run_to_end())
      return false;
    CHECK(cluster.history.choices.stack.length >= before + now.checkpoints.length || cluster_over(),
          "%zu decisions, but %zu choices", now.checkpoints.length,
          cluster.history.choices.stack.length - before);
    if (now.aside)
      explore_aside();
    else if (now.last_stop.kind != STOP_KNOWN) {
      cluster_note_length(run);
      count_execution();
    }
    if (now.child)
      end_child();
  } while (back_up());
  while (now.checkpoints.length)
    drop_newest(false);
  cluster.history.choices.stack.length = before;
  return true;
}

/* Sampled schedules in parts. */
static void explore_runs(void) {
  struct choices *c = &cluster.history.choices;
  c->divides_runs = true;
  for (bool begun = false; cluster.next_range() && !cluster.stopped(); begun = true) {
    if (!begun && !c->starting)
      cluster_look_at_schedules();
    uint32_t run = c->from.length ? c->from.data[0].taken : 0;
    for (; run < cluster.runs && !cluster_over(); run++) {
      cluster_measure_before(run);
      if (!choice_enter(c, CHOICE_RUN, run, (uint32_t)cluster.runs))
        break;
      cluster.run = run;
      cluster_explore(run);
      choice_close(c);
    }
  }
}

void cluster_run(void) {
  bool samples = strategy_samples(&cluster.strategy) && !cluster.history.choices.replaying;
  cluster.history.machines = true;
  cluster_walk.memory = &cxl.memory;
  cluster_walk.history = &cluster.history;
  cluster_walk.fetches_below = cxl.options.paper_coherence ? cxl.options.failures_max : 0;
  cluster_walk.each_store = cluster.analyses; /* they ask which store it was */
  cluster_watch();
  now.sleep.apart = true;
  now.begin = checkpoint_here();
  access_set_recording(true);
  cxl.consults = fate_is_wanted();
  cluster_open_door();
  if (cluster.next_range && samples) {
    explore_runs();
    return;
  }
  if (cluster.next_range) {
    for (bool begun = false; cluster.next_range() && !cluster.stopped(); begun = true) {
      if (!begun)
        cluster_begin_scout();
      cluster_explore_all(0);
    }
    return;
  }
  cluster_begin_scout();
  if (samples)
    cluster_look_at_schedules();
  for (uint64_t run = 0; run < (samples ? cluster.runs : 1) && !cluster_over(); run++) {
    cluster.run = run;
    if (!cluster_explore_all(run))
      return;
  }
}

struct recall *cluster_recall(void) {
  return &cluster_walk.recall;
}

void cluster_share(void) {
  share_register(&cluster, sizeof cluster);
  share_register(&now, sizeof now);
  share_register(&cluster_walk, sizeof cluster_walk);
}
