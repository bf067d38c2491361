/* Which lines #if and #else leave, as far as --fix has to know it: statements and braces of branches that are not
 * compiled are in the way. */
#ifndef CLI_FIX_BRANCHES_H
#define CLI_FIX_BRANCHES_H

#include <stddef.h>

/* A copy of the source, of the same length, with space in place of conditional directives and of branches that are not
 * compiled: all but the one with the place in it or, where it is in none, the first that is not "#if 0".  The caller
 * frees it (mem_free, strlen + 1). */
char *fix_active(const char *source, const char *at);

#endif
