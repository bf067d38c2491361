/* Loads that could read several stores, as a part of a finding. */
#include "report/text_loads.h"
#include <string.h>

static const char *plural(uint64_t n) {
  return n == 1 ? "" : "s";
}

static bool same_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_line(const struct place *a, const struct place *b) {
  return a->line == b->line && a->column == b->column && a->offset == b->offset &&
         same_text(a->file, b->file) && same_text(a->function, b->function);
}

static void put_candidate(struct page *p, const struct finding_load *l, size_t i, int widest) {
  const struct finding_store *s = &l->stores.data[i];
  enum store_fate fate = store_fate(l, i);
  struct str value = {0}, where = {0};
  value_text(s->value, &value);
  if (s->initial) {
    str_append(&where, "initial contents");
  } else {
    str_append(&where, "stored at ");
    place_text(&s->place, false, &where);
    if (s->place.function) {
      str_append(&where, " in ");
      function_text(s->place.function, &where);
    }
    str_append(&where, ", ");
    actor_text(p->report, s->machine, s->thread, &where);
    if (s->execution > 0)
      str_format(&where, ", after failure %d", s->execution);
  }
  page_begin_line(p);
  page_put(p, "   ");
  if (fate == STORE_READ)
    page_paint(p, INK_STRONG, "> %-5s  %*s  %s", store_fate_text(fate), widest, str_text(&value),
               str_text(&where));
  else
    page_put(p, "  %-5s  %*s  %s", store_fate_text(fate), widest, str_text(&value),
             str_text(&where));
  page_put(p, "\n");
  str_free(&value);
  str_free(&where);
}

static void put_candidates(struct page *p, const struct finding_load *l) {
  size_t shown = l->stores.length, hidden = 0, chosen = 0;
  for (size_t i = 0; i < l->stores.length; i++)
    if (l->stores.data[i].chosen)
      chosen = i;
  if (shown > p->style->stores_max)
    shown = p->style->stores_max;
  int widest = 1;
  for (size_t i = 0; i < l->stores.length; i++) {
    struct str value = {0};
    value_text(l->stores.data[i].value, &value);
    if ((i < shown || i == chosen) && (int)value.length > widest)
      widest = (int)value.length;
    str_free(&value);
  }
  for (size_t i = 0; i < l->stores.length; i++) {
    if (i < shown || i == chosen)
      put_candidate(p, l, i, widest);
    else
      hidden++;
  }
  if (hidden) {
    page_begin_line(p);
    page_put(p, "     and %zu more\n", hidden);
  }
}

/* Each answers a load in the same way: the same lines, whatever the address. */
static bool same_answers(const struct finding_load *a, const struct finding_load *b) {
  if (!same_line(&a->place, &b->place) || a->size != b->size || a->execution != b->execution ||
      a->stores.length != b->stores.length)
    return false;
  for (size_t i = 0; i < a->stores.length; i++) {
    const struct finding_store *x = &a->stores.data[i], *y = &b->stores.data[i];
    if (x->initial != y->initial || x->chosen != y->chosen || x->unmade != y->unmade ||
        x->thread != y->thread || x->machine != y->machine || x->execution != y->execution ||
        !same_line(&x->place, &y->place))
      return false;
  }
  return true;
}

/* A load, and the `more` behind it that are answered alike, the last of which is `last`. */
static void put_load(struct page *p, const struct finding_load *l, size_t more,
                     const struct finding_load *last) {
  struct str label = {0}, address = {0};
  load_address_text(l, &address);
  page_paint(p, INK_NOTE, "note");
  page_put(p, ": this load of %d byte%s at %s could read any of %zu stores\n", l->size,
           plural((uint64_t)l->size), str_text(&address), l->stores.length);
  page_in_function(&l->place, &label);
  page_put_excerpt(p, &l->place, INK_NOTE, str_text(&label));
  page_begin_line(p);
  page_put(p, "\n");
  put_candidates(p, l);
  if (more) {
    str_clear(&address);
    load_address_text(last, &address);
    page_begin_line(p);
    page_put(p, "   and so did the next %zu load%s here, the last one at %s\n", more, plural(more),
             str_text(&address));
  }
  page_begin_line(p);
  page_put(p, "\n");
  str_free(&label);
  str_free(&address);
}

/* How many follow load number `at` one after the other and are answered as it is: a scan, or a checksum. */
static size_t alike_after(const struct finding *f, size_t at) {
  size_t end = at + 1;
  while (end < f->loads.length && same_answers(&f->loads.data[at], &f->loads.data[end]))
    end++;
  return end - at - 1;
}

/* Loads that read something old come first when not all can be shown; the order stays that of
 * the execution.  Those that are shown as one count as one. */
void text_put_loads(struct page *p, const struct finding *f) {
  const struct finding_load *loads = f->loads.data;
  size_t max = p->style->loads_max, stale = 0, fresh = 0, hidden = 0;
  for (size_t i = 0; i < f->loads.length; i += 1 + alike_after(f, i))
    *(load_is_stale(&loads[i]) ? &stale : &fresh) += 1;
  size_t fresh_room = stale < max ? max - stale : 0;
  size_t stale_skip = stale > max ? stale - max : 0; /* the last ones are nearest to the bug */
  size_t fresh_skip = fresh > fresh_room ? fresh - fresh_room : 0;
  for (size_t i = 0, more; i < f->loads.length; i += 1 + more) {
    size_t *skip = load_is_stale(&loads[i]) ? &stale_skip : &fresh_skip;
    more = alike_after(f, i);
    if (*skip) {
      --*skip;
      hidden += 1 + more;
      continue;
    }
    put_load(p, &loads[i], more, &loads[i + more]);
  }
  if (hidden) {
    page_paint(p, INK_NOTE, "note");
    page_put(p,
             ": and %zu more load%s that could read several stores (all are in the JSON report)\n",
             hidden, plural(hidden));
  }
}
