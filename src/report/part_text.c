#include "report/part_text.h"
#include "report/source.h"
#include <string.h>

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
      [FINDING_ROLE_DESTROYED] = "it was destroyed here",
      [FINDING_ROLE_WAITS] = "waits here",
      [FINDING_ROLE_HOLDS] = "has taken here what another thread waits for",
      [FINDING_ROLE_UNHEARD] = "has woken others up here, before the thread that waits began to",
      [FINDING_ROLE_LATE] = "when this store was still in the store buffer",
  };
  if (p->role == FINDING_ROLE_WAITS || p->role == FINDING_ROLE_HOLDS ||
      p->role == FINDING_ROLE_UNHEARD)
    str_format(out, "thread %d ", p->thread);
  str_append(out, texts[p->role]);
  if (p->field)
    str_format(out, ": %s", p->field);
  if (p->region && p->size)
    str_format(out, " (%d byte%s at %s+0x%lx)", p->size, p->size == 1 ? "" : "s", p->region,
               (unsigned long)p->region_offset);
}

static void window_text(const struct finding_window *w, struct str *out) {
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

/* For a lost store and one that survived; false for others. */
static bool same_line_text(const struct finding *f, struct str *out) {
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

bool fix_line_text(const struct finding *f, size_t number, const char **label, struct str *out) {
  str_clear(out);
  if (number < f->windows.length) {
    *label = number && f->parts.length ? "or" : "where"; /* without parts all of them are meant */
    window_text(&f->windows.data[number], out);
    return true;
  }
  number -= f->windows.length;
  if (number < f->further.length) {
    *label = "and, of another store of this line";
    window_text(&f->further.data[number], out);
    return true;
  }
  *label = "or";
  return number == f->further.length && same_line_text(f, out);
}

/* How many bytes the name of the function that is called there has; 0: no call begins there. */
static size_t called_length(const char *line, size_t length, uint32_t column) {
  size_t word = source_word_length(line, length, column), behind = column - 1 + word;
  while (behind < length && line[behind] == ' ')
    behind++;
  return behind < length && line[behind] == '(' && column && line[column - 1] != '(' ? word : 0;
}

void turn_text(struct sources *s, const struct finding_turn *t, const char *article,
               struct str *out) {
  size_t length, called = 0;
  const char *line = NULL;
  bool lock = strcmp(t->what, "lock operation") == 0;
  if (s && lock && !t->call)
    line = sources_line(s, t->place.file, t->place.line, &length);
  if (line)
    called = called_length(line, length, t->place.column);
  if (t->call && lock)
    str_append(out, t->call);
  else if (t->call)
    str_format(out, "%s%s in %s", article, t->what, t->call);
  else if (called)
    str_append_bytes(out, line + t->place.column - 1, called);
  else
    str_format(out, "%s%s", article, t->what);
}
