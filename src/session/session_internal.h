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
  uint64_t executions_before; /* executions of ranges that were handed over; for the status */
  int failed_thread;          /* traces: the thread that was the first to stop */
  bool any_run;               /* pm: the program has run once */
  /* cxl: the program fails without any failure of a machine, and that is enough. */
  bool over;
  bool child_done; /* --isolate */
  uint32_t child_verdict;
};

extern struct session session;

/* Failures that the replay token asks for (pm). */
int session_token_failures(void);

/* Everything as before the program's first instruction. */
void session_reset(bool world); /* world: including the program's world */
void session_resume(void);      /* the program was put back to where an execution was before */

/* On the main fiber of a machine: run the command. */
_Noreturn void session_start(const struct command *c);

/* The results so far as text; and send a text to the supervisor. */
struct str;
void session_collect(struct str *out);
void session_send(const struct str *text);
double session_seconds(void); /* of CPU time, since results were last collected */

void session_incomplete(const char *why);

/* The first execution, without any failure, has this verdict.  True: it is a bug by itself, and what failures would add
 * is not asked for. */
bool session_fails_by_itself(uint32_t verdict);

/* Note a budget that is used up, a request to stop, or an error; true: the search must end. */
bool session_must_stop(uint64_t executions);
bool session_too_much(size_t remembered); /* more than --memory, and none of it can be dropped */
void session_note_stop(struct stop *why); /* a refused operation is an error */

/* Put the token of the execution that begins on the page shared with the supervisor, which finds it there if we die. */
void session_tell_token(const struct str *token);

/* For the progress line: so many executions were walked, and so many more counted without that. */
void session_tell_executions(uint64_t walked, const struct bigint *more);

/* Did an execution with these choices kill an earlier worker? */
bool session_must_skip(const char *token);

/* --isolate: the process that ran the program died with this status. */
_Noreturn void session_hand_over_death(int status);

/* --isolate: call run in a forked child, and take over what the child has changed. */
uint32_t session_run_in_child(uint32_t (*run)(void));

/* sc and tso: before world_seal; and the search. */
void session_prepare_ordinary(void);
void session_explore_ordinary(void);
void session_explore_pm(void);

/* Set up the analyses that the job asks for (robustness, races), to watch this history; NULL: none. */
struct history;
struct analyses *session_start_analyses(struct history *h);

/* At the end of a search: report flushes without effect.  sampled: not all schedules were explored. */
void session_report_flushes(const struct history *h, bool sampled);
void session_explore_cxl(void);

#endif
