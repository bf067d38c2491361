#include "cli/cmd_litmus_batch.h"
#include "base/check.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void litmus_report_free(struct litmus_report *r) {
  for (int p = 0; p < PART_COUNT; p++)
    free(r->part[p].data);
  memset(r, 0, sizeof *r);
}

/* ---- one process -------------------------------------------------------------------------- */

static bool run_here(const struct litmus_batch *b) {
  for (int i = 0; i < b->tests; i++) {
    struct litmus_report r = {0};
    b->work(b->context, i, &r);
    b->deliver(b->context, i, &r);
    litmus_report_free(&r);
  }
  return true;
}

/* ---- several ------------------------------------------------------------------------------ */

struct worker {
  pid_t pid; /* 0 = none */
  int to, from;
  int test; /* -1 = idle */
  double deadline;
  char *received;
  size_t length, capacity;
};

struct header { /* before the parts of a report, on the way from a worker */
  uint64_t lengths[PART_COUNT];
  int32_t status;
  uint8_t model_error, compared, differs;
};

struct run {
  const struct litmus_batch *b;
  struct worker *workers;
  struct litmus_report *reports; /* by test */
  unsigned char *done;
  int next, delivered; /* tests that were handed out, delivered */
  sigset_t outside;    /* the signals that were blocked before, and are in workers */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
  interrupted = number;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool write_all(int fd, const void *data, size_t n) {
  for (const char *p = data; n;) {
    ssize_t k = write(fd, p, n);
    if (k < 0 && errno == EINTR)
      continue;
    if (k <= 0)
      return false;
    p += k;
    n -= (size_t)k;
  }
  return true;
}

static void say_nothing(void) { /* the parent says it in its turn */
}

static _Noreturn void worker_main(const struct run *run, int in, int out) {
  const struct litmus_batch *b = run->b;
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody would read what it finds */
  signal(SIGINT, SIG_IGN);          /* the terminal sends it to everybody; the parent decides */
  signal(SIGTERM, SIG_DFL);
  sigprocmask(SIG_SETMASK, &run->outside, NULL);
  check_on_exhaustion = say_nothing;
  for (int32_t test; read(in, &test, sizeof test) == sizeof test;) {
    struct litmus_report r = {0};
    b->work(b->context, test, &r);
    struct header h = {.status = r.status,
                       .model_error = r.model_error,
                       .compared = r.compared,
                       .differs = r.differs};
    for (int p = 0; p < PART_COUNT; p++)
      h.lengths[p] = r.part[p].length;
    bool sent = write_all(out, &h, sizeof h);
    for (int p = 0; p < PART_COUNT; p++)
      sent = sent && write_all(out, r.part[p].data, r.part[p].length);
    litmus_report_free(&r);
    if (!sent)
      break;
  }
  _exit(0);
}

static void worker_start(struct run *r, struct worker *w) {
  int to[2], from[2];
  REQUIRE(
      !pipe(to) && !pipe(from),
      "the limit on open files (ulimit -n) is too small for so many processes: raise it, or ask "
      "for fewer (--jobs=N)");
  fflush(NULL);
  pid_t pid = fork();
  REQUIRE(pid >= 0,
          "the system starts no more processes (ulimit -u, or memory): raise the limit, or ask for "
          "fewer (--jobs=N)");
  if (pid == 0) {
    for (int i = 0; i < r->b->jobs; i++)
      if (r->workers[i].pid) {
        close(r->workers[i].to);
        close(r->workers[i].from);
      }
    close(to[1]);
    close(from[0]);
    worker_main(r, to[0], from[1]);
  }
  close(to[0]);
  close(from[1]);
  w->pid = pid;
  w->to = to[1];
  w->from = from[0];
  w->test = -1;
}

/* How it ended, as waitpid tells. */
static int worker_end(struct worker *w, bool now_please) {
  int status = 0;
  close(w->to);
  close(w->from);
  if (now_please)
    kill(w->pid, SIGKILL);
  while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
    ;
  w->pid = 0;
  w->test = -1;
  w->length = 0;
  return status;
}

static void hand_out(struct run *r, struct worker *w) {
  if (r->next == r->b->tests || interrupted)
    return;
  if (!w->pid)
    worker_start(r, w);
  int32_t test = r->next++;
  w->test = test;
  w->deadline = r->b->timeout_seconds ? now() + r->b->timeout_seconds : 0;
  write_all(w->to, &test, sizeof test); /* if it died, reading will show it */
}

static void finish(struct run *r, int test) {
  r->done[test] = 1;
  while (r->delivered < r->b->tests && r->done[r->delivered]) {
    struct litmus_report *x = &r->reports[r->delivered];
    r->b->deliver(r->b->context, r->delivered++, x);
    litmus_report_free(x);
  }
}

static void give_up(struct run *r, struct worker *w, bool too_long) {
  int test = w->test, status = worker_end(w, too_long);
  bool exhausted =
      WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == EXIT_EXHAUSTED;
  char why[96];
  if (too_long)
    snprintf(why, sizeof why, "not decided within %d seconds (--timeout)", r->b->timeout_seconds);
  else if (exhausted)
    snprintf(why, sizeof why, "not decided: out of memory%s",
             WIFSIGNALED(status) ? "? (the checker was killed)" : "");
  else if (WIFSIGNALED(status))
    snprintf(why, sizeof why, "the checker was killed by signal %d (%s)", WTERMSIG(status),
             strsignal(WTERMSIG(status)));
  else
    snprintf(why, sizeof why, "the checker ended with status %d", WEXITSTATUS(status));
  enum litmus_giving_up reason = too_long    ? GIVEN_UP_TOO_LONG
                                 : exhausted ? GIVEN_UP_EXHAUSTED
                                             : GIVEN_UP_DIED;
  r->b->give_up(r->b->context, test, reason, why, &r->reports[test]);
  finish(r, test);
}

/* Whether the report is complete. */
static bool take_report(struct worker *w, struct litmus_report *x) {
  struct header h;
  if (w->length < sizeof h)
    return false;
  memcpy(&h, w->received, sizeof h);
  size_t total = sizeof h;
  for (int p = 0; p < PART_COUNT; p++)
    total += h.lengths[p];
  if (w->length < total)
    return false;
  const char *at = w->received + sizeof h;
  for (int p = 0; p < PART_COUNT; at += h.lengths[p++]) {
    if (!h.lengths[p])
      continue;
    x->part[p].length = h.lengths[p];
    x->part[p].data = malloc(h.lengths[p] + 1);
    if (!x->part[p].data)
      check_exhausted();
    memcpy(x->part[p].data, at, h.lengths[p]);
    x->part[p].data[h.lengths[p]] = 0;
  }
  x->status = h.status;
  x->model_error = h.model_error;
  x->compared = h.compared;
  x->differs = h.differs;
  w->length = 0;
  return true;
}

static void receive(struct run *r, struct worker *w) {
  if (w->capacity - w->length < 65536) {
    w->capacity = w->capacity ? w->capacity * 2 : 1 << 17;
    w->received = realloc(w->received, w->capacity);
    if (!w->received)
      check_exhausted();
  }
  ssize_t n = read(w->from, w->received + w->length, w->capacity - w->length);
  if (n < 0 && errno == EINTR)
    return;
  if (n <= 0) {
    give_up(r, w, false);
    return;
  }
  w->length += (size_t)n;
  int test = w->test;
  if (take_report(w, &r->reports[test])) {
    w->test = -1;
    finish(r, test);
  }
}

/* Waits until a worker has something to say or has had its time, or a signal says to end: signals come only while this
 * waits, or one could come just before and be forgotten until a test is done. */
static void wait_for_workers(struct run *r, struct pollfd *fds) {
  double soonest = 0;
  for (int i = 0; i < r->b->jobs; i++) {
    struct worker *w = &r->workers[i];
    fds[i] = (struct pollfd){.fd = w->test >= 0 ? w->from : -1, .events = POLLIN};
    if (w->test >= 0 && w->deadline && (!soonest || w->deadline < soonest))
      soonest = w->deadline;
  }
  double rest = soonest - now();
  long ms = rest > 0 ? (long)(rest * 1000) + 1 : 0;
  struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
  ppoll(fds, (nfds_t)r->b->jobs, soonest ? &time : NULL,
        &r->outside); /* revents stay 0 if it fails */
}

/* SIGINT and SIGTERM are let in by wait_for_workers alone. */
static void signals_begin(struct run *r) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &ends, &r->outside);
  struct sigaction stop = {.sa_handler = on_signal};
  sigaction(SIGINT, &stop, NULL);
  sigaction(SIGTERM, &stop, NULL);
  signal(SIGPIPE, SIG_IGN);
}

