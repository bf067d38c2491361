/* What was run: enough to say so in a report, and to run it again.
 *
 * The cli fills one before a search, report_json writes it, replay_file reads it back.  Owns its
 * texts. */
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

/* An option that is part of what was checked, by its name on the command line. */
struct run_option {
  char *name, *value; /* value NULL: a flag */
};

struct run {
  char *program;   /* path of the executable, absolute */
  char *directory; /* where it was started */
  char *recover;   /* command line after a failure; NULL: the same */
  char *model;
  uint64_t program_hash;            /* of the file's bytes; 0: not known */
  uint64_t input_bytes, input_hash; /* its standard input; hash 0: it did not ask for it */
  VEC(char *) arguments;            /* without the program itself */
  VEC(struct run_option) options;
};

void run_add_option(struct run *r, const char *name, const char *value);
const char *run_option(const struct run *r, const char *name); /* NULL: not given */
void run_free(struct run *r);

/* 0 if the file cannot be read. */
uint64_t run_hash_file(const char *path);

#endif
