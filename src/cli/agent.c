#include "cli/agent.h"
#include "cli/remote.h"
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOST_DESCRIPTORS 200
#define WAIT_MS 1

const struct remote *remote;

struct agent {
  struct session x;
  pid_t pid; /* of the worker; 0: it is not running */
  int fd;
  bool quit;
};

static void say(const struct str *text) {
  remote->send(0, text->data, text->length);
}

static void start(struct agent *a) {
  int pair[2];
  struct str error = {0};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return;
  int theirs = fcntl(pair[1], F_DUPFD, HOST_DESCRIPTORS);
  close(pair[1]);
  a->fd = pair[0];
  a->pid = theirs < 0 ? 0 : supervisor_start(&a->x, 1, theirs, &error);
  if (theirs >= 0)
    close(theirs);
  if (a->pid < 0)
    a->pid = 0;
  str_free(&error);
}

/* "died TOKEN STATUS": how waitpid says it, and the execution that was under way. */
static void say_died(struct agent *a, int status) {
  struct str text = {0};
  const struct job_status *s = supervisor_status(&a->x, 1);
  bool in_program = a->pid && supervisor_died_in_program(s);
  str_format(&text, "died %s %d\n",
             in_program && *s->token ? s->token
             : in_program            ? "-"
                                     : "?",
             status);
  say(&text);
  str_free(&text);
  a->pid = 0;
}

/* The worker has nothing to do, and somebody else takes its place. */
static void end(struct agent *a) {
  int status;
  if (!a->pid)
    return;
  close(a->fd);
  waitpid(a->pid, &status, 0);
  a->pid = 0;
}

static void obey(struct agent *a, const struct str *text) {
  struct job_status *s = supervisor_status(&a->x, 1);
  if (strcmp(str_text(text), "quit") == 0)
    a->quit = true;
  else if (strcmp(str_text(text), "split") == 0)
    s->split_requested = true;
  else if (strcmp(str_text(text), "cut") == 0)
    s->cut_requested = true;
  else if (strcmp(str_text(text), "stop") == 0)
    s->stop_requested = true;
  else if (strcmp(str_text(text), "renew") == 0)
    end(a);
  else if (strncmp(str_text(text), "pieces ", 7) == 0)
    s->pieces_requested = (uint32_t)strtoul(text->data + 7, NULL, 10);
  else {
    if (!a->pid)
      start(a);
    ssize_t n = a->pid ? send(a->fd, text->data, text->length, MSG_NOSIGNAL) : -1;
    if (n != (ssize_t)text->length && !a->pid)
      say_died(a, SIGKILL);
  }
}

/* What the worker says goes on as it is, in pieces of any size. */
static void pass_on(struct agent *a) {
  char block[1 << 16];
  ssize_t n;
  while ((n = recv(a->fd, block, sizeof block, MSG_DONTWAIT)) > 0)
    remote->send(0, block, (size_t)n);
}

static void look_after_worker(struct agent *a) {
  int status;
  struct pollfd p = {.fd = a->pid ? a->fd : -1, .events = POLLIN};
  poll(&p, 1, WAIT_MS);
  if (!a->pid)
    return;
  bool ended = supervisor_reap(&a->x, a->pid, &status);
  pass_on(a);
  if (!ended)
    return;
  say_died(a, status);
  close(a->fd);
}

/* Whoever ends a job tells all its processes; what becomes of the search is up to the supervisor, who needs us to save
 * what is under way. */
static void leave_signals(struct agent *a) {
  sigset_t ends;
  supervisor_ends(&ends);
  sigprocmask(SIG_BLOCK, &ends, &a->x.old_signals);
}

void agent_run(const struct supervisor *s) {
  struct agent a = {.x = {.s = s, .results_fd = -1, .status_fd = -1, .input_fd = -1}};
  struct str text = {0};
  leave_signals(&a);
  if (!supervisor_open(&a.x, &text))
    a.x.status = NULL;
  while (!a.quit) {
    int from;
    while (!a.quit && remote->receive(&from, &text))
      if (a.x.status || strcmp(str_text(&text), "quit") == 0)
        obey(&a, &text);
    if (!a.quit)
      look_after_worker(&a);
  }
  if (a.pid) {
    kill(a.pid, SIGKILL);
    waitpid(a.pid, NULL, 0);
  }
  str_free(&text);
}
