/* The commands that built a program, as tidemark-cc has recorded them in it (cc_record.h). */
#ifndef CLI_BUILD_RECORD_H
#define CLI_BUILD_RECORD_H

#include "base/vec.h"
#include <stdbool.h>

typedef VEC(char *) build_words;

struct build_command {
  const char *directory;
  build_words words; /* the compiler first */
};

struct build_record {
  VEC(char) text;                     /* the section, which the words point into */
  VEC(struct build_command) commands; /* each once */
};

/* False: nothing is recorded. */
bool build_record_read(const char *program, struct build_record *r);
void build_record_free(struct build_record *r);

/* Is the word of a command a C or C++ file? */
bool build_word_is_source(const char *word);

#endif
