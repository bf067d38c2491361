#include "base/check.h"
#include "cli/crew_internal.h"
#include "cli/parts.h"
#include "cli/progress.h"
#include "cli/remote.h"
#include "cli/units.h"
#include "finding/results_file.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALONE_SECONDS 0.15 /* of the first worker, before there are others */
#define SPLIT_AGAIN_SECONDS 0.01
#define TICK_SECONDS 0.2
#define SAVE_SECONDS 1.0 /* between the parts of a worker that are saved, at first; */
#define SAVE_SHARE 0.01  /* later this share of the time so far */
#define SAVE_SECONDS_MAX 60.0
#define HOST_DESCRIPTORS 200
#define NOWHERE "-"
#define PIECES 16 /* of a shard: some turn out large */
#define INSIST_SECONDS 0.3

struct job_status *crew_status(const struct crew *c, int i) {
  return supervisor_status(c->x, i);
}

static void end_with(struct crew *c, enum step step) {
  if (c->step == STEP_AGAIN)
    c->step = step;
}

/* ---- members ---- */

static bool start_member(struct crew *c, int i) {
  struct member *m = &c->members[i];
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    str_format(c->error, "cannot prepare a worker: %s (see ulimit -n)", strerror(errno));
    c->x->refused = true;
    return false;
  }
  int theirs = fcntl(pair[1], F_DUPFD, HOST_DESCRIPTORS);
  if (theirs < 0) /* few descriptors are allowed: a low one will do */
    theirs = dup(pair[1]);
  close(pair[1]);
  m->pid = theirs < 0 ? -1 : supervisor_start(c->x, i, theirs, c->error);
  if (theirs >= 0)
    close(theirs);
  m->fd = pair[0];
  m->busy = m->asked = m->used = false;
  str_clear(&m->in);
  if (m->pid > 0)
    return true;
  close(m->fd);
  m->pid = 0;
  return false;
}

static void wait_for_end(struct crew *c, pid_t pid) {
  int status;
  siginfo_t info;
  while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
    continue;
  supervisor_reap(c->x, pid, &status);
}

/* What a unit that was handed on comes to follows from its beginning (session/units.h), but for what a worker has on its
 * stacks and in its lists from units before: it gets a process of its own, whoever else there is. */
static bool renew(struct crew *c, int i) {
  struct member *m = &c->members[i];
  const struct part *p = parts_next(c->parts);
  if (!m->used || !p->covered || p->large)
    return true;
  if (m->away) {
    remote->send(i - c->x->s->jobs, "renew", strlen("renew"));
    return true;
  }
  shutdown(m->fd, SHUT_RDWR);
  wait_for_end(c, m->pid);
  crew_forget_member(c, i);
  return start_member(c, i);
}

static void give(struct crew *c, int i) {
  struct member *m = &c->members[i];
  const struct part *p = parts_take(c->parts, i);
  m->used = true;
  struct str text = {0};
  if (c->probing) /* before it can begin */
    crew_status(c, i)->pieces_requested = (uint32_t)c->x->s->shards * PIECES;
  if (c->parts->units)
    units_describe(c->parts, p, &text);
  else
    str_format(&text, "range %s %s %u\n", *p->from ? p->from : NOWHERE, p->to ? p->to : NOWHERE,
               p->put_off);
  if (m->away)
    remote->send(i - c->x->s->jobs, text.data, text.length);
  for (size_t done = m->away ? text.length : 0; done < text.length;) {
    ssize_t n = send(m->fd, text.data + done, text.length - done, MSG_NOSIGNAL);
    if (n <= 0)
      break; /* it has died: that will be noticed */
    done += (size_t)n;
  }
  str_free(&text);
  m->busy = true;
  m->began = supervisor_seconds(c->x);
  m->ask_after = 0;
}

void crew_forget_member(struct crew *c, int i) {
  struct member *m = &c->members[i];
  if (!m->away)
    close(m->fd);
  m->executions_before += crew_status(c, i)->executions;
  m->pid = 0;
  m->busy = m->asked = false;
  parts_return(c->parts, i);
}

