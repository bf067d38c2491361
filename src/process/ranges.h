/* Ascending lists of pages, as ranges.  Neighbours stay two ranges: they may lie in different areas.  Host memory. */
#ifndef PROCESS_RANGES_H
#define PROCESS_RANGES_H

#include "base/vec.h"
#include "process/track.h"
#include <stdbool.h>

typedef VEC(struct track_range) range_list;

/* pre: no range of the list begins beyond `low`. */
void ranges_add(range_list *list, uintptr_t low, uintptr_t high);

/* Both lists together; `out` is another one, and is replaced. */
void ranges_join(range_list *out, const range_list *a, const range_list *b);

/* Is the page in the list?  For ascending questions: *from is where to begin to look, at first 0. */
bool ranges_have(const range_list *list, size_t *from, uintptr_t page);

size_t ranges_pages(const range_list *list); /* how many */

#endif
