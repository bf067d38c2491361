#include "cli/supervisor.h"
#include "base/check.h"
#include "cli/progress.h"
#include "finding/job.h"
#include "finding/results_file.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RESTARTS_MAX 50
#define SKIP_BYTES_MAX 100000 /* one argument of exec holds at most 128 KiB */
#define PROGRESS_SECONDS 0.2
#define HOST_DESCRIPTORS 200 /* descriptors from here on are the worker's own, not the program's */

/* An execution that took its worker with it. */
struct death {
  char *token;
  int status; /* as waitpid says it */
};

struct session {
  const struct supervisor *s;
  int results_fd, status_fd;
  struct job_status *status;
  struct timespec start;
  sigset_t signals, old_signals;
  VEC(struct death) deaths;
  double cpu_seconds; /* of all workers */
  uint64_t peak_bytes;
  const char *stop_reason; /* NULL: nobody asked to stop */
  bool killed;             /* ... and the worker did not */
};

/* ---- set up ---- */

static double seconds_since(const struct timespec *start) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* A file in memory that the worker inherits, with a number it keeps out of the program's way. */
static int create_memory_file(const char *name) {
  int fd = memfd_create(name, 0);
  if (fd < 0)
    return -1;
  int high = fcntl(fd, F_DUPFD, HOST_DESCRIPTORS);
  if (high < 0)
    return fd;
  close(fd);
  return high;
}

/* For the worker that starts with our environment; it hides it from the program (job.h). */
static void ask_for_static_tls(void) {
  const char *now = getenv(JOB_TUNABLES);
  struct str text = {0};
  if (now && strstr(now, JOB_STATIC_TLS))
    return;
  str_format(&text, "%s%s%s", now ? now : "", now ? ":" : "", JOB_STATIC_TLS);
  setenv(JOB_TUNABLES, str_text(&text), 1);
  str_free(&text);
}

static bool session_open(struct session *x, struct str *error) {
  ask_for_static_tls();
  x->results_fd = create_memory_file("tidemark-results");
  x->status_fd = create_memory_file("tidemark-status");
  void *page = MAP_FAILED;
  if (x->results_fd >= 0 && x->status_fd >= 0 &&
      ftruncate(x->status_fd, sizeof(struct job_status)) == 0)
    page =
        mmap(NULL, sizeof(struct job_status), PROT_READ | PROT_WRITE, MAP_SHARED, x->status_fd, 0);
  if (page == MAP_FAILED) {
    str_format(error, "cannot create shared memory: %s", strerror(errno));
    return false;
  }
  x->status = page;
  clock_gettime(CLOCK_MONOTONIC, &x->start);
  return true;
}

static void session_close(struct session *x) {
  if (x->status)
    munmap(x->status, sizeof *x->status);
  if (x->results_fd >= 0)
    close(x->results_fd);
  if (x->status_fd >= 0)
    close(x->status_fd);
  for (size_t i = 0; i < x->deaths.length; i++)
    mem_free(x->deaths.data[i].token, strlen(x->deaths.data[i].token) + 1);
  vec_free(&x->deaths);
}

/* A token in the form of the skip setting: "-" for the one without choices. */
static const char *token_name(const char *token) {
  return *token ? token : "-";
}

static void skip_text(const struct session *x, struct str *out) {
  for (size_t i = 0; i < x->deaths.length; i++)
    str_format(out, "%s%s", i ? ":" : "skip=", token_name(x->deaths.data[i].token));
}

static word_list worker_words(const struct session *x) {
  word_list words = {0};
  struct str text = {0};
  words_push(&words, x->s->worker);
  str_format(&text, "results-fd=%d", x->results_fd);
  words_push(&words, str_text(&text));
  str_clear(&text);
  str_format(&text, "status-fd=%d", x->status_fd);
  words_push(&words, str_text(&text));
  str_clear(&text);
  if (x->deaths.length) {
    skip_text(x, &text);
    words_push(&words, str_text(&text));
  }
  str_free(&text);
  for (size_t i = 0; i < x->s->settings->length; i++)
    words_push(&words, x->s->settings->data[i]);
  words_push(&words, "--");
  for (size_t i = 0; i < x->s->words->length; i++)
    words_push(&words, x->s->words->data[i]);
  vec_push(&words, NULL);
  words.length--; /* terminated for exec */
  return words;
}

