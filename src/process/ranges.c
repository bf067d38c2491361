#include "process/ranges.h"
#include "process/layout.h"

void ranges_add(range_list *list, uintptr_t low, uintptr_t high) {
  if (low >= high)
    return;
  if (list->length && vec_last(list).high > low) {
    struct track_range *last = &vec_last(list);
    last->high = last->high > high ? last->high : high;
    return;
  }
  vec_push(list, ((struct track_range){low, high}));
}

void ranges_join(range_list *out, const range_list *a, const range_list *b) {
  size_t i = 0, k = 0;
  out->length = 0;
  while (i < a->length || k < b->length) {
    bool first = k == b->length || (i < a->length && a->data[i].low < b->data[k].low);
    const struct track_range *r = first ? &a->data[i++] : &b->data[k++];
    ranges_add(out, r->low, r->high);
  }
}

bool ranges_have(const range_list *list, size_t *from, uintptr_t page) {
  while (*from < list->length && list->data[*from].high <= page)
    ++*from;
  return *from < list->length && list->data[*from].low <= page;
}

size_t ranges_pages(const range_list *list) {
  size_t n = 0;
  for (size_t i = 0; i < list->length; i++)
    n += (list->data[i].high - list->data[i].low) / LAYOUT_PAGE;
  return n;
}
