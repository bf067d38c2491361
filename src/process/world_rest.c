/* What a state means to those who go on: its pages with zeros where the gaps are, as numbers of frames. */
#include "base/check.h"
#include "base/mem.h"
#include "base/str.h"
#include "process/files.h"
#include "process/image_internal.h"
#include "process/mapping.h"
#include "process/world.h"
#include "process/world_state.h"
#include <string.h>

#define REST_BITS 8
#define REST_PAGES (1 << REST_BITS)
#define REST_GAPS 16 /* of a page; those with more are not kept */

struct held_page {
  uintptr_t address;
  frame_id frame;
};

/* Of a page with these gaps, each as its first byte and the one behind its last: what is left of it. */
struct rest {
  struct held_page page;
  frame_id rest;
  uint32_t gap_count;
  uint16_t gaps[2 * REST_GAPS];
};

/* As they were put last; snapshots are put up to twice, with other gaps. */
static VEC(frame_id) included_rest;
static struct rest page_rest[2][REST_PAGES];

/* Of a free slot: all of it. */
static void add_dead_stack(void *context, uintptr_t low, uintptr_t high, uintptr_t sp) {
  if (!sp)
    world_add_gap(context, (void *)low, high - low);
  else if (sp >= low && sp < high)
    world_add_gap(context, (void *)low, sp - low);
}

void world_add_machine_gaps(world_gap_list *gaps, uint32_t machines, bool in_place) {
  fiber_each_slot(add_dead_stack, gaps);
  fiber_add_gaps(gaps);
  image_add_gaps(gaps, machines);
  for (int i = 0; i < world.area_count; i++) {
    const struct area *a = &world.areas[i];
    if (a->shared ? in_place : a->machine >= 0 && machines >> a->machine & 1)
      world_add_gap(gaps, (void *)a->base, a->bytes);
  }
}

int world_machine(uintptr_t address) {
  const struct area *a = world_area_of(address);
  return a ? a->machine : -1;
}

/* Lists of as many gaps are mostly of the same gaps: the order in which they were last. */
#define ORDERS 64
typedef VEC(uint32_t) order_list;
static order_list orders[ORDERS];

static uint32_t *order_of(size_t n) {
  order_list *o = &orders[n % ORDERS];
  if (o->length == n)
    return o->data;
  o->length = 0;
  for (size_t i = 0; i < n; i++)
    vec_push(o, (uint32_t)i);
  return o->data;
}

/* Sort by insertion, beginning with the order of the last list like it; then those that meet become one. */
static void sort_gaps(world_gap_list *gaps) {
  static world_gap_list sorted;
  struct world_gap *g = gaps->data, *to;
  size_t n = gaps->length, left = 0;
  uint32_t *order = order_of(n);
  vec_reserve(&sorted, n);
  to = sorted.data;
  for (size_t i = 0; i < n; i++) {
    uint32_t number = order[i];
    struct world_gap x = g[number];
    size_t k = i;
    for (; k > 0 && x.low < to[k - 1].low; k--) {
      to[k] = to[k - 1];
      order[k] = order[k - 1];
    }
    to[k] = x;
    order[k] = number;
  }
  for (size_t i = 0; i < n; i++)
    if (left && to[i].low <= g[left - 1].high)
      g[left - 1].high = to[i].high > g[left - 1].high ? to[i].high : g[left - 1].high;
    else
      g[left++] = to[i];
  gaps->length = left;
}

