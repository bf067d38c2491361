/* What the files of the session share. */
#ifndef SESSION_SESSION_INTERNAL_H
#define SESSION_SESSION_INTERNAL_H

#include "access/access.h"
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
  bool cxl, ordinary;            /* the model; neither: pm */
  int level;                     /* pm: failures before the running execution */
  uint64_t steps_before_failure; /* pm: of the longest execution before any failure */
  struct bigint eager_states;
  int failed_thread; /* traces: which was the first to stop */
  bool any_run;      /* pm: the program has run once */
  bool child_done;   /* --isolate */
  uint32_t child_verdict;
};

extern struct session session;

/* Failures that the replay token asks for (pm). */
int session_token_failures(void);

/* Everything as before the program's first instruction. */
void session_reset(void);

/* On the main fiber of a machine: run the command. */
_Noreturn void session_start(const struct command *c);

void session_incomplete(const char *why);

/* Note a budget that is used up, a request to stop, or an error; true: the search must end. */
bool session_must_stop(uint64_t executions);
void session_note_stop(const struct stop *why); /* a refused operation is an error */

/* Leave the choices of the execution that begins where the supervisor finds them if we die. */
struct str;
void session_tell_token(const struct str *token);

/* Did an execution with these choices kill an earlier worker? */
bool session_must_skip(const char *token);

/* --isolate: how the process that ran the program ended. */
uint32_t session_verdict_of_death(int status);

/* --isolate: run it in a child of its own, and take over what that learnt. */
uint32_t session_run_in_child(uint32_t (*run)(void));

/* sc and tso: before world_seal; and the search. */
void session_prepare_ordinary(void);
void session_explore_ordinary(void);
void session_explore_pm(void);
void session_explore_cxl(void);

#endif
