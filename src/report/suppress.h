/* Suppression files: findings that are known and not to be reported.
 *
 *      # a comment
 *      assertion:btree.c:41        kind, file, line
 *      hang:wait_*                 kind, function (or file, or library)
 *      *:third_party*              any kind
 *      robustness:in:ulog_*        kind, and a function on the way to the store or load
 *
 * Each part is a glob pattern (* ? [...]; \ takes the meaning from what follows); * also matches '/'.
 * They are compared with what the report says: the kind, and the file, line, function or library of the
 * finding's location.  A file pattern may leave out leading folders. */
#ifndef REPORT_SUPPRESS_H
#define REPORT_SUPPRESS_H

#include "report/report.h"

struct suppression {
  char *text;    /* the line */
  char *kind;    /* pattern */
  bool callers;  /* the pattern is for call stacks as well */
  char *pattern; /* of a file if there is a line, otherwise of a function, file or library */
  uint32_t line; /* in the source; 0: any */
  int number;    /* of the line in the suppression file */
  uint64_t used; /* findings that it silenced */
};

struct suppressions {
  char *path;
  VEC(struct suppression) list;
};

/* False with one line of explanation that names file and line. */
bool suppressions_read(struct suppressions *s, const char *path, struct str *error);
bool suppressions_parse(struct suppressions *s, const char *path, const char *text,
                        struct str *error);
void suppressions_free(struct suppressions *s);

/* The first one that fits, or NULL. */
struct suppression *suppressions_find(struct suppressions *s, const struct finding *f);

/* A file that silences what was found: the suppressions that were of use (all, if the search is
 * incomplete), then a line for each finding that is not silenced. */
void report_suppressions(const struct report *r, struct str *out);

#endif
