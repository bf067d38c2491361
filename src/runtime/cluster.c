#include "runtime/cluster.h"
#include "base/check.h"
#include "runtime/access.h"
#include "runtime/cluster_internal.h"
#include "runtime/files.h"
#include "runtime/program.h"
#include "runtime/session.h"
#include "runtime/share.h"
#include "runtime/survivors.h"
#include "runtime/watchdog.h"
#include "runtime/world.h"
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct cluster cluster;

struct cluster_now now;

/* ---- on a fiber ---- */

void cluster_set(void *variable, uint64_t value, int size) {
  struct undo u = {.variable = variable, .size = size};
  memcpy(&u.before, variable, (size_t)size);
  vec_push(&now.undo, u);
  memcpy(variable, &value, (size_t)size);
}

uint32_t cluster_choose(enum choice_kind kind, uint32_t count) {
  if (count <= 1)
    return 0;
  now.asked = true;
  now.kind = kind;
  now.count = count;
  thread_pause();
  return now.answer;
}

bool cluster_failed(int machine) {
  return now.state.failed >> machine & 1;
}

int cluster_failures_left(void) {
  return cluster.options.failures_max - __builtin_popcount(now.state.failed);
}

void cluster_acted(int machine) {
  now.state.quiet &= (uint16_t) ~(1u << machine);
}

void cluster_synchronised(void) {
  now.state.synchronised++;
}

size_t *cluster_allocated(int machine) {
  return &now.state.allocated[machine];
}

void cluster_on_poison(void (*handler)(void *)) {
  now.state.poison_handler[thread_current()->machine] = handler;
}

/* What the machine has not written back is lost or not; nobody knows yet. */
static void doubt_lines(int machine) {
  for (size_t i = 1; i < space_line_count(); i++) {
    struct space_line *l = space_line_by_index(i);
    if (!(l->dirty >> machine & 1))
      continue;
    cluster_set(&l->dirty, l->dirty & ~(1u << machine), 2);
    if (cluster.options.gpf) {
      memory_raise(&cluster.memory, &l->line, machine, l->line.latest[machine]);
      continue;
    }
    uint64_t doubt = l->doubt;
    for (size_t n = l->line.stores.length; n-- > 0;) {
      const struct store *s = &l->line.stores.data[n];
      if (s->domain == machine && s->position > l->line.interval[machine].low)
        doubt |= (((uint64_t)1 << s->size) - 1) << s->offset;
    }
    cluster_set(&l->doubt, doubt, 8);
  }
}

void cluster_lose(const struct history_failure *f) {
  vec_push(&cluster.history.failures, *f);
  now.state.failed |= (uint16_t)(1u << f->machine);
  cluster.memory.failed |= 1u << f->machine;
  doubt_lines(f->machine);
}

void cluster_may_fail(int machine, bool observed, const char *what, const struct abi_site *site) {
  uint16_t bit = (uint16_t)(1u << machine);
  if (now.state.failed & bit || cluster_failures_left() <= 0)
    return;
  if (now.state.quiet & bit && !observed)
    return;
  now.state.quiet |= bit;
  now.state.points++;
  now.failure = (struct history_failure){.machine = machine,
                                         .point = now.state.points,
                                         .event = (uint32_t)cluster.history.events.length,
                                         .before = what,
                                         .site = site,
                                         .code = site ? 0 : program_caller()};
  program_frames(&now.failure.frames);
  if (!cluster_choose(CHOICE_MACHINE, 2))
    return;
  if (cluster.history.choices.replaying)
    tidemark_debug_failure();
  if (!survivors_running())
    cluster_lose(&now.failure);
  thread_kill_machine(machine);
}

bool cluster_poisoned(struct space_line *l) {
  if (!l->line.stores.length)
    return false;
  const struct store *s = &vec_last(&l->line.stores);
  struct interval i = l->line.interval[s->domain];
  if (!cluster_failed(s->domain) || s->position <= i.low)
    return false;
  if (s->position > i.high)
    return true;
  bool lost = cluster_choose(CHOICE_POISON, 2);
  struct candidate c = {.refinement_count = 1};
  c.refinements[0].domain = s->domain;
  c.refinements[0].interval =
      lost ? (struct interval){i.low, s->position - 1} : (struct interval){s->position, i.high};
  memory_choose(&cluster.memory, &l->line, &c);
  return lost;
}

void cluster_tell_poison(uintptr_t address, const struct abi_site *site) {
  void (*handler)(void *) = now.state.poison_handler[thread_current()->machine];
  if (!handler)
    stop_with(STOP_POISON, site,
              "read of poisoned memory at 0x%lx: a machine failed before it wrote this line back",
              (unsigned long)address);
  handler((void *)address);
}

bool cluster_settled(void) {
  return now.state.failed && cluster_failures_left() <= 0;
}

uint64_t cluster_read(struct space_line *l, uintptr_t address, int size,
                      const struct abi_site *site) {
  struct history *h = &cluster.history;
  int offset = (int)(address - l->line.address);
  uint64_t value;
  if (memory_certain(&cluster.memory, &l->line, offset, size, &value))
    return value;
  struct history_read r = {.address = address,
                           .size = size,
                           .execution = (int)h->failures.length,
                           .site = site,
                           .code = site ? 0 : program_caller(),
                           .first = h->candidates.length};
  memory_candidates(&cluster.memory, &l->line, offset, size, &h->candidates);
  r.count = h->candidates.length - r.first;
  vec_push(&h->reads, r);
  cluster_choose(CHOICE_READ, (uint32_t)r.count);
  const struct history_read *taken = &vec_last(&h->reads);
  const struct candidate *c = &h->candidates.data[taken->first + taken->taken];
  memory_choose(&cluster.memory, &l->line, c);
  return c->value;
}