/* Those that have nothing to do end by themselves. */
static void dismiss(struct crew *c, bool kill_them) {
  for (int i = c->x->s->jobs + 1; i <= c->count; i++)
    parts_return(c->parts, i); /* whoever is elsewhere may finish: nobody listens */
  for (int i = 1; i <= c->count; i++) {
    struct member *m = &c->members[i];
    if (m->pid <= 0)
      continue;
    if (kill_them || m->busy)
      kill(m->pid, SIGKILL);
    shutdown(m->fd, SHUT_RDWR);
  }
  for (int i = 1; i <= c->count; i++)
    if (c->members[i].pid > 0) {
      wait_for_end(c, c->members[i].pid);
      crew_forget_member(c, i);
    }
}

/* ---- messages ---- */

static void request_stop(struct crew *c, const char *reason) {
  if (!c->x->stop_reason)
    c->x->stop_reason = reason;
  if (c->stop_asked == 0)
    c->stop_asked = supervisor_seconds(c->x);
}

/* A part was searched up to that position (NULL: all of it). */
static void take_results(struct crew *c, int i, const char *at, bool goes_on, const char *text) {
  struct results r = {0};
  struct str why = {0};
  const struct part *p = parts_of(c->parts, i);
  if (!p || !results_read(text, &r, &why)) {
    str_format(c->error, "the results of a worker cannot be read: %s",
               p ? str_text(&why) : "it had nothing to do");
    results_free(&r);
    end_with(c, STEP_FAILED);
  } else if (r.error) {
    *c->results = r;
    end_with(c, STEP_DONE);
  } else {
    bool found = r.findings.length > 0;
    if (c->members[i].away) { /* its status page is not here */
      crew_status(c, i)->executions += r.executions;
      crew_status(c, i)->failure_points_begun += r.points_of_longest ? 0 : r.failure_points;
    }
    if (c->x->s->save)
      c->x->s->save(c->x->s->saved, p->from, at ? at : p->to, text,
                    crew_status(c, i)->failure_points);
    if (!parts_done(c->parts, i, at, goes_on, &r)) {
      str_format(c->error, "a worker was at %s, which is not in its part", at);
      end_with(c, STEP_FAILED);
    }
    if (found && c->x->s->first)
      request_stop(c, "stopped at the first finding (--first)");
  }
  str_free(&why);
}

/* Where the search is divided for shards is the same for all who look: the first execution tells. */
static void take_pieces(struct crew *c, int i, const char *positions) {
  const struct supervisor *s = c->x->s;
  parts_return(c->parts, i);
  c->members[i].busy = false;
  c->probing = false;
  parts_keep(c->parts, positions, s->shard, s->shards);
  if (s->save_pieces)
    s->save_pieces(s->saved, positions);
}

/* Nothing that anybody does is of any use. */
static void let_all_go(struct crew *c) {
  for (int i = 1; i <= c->count; i++) {
    struct member *m = &c->members[i];
    if (m->pid <= 0)
      continue;
    kill(m->pid, SIGKILL);
    wait_for_end(c, m->pid);
    crew_forget_member(c, i);
    str_clear(&m->in);
  }
}

/* What has become of a unit. */
static void handle_unit(struct crew *c, int i, const char *what, const char *at, const char *text) {
  struct member *m = &c->members[i];
  struct units_said said;
  struct str why = {0};
  uint64_t number = strtoull(at, NULL, 10);
  if (strcmp(what, "going") != 0)
    m->busy = m->asked = false;
  if (strcmp(what, "undivided") == 0) {
    c->alone = true;
    return;
  }
  enum units_news news = units_take(c->parts, number, what, text, &said, &why);
  if (news == UNITS_BAD) {
    str_format(c->error, "the results of a worker cannot be read: %s", str_text(&why));
    end_with(c, STEP_FAILED);
  } else if (said.failed.error) {
    *c->results = said.failed;
    end_with(c, STEP_DONE);
  } else if (news != UNITS_UNKNOWN) {
    if (m->away)
      crew_status(c, i)->executions += said.executions;
    bool partial = strcmp(what, "partial") == 0;
    if (c->x->s->save_unit && !partial)
      c->x->s->save_unit(c->x->s->saved, number, what, text);
    if (news == UNITS_AGAIN)
      let_all_go(c);
    if (said.found && c->x->s->first)
      request_stop(c, "stopped at the first finding (--first)");
    else if (partial || strcmp(what, "stopped") == 0 || strcmp(what, "full") == 0)
      request_stop(c, JOB_MEMORY_REACHED);
  }
  str_free(&why);
}

