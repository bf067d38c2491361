/* Running commands, and temporary files that are gone afterwards: also after an error, and also
 * after Ctrl-C. */
#ifndef CLI_CC_RUN_H
#define CLI_CC_RUN_H

#include "base/str.h"
#include "cli/cc_args.h"

/* Exit status of the command; 254 if a signal ended it (clang's own convention). */
int cc_run(const struct arg_list *command);
int cc_run_capture(const struct arg_list *command, struct str *errors);

/* Become the command. */
int cc_run_instead(const struct arg_list *command);

/* A name inside this run's own temporary folder; NULL after one line on stderr. */
const char *cc_temporary(const char *suffix);
void cc_temporary_remove_all(void);

bool cc_read_file(const char *path, struct str *out); /* false: errno says why */

#endif