/* ---- on the host ---- */

static void save(void) {
  struct checkpoint c = {.world = cluster.options.isolate ? NULL : world_save(),
                         .state = now.state,
                         .failure = now.failure,
                         .kind = now.kind};
  c.state.steps = access_steps();
  c.memory = memory_mark(&cluster.memory);
  c.undo = now.undo.length;
  c.events = cluster.history.events.length;
  c.candidates = cluster.history.candidates.length;
  c.reads = cluster.history.reads.length;
  c.failures = cluster.history.failures.length;
  c.verdicts = now.verdicts.length;
  if (survivors_shared(&c))
    c.place = survivors_place(now.failure.machine);
  c.outcome = session_outcome_length();
  c.has_outcome = session_outcome_text() != NULL;
  vec_push(&now.checkpoints, c);
}

void cluster_undo(size_t mark) {
  while (now.undo.length > mark) {
    struct undo u = vec_pop(&now.undo);
    memcpy(u.variable, &u.before, (size_t)u.size);
  }
}

void cluster_restore(const struct checkpoint *c) {
  now.state = c->state;
  now.failure = c->failure;
  access_set_steps(c->state.steps);
  memory_undo(&cluster.memory, c->memory);
  cluster.memory.failed = c->state.failed;
  cluster_undo(c->undo);
  cluster.history.events.length = c->events;
  cluster.history.candidates.length = c->candidates;
  cluster.history.reads.length = c->reads;
  cluster.history.failures.length = c->failures;
  now.verdicts.length = c->verdicts;
  session_outcome_truncate(c->outcome, c->has_outcome);
}

static void answer(enum choice_kind kind, uint32_t taken) {
  now.answer = taken;
  if (kind != CHOICE_MACHINE || taken)
    now.state.path = survivors_path(taken);
  if (kind == CHOICE_READ)
    vec_last(&cluster.history.reads).taken = taken;
}

/* The fiber's question; later alternatives come from back_up. */
static void decide(void) {
  now.asked = false;
  save();
  answer(now.kind, choice_open(&cluster.history.choices, now.kind, now.count));
}

static void count_execution(void) {
  cluster.program_runs++;
  if (choice_complete(&cluster.history.choices)) {
    cluster.executions++;
    cluster.finished(now.verdicts.data, now.verdicts.length);
  }
  if (cluster.failure_points < now.state.points)
    cluster.failure_points = now.state.points;
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
  do {
    now.child_done = false;
    share_publish();
    pid_t child = fork();
    REQUIRE(child >= 0,
            "the system starts no more processes (ulimit -u, or memory): raise the limit, or check "
            "without --isolate");
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      watchdog_arm();
      now.child = true;
      answer(vec_last(&now.checkpoints).kind, taken);
      return true;
    }
    int status = share_wait(child);
    bool was_child = now.child;
    share_collect();
    now.child = was_child;
    if (!now.child_done) {
      vec_push(&now.verdicts, cluster.died(status));
      count_execution();
    }
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

/* To the newest decision with an alternative left; false if there is none. */
static bool back_up(void) {
  while (now.checkpoints.length && !cluster.stopped() && !cluster.history.choices.diverged) {
    struct checkpoint *c = &vec_last(&now.checkpoints);
    if (choice_next(&cluster.history.choices)) {
      cluster_restore(c);
      if (survivors_shared(c)) {
        survivors_explore(c);
        continue; /* there is no third alternative */
      }
      world_restore(c->world);
      answer(c->kind, vec_last(&cluster.history.choices.stack).taken);
      return true;
    }
    world_drop(c->world);
    now.checkpoints.length--;
  }
  return false;
}

/* The program of one machine has ended, and not the execution: the others go on. */
static bool others_go_on(void) {
  thread_end_machine(thread_current()->machine);
  return thread_live() > 0;
}

static bool concerns_all(enum stop_kind kind) {
  return kind == STOP_REFUSED || kind == STOP_ASSUME || kind == STOP_DEADLOCK ||
         kind == STOP_HANG || kind == STOP_NONDETERMINISM;
}

/* Run until the execution is over.  False: it was continued in other processes. */
bool cluster_run_to_end(void) {
  for (;;) {
    struct stop why = {.kind = STOP_FATAL_SIGNAL, .message = JOB_SKIPPED};
    if (!cluster.resume()) {
      now.last_stop = why;
      vec_push(&now.verdicts, cluster.verdict(&why, true));
      return true;
    }
    thread_run(&why);
    if (why.kind == STOP_NONE && now.asked) {
      if (!cluster.options.isolate)
        decide();
      else if (!decide_in_children())
        return false;
      continue;
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

void cluster_run(void) {
  cluster.history.machines = true;
  cluster.start();
  access_set_recording(true);
  do {
    if (!cluster_run_to_end())
      return;
    count_execution();
    if (now.child)
      end_child();
  } while (back_up());
  for (; now.checkpoints.length; now.checkpoints.length--)
    world_drop(vec_last(&now.checkpoints).world);
}

void cluster_share(void) {
  share_register(&cluster, sizeof cluster);
  share_register(&now, sizeof now);
}
