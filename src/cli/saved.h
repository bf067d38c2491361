/* A search on disk: DIR/search, a log (record_log.h) of what is searched and of the parts that are
 * done.
 *
 *      search   the job: words that are zero-terminated, "setting KEY=VALUE", "word W", "file PATH HASH",
 *               "option NAME[=VALUE]", "directory PATH", "shard I/N"
 *      begin    somebody starts to search: "SECONDS-SINCE-1970 WORKERS"
 *      part     "FROM TO SECONDS POINTS\n" and the results (finding/results_file.h); seconds since
 *               the last begin; POINTS: failure points of the first execution, as far as is known
 *      unit     "NUMBER WHAT SECONDS\n" and what the worker said (cli/units.h)
 *      pieces   a shard: positions that divide the search, one a line (cli/parts.h)
 *      end      "SECONDS REASON": nobody searches any more; REASON empty: all is done */
#ifndef CLI_SAVED_H
#define CLI_SAVED_H

#include "cli/parts.h"
#include "cli/record_log.h"
#include "cli/saved_job.h"
#include <time.h>

struct saved_record {
  const char *kind;
  struct str text;
};

struct saved {
  struct record_log log;
  char *path;
  struct timespec began;
  bool failed;                      /* the disk is full, or the like: */
  VEC(struct saved_record) waiting; /* these could not be written yet */
};

/* What a worker said about a unit. */
struct saved_unit {
  uint64_t key, again; /* units.h */
  char *what, *body;
};

/* What a directory holds. */
struct saved_search {
  word_list job;
  struct parts parts;                            /* by state: open or done */
  uint64_t end;                                  /* of the records that are whole */
  uint64_t records, points, executions, runs_of; /* runs_of: how often somebody began */
  double seconds;                                /* of all who searched */
  bool ended, complete;
  char *reason; /* why it ended, or NULL */
  struct str contents;
  VEC(struct saved_unit) units; /* in the order in which it was said */
};

/* false: error says why, e.g. that there is none. */
bool saved_read(struct saved_search *s, const char *directory, struct str *error);
void saved_search_free(struct saved_search *s);
bool saved_in_use(const char *directory); /* is somebody searching there now? */

/* Begin a search that is saved in the directory, or go on with the one that is there: then its parts
 * are marked.  shard: "I/N" or "".  False: error says why, e.g. what differs. */
bool saved_create(struct saved *s, const char *directory, const struct check_job *job,
                  const char *shard, int jobs, struct str *error);
bool saved_resume(struct saved *s, const char *directory, const struct check_job *job,
                  const char *shard, int jobs, struct parts *parts, struct str *error);
void saved_part(void *saved, const char *from, const char *to, const char *results,
                uint64_t points);
void saved_unit(void *saved, uint64_t number, const char *what, const char *body);
void saved_pieces(void *saved, const char *positions);
/* False: some of what was searched could not be written. */
bool saved_close(struct saved *s, const char *reason);

#endif
