/* What crew.c, which knows members, and crew_away.c, which knows those elsewhere, share. */
#ifndef CLI_CREW_INTERNAL_H
#define CLI_CREW_INTERNAL_H

#include "cli/crew.h"
#include "cli/parts.h"

struct member {
  bool away; /* behind an agent: it has no process and no socket here */
  pid_t pid; /* 0: not started, or gone */
  int fd;    /* our end of its socket */
  struct str in;
  bool busy;
  bool used;                  /* its process has had a part */
  bool asked;                 /* to give a part away */
  double ask_after;           /* it could not when it was asked last */
  double began;               /* with its part */
  uint64_t executions_before; /* of earlier processes in its place */
};

struct crew {
  struct session *x;
  struct parts *parts;
  struct member *members; /* number 0 is not used: the worker that searches alone */
  int count;              /* of members ever started */
  int signal_fd;
  double stop_asked, saved_at;
  bool shown;
  bool together; /* the first has worked alone for long enough */
  bool probing;  /* the search is divided into shards now, and nothing counts yet */
  bool alone;    /* an execution kills its process: one worker goes through all of them */
  struct results *results;
  struct str *error;
  enum step step; /* STEP_AGAIN: go on */
};

struct job_status *crew_status(const struct crew *c, int i);

/* One message out of what has come from it; false: not all is there yet. */
bool crew_take_message(struct crew *c, int i);

/* It is gone; and what to make of that. */
void crew_forget_member(struct crew *c, int i);
void crew_after_death(struct crew *c, int i, int status);

/* Members elsewhere: what they say, and what was set on their status pages. */
void crew_hear_away(struct crew *c);
void crew_tell_away(struct crew *c);

#endif