/* The first one that ends after that; pre: in order. */
static size_t first_gap(const world_gap_list *gaps, uintptr_t address) {
  size_t low = 0, high = gaps->length;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (gaps->data[middle].high <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Zeros where gaps are; `bytes` are a copy of what lies there. */
static void blank(unsigned char *bytes, uintptr_t low, uintptr_t high, const world_gap_list *gaps) {
  for (size_t i = first_gap(gaps, low); i < gaps->length && gaps->data[i].low < high; i++) {
    uintptr_t from = gaps->data[i].low > low ? gaps->data[i].low : low;
    uintptr_t to = gaps->data[i].high < high ? gaps->data[i].high : high;
    memset(bytes + (from - low), 0, to - from);
  }
}

static frame_id sealed_frame(uintptr_t page) {
  static frame_id zeros;
  static const unsigned char zero[LAYOUT_PAGE];
  struct area *a = (struct area *)world_area_of(page);
  frame_id *f = &zeros;
  if (a && page - a->base < a->sealed_bytes) {
    if (!a->frames)
      a->frames = mem_alloc(a->sealed_bytes / LAYOUT_PAGE * sizeof *a->frames);
    f = &a->frames[(page - a->base) / LAYOUT_PAGE];
  }
  if (!*f)
    *f = frame_take(f == &zeros ? zero : a->sealed + (page - a->base), 0);
  return *f;
}

/* The gaps in that page, from the first one of them on; false: there are too many. */
static bool gaps_of_page(uintptr_t page, const world_gap_list *gaps, size_t first,
                         struct rest *out) {
  out->gap_count = 0;
  for (size_t i = first; i < gaps->length && gaps->data[i].low < page + LAYOUT_PAGE; i++) {
    if (out->gap_count == REST_GAPS)
      return false;
    uintptr_t low = gaps->data[i].low > page ? gaps->data[i].low - page : 0;
    uintptr_t high = gaps->data[i].high - page;
    out->gaps[2 * out->gap_count] = (uint16_t)low;
    out->gaps[2 * out->gap_count++ + 1] = (uint16_t)(high < LAYOUT_PAGE ? high : LAYOUT_PAGE);
  }
  return true;
}

static bool same_gaps(const struct rest *a, const struct rest *b) {
  return a->gap_count == b->gap_count &&
         memcmp(a->gaps, b->gaps, 2 * a->gap_count * sizeof a->gaps[0]) == 0;
}

static frame_id blanked(const struct held_page *p, const world_gap_list *gaps, frame_id like) {
  static _Alignas(64) unsigned char copy[LAYOUT_PAGE];
  memcpy(copy, (const void *)p->address, LAYOUT_PAGE);
  blank(copy, p->address, p->address + LAYOUT_PAGE, gaps);
  frame_id f = frame_take(copy, like);
  frame_keep(f);
  frame_drop(f);
  return f;
}

/* Multiplied: stacks lie so far apart that all of them would have one place. */
static struct rest *rest_before(uintptr_t page, bool second) {
  return &page_rest[second][page / LAYOUT_PAGE * 0x9e3779b97f4a7c15u >> (64 - REST_BITS)];
}

static void drop_rest(struct rest *r) {
  if (r->page.frame)
    frame_drop(r->page.frame);
  *r = (struct rest){0};
}

/* What the snapshot holds there, without gaps, from number *k on; 0: nothing that counts, as if nobody had ever
 * written there. */
static frame_id rest_of_page(const struct held_page *p, const world_gap_list *gaps, size_t *k,
                             bool second) {
  while (*k < gaps->length && gaps->data[*k].high <= p->address)
    ++*k;
  const struct world_gap *g = *k < gaps->length ? &gaps->data[*k] : NULL;
  if (g && g->low <= p->address && g->high >= p->address + LAYOUT_PAGE)
    return 0;
  frame_id sealed = sealed_frame(p->address);
  if (p->frame == sealed)
    return 0;
  if (!g || g->low >= p->address + LAYOUT_PAGE) {
    frame_keep(p->frame);
    return p->frame;
  }
  struct rest *before = rest_before(p->address, second);
  struct rest new = {.page = *p};
  bool keeps = gaps_of_page(p->address, gaps, *k, &new);
  bool same_page = before->page.address == p->address;
  if (keeps && same_page && before->page.frame == p->frame && same_gaps(before, &new))
    return before->rest == sealed ? 0 : before->rest;
  new.rest = blanked(p, gaps, same_page ? before->rest : p->frame);
  drop_rest(before);
  if (keeps) {
    frame_again(p->frame);
    *before = new;
  }
  return new.rest == sealed ? 0 : new.rest;
}

static void put_rest_of_included(const world_gap_list *gaps, struct str *out) {
  unsigned char *to = world.included_now;
  world_copy_included(to);
  for (size_t i = 0; i < world.included.length; i++) {
    const struct world_included *x = &world.included.data[i];
    blank(to, (uintptr_t)x->p, (uintptr_t)x->p + x->bytes, gaps);
    to += x->bytes;
  }
  for (size_t at = 0; at < world.included_bytes; at += LAYOUT_PAGE) {
    size_t n = at / LAYOUT_PAGE;
    if (included_rest.length <= n)
      vec_push(&included_rest, 0);
    frame_id f = frame_take(world.included_now + at, included_rest.data[n]);
    frame_keep(f);
    frame_drop(f);
    included_rest.data[n] = f;
    world_put_number(out, f);
  }
}

bool world_put_rest(const struct world_snapshot *s, world_gap_list *gaps, struct str *out) {
  CHECK(world.newest == s, "the snapshot is not the newest one");
  if (!mapping_untouched() || !files_put(s->files, out))
    return false;
  sort_gaps(gaps);
  put_rest_of_included(gaps, out);
  bool second = s->rest_is_put;
  struct page_map_cursor c = {0};
  struct held_page p;
  for (size_t k = 0; page_map_next(&s->pages, &c, &p.address, &p.frame);) {
    frame_id f = rest_of_page(&p, gaps, &k, second);
    if (f) {
      world_put_number(out, p.address);
      world_put_number(out, f);
    }
  }
  world.newest->rest_is_put = true;
  return true;
}

void world_forget_rests(void) {
  included_rest.length = 0;
  for (size_t i = 0; i < REST_PAGES; i++) {
    drop_rest(&page_rest[0][i]);
    drop_rest(&page_rest[1][i]);
  }
  frame_release();
}
