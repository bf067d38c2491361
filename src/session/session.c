#include "session/session.h"
#include "access/bypass.h"
#include "access/cxl.h"
#include "access/detour.h"
#include "access/kernel.h"
#include "access/outcome.h"
#include "access/schedule.h"
#include "access/spin.h"
#include "access/stacks.h"
#include "access/step.h"
#include "access/turn.h"
#include "analysis/flush.h"
#include "base/check.h"
#include "base/size.h"
#include "finding/results_file.h"
#include "libc/kept.h"
#include "libc/libpmem.h"
#include "libc/map.h"
#include "libc/net.h"
#include "libc/net_client.h"
#include "libc/plain_file.h"
#include "libc/pmfile_fd.h"
#include "libc/signals.h"
#include "libc/stream_lock.h"
#include "process/caller.h"
#include "process/fault.h"
#include "process/file_turn.h"
#include "process/files.h"
#include "process/gate.h"
#include "process/heap.h"
#include "process/image.h"
#include "process/input.h"
#include "process/layout.h"
#include "process/places.h"
#include "process/program.h"
#include "process/scratch.h"
#include "process/share.h"
#include "process/watchdog.h"
#include "process/within.h"
#include "process/world.h"
#include "search/cluster.h"
#include "search/interleavings.h"
#include "search/search.h"
#include "search/traces.h"
#include "session/concurrency.h"
#include "session/deadlock.h"
#include "session/ending.h"
#include "session/ranges.h"
#include "session/session_internal.h"
#include "session/verdict.h"
#include "thread/channel.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define HANG_SECONDS 10

struct session session;

static int failures(void) {
  return session.cxl ? (int)cluster.history.failures.length : session.level;
}

int session_token_failures(void) {
  int n = 0;
  const struct choices *c = &search.history.choices;
  for (size_t i = 0; i < c->forced.length; i++)
    n += c->forced.data[i].kind == CHOICE_FAILURE;
  return n;
}

/* ---- for the searches ---- */

void session_reset(bool world) {
  if (world)
    world_reset();
  outcome_reset();
  session_resume();
}

void session_resume(void) {
  bypass_reset();
  space_reset();
  fault_progress++;
}

void session_tell_token(const struct str *token) {
  bool fits = token->length < JOB_TOKEN_MAX;
  const char *text = fits ? str_text(token) : JOB_TOKEN_UNKNOWN;
  memcpy(session.status->token, text, strlen(text) + 1);
}

void session_tell_executions(uint64_t walked, const struct bigint *more) {
  uint64_t sum;
  if (!bigint_small(more, &sum) || __builtin_add_overflow(sum, walked, &sum) ||
      __builtin_add_overflow(sum, session.executions_before, &sum))
    sum = UINT64_MAX;
  session.status->executions = sum;
}

/* Under a debugger: the stop that a replay is about, not the end of an execution before it. */
static void observe_stop(const struct stop *why) {
  bool ended_well = why->kind == STOP_FINISHED && why->status == 0;
  bool last = session.cxl || failures() == session_token_failures();
  if (last && !ended_well && why->kind != STOP_FAILURE)
    tidemark_debug_finding();
}

void session_start(const struct command *c) {
  image_start(c->image, c->argc, c->argv, session.environment);
}

void session_incomplete(const char *why) {
  session.results.complete = false;
  if (!session.results.incomplete_why)
    session.results.incomplete_why = mem_strdup(why);
}

bool session_fails_by_itself(uint32_t verdict) {
  const struct job *j = session.job;
  if (!verdict_is_finding(verdict) || j->keep_going || j->replay || !j->failures)
    return false;
  struct results *r = &session.results;
  r->complete = false; /* this comes before any other reason */
  r->incomplete_why =
      mem_strdup("the program goes wrong even without a failure, so no failure was explored: fix "
                 "that first, or explore failures anyway with --keep-going");
  return true;
}

bool session_must_stop(uint64_t executions) {
  if (session.results.error)
    return true;
  if (session.status->stop_requested && !session.job->ranges) {
    session_incomplete("interrupted");
    return true;
  }
  int64_t max = session.job->max_executions;
  if (max && executions >= (uint64_t)max && !session.job->ranges) {
    session_incomplete("--max-executions was reached");
    return true;
  }
  if (session.job->first && verdict_findings() && !session.job->ranges) {
    session_incomplete("stopped at the first finding (--first)");
    return true;
  }
  return false;
}

/* Below that it is not worth stopping for. */
#define MEMORY_LEAST ((size_t)64 << 20)

bool session_too_much(size_t remembered) {
  if (remembered <= session.memory_max || remembered < MEMORY_LEAST ||
      remembered - session.memory_max < session.memory_max / 4)
    return false;
  return true;
}

/* The workers of a search share what there is. */
static size_t memory_max(void) {
  uint64_t bytes;
  if (!size_parse(session.job->memory, &bytes))
    bytes = UINT64_MAX;
  return bytes / (uint64_t)session.job->workers;
}

