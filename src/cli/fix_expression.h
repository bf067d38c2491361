/* The expression of a statement that stores, as --fix has to know it (fix_source.h). */
#ifndef CLI_FIX_EXPRESSION_H
#define CLI_FIX_EXPRESSION_H

#include "cli/fix_source.h"

enum fix_form {
  FIX_ASSIGNMENT, /* a = b, a += b */
  FIX_PREFIX,     /* ++a */
  FIX_POSTFIX,    /* a++ */
  FIX_CALL,       /* atomic_store(&a, b), memcpy(a, b, n) */
  FIX_METHOD,     /* a.store(b), a->store(b) */
  FIX_NEW,        /* new (p) struct a(b) */
};

/* An expression that stores: [begin, end), and in it what names the place that it stores to: an lvalue, or the
 * name of a function (FIX_CALL). */
struct fix_expression {
  enum fix_form form;
  const char *begin, *end, *name, *name_end;
  bool used;   /* something depends on its value */
  bool listed; /* unused, but in a list with commas, or a part of a for */
  bool parts;  /* an assignment whose value is stored piece by piece: *a = (struct b){1, 2} */
};

/* The one with the place of the statement in it. */
bool fix_find_expression(const struct fix_statement *s, struct fix_expression *e);

/* The place is a call: the assignment that stores its result. */
bool fix_find_result(const struct fix_statement *s, struct fix_expression *e);

/* Is the statement a call, and nothing else that does something? */
bool fix_is_call(const struct fix_statement *s);

/* Would it do something, or perhaps give something else, if it were evaluated once more? */
bool fix_has_effects(const char *begin, const char *end);

#endif
