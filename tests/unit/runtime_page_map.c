/* Maps of pages against plain arrays: random ones, each like the one before, with all ways to add a page. */
#include "base/rng.h"
#include "process/page_map.h"
#include "process/ranges.h"
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

static bool group_is_same(const struct model *a, const struct model *b, size_t i) {
  uintptr_t base = page_group_base(page_at(i));
  for (size_t k = 0; k < PAGES; k++)
    if (page_group_base(page_at(k)) == base && a->contents[k] != b->contents[k])
      return false;
  return true;
}

static void build(struct page_map *map, const struct model *m, const struct page_map *like,
                  const struct model *before, struct rng *rng) {
  struct page_map_builder b;
  size_t k = 0;
  page_map_begin(&b, map, like);
  for (size_t i = 0; i < PAGES; i++) {
    bool first = i == 0 || page_group_base(page_at(i)) != page_group_base(page_at(i - 1));
    if (like && first && group_is_same(m, before, i) && rng_next(rng) % 2) {
      page_map_same_group(&b, page_group_base(page_at(i)));
      uintptr_t end = page_group_base(page_at(i)) + PAGE_GROUP_BYTES;
      while (i + 1 < PAGES && page_at(i + 1) < end)
        i++;
      continue;
    }
    frame_id old = page_map_get(like, &k, page_at(i));
    if (m->contents[i] && old && m->contents[i] == before->contents[i] && rng_next(rng) % 2)
      page_map_same(&b, page_at(i), old);
    else if (m->contents[i])
      page_map_take(&b, page_at(i), frame_of(m->contents[i], old));
  }
  page_map_end(&b);
}

static void compare(const struct page_map *map, const struct model *m) {
  struct page_map_cursor c = {0};
  uintptr_t page;
  frame_id f;
  size_t k = 0, held = 0;
  for (size_t i = 0; i < PAGES; i++) {
    frame_id got = page_map_get(map, &k, page_at(i));
    assert_int_equal(got != 0, m->contents[i] != 0);
    if (!got)
      continue;
    held++;
    frame_write(got, bytes);
    assert_int_equal(bytes[0], m->contents[i]);
    assert_int_equal(bytes[LAYOUT_PAGE - 1], m->contents[i]);
    assert_true(page_map_next(map, &c, &page, &f));
    assert_true(page == page_at(i) && f == got);
  }
  assert_false(page_map_next(map, &c, &page, &f));
  assert_int_equal(page_map_count(map), held);
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
    build(&maps[n], &models[n], rng_next(&rng) % 4 ? &maps[like] : NULL, &models[like], &rng);
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

static void ranges_are_sets(void **state) {
  struct rng rng = {.state = 2};
  (void)state;
  for (int round = 0; round < 500; round++) {
    static range_list list[2], both;
    bool in[2][64] = {{false}};
    for (int n = 0; n < 2; n++) {
      list[n].length = 0;
      for (size_t at = rng_next(&rng) % 8; at < 60; at += 1 + rng_next(&rng) % 8) {
        size_t end = at + 1 + rng_next(&rng) % 4;
        ranges_add(&list[n], at * LAYOUT_PAGE, end * LAYOUT_PAGE);
        for (; at < end; at++)
          in[n][at] = true;
      }
    }
    ranges_join(&both, &list[0], &list[1]);
    size_t k = 0, count = 0;
    for (size_t i = 0; i < 64; i++) {
      assert_int_equal(ranges_have(&both, &k, i * LAYOUT_PAGE), in[0][i] || in[1][i]);
      count += in[0][i] || in[1][i];
    }
    assert_int_equal(ranges_pages(&both), count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maps_hold_what_was_put_there),
      cmocka_unit_test(ranges_are_sets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
