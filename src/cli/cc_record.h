/* How a program was built, in the program: each object has the command that made it, in a section
 * that is not loaded; so `tidemark check --verify-fix` can build it again.
 *
 *      directory \0 word \0 word \0 ... \0 \0          once for each command */
#ifndef CLI_CC_RECORD_H
#define CLI_CC_RECORD_H

#include "cli/cc_job.h"

#define CC_RECORD_SECTION ".tidemark.build"

/* args->record: the command line as assembly for that section. */
void cc_record_command(struct cc_args *args, int count, char **words);

/* A command that only links: an object with its record is linked as well. */
void cc_record_link(struct cc_job *job, const struct cc_args *args, const char *clang);

#endif
