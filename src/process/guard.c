#include "process/guard.h"

#define PAGES_MIN 256 /* fewer are compared and copied in less time */
#define FAULT_COST 8  /* a page that is written costs as much as so many that are not spare */
#define WAIT_MIN 4 /* if that does not pay it is tried again after so many snapshots, at first, */
#define WAIT_MAX 1024 /* then after twice as many, until it has paid so long: */
#define PAID_LONG 32

void guard_found(struct guard *g, range_list *dirty) {
  if (!g->guarded.length)
    return;
  range_list found = *dirty;
  *dirty = g->written;
  g->written = found;
  ranges_join(dirty, &g->guarded, &found);
}

void guard_touch_none(struct guard *g) {
  g->touched.length = 0;
}

void guard_touch(struct guard *g, uintptr_t page) {
  range_list *t = &g->touched;
  if (t->length && vec_last(t).high == page && g->together(page, vec_last(t).low))
    vec_last(t).high += LAYOUT_PAGE;
  else
    ranges_add(t, page, page + LAYOUT_PAGE);
}

static bool is_large(const struct page_map *m) {
  return m->groups.length * FRAME_GROUP >= PAGES_MIN && page_map_count(m) >= PAGES_MIN;
}

static bool pays(struct guard *g, const struct page_map *snapshot) {
  if (g->always)
    return true;
  if (!g->guarded.length) {
    g->balance = g->paid = 0;
    return is_large(snapshot) && (!g->left || !--g->left);
  }
  g->balance += (int64_t)ranges_pages(&g->guarded);
  g->balance -= FAULT_COST * (int64_t)ranges_pages(&g->written);
  if (g->balance >= 0) {
    g->wait = ++g->paid < PAID_LONG ? g->wait : 0;
    return true;
  }
  g->wait = 2 * g->wait + WAIT_MIN < WAIT_MAX ? 2 * g->wait + WAIT_MIN : WAIT_MAX;
  g->left = g->wait;
  return false;
}

static void touch_all(struct guard *g, const struct page_map *m) {
  struct page_map_cursor c = {0};
  uintptr_t page;
  frame_id f;
  guard_touch_none(g);
  while (page_map_next(m, &c, &page, &f))
    guard_touch(g, page);
}

static void protect(const struct guard *g, const range_list *list) {
  for (size_t i = 0; i < list->length; i++)
    if (g->may(list->data[i].low))
      track_protect(list->data[i].low, list->data[i].high);
}

bool guard_set(struct guard *g, const struct page_map *snapshot, const range_list *dirty) {
  static range_list all;
  if (!pays(g, snapshot)) {
    guard_lift(g);
    return false;
  }
  if (!g->exact)
    touch_all(g, snapshot);
  ranges_join(&all, dirty, &g->touched);
  if (g->exact) {
    protect(g, &g->written);
    protect(g, &g->touched);
  } else
    protect(g, &all);
  g->guarded.length = 0;
  for (size_t i = 0; i < all.length; i++)
    if (g->may(all.data[i].low))
      ranges_add(&g->guarded, all.data[i].low, all.data[i].high);
  g->exact = g->guarded.length > 0;
  return true;
}

void guard_lift(struct guard *g) {
  for (size_t i = 0; i < g->guarded.length; i++)
    track_unprotect(g->guarded.data[i].low, g->guarded.data[i].high);
  guard_forget(g);
}

void guard_forget(struct guard *g) {
  g->guarded.length = 0;
  g->exact = false;
}
