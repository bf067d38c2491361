/* Maps of pages against plain arrays: random ones, each like another. */
#include "base/rng.h"
#include "process/page_map.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PAGES 300 /* in six groups, the first and last of them not whole */
#define FIRST (UINT64_C(0x2000000) - 10 * LAYOUT_PAGE)
#define MAPS 8
#define ROUNDS 2000

static _Alignas(4096) unsigned char bytes[LAYOUT_PAGE];

/* A copy of a page with these contents, of which there are few. */
static frame_id frame_of(unsigned contents, frame_id like) {
  memset(bytes, (int)contents, sizeof bytes);
  return frame_take(bytes, like);
}

static uintptr_t page_at(size_t i) {
  return FIRST + i * LAYOUT_PAGE;
}

/* 0: not held. */
struct model {
  unsigned char contents[PAGES];
};

static void build(struct page_map *map, const struct model *m, const struct page_map *like) {
  struct page_map_builder b;
  size_t k = 0;
  page_map_begin(&b, map, like);
  for (size_t i = 0; i < PAGES; i++)
    if (m->contents[i])
      page_map_take(&b, page_at(i), frame_of(m->contents[i], page_map_get(like, &k, page_at(i))));
  page_map_end(&b);
}

static void compare(const struct page_map *map, const struct model *m) {
  struct page_map_cursor c = {0};
  uintptr_t page;
  frame_id f;
  size_t k = 0;
  for (size_t i = 0; i < PAGES; i++) {
    frame_id got = page_map_get(map, &k, page_at(i));
    assert_int_equal(got != 0, m->contents[i] != 0);
    if (!got)
      continue;
    frame_write(got, bytes);
    assert_int_equal(bytes[0], m->contents[i]);
    assert_int_equal(bytes[LAYOUT_PAGE - 1], m->contents[i]);
    assert_true(page_map_next(map, &c, &page, &f));
    assert_true(page == page_at(i) && f == got);
  }
  assert_false(page_map_next(map, &c, &page, &f));
}

static bool alike(const struct page_map *a, const struct page_map *b) {
  bool same = a->groups.length == b->groups.length;
  for (size_t i = 0; same && i < a->groups.length; i++)
    same = a->groups.data[i].base == b->groups.data[i].base &&
           a->groups.data[i].group == b->groups.data[i].group;
  return same;
}

static void maps_hold_what_was_put_there(void **state) {
  static struct page_map maps[MAPS];
  static struct model models[MAPS];
  struct rng rng = {.state = 1};
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    size_t n = rng_next(&rng) % MAPS, like = rng_next(&rng) % MAPS;
    if (like == n)
      continue;
    page_map_free(&maps[n]);
    models[n] = models[like];
    for (uint64_t changes = rng_next(&rng) % 6; changes; changes--)
      models[n].contents[rng_next(&rng) % PAGES] = (unsigned char)(rng_next(&rng) % 4);
    build(&maps[n], &models[n], rng_next(&rng) % 4 ? &maps[like] : NULL);
    for (size_t i = 0; i < MAPS; i++) {
      bool same = memcmp(&models[i], &models[n], sizeof models[n]) == 0;
      assert_int_equal(alike(&maps[i], &maps[n]), same);
    }
    compare(&maps[n], &models[n]);
    compare(&maps[like], &models[like]);
  }
  for (size_t i = 0; i < MAPS; i++)
    page_map_free(&maps[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maps_hold_what_was_put_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
