/* Runs the worker process, and survives it.
 *
 * The worker searches and hands back results (finding/job.h).  This side shows progress, enforces
 * the timeout, passes Ctrl-C on as a wish to stop, and starts another worker when one died inside
 * the program under test; the execution that killed it becomes a finding.  Blocks SIGINT, SIGTERM
 * and SIGCHLD while it runs. */
#ifndef CLI_SUPERVISOR_H
#define CLI_SUPERVISOR_H

#include "cli/program.h"
#include "finding/finding.h"

struct parts;

struct supervisor {
  const char *worker;        /* path of the executable */
  const word_list *settings; /* KEY=VALUE, without file descriptors and skip */
  const word_list *words;    /* the command lines */
  double timeout_seconds;    /* 0: none */
  double grace_seconds;      /* for a worker to stop on request */
  bool progress;             /* show it on stderr */
  bool fences;               /* which ones would make the program store-buffer safe? */

  /* A search in parts. */
  struct parts *parts; /* NULL: by one worker, as a whole */
  int jobs;            /* so many workers at most */
  int agents;          /* and so many elsewhere (remote.h) */
  int shard, shards;   /* the shard-th of so many; shards 0: all of it */
  bool first;          /* stop at the first finding */
  bool scatter;        /* tests: all workers begin at once, and divide parts by themselves */
  /* A part is done; points: failure points of the first execution.  NULL: nobody wants to know. */
  void (*save)(void *saved, const char *from, const char *to, const char *results, uint64_t points);
  void (*save_pieces)(void *saved, const char *positions); /* likewise, for shards */
  /* A unit has come to that (units.h). */
  void (*save_unit)(void *saved, uint64_t number, const char *what, const char *body);
  void *saved;
};

enum supervisor_end {
  SUPERVISOR_RESULTS, /* results are there, complete or not */
  SUPERVISOR_REFUSED, /* the program could not be loaded or run: error says why */
  SUPERVISOR_FAILED,  /* internal error: error says which */
};

enum supervisor_end supervisor_run(const struct supervisor *s, struct results *results,
                                   struct str *error);

/* To results that others have found (`fences`). */
void supervisor_add_fences(const struct supervisor *s, struct results *results);

/* Become gdb, with the worker ready to be started under it.  Returns only if that fails. */
void supervisor_debug(const struct supervisor *s, struct str *error);

/* The worker that belongs to this installation; false with an explanation if it is not there. */
bool supervisor_find_worker(struct str *path, struct str *error);

#endif
