#include "base/check.h"
#include "cli/container.h"
#include "cli/remote.h"
#include "cli/supervisor_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOST_DESCRIPTORS 200 /* descriptors from here on are the worker's own, not the program's */
#define MEMORY_SHARE 4       /* such a part of what there is is for what the search remembers */

#define PAGE_BYTES 4096u

/* ---- what it shares with us ---- */

static size_t stride(void) {
  return (sizeof(struct job_status) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

struct job_status *supervisor_status(const struct session *x, int number) {
  return (struct job_status *)(void *)((char *)x->status + (size_t)number * stride());
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

bool supervisor_open(struct session *x, struct str *error) {
  ask_for_static_tls();
  x->results_fd = create_memory_file("tidemark-results");
  x->status_fd = create_memory_file("tidemark-status");
  x->input_fd = create_memory_file("tidemark-input");
  void *page = MAP_FAILED;
  x->status_bytes = stride() * (size_t)(1 + x->s->jobs + x->s->agents);
  if (x->results_fd >= 0 && x->status_fd >= 0 && x->input_fd >= 0 &&
      ftruncate(x->status_fd, (off_t)x->status_bytes) == 0)
    page = mmap(NULL, x->status_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, x->status_fd, 0);
  if (page == MAP_FAILED) {
    bool files = errno == EMFILE || errno == ENFILE;
    str_format(error, "cannot create shared memory (memfd_create, mmap): %s; %s", strerror(errno),
               files ? "raise the limit on open files (ulimit -n)"
                     : "does a sandbox forbid it, or is memory short?");
    x->refused = true;
    return false;
  }
  x->status = page;
  clock_gettime(CLOCK_MONOTONIC, &x->start);
  return true;
}

void supervisor_close(struct session *x) {
  if (x->status)
    munmap(x->status, x->status_bytes);
  if (x->results_fd >= 0)
    close(x->results_fd);
  if (x->status_fd >= 0)
    close(x->status_fd);
  if (x->input_fd >= 0)
    close(x->input_fd);
  deaths_free(&x->deaths);
}

/* ---- its command line ---- */

static void push_number(word_list *words, const char *key, int n) {
  struct str text = {0};
  str_format(&text, "%s=%d", key, n);
  words_push(words, str_text(&text));
  str_free(&text);
}

/* Unless the user says otherwise: the last setting counts. */
static void push_memory(word_list *words) {
  struct str text = {0};
  str_format(&text, "memory=%lu", (unsigned long)(machine_memory() / MEMORY_SHARE));
  words_push(words, str_text(&text));
  str_free(&text);
}

bool supervisor_has_setting(const struct session *x, const char *setting) {
  for (size_t i = 0; i < x->s->settings->length; i++)
    if (strcmp(x->s->settings->data[i], setting) == 0)
      return true;
  return false;
}

static word_list worker_words(const struct session *x, int number, int fd) {
  word_list words = {0};
  words_push(&words, x->s->worker);
  push_number(&words, "results-fd", number ? fd : x->results_fd);
  push_number(&words, "status-fd", x->status_fd);
  if (number) {
    push_number(&words, "status-offset", (int)((size_t)number * stride()));
    push_number(&words, "ranges", 1);
    push_number(&words, "workers", x->s->jobs + (remote ? remote->beside - 1 : 0));
  }
  push_memory(&words);
  push_number(&words, "input-fd", x->input_fd);
  if (x->deaths.confirmed.length) {
    struct str text = {0};
    deaths_skip_text(&x->deaths, &text);
    words_push(&words, str_text(&text));
    str_free(&text);
  }
  for (size_t i = 0; i < x->s->settings->length; i++)
    words_push(&words, x->s->settings->data[i]);
  if (x->deaths.unclear)
    words_push(&words, "no-share=1");
  if (x->deaths.outside ||
      x->deaths.shared) /* perhaps in a run for several executions, which has no token of its own */
    words_push(&words, "one-by-one=1");
  if (deaths_suspected(&x->deaths)) { /* only that execution; the last setting counts */
    struct str text = {0};
    str_format(&text, "token=%s", x->deaths.suspect.token);
    words_push(&words, "replay=1");
    words_push(&words, str_text(&text));
    str_free(&text);
  }
  words_push(&words, "--");
  for (size_t i = 0; i < x->s->words->length; i++)
    words_push(&words, x->s->words->data[i]);
  vec_push(&words, NULL);
  words.length--; /* terminated for exec */
  return words;
}

/* ---- its process ---- */

/* What ends a search is left to the supervisor, who knows how to end with results: batch systems and service managers tell
 * all processes.  If it dies, so do we. */
static void leave_signals(const struct session *x) {
  sigset_t ends;
  sigprocmask(SIG_SETMASK, &x->old_signals, NULL);
  supervisor_ends(&ends);
  sigprocmask(SIG_BLOCK, &ends, NULL);
}

static _Noreturn void become_worker(const struct session *x, char **argv, int failed_fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0); /* Ctrl-C on the terminal is for the supervisor */
  leave_signals(x);
  int person = personality(0xffffffff); /* fixed addresses: spares the worker a second start */
  if (person != -1)
    personality((unsigned long)person | ADDR_NO_RANDOMIZE);
  execv(argv[0], argv);
  int why = errno;
  ssize_t ignored = write(failed_fd, &why, sizeof why);
  (void)ignored;
  _exit(127);
}

pid_t supervisor_start(struct session *x, int number, int fd, struct str *error) {
  int failed[2];
  if (ftruncate(x->results_fd, 0) != 0 || lseek(x->results_fd, 0, SEEK_SET) != 0 ||
      pipe2(failed, O_CLOEXEC) != 0) {
    str_format(error, "cannot prepare the worker: %s (see ulimit -n)", strerror(errno));
    x->refused = true;
    return -1;
  }
  memset(supervisor_status(x, number), 0,
         offsetof(struct job_status, token) + 1); /* an empty token */
  word_list words = worker_words(x, number, fd);
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
  if (pid >= 0)
    return pid;
  x->refused = why == EAGAIN || why == ENOMEM || why == EPERM;
  str_format(error, "cannot start %s: %s%s", x->s->worker, strerror(why),
             why == EAGAIN ? " (raise the limit on processes, ulimit -u)" : "");
  return pid;
}

bool supervisor_reap(struct session *x, pid_t pid, int *status) {
  struct rusage usage;
  pid_t ended = wait4(pid, status, WNOHANG, &usage);
  if (ended == 0 || (ended < 0 && errno == EINTR))
    return false;
  CHECK(ended == pid, "wait4: %d", errno);
  x->last_cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                        (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  x->cpu_seconds += x->last_cpu_seconds;
  uint64_t peak = (uint64_t)usage.ru_maxrss * 1024;
  if (peak > x->peak_bytes)
    x->peak_bytes = peak;
  return true;
}

bool supervisor_find_worker(struct str *path, struct str *error) {
  const char *given = getenv("TIDEMARK_WORKER");
  if (given && *given) {
    str_append(path, given);
  } else {
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) {
      str_format(error,
                 "cannot find the installation without /proc: %s; mount it (mount -t proc proc "
                 "/proc), or set TIDEMARK_WORKER",
                 strerror(errno));
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

/* Below a debugger nobody starts another worker: find out before where the program wants its files. */
static void find_places(struct session *x) {
  word_list quiet = {0};
  struct supervisor s = *x->s;
  struct results ignored = {0};
  struct str error = {0};
  for (size_t i = 0; i < s.settings->length; i++)
    words_push(&quiet, s.settings->data[i]);
  words_push(&quiet, "debug=0");
  words_push(&quiet, "output=0");
  s.settings = &quiet;
  struct session before = *x;
  before.s = &s;
  supervisor_alone(&before, &ignored, &error);
  results_free(&ignored);
  str_free(&error);
  words_free(&quiet);
}

void supervisor_debug(const struct supervisor *s, struct str *error) {
  static const char *const setup[] = {
      "gdb",   "-q",
      "-ex",   "set breakpoint pending on",
      "-ex",   "break tidemark_debug_failure",
      "-ex",   "break tidemark_debug_finding",
      "-ex",   "handle SIGSEGV SIGSYS SIGPROF SIGALRM SIGILL nostop noprint pass",
      "-ex",   "run",
      "--args"};
  struct str gdb = {0};
  if (!program_find("gdb", &gdb, error)) {
    str_clear(error);
    str_append(error, "--gdb: gdb is not installed (no such program in PATH)");
    return;
  }
  struct session x = {.s = s, .results_fd = -1, .status_fd = -1, .input_fd = -1};
  if (!supervisor_open(&x, error))
    return;
  find_places(&x);
  word_list worker = worker_words(&x, 0, -1), words = {0};
  for (size_t i = 0; i < sizeof setup / sizeof *setup; i++)
    words_push(&words, setup[i]);
  for (size_t i = 0; i < worker.length; i++)
    words_push(&words, worker.data[i]);
  vec_push(&words, NULL);
  execv(str_text(&gdb), words.data);
  str_format(error, "cannot start %s: %s", str_text(&gdb), strerror(errno));
}
