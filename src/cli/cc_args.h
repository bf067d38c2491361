/* The command line of tidemark-cc: what the user asked clang to do, minus what cannot work for a
 * program that is to be checked, plus what it needs.
 *
 * clang stays the authority over its own command line: nothing is interpreted here that clang's
 * -### does not have to be told about. */
#ifndef CLI_CC_ARGS_H
#define CLI_CC_ARGS_H

#include "base/str.h"
#include "base/vec.h"
#include <stdbool.h>

struct arg_list {
  const char **data;
  size_t length, capacity;
};

void arg_push(struct arg_list *list, const char *word);
void arg_push_expanded(struct arg_list *list, const char *word); /* @file: the words in it */

struct cc_args {
  struct arg_list clang; /* for clang, without the program's name */
  bool late;             /* --late */
  bool verbose;          /* -v */
  bool quiet;            /* -w */
  const char *directory; /* -working-directory, or NULL */
  const char *database;  /* -MJ, or NULL */
  const char *openmp;    /* what is linked in place of libomp */
  bool passthrough;      /* nothing to compile or link: clang answers alone */
  struct str record;     /* the command itself, as assembly (cc_record.h) */
};

/* Where this installation keeps its files, found from the driver's own location. */
struct cc_paths {
  const char *clang;   /* program to run */
  const char *library; /* .../lib/libtidemark.so */
  const char *library_folder;
  const char *include_folder;
};

/* 0, or 2 after one line on stderr. */
int cc_paths_find(struct cc_paths *paths, bool cplusplus);
int cc_args_read(struct cc_args *args, int count, char **words, const struct cc_paths *paths);

#endif
