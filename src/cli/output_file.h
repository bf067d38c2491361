/* Report files: opened before a search starts, so that a long one is not lost to a wrong path. */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include "base/str.h"
#include <stdbool.h>

struct output_file {
  const char *path; /* NULL: not wanted */
  int fd;
  bool created; /* it was not there before */
};

/* "-" is the standard output.  False with one line of explanation. */
bool output_file_open(struct output_file *f, const char *path, struct str *error);
bool output_file_write(struct output_file *f, const struct str *text, struct str *error);
/* There is nothing to write: leave no trace. */
void output_file_abandon(struct output_file *f);

/* What was printed has been written.  False with one line of explanation. */
bool output_flush(struct str *error);

#endif
