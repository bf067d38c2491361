/* Checkpoints: each holds the pages that may differ from the sealed ones at its moment, sharing copies with the one
 * before (frame.h); any other page is as sealed. */
#include "base/check.h"
#include "base/mem.h"
#include "base/str.h"
#include "process/files.h"
#include "process/mapping.h"
#include "process/world.h"
#include "process/world_state.h"
#include <string.h>

static void drop_snapshot(struct world_snapshot *s) {
  for (size_t i = 0; i < s->included.length; i++)
    frame_drop(s->included.data[i]);
  page_map_free(&s->pages);
  vec_free(&s->included);
  files_drop(s->files);
  mem_free(s, sizeof *s);
}

/* If nobody else needs the one before, it goes. */
static void set_newest(struct world_snapshot *s) {
  struct world_snapshot *before = world.newest;
  world.newest = s;
  if (before && before != s && before->dropped)
    drop_snapshot(before);
}

/* Where to look for pages that are probably the same. */
static const struct page_map *newest_pages(void) {
  return world.newest ? &world.newest->pages : NULL;
}

static void save_pages(struct world_snapshot *s) {
  struct page_map_builder b;
  size_t k = 0;
  page_map_begin(&b, &s->pages, newest_pages());
  for (size_t i = 0; i < world.dirty.length; i++)
    for (uintptr_t page = world.dirty.data[i].low; page < world.dirty.data[i].high;
         page += LAYOUT_PAGE)
      page_map_take(&b, page, frame_take((void *)page, page_map_get(b.like, &k, page)));
  page_map_end(&b);
}

static void save_included(struct world_snapshot *s, const struct world_snapshot *before) {
  world_copy_included(world.included_now);
  for (size_t at = 0; at < world.included_bytes; at += LAYOUT_PAGE)
    vec_push(&s->included, frame_take(world.included_now + at,
                                      before ? before->included.data[at / LAYOUT_PAGE] : 0));
}

struct world_snapshot *world_save(void) {
  CHECK(world.sealed && !fiber_current(), "world_save outside the host or before world_seal");
  struct world_snapshot *s = mem_alloc(sizeof *s);
  world_find_dirty(true);
  save_pages(s);
  save_included(s, world.newest);
  s->files = files_save();
  mapping_keep();
  set_newest(s);
  return s;
}

/* ---- states ---- */

struct slot {
  uintptr_t low, high, live; /* from live on its contents count */
};

static VEC(struct slot) slots; /* scratch */

static void note_slot(void *context, uintptr_t low, uintptr_t high, uintptr_t sp) {
  (void)context;
  bool inside = sp >= low && sp < high;
  vec_push(&slots, ((struct slot){low, high, inside ? sp : low}));
}

/* The page without what is dead; NULL: nothing else is there, or it is as sealed. */
static const void *living(uintptr_t page) {
  static _Alignas(64) unsigned char copy[LAYOUT_PAGE];
  const void *bytes = (const void *)page;
  for (size_t i = 0; i < slots.length; i++) {
    const struct slot *s = &slots.data[i];
    if (page < s->low || page >= s->high || page >= s->live)
      continue;
    if (page + LAYOUT_PAGE <= s->live)
      return NULL;
    memset(copy, 0, s->live - page);
    memcpy(copy + (s->live - page), (const void *)s->live, page + LAYOUT_PAGE - s->live);
    bytes = copy;
  }
  const struct area *a = world_area_of(page);
  bool sealed = a && page - a->base < a->sealed_bytes;
  if (sealed ? memcmp(bytes, a->sealed + (page - a->base), LAYOUT_PAGE) == 0
             : world_page_is_zero((uintptr_t)bytes))
    return NULL;
  return bytes;
}

static void save_living_pages(struct world_snapshot *s) {
  struct page_map_builder b;
  size_t k = 0;
  page_map_begin(&b, &s->pages, newest_pages());
  for (size_t i = 0; i < world.dirty.length; i++)
    for (uintptr_t page = world.dirty.data[i].low; page < world.dirty.data[i].high;
         page += LAYOUT_PAGE) {
      const void *bytes = living(page);
      if (bytes)
        page_map_take(&b, page, frame_take(bytes, page_map_get(b.like, &k, page)));
    }
  page_map_end(&b);
}

struct world_snapshot *world_save_state(struct str *out) {
  CHECK(world.sealed && !fiber_current(), "world_save_state outside the host");
  struct files_snapshot *files = mapping_untouched() ? files_save() : NULL;
  if (!files || !files_put(files, out)) {
    files_drop(files);
    return NULL; /* nobody could put that back, or tell it from another */
  }
  struct world_snapshot *s = mem_alloc(sizeof *s);
  s->files = files;
  slots.length = 0;
  fiber_each_slot(note_slot, NULL);
  world_find_dirty(true);
  save_living_pages(s);
  save_included(s, world.newest);
  for (size_t i = 0; i < s->pages.groups.length; i++) {
    world_put_number(out, s->pages.groups.data[i].base);
    world_put_number(out, s->pages.groups.data[i].group);
  }
  for (size_t i = 0; i < s->included.length; i++)
    world_put_number(out, s->included.data[i]);
  set_newest(s);
  return s;
}

static void restore_page(uintptr_t page, frame_id f) {
  if (f)
    frame_write(f, (void *)page);
  else
    world_write_sealed(page, page + LAYOUT_PAGE);
}

/* All pages that the snapshot holds; others that are dirty go back to their sealed contents. */
static void restore_all(const struct world_snapshot *s) {
  struct page_map_cursor c = {0};
  uintptr_t page;
  frame_id f;
  size_t k = 0;
  for (size_t i = 0; i < world.dirty.length; i++)
    for (page = world.dirty.data[i].low; page < world.dirty.data[i].high; page += LAYOUT_PAGE)
      if (!page_map_get(&s->pages, &k, page))
        world_write_sealed(page, page + LAYOUT_PAGE);
  while (page_map_next(&s->pages, &c, &page, &f))
    restore_page(page, f);
}

/* A group lies among areas, or among stacks. */
static void open_slots(const struct page_map *m) {
  uintptr_t page;
  frame_id f;
  for (size_t i = 0; i < m->groups.length; i++) {
    struct page_map_cursor c = {.group = i};
    while (page_map_next(m, &c, &page, &f) && c.group == i && !world_area_of(page))
      fiber_open_slots(page);
  }
}

void world_restore(struct world_snapshot *s) {
  CHECK(!fiber_current(), "world_restore outside the host");
  mapping_reset();
  world_find_dirty(false);
  open_slots(&s->pages);
  restore_all(s);
  for (size_t i = 0; i < s->included.length; i++)
    frame_write(s->included.data[i], world.included_now + i * LAYOUT_PAGE);
  world_restore_included(world.included_now);
  files_restore(s->files);
  set_newest(s);
}

void world_drop(struct world_snapshot *s) {
  if (!s)
    return;
  s->dropped = true;
  if (world.newest != s)
    drop_snapshot(s);
}
