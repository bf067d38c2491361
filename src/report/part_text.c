#include "report/part_text.h"

void part_text(const struct finding_part *p, struct str *out) {
  static const char *const texts[FINDING_ROLE_COUNT] = {
      [FINDING_ROLE_LOST] = "this store is lost",
      [FINDING_ROLE_SURVIVED] = "this later store survives",
      [FINDING_ROLE_MISSED] = "after the failure, this load does not see the lost store",
      [FINDING_ROLE_READ] = "after the failure, this load reads it",
      [FINDING_ROLE_TORN] = "this store is not atomic",
      [FINDING_ROLE_USELESS] = "this has no effect",
      [FINDING_ROLE_FIRST] = "the other access is this one",
      [FINDING_ROLE_SECOND] = "which is not ordered with this one",
      [FINDING_ROLE_DELAYED] = "this store can still be in the store buffer",
      [FINDING_ROLE_EARLY] = "when this load of the same thread is carried out",
      [FINDING_ROLE_CONFLICT] = "which then misses this store of another thread",
      [FINDING_ROLE_FREED] = "the block was freed here",
      [FINDING_ROLE_LATE] = "when this store was still in the store buffer",
  };
  str_append(out, texts[p->role]);
  if (p->field)
    str_format(out, ": %s", p->field);
  if (p->region && p->size)
    str_format(out, " (%d byte%s at %s+0x%lx)", p->size, p->size == 1 ? "" : "s", p->region,
               (unsigned long)p->region_offset);
}

void window_text(const struct finding_window *w, struct str *out) {
  str_append(out, w->flush && w->fence ? "flush and fence" : w->flush ? "flush" : "fence");
  str_append(out, " after ");
  place_text(&w->after, false, out);
  str_append(out, " and before ");
  place_text(&w->before, false, out);
  str_format(out, ", in thread %d", w->thread);
}

static void address_text(const struct finding_part *p, struct str *out) {
  if (p->field) {
    str_append(out, p->field);
    return;
  }
  str_format(out, "%s+0x%lx", p->region, (unsigned long)p->region_offset);
}

bool same_line_text(const struct finding *f, struct str *out) {
  const struct finding_part *lost = NULL, *survived = NULL;
  for (size_t i = 0; i < f->parts.length; i++) {
    const struct finding_part *p = &f->parts.data[i];
    lost = p->role == FINDING_ROLE_LOST ? p : lost;
    survived = p->role == FINDING_ROLE_SURVIVED ? p : survived;
  }
  if (!lost || !survived || !lost->region || !survived->region)
    return false;
  str_append(out, "keep what the two stores write (");
  address_text(lost, out);
  str_append(out, " and ");
  address_text(survived, out);
  str_append(out, ") in one cache line, which persists in order");
  return true;
}
