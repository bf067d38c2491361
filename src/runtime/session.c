#include "runtime/session.h"
#include "base/bigint.h"
#include "base/check.h"
#include "finding/results_file.h"
#include "runtime/access.h"
#include "runtime/allocator.h"
#include "runtime/bypass.h"
#include "runtime/fault.h"
#include "runtime/files.h"
#include "runtime/image.h"
#include "runtime/pmfile.h"
#include "runtime/program.h"
#include "runtime/search.h"
#include "runtime/share.h"
#include "runtime/space.h"
#include "runtime/thread.h"
#include "runtime/verdict.h"
#include "runtime/world.h"
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A command line as the program sees it. */
struct command {
  struct image *image;
  int argc;
  char **argv;
};

static struct {
  const struct job *job;
  int results_fd;
  struct job_status *status;
  struct command program, recovery;
  char **environment;
  struct access_options access;
  struct results results;
  struct str outcome;
  struct str token;
  struct bigint eager_states;
  int level;
  bool child_done; /* --isolate */
  uint32_t child_verdict;
} session;

int session_level(void) {
  return session.level;
}

void session_outcome(const char *text) {
  if (session.outcome.length)
    str_append(&session.outcome, "; ");
  str_append(&session.outcome, text);
}

__attribute__((noinline)) void tidemark_debug_failure(void) {
  __asm__ volatile("");
}

__attribute__((noinline)) void tidemark_debug_finding(void) {
  __asm__ volatile("");
}

/* ---- one run of the program ---- */

static void start_program(void *unused) {
  (void)unused;
  const struct command *c = session.level ? &session.recovery : &session.program;
  image_start(c->image, c->argc, c->argv, session.environment);
}

static bool must_skip(const char *token) {
  const char *wanted = *token ? token : "-";
  size_t n = strlen(wanted);
  for (const char *p = session.job->skip; *p;) {
    const char *end = strchr(p, ':');
    size_t length = end ? (size_t)(end - p) : strlen(p);
    if (length == n && strncmp(p, wanted, n) == 0)
      return true;
    p += length + (end != NULL);
  }
  return false;
}

static uint32_t run_here(int level) {
  world_reset();
  bypass_reset();
  space_reset();
  allocator_reset();
  str_clear(&session.outcome);
  access_begin(&session.access, &search.history.events);
  fault_progress++;
  thread_create_main(0, start_program, NULL);
  struct stop why = {0};
  thread_run(&why);
  access_end();
  session.results.steps += access_steps();
  if (why.kind == STOP_REFUSED && !session.results.error)
    session.results.error = mem_strdup(why.message);
  if (session.job->debug && level == (int)search.history.failures.length)
    tidemark_debug_finding();
  return verdict_of(&why, str_text(&session.outcome), thread_current()->id, 0);
}

