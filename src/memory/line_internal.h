/* What line.c (stores, what loads can read) and line_version.c (which lines are the same) share. */
#ifndef MEMORY_LINE_INTERNAL_H
#define MEMORY_LINE_INTERNAL_H

#include "memory/line.h"

/* Bytes of a line, a bit each. */
static inline uint64_t byte_mask(int offset, int size) {
  return (size == 64 ? ~(uint64_t)0 : ((uint64_t)1 << size) - 1) << offset;
}

/* Of a store, to loads, if its domain's last write-back lies in that interval. */
enum visibility { VISIBLE, LOST, EITHER };

static inline enum visibility visibility(const struct memory *m, const struct store *s,
                                         struct interval i) {
  if (!(m->failed >> s->domain & 1) || s->position <= i.low)
    return VISIBLE;
  return s->position > i.high ? LOST : EITHER;
}

/* Divided lines: does a cell begin at that position? */
static inline bool begins_cell(const struct line *l, uint32_t position) {
  for (size_t i = 0; i < l->cells.length; i++)
    if (l->cells.data[i] == position)
      return true;
  return false;
}

#endif
