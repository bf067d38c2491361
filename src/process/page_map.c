#include "process/page_map.h"
#include <string.h>

static void start_group(struct page_map_builder *b, uintptr_t base) {
  b->base = base;
  memset(b->frames, 0, sizeof b->frames);
}

void page_map_begin(struct page_map_builder *b, struct page_map *map, const struct page_map *like) {
  *b = (struct page_map_builder){.map = map, .like = like};
  if (like)
    vec_reserve(&map->groups, like->groups.length + 2);
}

static frame_group group_at(const struct page_map *m, size_t *from, uintptr_t base) {
  size_t known = m ? m->groups.length : 0;
  while (*from < known && m->groups.data[*from].base < base)
    ++*from;
  return *from < known && m->groups.data[*from].base == base ? m->groups.data[*from].group : 0;
}

static void end_group(struct page_map_builder *b) {
  if (!b->held)
    return;
  frame_group like = group_at(b->like, &b->like_at, b->base);
  frame_group g = frame_group_take(b->frames, like);
  vec_push(&b->map->groups, ((struct page_group){b->base, b->held, g}));
  b->held = 0;
}

void page_map_take(struct page_map_builder *b, uintptr_t page, frame_id f) {
  uintptr_t base = page_group_base(page);
  if (!b->held || b->base != base) {
    end_group(b);
    start_group(b, base);
  }
  size_t at = (page - base) / LAYOUT_PAGE;
  b->frames[at] = f;
  b->held |= (uint64_t)1 << at;
}

void page_map_end(struct page_map_builder *b) {
  end_group(b);
}

void page_map_free(struct page_map *m) {
  for (size_t i = 0; i < m->groups.length; i++)
    frame_group_drop(m->groups.data[i].group);
  vec_free(&m->groups);
}

frame_id page_map_get(const struct page_map *m, size_t *from, uintptr_t page) {
  uintptr_t base = page_group_base(page);
  frame_group g = group_at(m, from, base);
  return g ? frame_group_frames(g)[(page - base) / LAYOUT_PAGE] : 0;
}

bool page_map_next(const struct page_map *m, struct page_map_cursor *c, uintptr_t *page,
                   frame_id *f) {
  for (; c->group < m->groups.length; c->group++, c->at = 0) {
    const struct page_group *g = &m->groups.data[c->group];
    uint64_t left = c->at < FRAME_GROUP ? g->held >> c->at << c->at : 0;
    if (left) {
      c->at = (size_t)__builtin_ctzl(left);
      *page = g->base + c->at * LAYOUT_PAGE;
      *f = frame_group_frames(g->group)[c->at++];
      return true;
    }
  }
  return false;
}