void session_note_stop(struct stop *why) {
  signals_doubt(why);
  if (why->kind != STOP_HANG)
    watchdog_end();
  if (why->kind == STOP_REFUSED && !session.results.error) {
    session.results.error = mem_strdup(why->message);
    ending_stack(why, &session.results.error_stack);
  }
}

static void note_remark(const char *text) {
  for (size_t i = 0; i < session.results.notes.length; i++)
    if (strcmp(session.results.notes.data[i], text) == 0)
      return;
  vec_push(&session.results.notes, mem_strdup(text));
}

/* ---- setting up ---- */

static void share_state(void) {
  void *state;
  size_t bytes;
  mem_state(&state, &bytes);
  share_register(state, bytes);
  memo_state(&state, &bytes);
  share_register(state, bytes);
  flush_state(&state, &bytes);
  share_register(state, bytes);
  share_register(&search, sizeof search);
  share_register(&session, sizeof session);
  access_share();
  stacks_share();
  spin_share();
  space_share();
  verdict_share();
  program_share();
  pmname_share();
  pmfile_share();
  cluster_share();
  traces_share();
  cxl_share();
  interleavings_share();
  concurrency_share();
  deadlock_share();
  outcome_share();
  bypass_share();
  watchdog_share();
  share_init();
}

static bool load(struct command *c, char **words, int count, int copy, struct str *error) {
  c->image = image_load(words[0], copy, error);
  c->argc = count;
  char *save = words[count];
  words[count] = NULL;
  c->argv = image_strings(words);
  words[count] = save;
  return c->image != NULL;
}

static bool load_pm(struct str *error) {
  const struct job *j = session.job;
  if (!load(&session.program[0], j->words, (int)j->argc, 0, error))
    return false;
  session.recovery = session.program[0];
  if (j->recovery_argc == 0)
    return true;
  char **words = j->words + j->argc;
  if (strcmp(words[0], j->words[0]) != 0)
    return load(&session.recovery, words, (int)j->recovery_argc, 1, error);
  session.recovery.argc = (int)j->recovery_argc;
  session.recovery.argv = image_strings(words);
  return true;
}

/* What such a library does to memory is no step, and its locked instructions order nothing. */
static void note_foreign_libraries(void) {
  struct str names = {0}, text = {0};
  image_foreign_libraries(&names);
  if (names.length) {
    str_format(&text,
               "not built with tidemark-cc: %s. What is done to memory there is no step and orders "
               "nothing: bugs can be missed, and data races can be false ones",
               str_text(&names));
    note_remark(str_text(&text));
  }
  str_free(&names);
  str_free(&text);
}

/* Every machine the same command, or each its own ("2,3,1" words). */
static bool load_cxl(struct str *error) {
  const struct job *j = session.job;
  char **words = j->words;
  const char *counts = j->machine_argcs;
  for (int m = 0; m < j->machines; m++) {
    int count = (int)j->argc;
    if (*counts) {
      char *end;
      count = (int)strtol(counts, &end, 10);
      counts = *end == ',' ? end + 1 : end;
    }
    if (!load(&session.program[m], words, count, m, error))
      return false;
    if (*j->machine_argcs)
      words += count;
  }
  return true;
}

static void discard_output(void) {
  int null = open("/dev/null", O_RDWR);
  if (null < 0)
    return;
  check_fd = files_to_host(dup(STDERR_FILENO));
  if (!session.job->output) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  close(null);
}

static double cpu_seconds(void) {
  struct timespec t;
  struct rusage children;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  getrusage(RUSAGE_CHILDREN, &children);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9 +
         (double)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
         (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec) / 1e6;
}

static double seconds_before; /* of ranges that were handed over */

double session_seconds(void) {
  return cpu_seconds() - seconds_before;
}

static void measure(struct results *r) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  static uint64_t foreign_before;
  double seconds = cpu_seconds();
  uint64_t accesses = 0;
  const char *foreign = bypass_heaviest(&accesses);
  r->cpu_seconds = seconds - seconds_before;
  r->foreign = foreign ? mem_strdup(foreign) : NULL;
  r->foreign_accesses = accesses > foreign_before ? accesses - foreign_before : 0;
  seconds_before = seconds;
  foreign_before = accesses;
  r->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
}

void session_collect(struct str *out) {
  if (search.walk.left_some_out)
    note_remark("checksums were taken to notice what is torn; --checksums=none tries all that they "
                "go over");
  measure(&session.results);
  verdict_collect(&session.results);
  results_write(&session.results, out);
}

void session_send(const struct str *text) {
  for (size_t done = 0; done < text->length;) {
    ssize_t n = write(session.results_fd, text->data + done, text->length - done);
    CHECK(n > 0, "cannot write the results");
    done += (size_t)n;
  }
}

static void write_results(void) {
  struct str out = {0};
  session_collect(&out);
  session_send(&out);
}

static bool others_live(void) {
  return thread_live() > 1;
}

