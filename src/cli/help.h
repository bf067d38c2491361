/* Help, man pages, the manual's option tables and the shell completion: all from options.def. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/str.h"
#include <stdbool.h>

/* Each is false if there is no such command; NULL is the tidemark command itself. */
bool help_text(const char *command, struct str *out);
bool help_man(const char *command, struct str *out);
bool help_markdown(const char *command, struct str *out); /* the table of its options */
void help_completion(struct str *out);                    /* for bash */

/* Print the help of a command to stdout; exit status. */
int help_show(const char *command);

/* tidemark help ... */
int cmd_help(int argc, char **argv);

#endif
