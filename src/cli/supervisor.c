#include "cli/supervisor.h"
#include "base/check.h"
#include "base/hash.h"
#include "cli/crew.h"
#include "cli/progress.h"
#include "cli/supervisor_internal.h"
#include "finding/results_file.h"
#include "finding/results_merge.h"
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRESS_SECONDS 0.2

/* ---- while it runs ---- */

double supervisor_seconds(const struct session *x) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - x->start.tv_sec) + (double)(now.tv_nsec - x->start.tv_nsec) / 1e9;
}

static void request_stop(struct session *x, const char *reason) {
  if (!x->stop_reason)
    x->stop_reason = reason;
  x->status->stop_requested = true;
}

const char *supervisor_stop_reason(int signal) {
  return signal == SIGINT    ? "interrupted (SIGINT)"
         : signal == SIGTERM ? "terminated (SIGTERM)"
         : signal == SIGHUP  ? "the terminal was closed (SIGHUP)"
                             : NULL;
}

void supervisor_ends(sigset_t *set) {
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction now;
  sigemptyset(set);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaddset(set, ends[i]);
}

/* Until the worker has ended: signals, timeout, progress. */
static int wait_for_worker(struct session *x, pid_t pid) {
  const struct timespec tick = {0, (long)(PROGRESS_SECONDS * 1e9)};
  double asked_at = 0;
  bool shown = false;
  int status;
  if (x->stop_reason)
    x->status->stop_requested = true;
  while (!supervisor_reap(x, pid, &status)) {
    int signal = sigtimedwait(&x->signals, NULL, &tick);
    double now = supervisor_seconds(x);
    const char *wanted = supervisor_stop_reason(signal);
    bool again = x->stop_reason && wanted;
    if (wanted)
      request_stop(x, wanted);
    else if (x->s->timeout_seconds > 0 && now >= x->s->timeout_seconds)
      request_stop(x, "the timeout was reached");
    if (x->stop_reason && asked_at == 0)
      asked_at = now;
    if (!x->killed && x->stop_reason && (again || now - asked_at >= x->s->grace_seconds)) {
      x->killed = true;
      kill(pid, SIGKILL);
    }
    if (x->s->progress && signal != SIGCHLD) {
      progress_show(x->status, &x->time, now);
      shown = true;
    }
  }
  if (shown)
    progress_erase();
  return status;
}

/* ---- what it left behind ---- */

static bool read_results(const struct session *x, struct results *results, struct str *error) {
  struct stat st;
  if (fstat(x->results_fd, &st) != 0 || st.st_size == 0) {
    str_append(error, "it left no results");
    return false;
  }
  struct str text = {0};
  char block[1 << 16];
  off_t at = 0;
  for (ssize_t n; (n = pread(x->results_fd, block, sizeof block, at)) > 0; at += n)
    str_append_bytes(&text, block, (size_t)n);
  struct str why = {0};
  bool ok = memchr(str_text(&text), 0, text.length) == NULL &&
            results_read(str_text(&text), results, &why);
  if (!ok) {
    results_free(results);
    str_format(error, "its results cannot be read: %s",
               why.length ? str_text(&why) : "there is a zero byte in them");
  }
  str_free(&why);
  str_free(&text);
  return ok;
}

/* Results of a search whose worker is gone: what its status page says. */
static void results_from_status(const struct session *x, struct results *r) {
  r->executions = x->status->executions;
  r->program_runs = x->status->program_runs;
  r->failure_points = x->status->failure_points;
}

void supervisor_incomplete(struct results *r, const char *why) {
  r->complete = false;
  if (r->incomplete_why)
    mem_free(r->incomplete_why, strlen(r->incomplete_why) + 1);
  r->incomplete_why = mem_strdup(why);
}

static bool is_token(const char *token) {
  return memchr(token, 0, JOB_TOKEN_MAX) && !strpbrk(token, ": \n");
}

bool supervisor_died_in_program(const struct job_status *s) {
  return s->running_program && is_token(s->token);
}

/* error: what is wrong with its results; becomes the whole story. */
void supervisor_describe_failure(const struct job_status *s, int status, struct str *error) {
  struct str text = {0};
  str_append(&text, "the worker ended unexpectedly (");
  deaths_describe(status, &text);
  str_format(&text, "), %s", str_text(error));
  if (supervisor_died_in_program(s))
    str_format(&text, ", in execution %s", deaths_token_name(s->token));
  str_clear(error);
  str_append(error, str_text(&text));
  str_free(&text);
}

/* ---- the whole ---- */

static enum step give_up(struct session *x, const char *why, struct results *results) {
  results_from_status(x, results);
  supervisor_incomplete(results, why);
  return STEP_DONE;
}

