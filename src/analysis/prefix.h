/* The common beginning of two executions, for monitors that keep what they know about it. */
#ifndef ANALYSIS_PREFIX_H
#define ANALYSIS_PREFIX_H

#include "event/operation.h"
#include <stddef.h>

/* known: that many at least, unless one of them has fewer. */
size_t prefix_length(const struct operation *a, size_t a_count, const struct operation *b,
                     size_t b_count, size_t known);

/* One more than the greatest number of a thread. */
uint32_t prefix_threads(const struct operation *operations, size_t count);

#endif