/* In a child of its own: what the program does to its process is gone with it. */
static uint32_t run_in_child(int level) {
  session.child_done = false;
  share_publish(); /* what to take over if the child ends without a word */
  pid_t child = fork(); /* layers: ok, the worker forks itself */
  CHECK(child >= 0, "fork");
  if (child == 0) {
    session.child_verdict = run_here(level);
    session.child_done = true;
    share_publish();
    _exit(0);
  }
  int status;
  while (waitpid(child, &status, 0) < 0)
    continue;
  share_collect();
  if (session.child_done)
    return session.child_verdict;
  struct stop why = {.kind = STOP_FATAL_SIGNAL, .status = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
  struct str text = {0};
  str_format(&text, "the program ended its process (%s %d)",
             WIFSIGNALED(status) ? "signal" : "status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  strncpy(why.message, str_text(&text), sizeof why.message - 1);
  str_free(&text);
  return verdict_of(&why, "", 0, 0);
}

static uint32_t execute(int level) {
  session.level = level;
  str_clear(&session.token);
  choice_token(&search.history.choices, &session.token);
  const char *token = str_text(&session.token);
  struct job_status *s = session.status;
  if (must_skip(token)) {
    struct stop why = {.kind = STOP_FATAL_SIGNAL,
                       .message = "this execution killed the checking process"};
    return verdict_of(&why, "", 0, 0);
  }
  strncpy(s->token, token, sizeof s->token - 1);
  s->running_program = true;
  if (session.job->debug && level > 0)
    tidemark_debug_failure();
  uint32_t verdict = session.job->isolate ? run_in_child(level) : run_here(level);
  s->running_program = false;
  s->program_runs++;
  if (level == 0)
    space_begin_observing(session.job->failures > 1);
  return verdict;
}

/* ---- the search ---- */

static void finished(uint32_t verdict) {
  verdict_count(&search.history, verdict);
  session.status->executions = search.executions;
  session.status->findings = verdict_findings();
  session.status->failure_points_done = search.failure_points;
}

static void incomplete(const char *why) {
  session.results.complete = false;
  if (!session.results.incomplete_why)
    session.results.incomplete_why = mem_strdup(why);
}

static bool stopped(struct search *s) {
  if (session.results.error)
    return true;
  if (session.status->stop_requested) {
    incomplete("interrupted");
    return true;
  }
  int64_t max = session.job->max_executions;
  if (max && s->executions >= (uint64_t)max) {
    incomplete("--max-executions was reached");
    return true;
  }
  if (session.job->first && verdict_findings()) {
    incomplete("stopped at the first finding (--first)");
    return true;
  }
  return false;
}

/* The states an eager checker would explore at this failure point: every combination of what each
 * line may hold. */
static void count_eager(struct search *s) {
  (void)s;
  struct bigint states = {0};
  bigint_set(&states, 1);
  for (size_t i = 1; i < space_line_count(); i++) {
    const struct line *l = &space_line_by_index(i)->line;
    if (l->latest[0] > l->interval[0].low)
      bigint_multiply(&states, l->latest[0] - l->interval[0].low + 1);
  }
  bigint_add(&session.eager_states, &states);
  bigint_free(&states);
}

static void share_state(void) {
  void *state;
  size_t bytes;
  mem_state(&state, &bytes);
  share_register(state, bytes);
  share_register(&search, sizeof search);
  share_register(&session, sizeof session);
  access_share();
  space_share();
  verdict_share();
  program_share();
  pmfile_share();
  share_init();
}

static bool load(struct command *c, char **words, int count, struct str *error) {
  c->image = image_load(words[0], 0, error);
  c->argc = count;
  char *save = words[count];
  words[count] = NULL;
  c->argv = image_strings(words);
  words[count] = save;
  return c->image != NULL;
}

static bool load_programs(struct str *error) {
  const struct job *j = session.job;
  if (!load(&session.program, j->words, (int)j->argc, error))
    return false;
  session.recovery = session.program;
  if (j->recovery_argc == 0)
    return true;
  char **words = j->words + j->argc;
  if (strcmp(words[0], j->words[0]) != 0)
    return load(&session.recovery, words, (int)j->recovery_argc, error);
  session.recovery.argc = (int)j->recovery_argc;
  session.recovery.argv = image_strings(words);
  return true;
}

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void explore_all(void) {
  const struct job *j = session.job;
  session.access = (struct access_options){.eadr = j->eadr || j->gpf,
                                           .steps_max = (uint64_t)j->max_steps};
  search.failures_max = (int)j->failures;
  search.share = !j->no_share;
  search.execute = execute;
  search.finished = finished;
  search.stopped = stopped;
  search.eager = count_eager;
  search.count_eager = j->count_eager;
  session.results.complete = true;
  search_run();
  if (search.history.choices.diverged)
    session.results.error =
        mem_strdup("the replay token does not fit this program (was it built anew?)");
  if (j->count_eager) {
    struct str text = {0};
    bigint_format(&session.eager_states, &text);
    session.results.eager_states = mem_strdup(str_text(&text));
    str_free(&text);
  }
  session.results.executions = search.executions;
  session.results.program_runs = search.program_runs;
  session.results.failure_points = search.failure_points;
}

static void write_results(void) {
  struct results *r = &session.results;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  r->cpu_seconds = cpu_seconds();
  r->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
  verdict_collect(r);
  struct str out = {0};
  results_write(r, &out);
  for (size_t done = 0; done < out.length;) {
    ssize_t n = write(session.results_fd, out.data + done, out.length - done);
    CHECK(n > 0, "cannot write the results");
    done += (size_t)n;
  }
}

int session_run(const struct job *job) {
  session.job = job;
  session.results_fd = files_to_host((int)job->results_fd);
  session.status = mmap(NULL, sizeof *session.status, PROT_READ | PROT_WRITE, MAP_SHARED,
                        (int)job->status_fd, 0);
  CHECK(session.status != MAP_FAILED, "no status page");
  struct str error = {0};
  if (job->replay && !choice_parse(&search.history.choices, job->token))
    str_format(&error, "'%s' is not a replay token", job->token);
  if (!error.length)
    load_programs(&error);
  if (error.length) {
    session.results.error = mem_strdup(str_text(&error));
    write_results();
    return 3;
  }
  session.environment = image_strings(environ);
  pmfile_init(job->pm_path);
  fault_install();
  bypass_init();
  fault_watchdog((double)job->hang_seconds);
  thread_init();
  if (job->isolate)
    share_state();
  world_seal();
  explore_all();
  write_results();
  return session.results.error ? 3 : 0;
}