static void handle(struct crew *c, int i, const char *what, const char *at, const char *text) {
  struct member *m = &c->members[i];
  if (c->parts->units && *at) {
    handle_unit(c, i, what, at, text);
    return;
  }
  if (c->probing && strcmp(what, "done") == 0) { /* there is nothing to divide */
    take_pieces(c, i, "");
    if (parts_take(c->parts, i))
      take_results(c, i, NULL, false, text);
  } else if (strcmp(what, "pieces") == 0) {
    take_pieces(c, i, text);
  } else if (strcmp(what, "split") == 0) {
    m->asked = false;
    if (!parts_split(c->parts, i, at)) {
      str_format(c->error, "a worker gave %s away, which is not in its part", at);
      end_with(c, STEP_FAILED);
    }
  } else if (strcmp(what, "whole") == 0) {
    m->asked = false;
    m->ask_after = supervisor_seconds(c->x) + SPLIT_AGAIN_SECONDS;
  } else if (strcmp(what, "part") == 0) {
    take_results(c, i, at, true, text);
  } else if (strcmp(what, "later") == 0) {
    m->busy = m->asked = false;
    take_results(c, i, at, false, text);
    parts_put_off(c->parts, at);
  } else {
    bool all = strcmp(what, "done") == 0;
    m->busy = m->asked = false;
    take_results(c, i, all ? NULL : at, false, text);
    if (!all && c->stop_asked == 0 && !c->x->s->scatter)
      request_stop(c,
                   strcmp(what, "full") == 0 ? JOB_MEMORY_REACHED : "--max-executions was reached");
  }
}

/* "WHAT AT LENGTH\n" and so many bytes; false: not all is there yet. */
bool crew_take_message(struct crew *c, int i) {
  struct member *m = &c->members[i];
  char *newline = m->in.length ? memchr(m->in.data, '\n', m->in.length) : NULL;
  if (!newline)
    return false;
  size_t head = (size_t)(newline - m->in.data) + 1;
  char *line = mem_alloc(head), *rest = NULL;
  memcpy(line, m->in.data, head - 1);
  char *what = strtok_r(line, " ", &rest), *at = strtok_r(NULL, " ", &rest);
  size_t length = rest ? strtoull(rest, NULL, 10) : 0;
  bool whole = m->in.length >= head + length;
  if (whole) {
    struct str text = {0};
    str_append_bytes(&text, m->in.data + head, length);
    size_t left = m->in.length - head - length;
    memmove(m->in.data, m->in.data + head + length, left);
    m->in.length = left;
    if (what && at)
      handle(c, i, what, strcmp(at, NOWHERE) == 0 ? "" : at, str_text(&text));
    str_free(&text);
  }
  mem_free(line, head);
  return whole;
}

static void receive(struct crew *c, int i) {
  struct member *m = &c->members[i];
  char block[1 << 16];
  for (ssize_t n; (n = recv(m->fd, block, sizeof block, MSG_DONTWAIT)) > 0;)
    str_append_bytes(&m->in, block, (size_t)n);
  while (c->step == STEP_AGAIN && crew_take_message(c, i))
    continue;
}

/* ---- members that die ---- */

static void give_up(struct crew *c, const char *why) {
  dismiss(c, true);
  parts_collect(c->parts, c->results);
  supervisor_incomplete(c->results, why);
  end_with(c, STEP_DONE);
}

/* Which execution it was nobody knows (deaths.h).  Most who are killed are killed by somebody else, so the part is
 * searched once more; if that happens again one worker goes through all executions one by one. */
