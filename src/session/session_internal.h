/* What the files of the session share. */
#ifndef SESSION_SESSION_INTERNAL_H
#define SESSION_SESSION_INTERNAL_H

#include "access/access.h"
#include "analysis/analysis.h"
#include "base/bigint.h"
#include "finding/finding.h"
#include "session/session.h"
#include "thread/thread.h"

/* A command line as the program sees it. */
struct command {
  struct image *image;
  int argc;
  char **argv;
};

#define SESSION_STEPS_DEFAULT 1000000u

struct session {
  const struct job *job;
  int results_fd;
  struct job_status *status;
  struct command program[MACHINES_MAX]; /* pm: only the first */
  struct command recovery;              /* pm: after a failure */
  char **environment;
  struct access_options access;
  struct results results;
  struct analyses analyses;
  bool cxl, ordinary;            /* the model; neither: pm */
  int level;                     /* pm: failures before the running execution */
  uint64_t steps_before_failure; /* pm: of the longest execution before any failure */
  struct bigint eager_states;
  size_t memory_max;          /* --memory */
  uint64_t executions_before; /* of ranges that were handed over; for the status */
  int failed_thread;          /* traces: which was the first to stop */
  bool any_run;               /* pm: the program has run once */
  bool over;                  /* cxl: it fails by itself, and that is enough */
  bool child_done;            /* --isolate */
  uint32_t child_verdict;
};

extern struct session session;

/* Failures that the replay token asks for (pm). */
int session_token_failures(void);

/* Everything as before the program's first instruction. */
void session_reset(bool world); /* world: that, too */

/* On the main fiber of a machine: run the command. */
_Noreturn void session_start(const struct command *c);

/* The results so far as text; and to the supervisor. */
struct str;
void session_collect(struct str *out);
void session_send(const struct str *text);
double session_seconds(void); /* of CPU time, since results were last collected */

void session_incomplete(const char *why);

/* The first execution, without any failure, ended like that.  True: what failures would add is not
 * asked for. */
bool session_fails_by_itself(uint32_t verdict);

/* Note a budget that is used up, a request to stop, or an error; true: the search must end. */
bool session_must_stop(uint64_t executions);
bool session_too_much(size_t remembered); /* more than --memory, and none of it can be spared */
void session_note_stop(const struct stop *why); /* a refused operation is an error */

/* Leave the choices of the execution that begins where the supervisor finds them if we die. */
void session_tell_token(const struct str *token);

/* How far the search is: so many executions, and so many more that were not walked. */
void session_tell_executions(uint64_t walked, const struct bigint *more);

/* Did an execution with these choices kill an earlier worker? */
bool session_must_skip(const char *token);

/* --isolate: the process that ran the program ended like that, without a word. */
_Noreturn void session_hand_over_death(int status);

/* --isolate: run it in a child of its own, and take over what that learnt. */
uint32_t session_run_in_child(uint32_t (*run)(void));

/* sc and tso: before world_seal; and the search. */
void session_prepare_ordinary(void);
void session_explore_ordinary(void);
void session_explore_pm(void);

/* Those of robustness and races that are wanted, to be told of that execution; NULL: none. */
struct history;
struct analyses *session_start_analyses(struct history *h);

/* At the end: flushes without effect.  sampled: not all schedules were explored. */
void session_report_flushes(const struct history *h, bool sampled);
void session_explore_cxl(void);

#endif