static void note_unknown_function(const char *pattern) {
  struct str text = {0};
  str_format(&text, "--no-failures-in: no function of the program or of its libraries fits '%s'",
             pattern);
  note_remark(str_text(&text));
  str_free(&text);
}

static void note_spared(const char *functions) {
  struct str text = {0};
  str_format(&text, "failures while %s is executed were left out (--no-failures-in)", functions);
  note_remark(str_text(&text));
  str_free(&text);
}

static void explore(void) {
  const struct job *j = session.job;
  sum_set(j->checksums);
  if (*j->no_failures_in) {
    note_spared(j->no_failures_in);
    within_set(j->no_failures_in, note_unknown_function);
  }
  session.environment = image_strings(environ);
  stop_remark = note_remark;
  session.access = (struct access_options){.cxl = session.cxl,
                                           .eadr = j->eadr,
                                           .steps_max = j->max_steps ? (uint64_t)j->max_steps
                                                                     : SESSION_STEPS_DEFAULT * 10};
  stacks_on = j->stacks;
  session.results.complete = true;
  session.memory_max = memory_max();
  session.results.no_failures = j->failures == 0 && !session.ordinary;
  if (session.ordinary)
    plain_file_init(PMNAMES_MAX);
  pmname_init(j->pm_path);
  pmdir_init();
  pmfile_fd_init();
  libpmem2_init();
  caller_init();
  kept_init();
  stream_lock_init();
  map_init();
  scratch_init();
  fault_install();
  bypass_init();
  kernel_init();
  watchdog_others = others_live;
  watchdog_unfair = session.ordinary ? turn_is_unfair : NULL;
  gate_descriptor = channel_refuses;
  watchdog_start(j->hang_seconds ? (double)j->hang_seconds : HANG_SECONDS, !j->hang_seconds);
  thread_init();
  struct strategy strategy = {0};
  if (!strategy_parse(j->schedule, &strategy))
    CHECK(false, "schedule '%s'", j->schedule);
  net_init(!session.cxl && !session.ordinary && strategy.kind == STRATEGY_FIXED);
  search.strategy = interleavings.strategy = cluster.strategy = strategy;
  if (session.ordinary)
    session_prepare_ordinary();
  else
    schedule_init(&strategy, !session.cxl && strategy.kind == STRATEGY_ALL);
  if (strcmp(j->fill, "garbage") == 0) {
    space_fill_with_garbage();
    heap_garbage = true;
  }
  if (j->isolate)
    share_state();
  if (j->debug) {
    stop_observer = observe_stop;
    step_avoid_traps();
    detour_keep_code();
  }
  discard_output();
  if (session.cxl)
    heap_set_machines((int)j->machines);
  world_seal();
  if (session.cxl)
    session_explore_cxl();
  else if (session.ordinary)
    session_explore_ordinary();
  else
    session_explore_pm();
}

static void tell_refusal(const char *message) {
  char *to = session.status->refusal;
  strncpy(to, message, sizeof session.status->refusal - 1);
}

static struct job_status *map_status(off_t offset) {
  struct job_status *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED,
                              (int)session.job->status_fd, offset);
  CHECK(s != MAP_FAILED, "no status page");
  return s;
}

int session_run(const struct job *job) {
  session.job = job;
  mem_scribbles = job->scribble;
  session.cxl = strcmp(job->model, "cxl") == 0;
  session.ordinary = strcmp(job->model, "sc") == 0 || strcmp(job->model, "tso") == 0;
  session.results_fd = files_to_host((int)job->results_fd);
  struct job_status *first = map_status(0);
  session.status = job->status_offset ? map_status((off_t)job->status_offset) : first;
  places_init(first);
  file_turn_init(job->workers > 1 ? (int)job->status_fd : -1);
  if (session.ordinary)
    image_watch = strcmp(job->model, "tso") == 0 || job->no_data_races ? ABI_WATCH_SCHEDULES
                                                                       : ABI_WATCH_RACES;
  else if (window.wanted || first->watches_all)
    image_watch = ABI_WATCH_ALL;
  check_on_refusal = tell_refusal;
  struct choices *choices = session.cxl        ? &cluster.history.choices
                            : session.ordinary ? &interleavings.history.choices
                                               : &search.history.choices;
  struct str error = {0};
  bool ready = !job->replay || choice_parse(choices, job->token);
  if (!ready)
    str_format(&error, "'%s' is not a replay token", job->token);
  ready = ready && net_client_init(job->client, &error);
  ready = ready && input_open(&first->input, job->stdin_path, (int)job->input_fd, &error);
  if (ready)
    ready = session.cxl ? load_cxl(&error) : load_pm(&error);
  if (ready && session.ordinary)
    note_foreign_libraries();
  if (!ready)
    session.results.error = mem_strdup(str_text(&error));
  else
    explore();
  if (!job->ranges)
    write_results();
  else if (session.results.error)
    ranges_fail();
  return session.results.error ? 3 : 0;
}