static void examine_machines(struct crew *c, int status) {
  struct deaths *d = &c->x->deaths;
  if (deaths_is_foreign(status) && !d->retried) {
    d->retried = true;
    deaths_note_outside(d, status);
    return;
  }
  d->outside -= d->retried; /* it was the same, as far as anybody knows */
  d->unclear = true;
  d->outside_status = status;
  c->alone = true;
}

/* Does the execution do it again, by itself? */
static void examine(struct crew *c, const struct job_status *s, int status) {
  struct session *x = c->x;
  struct results r = {0};
  if (supervisor_has_setting(x, "model=cxl") && !x->deaths.unclear) {
    examine_machines(c, status);
    return;
  }
  deaths_suspect(&x->deaths, s->token, status, s->observed > 0, s->shared);
  enum step step = supervisor_one(x, &r, c->error);
  if (step == STEP_AGAIN)
    c->alone = x->deaths.confirmed.length > 0;
  else if (step == STEP_DONE)
    give_up(c, r.incomplete_why ? r.incomplete_why : "a worker died");
  else
    end_with(c, step);
  results_free(&r);
}

void crew_after_death(struct crew *c, int i, int status) {
  struct session *x = c->x;
  const struct job_status *s = crew_status(c, i);
  struct str why = {0};
  bool ours = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_INTERNAL;
  bool in_program = supervisor_died_in_program(s);
  bool handed_over = WIFEXITED(status) && WEXITSTATUS(status) == JOB_EXIT_CHILD_DIED;
  if (supervisor_wants_another(handed_over ? (int)s->child_status : status))
    return;
  if (supervisor_is_refusal(x, s, status, c->error)) {
    end_with(c, STEP_FAILED);
  } else if (supervisor_used_up_cpu_time(x, status, &why)) {
    give_up(c, str_text(&why));
  } else if (ours || (!in_program && !deaths_is_foreign(status))) {
    str_append(c->error, "it left no results");
    supervisor_describe_failure(s, status, c->error);
    end_with(c, STEP_FAILED);
  } else if (in_program) {
    examine(c, s, status);
  } else {
    deaths_note_outside(&x->deaths, status);
    if (deaths_too_many(&x->deaths, &why))
      give_up(c, str_text(&why));
  }
  str_free(&why);
}

static void look_for_deaths(struct crew *c) {
  for (int i = 1; i <= c->count && c->step == STEP_AGAIN && !c->alone; i++) {
    struct member *m = &c->members[i];
    int status;
    if (m->pid <= 0 || !supervisor_reap(c->x, m->pid, &status))
      continue;
    receive(c, i); /* its last words */
    bool left = !parts_of(c->parts, i) && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    crew_forget_member(c, i);
    bool stopped = c->stop_asked > 0 && deaths_is_foreign(status); /* it, too */
    if (c->step == STEP_AGAIN && !c->x->killed && !left && !stopped)
      crew_after_death(c, i, status);
  }
}

/* ---- who does what ---- */

static int busy_members(const struct crew *c) {
  int n = 0;
  for (int i = 1; i <= c->count; i++)
    n += c->members[i].busy;
  return n;
}

