/* Where a header is included that --fix needs. */
#ifndef CLI_FIX_INCLUDE_H
#define CLI_FIX_INCLUDE_H

#include <stdbool.h>
#include <stddef.h>

/* Does the source include the header wherever it is compiled?  Otherwise *at is where that belongs: before the first
 * #include that is not in a condition (that of an include guard is none), or else where code may begin. */
bool fix_includes(const char *source, const char *header, size_t *at);

#endif
