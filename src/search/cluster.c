#include "search/cluster.h"
#include "access/access.h"
#include "base/check.h"
#include "finding/job.h"
#include "process/fault.h"
#include "process/files.h"
#include "process/program.h"
#include "process/share.h"
#include "process/watchdog.h"
#include "process/world.h"
#include "search/cluster_internal.h"
#include "search/survivors.h"
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct cluster cluster;

struct cluster_now now;
struct walk cluster_walk;

struct state cluster_state(void) {
  return (struct state){
      .model = cxl.state, .points = now.points, .path = now.path, .steps = access_steps()};
}

void cluster_set_state(const struct state *s) {
  cxl.state = s->model;
  cxl.memory.failed = s->model.failed;
  now.points = s->points;
  now.path = s->path;
  access_set_steps(s->steps);
}

/* ---- on a fiber ---- */

/* An alternative out of `count`; the others are explored later. */
static uint32_t choose(enum choice_kind kind, uint32_t count) {
  if (count <= 1)
    return 0;
  now.asked = true;
  now.kind = kind;
  now.count = count;
  thread_pause();
  return now.answer;
}

void cluster_lose(const struct history_failure *f) {
  vec_push(&cluster.history.failures, *f);
  cxl_lose(f->machine);
}

static enum door_fate fail(const struct door_failure *f) {
  now.points++;
  now.failure = (struct history_failure){.machine = f->machine,
                                         .point = now.points,
                                         .event = (uint32_t)cluster.history.events.length,
                                         .before = f->before,
                                         .site = f->site,
                                         .code = f->site ? 0 : program_caller()};
  program_frames(&now.failure.frames);
  if (!choose(CHOICE_MACHINE, 2))
    return DOOR_GOES_ON;
  if (cluster.history.choices.replaying)
    tidemark_debug_failure();
  if (survivors_running())
    return DOOR_HAS_FAILED;
  cluster_lose(&now.failure);
  return DOOR_HAS_FAILED;
}

/* By the paper's rule a machine may fail once it is known that one of its stores would be read, and then
 * another one is: the load is told when it is over (loaded). */
static void note_answer(const struct line *l, uintptr_t address, int size,
                        const struct abi_site *site, const struct candidate *taken) {
  bool is_last = cxl_settled() && !cxl.options.poison;
  if (!cxl.options.paper_coherence || is_last)
    cluster_note_load(l, address, size, site, taken);
}

/* Which bytes a load reads, in doubt because of failures; refines the line. */
static uint64_t read_bytes(struct line *l, uintptr_t address, int size,
                           const struct abi_site *site) {
  struct history *h = &cluster.history;
  int offset = (int)(address - l->address);
  uint64_t value;
  if (memory_certain(&cxl.memory, l, offset, size, &value)) {
    note_answer(l, address, size, site, NULL);
    return value;
  }
  struct history_read r = {.address = address,
                           .size = size,
                           .execution = (int)h->failures.length,
                           .site = site,
                           .code = site ? 0 : program_caller(),
                           .first = walk_answers(&cluster_walk, l, offset, size)};
  r.count = h->candidates.length - r.first;
  if (r.count == 1) { /* several stores of one value */
    h->candidates.length = r.first;
    return h->candidates.data[r.first].value;
  }
  vec_push(&h->reads, r);
  now.line = l;
  choose(CHOICE_READ, (uint32_t)r.count);
  const struct history_read *taken = &vec_last(&h->reads);
  const struct candidate *c = &h->candidates.data[taken->first + taken->taken];
  note_answer(l, address, size, site, c);
  memory_choose(&cxl.memory, l, c);
  return c->value;
}

static void loaded(const struct line *l, uintptr_t address, int size, const struct abi_site *site) {
  cluster_note_load(l, address, size, site, NULL);
}

void cluster_checksum_begin(void) {
  thread_current()->ignores++;
}

void cluster_checksum_end(bool valid) {
  (void)valid;
  if (thread_current()->ignores > 0)
    thread_current()->ignores--;
}

static const struct door cluster_door = {.read = read_bytes, .fail = fail, .choose = choose};
static const struct door cluster_door_analysed = {.read = read_bytes,
                                                  .fail = fail,
                                                  .choose = choose,
                                                  .loaded = loaded,
                                                  .fetched = cluster_note_fetch,
                                                  .checksum_begin = cluster_checksum_begin,
                                                  .checksum_end = cluster_checksum_end};

void cluster_open_door(void) {
  door = cluster.analyses ? &cluster_door_analysed : &cluster_door;
}

/* ---- on the host ---- */

static void save(void) {
  struct checkpoint c = {.world = cluster.isolate ? NULL : world_save(),
                         .state = cluster_state(),
                         .mark = cxl_mark(),
                         .outcome = outcome_mark(),
                         .analyses = cluster_analyses_mark(),
                         .failure = now.failure,
                         .kind = now.kind};
  c.events = cluster.history.events.length;
  c.candidates = cluster.history.candidates.length;
  c.reads = cluster.history.reads.length;
  c.failures = cluster.history.failures.length;
  c.verdicts = now.verdicts.length;
  /* That a mutex was held is told to the next owner, by no load. */
  c.alone =
      cluster.analyses && now.kind == CHOICE_MACHINE && thread_holds_mutexes(now.failure.machine);
  if (survivors_shared(&c))
    c.place = survivors_place(now.failure.machine);
  vec_push(&now.checkpoints, c);
}

void cluster_restore(const struct checkpoint *c) {
  cluster_set_state(&c->state);
  now.failure = c->failure;
  cxl_undo(c->mark);
  cluster_analyses_undo(&c->analyses, c->events);
  cluster.history.events.length = c->events;
  cluster.history.candidates.length = c->candidates;
  cluster.history.reads.length = c->reads;
  cluster.history.failures.length = c->failures;
  now.verdicts.length = c->verdicts;
  outcome_truncate(c->outcome);
}

static void answer(enum choice_kind kind, uint32_t taken) {
  now.answer = taken;
  if (kind != CHOICE_MACHINE || taken)
    now.path = survivors_path(taken);
  if (kind == CHOICE_READ)
    vec_last(&cluster.history.reads).taken = taken;
}

static void look_at_answers(void) {
  if (now.kind == CHOICE_READ)
    cluster_note_answers(now.line);
}

/* The fiber's question; later alternatives come from back_up. */
static void decide(void) {
  now.asked = false;
  save();
  uint32_t taken = choice_open(&cluster.history.choices, now.kind, now.count);
  look_at_answers();
  answer(now.kind, taken);
}

static void count_execution(void) {
  cluster.program_runs++;
  if (choice_complete(&cluster.history.choices)) {
    cluster.executions++;
    cluster.finished(now.verdicts.data, now.verdicts.length);
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
      if (!cluster.isolate)
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
  cluster_walk.memory = &cxl.memory;
  cluster_walk.history = &cluster.history;
  /* Analyses ask which store it was. */
  cluster_walk.each_store = cxl.options.paper_coherence || cluster.analyses;
  cluster.start();
  access_set_recording(true);
  cluster_open_door();
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
  share_register(&cluster_walk, sizeof cluster_walk);
}