/* CPU time, so that the same search gets the same workers on a machine that has other things to do. */
static double seconds_of_first(const struct crew *c) {
  clockid_t clock;
  struct timespec t = {0};
  pid_t pid = c->members[1].pid;
  if (pid > 0 && clock_getcpuclockid(pid, &clock) == 0)
    clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* So many may work now. */
static int team(struct crew *c) {
  c->together |= c->x->s->scatter || seconds_of_first(c) >= ALONE_SECONDS;
  bool alone = !c->together;
  return alone || !busy_members(c) ? 1 : c->x->s->jobs + c->x->s->agents;
}

/* A member without a part, started if need be; 0: there is none. */
static int idle_member(struct crew *c) {
  int most = team(c);
  for (int i = 1; i <= most; i++)
    if (c->members[i].pid > 0 && !c->members[i].busy)
      return i;
  for (int i = 1; i <= most; i++)
    if (c->members[i].pid == 0 && !(c->members[i].away && c->members[i].busy))
      return i;
  return 0;
}

/* Let who has been longest at its part give some of it away.  False: there is nobody. */
static bool ask_one(struct crew *c) {
  double now = supervisor_seconds(c->x);
  int best = 0;
  for (int i = 1; i <= c->count; i++) {
    const struct member *m = &c->members[i];
    if (m->busy && !m->asked && m->ask_after <= now && (!best || m->began < c->members[best].began))
      best = i;
  }
  if (!best)
    return false;
  c->members[best].asked = true;
  c->members[best].began = now; /* another one next time */
  crew_status(c, best)->split_requested = true;
  return true;
}

/* As many as have nothing to do. */
static void ask(struct crew *c) {
  int idle = 0, asked = 0, most = team(c);
  for (int i = 1; i <= most; i++) {
    idle += !c->members[i].busy;
    asked += c->members[i].asked;
  }
  while (asked < idle && ask_one(c))
    asked++;
}

static void hand_out(struct crew *c) {
  for (int i; parts_open(c->parts) && (i = idle_member(c)) != 0; give(c, i)) {
    c->count = i > c->count ? i : c->count;
    struct member *m = &c->members[i];
    if (m->pid > 0 || m->away ? renew(c, i) : start_member(c, i))
      continue;
    if (!busy_members(c))
      end_with(c, STEP_FAILED);
    else
      str_clear(c->error); /* fewer will do */
    return;
  }
  if (!parts_open(c->parts) && !c->probing && !c->x->s->scatter && !c->parts->units)
    ask(c);
}

static void request_saving(struct crew *c) {
  double now = supervisor_seconds(c->x), pause = now * SAVE_SHARE;
  pause = pause < SAVE_SECONDS ? SAVE_SECONDS : pause > SAVE_SECONDS_MAX ? SAVE_SECONDS_MAX : pause;
  if (!c->x->s->save || now - c->saved_at < pause)
    return;
  c->saved_at = now;
  for (int i = 1; i <= c->count; i++)
    if (c->members[i].busy && !c->parts->units)
      crew_status(c, i)->cut_requested = true;
}

/* ---- the loop ---- */

/* Everybody's progress, as if it were one worker's. */
static void sum_up(struct crew *c, struct job_status *sum) {
  sum->executions = sum->program_runs = sum->failure_points_begun = sum->schedules = 0;
  bool others;
  sum->put_off = parts_count_put_off(c->parts, &others);
  sum->rest_put_off = sum->put_off && !others;
  sum->looked_ahead = c->parts->list.length == 1 ? crew_status(c, 1)->looked_ahead : 0;
  for (int i = 1; i <= c->count; i++) {
    const struct job_status *s = crew_status(c, i);
    sum->executions += s->executions + c->members[i].executions_before;
    sum->program_runs += s->program_runs;
    sum->failure_points_begun += s->failure_points_begun;
    sum->schedules += s->schedules;
    sum->schedules_wanted = s->schedules_wanted;
    /* Several begin at several places, large and small ones. */
    sum->growth_max = s->growth_max && c->parts->list.length > 1 ? 2 : s->growth_max;
    sum->schedules_estimate = c->parts->list.length == 1 ? s->schedules_estimate : 0;
    if (s->failure_points > sum->failure_points)
      sum->failure_points = s->failure_points;
    if (s->findings > sum->findings)
      sum->findings = s->findings;
  }
}

static void look_at_clock(struct crew *c, bool interrupted) {
  struct session *x = c->x;
  double now = supervisor_seconds(x);
  if (x->s->timeout_seconds > 0 && now >= x->s->timeout_seconds)
    request_stop(c, "the timeout was reached");
  if (c->stop_asked > 0) {
    for (int i = 1; i <= c->count; i++)
      crew_status(c, i)->stop_requested = true;
    if (interrupted || now - c->stop_asked >= x->s->grace_seconds)
      x->killed = true;
  }
  sum_up(c, x->status);
  progress_note(x->status, &x->time, now);
  if (x->s->progress) {
    progress_show(x->status, &x->time, now);
    c->shown = true;
  }
}

/* True: the user insists. */
static bool take_signals(struct crew *c) {
  struct signalfd_siginfo info;
  bool again = false;
  while (read(c->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
    const char *wanted = supervisor_stop_reason((int)info.ssi_signo);
    again |=
        wanted && c->stop_asked > 0 && supervisor_seconds(c->x) - c->stop_asked > INSIST_SECONDS;
    if (wanted)
      request_stop(c, wanted);
  }
  return again;
}

static int milliseconds(const struct crew *c) {
  double wait = TICK_SECONDS, now = supervisor_seconds(c->x);
  if (!c->together)
    wait = ALONE_SECONDS / 4;
  for (int i = 1; i <= c->count; i++) {
    const struct member *m = &c->members[i];
    if (m->busy && m->ask_after > now && m->ask_after - now < wait)
      wait = m->ask_after - now;
  }
  double left = c->x->s->timeout_seconds - now;
  if (left > 0 && left < wait)
    wait = left;
  return (int)(wait * 1000) + 1;
}

static void wait_for_news(struct crew *c, struct pollfd *fds) {
  nfds_t n = 0;
  fds[n++] = (struct pollfd){.fd = c->signal_fd, .events = POLLIN};
  for (int i = 1; i <= c->count; i++)
    if (c->members[i].pid > 0)
      fds[n++] = (struct pollfd){.fd = c->members[i].fd, .events = POLLIN};
  poll(fds, n, c->count > c->x->s->jobs ? 1 : milliseconds(c)); /* the others cannot wake us up */
}

static void work(struct crew *c) {
  struct pollfd *fds = mem_alloc((size_t)(c->x->s->jobs + 1) * sizeof *fds);
  while (c->step == STEP_AGAIN && !c->alone && !c->x->killed) {
    if (c->stop_asked == 0)
      hand_out(c);
    bool done = parts_all_done(c->parts) || (c->stop_asked > 0 && !busy_members(c));
    if (done || c->step != STEP_AGAIN)
      break;
    request_saving(c);
    wait_for_news(c, fds);
    bool interrupted = take_signals(c);
    crew_hear_away(c);
    for (int i = 1; i <= c->count && c->step == STEP_AGAIN; i++)
      if (c->members[i].pid > 0)
        receive(c, i);
    look_for_deaths(c);
    look_at_clock(c, interrupted);
    crew_tell_away(c);
  }
  mem_free(fds, (size_t)(c->x->s->jobs + 1) * sizeof *fds);
  if (c->shown)
    progress_erase();
}

enum step crew_run(struct session *x, struct results *results, struct str *error) {
  size_t bytes = (size_t)(x->s->jobs + x->s->agents + 1) * sizeof(struct member);
  struct crew c = {.x = x,
                   .parts = x->s->parts,
                   .members = mem_alloc(bytes),
                   .results = results,
                   .error = error,
                   .step = STEP_AGAIN,
                   .signal_fd = signalfd(-1, &x->signals, SFD_NONBLOCK | SFD_CLOEXEC)};
  for (int i = x->s->jobs + 1; i <= x->s->jobs + x->s->agents; i++)
    c.members[i].away = true;
  c.probing = x->s->shards && !c.parts->sharded;
  x->deaths.in_parts = true;
  work(&c);
  dismiss(&c, x->killed || c.alone || c.step != STEP_AGAIN);
  sum_up(&c, x->status);
  for (int i = 1; i <= c.count; i++)
    str_free(&c.members[i].in);
  mem_free(c.members, bytes);
  close(c.signal_fd);
  if (c.alone) {
    x->deaths.in_parts = false;
    parts_free(x->s->parts);
    return supervisor_alone(x, results, error);
  }
  if (c.step != STEP_AGAIN)
    return c.step;
  bool all = parts_all_done(x->s->parts);
  parts_collect(x->s->parts, results);
  if (!all && x->stop_reason)
    supervisor_incomplete(results, x->stop_reason);
  else if (x->s->shards)
    supervisor_incomplete(results,
                          "this is one shard of the search: 'tidemark merge' puts them together");
  return STEP_DONE;
}