/* ---- one worker ---- */

static _Noreturn void become_worker(const struct session *x, char **argv, int failed_fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0); /* Ctrl-C on the terminal is for the supervisor */
  sigprocmask(SIG_SETMASK, &x->old_signals, NULL);
  int null = open("/dev/null", O_RDONLY);
  if (null >= 0)
    dup2(null, STDIN_FILENO);
  if (null > STDIN_FILENO)
    close(null);
  int person = personality(0xffffffff); /* fixed addresses: spares the worker a second start */
  if (person != -1)
    personality((unsigned long)person | ADDR_NO_RANDOMIZE);
  execv(argv[0], argv);
  int why = errno;
  ssize_t ignored = write(failed_fd, &why, sizeof why);
  (void)ignored;
  _exit(127);
}

static pid_t start_worker(struct session *x, struct str *error) {
  int failed[2];
  if (ftruncate(x->results_fd, 0) != 0 || lseek(x->results_fd, 0, SEEK_SET) != 0 ||
      pipe2(failed, O_CLOEXEC) != 0) {
    str_format(error, "cannot prepare the worker: %s", strerror(errno));
    return -1;
  }
  memset(x->status, 0, offsetof(struct job_status, token) + 1); /* an empty token */
  word_list words = worker_words(x);
  pid_t pid = vfork(); /* become_worker only makes system calls: nothing to copy */
  int why = errno;
  if (pid == 0)
    become_worker(x, words.data, failed[1]);
  close(failed[1]);
  words_free(&words);
  if (pid > 0) {
    if (read(failed[0], &why, sizeof why) == (ssize_t)sizeof why) {
      waitpid(pid, NULL, 0);
      pid = -1;
    }
  }
  close(failed[0]);
  if (pid < 0)
    str_format(error, "cannot start %s: %s", x->s->worker, strerror(why));
  return pid;
}

static bool reap(struct session *x, pid_t pid, int *status) {
  struct rusage usage;
  pid_t ended = wait4(pid, status, WNOHANG, &usage);
  if (ended == 0 || (ended < 0 && errno == EINTR))
    return false;
  CHECK(ended == pid, "wait4: %d", errno);
  x->cpu_seconds += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  uint64_t peak = (uint64_t)usage.ru_maxrss * 1024;
  if (peak > x->peak_bytes)
    x->peak_bytes = peak;
  return true;
}

static void request_stop(struct session *x, const char *reason) {
  if (!x->stop_reason)
    x->stop_reason = reason;
  x->status->stop_requested = true;
}

