/* --fix: the flushes and fences that a report asks for, as a unified diff of the sources. */
#ifndef CLI_FIX_H
#define CLI_FIX_H

#include "cli/fix_edit.h"
#include "report/report.h"

/* A source file and what becomes of it. */
struct fix_file {
  char *path, *name; /* where it is; how the diff calls it */
  struct str source;
  fix_change_list changes;
};

struct fix {
  VEC(struct fix_file) files;
  VEC(size_t) fixed;         /* numbers of findings for which there is a change */
  struct str not_understood; /* a line for each finding for which there is none */
  struct str apply_in; /* the folder that names are relative to, if it is not the obvious one */
  const char *why;     /* the finding under way has no change */
  const struct place *where; /* behind that place; or NULL */
  char unreadable[4096];     /* the source that the finding under way is about, if so; or "" */
};

/* function: the program's own, called with address and size; NULL: _mm_clwb and _mm_sfence. */
void fix_build(const struct report *r, const char *function, struct fix *out);
void fix_text(struct fix *f, struct str *out);
void fix_free(struct fix *f);

/* The whole as one of the reports; what is not understood is said on stderr. */
void report_fix(const struct report *r, struct str *out);

#endif
