/* What a search that is saved is of, as words (saved.h): everything that must be the same for somebody to go on. */
#ifndef CLI_SAVED_JOB_H
#define CLI_SAVED_JOB_H

#include "cli/check_job.h"

/* shard: "I/N" or "". */
word_list saved_describe(const struct check_job *job, const char *shard);

/* Words of a job that begin with the key and a blank; NULL: no such one after number *i. */
const char *saved_word(const word_list *job, const char *key, size_t *i);

/* Is that what would be searched now, but for shards? */
bool saved_is_of(const word_list *then, const struct check_job *job);

/* One line on what is different between two jobs; false: nothing that matters. */
bool saved_differs(const word_list *then, const word_list *now, struct str *what);

#endif