/* Start another worker, unless too many died already. */
static enum step try_again(struct session *x, struct results *results) {
  struct str why = {0};
  bool end = deaths_too_many(&x->deaths, &why);
  if (end)
    give_up(x, str_text(&why), results);
  str_free(&why);
  return end ? STEP_DONE : STEP_AGAIN;
}

/* A worker that used all the CPU time it may have would do so again. */
bool supervisor_used_up_cpu_time(const struct session *x, int status, struct str *why) {
  struct rlimit limit;
  if (!WIFSIGNALED(status) || (WTERMSIG(status) != SIGXCPU && WTERMSIG(status) != SIGKILL) ||
      getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      x->last_cpu_seconds < (double)limit.rlim_cur - 0.5)
    return false;
  str_format(why, "the limit on CPU time (ulimit -t, %lu s) was reached",
             (unsigned long)limit.rlim_cur);
  return true;
}

/* The system does not allow what a worker needs. */
bool supervisor_is_refusal(struct session *x, const struct job_status *s, int status,
                           struct str *error) {
  if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_REFUSED || !s->refusal[0])
    return false;
  str_clear(error);
  str_format(error, "%.*s", (int)sizeof s->refusal, s->refusal);
  x->refused = true;
  return true;
}

/* The worker died in the middle of the program. */
static enum step after_death(struct session *x, int status, struct results *results) {
  const char *token = x->status->token;
  bool unclear = supervisor_has_setting(x, "model=cxl") &&
                 !supervisor_has_setting(x, "isolate=1") && !x->deaths.unclear;
  if (unclear) {
    x->deaths.unclear = true;
    x->deaths.outside_status = status;
    return STEP_AGAIN;
  }
  if (deaths_is_suspect(&x->deaths, token))
    deaths_confirm(&x->deaths);
  else if (deaths_suspected(&x->deaths))
    deaths_acquit(&x->deaths); /* somewhere else: that is not what the execution does */
  else if (deaths_known(&x->deaths, token))
    return give_up(x, "an execution killed the checking process although it was left out", results);
  else
    deaths_suspect(&x->deaths, token, status, x->status->observed > 0, x->status->shared);
  return try_again(x, results);
}

bool supervisor_wants_another(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) == JOB_EXIT_PLACES;
}

/* The worker ended with `status`: take its results, or decide what its death means. */
static enum step after_worker(struct session *x, int status, struct results *results,
                              struct str *error) {
  struct str why = {0};
  if (read_results(x, results, error)) {
    if (!deaths_suspected(&x->deaths))
      return STEP_DONE;
    results_free(results);
    *results = (struct results){0};
    deaths_acquit(&x->deaths);
    return try_again(x, results);
  }
  if (x->killed)
    return give_up(x, x->stop_reason, results);
  if (supervisor_is_refusal(x, x->status, status, error))
    return STEP_FAILED;
  if (supervisor_used_up_cpu_time(x, status, &why)) {
    enum step step = give_up(x, str_text(&why), results);
    str_free(&why);
    return step;
  }
  bool ours = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_INTERNAL;
  bool in_program = supervisor_died_in_program(x->status);
  if (ours || (!in_program && !deaths_is_foreign(status))) {
    supervisor_describe_failure(x->status, status, error);
    return STEP_FAILED;
  }
  str_clear(error);
  if (in_program)
    return after_death(x, status, results);
  deaths_note_outside(&x->deaths, status);
  return try_again(x, results);
}

enum step supervisor_one(struct session *x, struct results *results, struct str *error) {
  pid_t pid = supervisor_start(x, 0, -1, error);
  if (pid < 0)
    return STEP_FAILED;
  int status = wait_for_worker(x, pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == JOB_EXIT_CHILD_DIED)
    status = x->status->child_status;
  if (supervisor_wants_another(status))
    return STEP_AGAIN;
  return after_worker(x, status, results, error);
}

enum step supervisor_alone(struct session *x, struct results *results, struct str *error) {
  enum step step;
  do
    step = supervisor_one(x, results, error);
  while (step == STEP_AGAIN);
  return step;
}

/* The fewest fences are told by all executions together, so one worker looks at them, once it is known that
 * some are needed. */
static void find_fences(struct session *x, struct results *results) {
  struct supervisor one = *x->s;
  struct results found = {0};
  struct str error = {0};
  word_list settings = {0};
  for (size_t i = 0; i < one.settings->length; i++)
    words_push(&settings, one.settings->data[i]);
  words_push(&settings, "fences=1");
  one.settings = &settings;
  one.parts = NULL;
  const struct supervisor *s = x->s;
  x->s = &one;
  if (supervisor_alone(x, &found, &error) == STEP_DONE) {
    results->fences = found.fences;
    found.fences = (place_list){0};
    results->cpu_seconds += found.cpu_seconds;
  }
  x->s = s;
  results_free(&found);
  words_free(&settings);
  str_free(&error);
}

