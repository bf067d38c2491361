/* What supervisor.c, which knows one worker at a time, and crew.c, which has several, share.  How a
 * worker becomes a process is in supervisor_worker.c. */
#ifndef CLI_SUPERVISOR_INTERNAL_H
#define CLI_SUPERVISOR_INTERNAL_H

#include "base/curve.h"
#include "cli/deaths.h"
#include "cli/supervisor.h"
#include "finding/job.h"
#include <signal.h>
#include <sys/types.h>
#include <time.h>

struct session {
  const struct supervisor *s;
  int results_fd, status_fd, input_fd;
  struct job_status *status; /* of the worker that searches alone, and in all cases the input */
  struct curve time;         /* seconds, by how far the search was */
  size_t status_bytes;       /* one after the other: that one's, and those of a crew */
  struct timespec start;
  sigset_t signals, old_signals;
  struct deaths deaths;
  double cpu_seconds, last_cpu_seconds; /* of all workers, of the last one */
  uint64_t peak_bytes;
  const char *stop_reason; /* NULL: nobody asked to stop */
  bool killed;             /* ... and the worker did not */
  bool refused;            /* an error is the system's, not ours */
};

enum step { STEP_AGAIN, STEP_DONE, STEP_FAILED };

bool supervisor_open(struct session *x, struct str *error); /* what workers need */
void supervisor_close(struct session *x);
double supervisor_seconds(const struct session *x); /* since it began */
const char *supervisor_stop_reason(int signal);     /* NULL: nobody asks it to end with that */
void supervisor_ends(
    sigset_t *set); /* the signals that ask it to end, but for those that are ignored (nohup) */
struct job_status *supervisor_status(const struct session *x, int number);

/* Start a worker; number 0: the one that searches alone, others are members of a crew whose end of
 * the socket is `fd`.  -1: error says why. */
pid_t supervisor_start(struct session *x, int number, int fd, struct str *error);

/* Has it ended?  Takes account of what it used. */
bool supervisor_reap(struct session *x, pid_t pid, int *status);

/* Let one worker search alone until it has ended, and take its results or decide what its death means. */
enum step supervisor_one(struct session *x, struct results *results, struct str *error);
/* ... and again, until there are results. */
enum step supervisor_alone(struct session *x, struct results *results, struct str *error);

void supervisor_incomplete(struct results *r, const char *why);

/* The worker whose status this is died. */
bool supervisor_wants_another(int status); /* it ended to be started anew (job.h, places) */
bool supervisor_died_in_program(const struct job_status *s);
bool supervisor_is_refusal(struct session *x, const struct job_status *s, int status,
                           struct str *error);
bool supervisor_used_up_cpu_time(const struct session *x, int status, struct str *why);
void supervisor_describe_failure(const struct job_status *s, int status, struct str *error);
bool supervisor_has_setting(const struct session *x, const char *setting);

#endif
