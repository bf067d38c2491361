/* What a macro stores to.  Debug information knows the call of a macro, not what it expands to; a macro of the same file
 * that assigns once says it. */
#ifndef CLI_FIX_MACRO_H
#define CLI_FIX_MACRO_H

#include "base/str.h"
#include <stdbool.h>
#include <stddef.h>

/* The lvalue, with the arguments in place of the parameters.  open: the '(' of the call.  False: the file has no macro
 * of that name, or several, or it does not assign exactly once. */
bool fix_macro_lvalue(const char *source, const char *name, size_t length, const char *open,
                      struct str *out);

#endif
