#include "process/page_map.h"
#include <string.h>

static void start_group(struct page_map_builder *b, uintptr_t base) {
  b->base = base;
  b->any = false;
  b->taken = 0;
  memset(b->frames, 0, sizeof b->frames);
}

void page_map_begin(struct page_map_builder *b, struct page_map *map, const struct page_map *like) {
  *b = (struct page_map_builder){.map = map, .like = like};
  if (like)
    vec_reserve(&map->groups, like->groups.length + 2);
}

frame_group page_map_group(const struct page_map *m, size_t *from, uintptr_t base) {
  size_t known = m ? m->groups.length : 0;
  while (*from < known && m->groups.data[*from].base < base)
    ++*from;
  return *from < known && m->groups.data[*from].base == base ? m->groups.data[*from].group : 0;
}

static void add_group(struct page_map_builder *b, uintptr_t base, frame_group g) {
  vec_push(&b->map->groups, ((struct page_group){base, g}));
}

static void end_group(struct page_map_builder *b) {
  if (!b->any)
    return;
  frame_group like = page_map_group(b->like, &b->like_at, b->base);
  add_group(b, b->base, frame_group_take(b->frames, b->taken, like));
  b->any = false;
}

static void add(struct page_map_builder *b, uintptr_t page, frame_id f, bool taken) {
  uintptr_t base = page_group_base(page);
  if (!b->any || b->base != base) {
    end_group(b);
    start_group(b, base);
  }
  size_t i = (page - base) / LAYOUT_PAGE;
  b->frames[i] = f;
  b->any = true;
  b->taken |= (uint64_t)taken << i;
}

void page_map_take(struct page_map_builder *b, uintptr_t page, frame_id f) {
  add(b, page, f, true);
}

void page_map_same(struct page_map_builder *b, uintptr_t page, frame_id f) {
  add(b, page, f, false);
}

void page_map_same_group(struct page_map_builder *b, uintptr_t base) {
  end_group(b);
  frame_group g = page_map_group(b->like, &b->like_at, base);
  if (g)
    add_group(b, base, frame_group_again(g));
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
  frame_group g = page_map_group(m, from, base);
  return g ? frame_group_frames(g)[(page - base) / LAYOUT_PAGE] : 0;
}

bool page_map_next(const struct page_map *m, struct page_map_cursor *c, uintptr_t *page,
                   frame_id *f) {
  for (; c->group < m->groups.length; c->group++, c->at = 0) {
    const struct page_group *g = &m->groups.data[c->group];
    const frame_id *frames = frame_group_frames(g->group);
    while (c->at < FRAME_GROUP && !frames[c->at])
      c->at++;
    if (c->at < FRAME_GROUP) {
      *page = g->base + c->at * LAYOUT_PAGE;
      *f = frames[c->at++];
      return true;
    }
  }
  return false;
}

size_t page_map_count(const struct page_map *m) {
  size_t n = 0;
  for (size_t i = 0; i < m->groups.length; i++)
    for (int k = 0; k < FRAME_GROUP; k++)
      n += frame_group_frames(m->groups.data[i].group)[k] != 0;
  return n;
}