/* Until the worker has ended: signals, timeout, progress. */
static int wait_for_worker(struct session *x, pid_t pid) {
  const struct timespec tick = {0, (long)(PROGRESS_SECONDS * 1e9)};
  double asked_at = 0;
  bool shown = false;
  int status;
  if (x->stop_reason)
    x->status->stop_requested = true;
  while (!reap(x, pid, &status)) {
    int signal = sigtimedwait(&x->signals, NULL, &tick);
    double now = seconds_since(&x->start);
    bool again = x->stop_reason && (signal == SIGINT || signal == SIGTERM);
    if (signal == SIGINT || signal == SIGTERM)
      request_stop(x, signal == SIGINT ? "interrupted (SIGINT)" : "terminated (SIGTERM)");
    else if (x->s->timeout_seconds > 0 && now >= x->s->timeout_seconds)
      request_stop(x, "the timeout was reached");
    if (x->stop_reason && asked_at == 0)
      asked_at = now;
    if (!x->killed && x->stop_reason && (again || now - asked_at >= x->s->grace_seconds)) {
      x->killed = true;
      kill(pid, SIGKILL);
    }
    if (x->s->progress && signal != SIGCHLD) {
      progress_show(x->status, now);
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
  bool ok =
      memchr(text.data, 0, text.length) == NULL && results_read(str_text(&text), results, &why);
  if (!ok) {
    results_free(results);
    str_format(error, "its results cannot be read: %s",
               why.length ? str_text(&why) : "there is a zero byte in them");
  }
  str_free(&why);
  str_free(&text);
  return ok;
}

static void describe_end(int status, struct str *out) {
  if (WIFSIGNALED(status))
    str_format(out, "signal %d, %s", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else
    str_format(out, "exit status %d", WEXITSTATUS(status));
}

/* Results of a search whose worker is gone: what its status page says. */
static void results_from_status(const struct session *x, struct results *r) {
  r->executions = x->status->executions;
  r->program_runs = x->status->program_runs;
  r->failure_points = x->status->failure_points;
}

/* The finding of a later worker about an execution that it was told to leave out. */
static struct finding *find_skipped(struct results *r, const char *token) {
  for (size_t i = 0; i < r->findings.length; i++) {
    struct finding *f = &r->findings.data[i];
    if (f->kind == FINDING_FATAL_SIGNAL && strcmp(f->token ? f->token : "", token) == 0)
      return f;
  }
  return NULL;
}

/* Later workers may know how the execution came about; how it ended is known only here. */
static void add_death(struct results *r, const struct death *d) {
  struct str message = {0};
  str_append(&message, "this execution killed the checking process (");
  describe_end(d->status, &message);
  str_append_char(&message, ')');
  struct finding *f = find_skipped(r, d->token);
  if (!f) {
    struct finding fresh = {
        .kind = FINDING_FATAL_SIGNAL, .count = 1, .token = mem_strdup(d->token)};
    vec_push(&r->findings, fresh);
    f = &vec_last(&r->findings);
    r->executions++;
    r->program_runs++;
  }
  if (f->message)
    mem_free(f->message, strlen(f->message) + 1);
  f->message = mem_strdup(str_text(&message));
  str_free(&message);
}

static void set_incomplete(struct results *r, const char *why) {
  r->complete = false;
  if (r->incomplete_why)
    mem_free(r->incomplete_why, strlen(r->incomplete_why) + 1);
  r->incomplete_why = mem_strdup(why);
}

/* Can the search go on without the execution that just killed its worker?  Otherwise why not. */
static const char *why_no_restart(const struct session *x) {
  const struct death *last = &vec_last(&x->deaths);
  size_t bytes = 0;
  if (strcmp(token_name(last->token), "-") == 0)
    return "the first execution killed the checking process; nothing after it was checked";
  for (size_t i = 0; i < x->deaths.length; i++)
    bytes += strlen(x->deaths.data[i].token) + 1;
  if (x->deaths.length > RESTARTS_MAX || bytes > SKIP_BYTES_MAX)
    return "too many executions killed the checking process";
  return NULL;
}

static bool is_known_death(const struct session *x, const char *token) {
  for (size_t i = 0; i < x->deaths.length; i++)
    if (strcmp(x->deaths.data[i].token, token) == 0)
      return true;
  return false;
}

static bool is_token(const char *token) {
  return memchr(token, 0, JOB_TOKEN_MAX) && !strpbrk(token, ": \n");
}

/* error: what is wrong with its results; becomes the whole story. */
static void describe_failure(const struct session *x, int status, struct str *error) {
  struct str text = {0};
  str_append(&text, "the worker ended unexpectedly (");
  describe_end(status, &text);
  str_format(&text, "), %s", str_text(error));
  if (x->status->running_program && is_token(x->status->token))
    str_format(&text, ", in execution %s", token_name(x->status->token));
  str_clear(error);
  str_append(error, str_text(&text));
  str_free(&text);
}

/* ---- the whole ---- */

enum step { STEP_AGAIN, STEP_DONE, STEP_FAILED };

/* The worker ended with `status`: take its results, or decide what its death means. */
static enum step after_worker(struct session *x, int status, struct results *results,
                              struct str *error) {
  if (read_results(x, results, error))
    return STEP_DONE;
  if (x->killed) {
    results_from_status(x, results);
    set_incomplete(results, x->stop_reason);
    return STEP_DONE;
  }
  bool ours = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_INTERNAL;
  if (!x->status->running_program || ours || !is_token(x->status->token)) {
    describe_failure(x, status, error);
    return STEP_FAILED;
  }
  str_clear(error);
  const char *why = "an execution killed the checking process twice";
  if (!is_known_death(x, x->status->token)) {
    struct death d = {.token = mem_strdup(x->status->token), .status = status};
    vec_push(&x->deaths, d);
    why = why_no_restart(x);
  }
  if (!why)
    return STEP_AGAIN;
  results_from_status(x, results);
  set_incomplete(results, why);
  return STEP_DONE;
}

static enum step run_workers(struct session *x, struct results *results, struct str *error) {
  for (;;) {
    pid_t pid = start_worker(x, error);
    if (pid < 0)
      return STEP_FAILED;
    int status = wait_for_worker(x, pid);
    enum step step = after_worker(x, status, results, error);
    if (step != STEP_AGAIN)
      return step;
  }
}

/* What the reader needs beside the results: executions that were left out, how far it came. */
static void complete_results(const struct session *x, struct results *r) {
  for (size_t i = 0; i < x->deaths.length; i++)
    add_death(r, &x->deaths.data[i]);
  if (x->stop_reason && !r->complete)
    set_incomplete(r, x->stop_reason);
  if (!r->complete) {
    struct str why = {0};
    str_append(&why, r->incomplete_why ? r->incomplete_why : "no reason was given");
    progress_reached(x->status, &why);
    set_incomplete(r, str_text(&why));
    str_free(&why);
  }
  if (x->deaths.length || x->killed)
    r->cpu_seconds = x->cpu_seconds;
  if (!r->peak_bytes)
    r->peak_bytes = x->peak_bytes;
}

enum supervisor_end supervisor_run(const struct supervisor *s, struct results *results,
                                   struct str *error) {
  struct session x = {.s = s, .results_fd = -1, .status_fd = -1};
  if (!session_open(&x, error)) {
    session_close(&x);
    return SUPERVISOR_FAILED;
  }
  sigemptyset(&x.signals);
  sigaddset(&x.signals, SIGINT);
  sigaddset(&x.signals, SIGTERM);
  sigaddset(&x.signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &x.signals, &x.old_signals);
  enum step step = run_workers(&x, results, error);
  sigprocmask(SIG_SETMASK, &x.old_signals, NULL);

  enum supervisor_end end = step == STEP_FAILED ? SUPERVISOR_FAILED : SUPERVISOR_RESULTS;
  if (end == SUPERVISOR_RESULTS && results->error) {
    str_append(error, results->error);
    end = SUPERVISOR_REFUSED;
  }
  if (end == SUPERVISOR_RESULTS)
    complete_results(&x, results);
  session_close(&x);
  return end;
}

void supervisor_debug(const struct supervisor *s, struct str *error) {
  static const char *const setup[] = {
      "gdb",   "-q",
      "-ex",   "set breakpoint pending on",
      "-ex",   "break tidemark_debug_failure",
      "-ex",   "break tidemark_debug_finding",
      "-ex",   "handle SIGSEGV SIGSYS SIGVTALRM SIGALRM SIGILL nostop noprint pass",
      "-ex",   "run",
      "--args"};
  struct str gdb = {0};
  if (!program_find("gdb", &gdb, error)) {
    str_clear(error);
    str_append(error, "--gdb: gdb is not installed (no such program in PATH)");
    return;
  }
  struct session x = {.s = s, .results_fd = -1, .status_fd = -1};
  if (!session_open(&x, error))
    return;
  word_list worker = worker_words(&x), words = {0};
  for (size_t i = 0; i < sizeof setup / sizeof *setup; i++)
    words_push(&words, setup[i]);
  for (size_t i = 0; i < worker.length; i++)
    words_push(&words, worker.data[i]);
  vec_push(&words, NULL);
  execv(str_text(&gdb), words.data);
  str_format(error, "cannot start %s: %s", str_text(&gdb), strerror(errno));
}

bool supervisor_find_worker(struct str *path, struct str *error) {
  const char *given = getenv("TIDEMARK_WORKER");
  if (given && *given) {
    str_append(path, given);
  } else {
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) {
      str_format(error, "cannot find the installation: %s", strerror(errno));
      return false;
    }
    self[n] = 0;
    char *slash = strrchr(self, '/');
    str_format(path, "%.*s/../libexec/tidemark-worker", (int)(slash - self), self);
  }
  if (access(str_text(path), X_OK) == 0)
    return true;
  str_format(error, "the worker is missing: %s (%s)", str_text(path), strerror(errno));
  return false;
}