static bool wants_fences(const struct session *x, const struct results *r) {
  bool found = false;
  for (size_t i = 0; i < r->findings.length; i++)
    found |= r->findings.data[i].kind == FINDING_STORE_BUFFER;
  return found && x->s->fences && r->complete && !r->error;
}

static void add_note(struct results *r, const char *text) {
  vec_push(&r->notes, mem_strdup(text));
}

/* Block by block: pipes deliver their bytes in pieces of any size. */
static void describe_input(const struct session *x, struct results *r) {
  static char block[1 << 16];
  r->input_hash = 1;
  for (ssize_t n; (n = pread(x->input_fd, block, sizeof block, (off_t)r->input_bytes)) > 0;) {
    r->input_hash = hash_bytes(r->input_hash, block, (size_t)n);
    r->input_bytes += (uint64_t)n;
  }
  if (x->status->input.terminal)
    add_note(r, "the program reads its standard input, which was empty because it is a terminal: "
                "give input with --stdin=FILE or from a pipe");
}

/* What the reader needs beside the results: executions that were left out, how far it came. */
static void complete_results(const struct session *x, struct results *r) {
  results_settle(r);
  deaths_report(&x->deaths, r);
  if (x->status->input.wanted)
    describe_input(x, r);
  if (x->stop_reason && !r->complete)
    supervisor_incomplete(r, x->stop_reason);
  if (!r->complete) {
    struct str why = {0};
    str_append(&why, r->incomplete_why ? r->incomplete_why : "no reason was given");
    progress_reached(x->status, &x->time, supervisor_seconds(x), &why);
    supervisor_incomplete(r, str_text(&why));
    str_free(&why);
  }
  /* A search that begins again, because more memory is shared than it thought, has lost what it did before. */
  if (x->deaths.confirmed.length || x->deaths.outside || x->killed ||
      x->cpu_seconds > r->cpu_seconds)
    r->cpu_seconds = x->cpu_seconds;
  if (!r->peak_bytes)
    r->peak_bytes = x->peak_bytes;
}

/* What supervisor_run and its like need for a while; false: error says why not. */
static bool begin(struct session *x, struct str *error) {
  if (!supervisor_open(x, error)) {
    supervisor_close(x);
    return false;
  }
  signal(SIGCHLD, SIG_DFL); /* who ignores it learns nothing about children */
  supervisor_ends(&x->signals);
  sigaddset(&x->signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &x->signals, &x->old_signals);
  return true;
}

/* Who wants it to end has come too late for the search, and gets the report. */
static void forget_signals(const struct session *x) {
  const struct timespec at_once = {0, 0};
  sigset_t ends;
  supervisor_ends(&ends);
  while (sigtimedwait(&ends, NULL, &at_once) > 0)
    ;
  sigprocmask(SIG_SETMASK, &x->old_signals, NULL);
}

enum supervisor_end supervisor_run(const struct supervisor *s, struct results *results,
                                   struct str *error) {
  struct session x = {.s = s, .results_fd = -1, .status_fd = -1, .input_fd = -1};
  if (!begin(&x, error))
    return SUPERVISOR_REFUSED;
  enum step step = s->parts ? crew_run(&x, results, error) : supervisor_alone(&x, results, error);
  if (step == STEP_DONE && wants_fences(&x, results))
    find_fences(&x, results);
  forget_signals(&x);

  enum supervisor_end end = step != STEP_FAILED ? SUPERVISOR_RESULTS
                            : x.refused         ? SUPERVISOR_REFUSED
                                                : SUPERVISOR_FAILED;
  if (end == SUPERVISOR_RESULTS && results->error) {
    str_append(error, results->error);
    end = SUPERVISOR_REFUSED;
  }
  if (end == SUPERVISOR_RESULTS)
    complete_results(&x, results);
  supervisor_close(&x);
  return end;
}

void supervisor_add_fences(const struct supervisor *s, struct results *results) {
  struct session x = {.s = s, .results_fd = -1, .status_fd = -1, .input_fd = -1};
  struct str error = {0};
  if (wants_fences(&x, results) && begin(&x, &error)) {
    find_fences(&x, results);
    sigprocmask(SIG_SETMASK, &x.old_signals, NULL);
    supervisor_close(&x);
  }
  str_free(&error);
}
