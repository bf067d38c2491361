/* The actions a program may perform, and which statement may perform which (COMPUTE-ACTS).
 *
 * With sharing, statements of a thread with the same kind and location share as many actions as
 * can happen on one path; in each execution a statement picks one of them.  Models over several
 * executions need this: an action committed in one execution may be performed by another statement
 * in the next.  Without sharing, every statement has its own action. */
#ifndef AXIOM_UNIVERSE_H
#define AXIOM_UNIVERSE_H

#include "axiom/domain.h"
#include "axiom/program.h"

struct action {
  const char *name; /* s1, a12, e1: thread and position */
  int stmt;         /* the representative statement */
  enum stmt_kind kind;
  enum stmt_flavour flavour;
  int thread;
  bool atomic, is_volatile;
  struct tags tags;
  int location; /* if it is the same in all executions, else -1 */
  int monitor;  /* likewise */
};

struct performer {
  int stmt, action;
};

struct universe {
  const struct program *program;
  const struct domains *domains;
  LIST(struct action) actions;
  LIST(struct performer) performers; /* all (statement, action) pairs, by statement */
  int *first; /* by statement: index of its first performer; one past at the end */
};

struct universe *universe_create(const struct program *p, const struct domains *d, struct arena *a,
                                 bool shared, bool start_end);

#endif