static bool run_workers(const struct litmus_batch *b) {
  struct run r = {.b = b};
  r.workers = calloc((size_t)b->jobs, sizeof *r.workers);
  r.reports = calloc((size_t)b->tests, sizeof *r.reports);
  r.done = calloc((size_t)b->tests, 1);
  struct pollfd *fds = calloc((size_t)b->jobs, sizeof *fds);
  if (!r.workers || !r.reports || !r.done || !fds)
    check_exhausted();
  signals_begin(&r);
  for (int i = 0; i < b->jobs; i++)
    r.workers[i].test = -1;
  while (r.delivered < b->tests && !interrupted) {
    for (int i = 0; i < b->jobs; i++)
      if (r.workers[i].test < 0)
        hand_out(&r, &r.workers[i]);
    wait_for_workers(&r, fds);
    for (int i = 0; i < b->jobs; i++) {
      struct worker *w = &r.workers[i];
      if (w->test >= 0 && fds[i].revents)
        receive(&r, w);
      else if (w->test >= 0 && w->deadline && now() >= w->deadline)
        give_up(&r, w, true);
    }
  }
  for (int i = 0; i < b->tests; i++)
    if (r.done[i] && i >= r.delivered)
      b->deliver(b->context, i, &r.reports[i]);
  bool all = r.delivered == b->tests;
  for (int i = 0; i < b->jobs; i++) {
    if (r.workers[i].pid)
      worker_end(&r.workers[i], r.workers[i].test >= 0);
    free(r.workers[i].received);
  }
  for (int i = 0; i < b->tests; i++)
    litmus_report_free(&r.reports[i]);
  free(r.workers);
  free(r.reports);
  free(r.done);
  free(fds);
  sigprocmask(SIG_SETMASK, &r.outside, NULL);
  return all;
}

bool litmus_batch_run(const struct litmus_batch *b) {
  return b->jobs == 1 && !b->timeout_seconds && !b->apart ? run_here(b) : run_workers(b);
}
