/* Flushes and fences put into source text.
 *
 * The report knows a place (a line and a column, in the middle of a store, a flush or a load).  Here
 * the statement around it is found, and what it stores to (fix_source.h); a statement that is not understood
 * is left alone and the caller is told. */
#ifndef CLI_FIX_EDIT_H
#define CLI_FIX_EDIT_H

#include "base/str.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

struct fix_position {
  uint32_t line, column; /* counted from 1 */
};

/* Another store of the same constructor that is to be flushed. */
struct fix_beside {
  struct fix_position at;
  uint64_t offset; /* where it stores; by it they are in order */
  bool near;       /* to the same cache line */
  bool copies;     /* as in fix_edit */
};

struct fix_edit {
  uint32_t line, column; /* counted from 1 */
  bool flush, fence;     /* what to add; neither: the statement is to be removed */
  bool calls;            /* what is to be removed is a call */
  bool full;             /* the fence is one for threads, which nothing passes */
  bool reads;            /* the place is a load, not a store */
  bool copies;           /* the store is a part of a copy: all of it is flushed */
  /* In a constructor: where, in this file, was the program when it made the store that has to come later?  Who does
   * not know (traced is not set) changes no initialisers. */
  bool constructs, traced;
  VEC(struct fix_position) later;
  VEC(struct fix_beside) beside; /* the edit itself is one of them */
};

/* What becomes of a piece of the text. */
struct fix_change {
  size_t at, length; /* of the source */
  int rank;          /* of several at one place, the smaller one comes first */
  char *text;        /* instead */
};

typedef VEC(struct fix_change) fix_change_list;

/* Add that one, with this text; its lines end as those of the source do. */
void fix_change_add(fix_change_list *out, const char *source, struct fix_change c,
                    const char *text);

/* Add the changes for one edit.  function: the program's own, called with address and size, or NULL for
 * _mm_clwb and _mm_sfence.  NULL, or why there are none. */
const char *fix_edit_apply(const char *source, const struct fix_edit *e, const char *function,
                           fix_change_list *out);

/* "--- a/name ..." with the changes; they are put in order. */
void fix_diff(const char *source, const char *name, fix_change_list *changes, struct str *out);

/* The source after the changes. */
void fix_patched(const char *source, fix_change_list *changes, struct str *out);

void fix_changes_free(fix_change_list *changes);

#endif
