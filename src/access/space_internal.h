/* A line as part of a state (space_put), for space.c and space_tree.c. */
#ifndef ACCESS_SPACE_INTERNAL_H
#define ACCESS_SPACE_INTERNAL_H

#include "access/space.h"

struct put_line {
  uint64_t known, own;
  uint32_t number, positions, written_back;
  int32_t writer;
  unsigned char bytes[LINE_BYTES];
};

void space_put_line(struct put_line *to, const struct space_line *l, bool counts);
void space_set_line(const struct put_line *from); /* whatever the line was before */
void space_clear_line(uint32_t number);           /* as before the execution */

#endif
