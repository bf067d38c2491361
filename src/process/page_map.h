/* Which pages a checkpoint holds, and their copies.
 *
 * Pages are kept in groups of 64, and groups with the same copies once (process/frame.h): neighbouring checkpoints
 * of a large world differ in a few of them, and two maps are alike exactly if their groups have the same numbers.
 *
 *      map:  [ base | group ] [ base | group ] ...      ascending
 *                       \--> 64 frames, 0 where no page is held
 *
 * A map is built once, in ascending order, and not changed then.  Host memory. */
#ifndef PROCESS_PAGE_MAP_H
#define PROCESS_PAGE_MAP_H

#include "base/vec.h"
#include "process/frame.h"
#include "process/layout.h"
#include <stdbool.h>

#define PAGE_GROUP_BYTES (FRAME_GROUP * LAYOUT_PAGE)

struct page_group {
  uintptr_t base;
  uint64_t held; /* a bit for each page: most groups of stacks hold a few */
  frame_group group;
};

struct page_map {
  VEC(struct page_group) groups;
};

static inline uintptr_t page_group_base(uintptr_t page) {
  return page - page % PAGE_GROUP_BYTES;
}

/* Building: add pages, then finish.  `like`, another map or NULL, has probably much in common. */
struct page_map_builder {
  struct page_map *map;
  const struct page_map *like;
  size_t like_at;
  uintptr_t base; /* of the group under way */
  uint64_t held;  /* 0: none */
  frame_id frames[FRAME_GROUP];
};

void page_map_begin(struct page_map_builder *b, struct page_map *map, const struct page_map *like);
void page_map_take(struct page_map_builder *b, uintptr_t page,
                   frame_id f); /* f belongs to the map */
void page_map_end(struct page_map_builder *b);
void page_map_free(struct page_map *m);

/* For ascending questions: *from is where to begin to look, at first 0.  0: none; m may be NULL. */
frame_id page_map_get(const struct page_map *m, size_t *from, uintptr_t page);

/* All of these, ascending, from a cursor of zeros on.  False: there are no more. */
struct page_map_cursor {
  size_t group, at;
};
bool page_map_next(const struct page_map *m, struct page_map_cursor *c, uintptr_t *page,
                   frame_id *f);

#endif
