#include "search/sum.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "process/share.h"
#include <fnmatch.h>
#include <string.h>

/* Host memory. */
static struct str functions;
static struct map known; /* by site: 1 + whether it is in one of these functions */

void sum_set(const char *patterns) {
  share_register(&known, sizeof known);
  str_clear(&functions);
  if (strcmp(patterns, "none") != 0)
    str_append(&functions, patterns);
}

static bool fits(const char *function) {
  bool found = false;
  for (const char *p = str_text(&functions); *p && !found;) {
    size_t length = strcspn(p, ",");
    struct str pattern = {0};
    str_append_bytes(&pattern, p, length);
    found = fnmatch(str_text(&pattern), function, 0) == 0;
    str_free(&pattern);
    p += length + (p[length] == ',');
  }
  return found;
}

bool sum_has(const struct abi_site *site, bool looped) {
  if (!functions.length)
    return false;
  if (!site)
    return looped;
  uint32_t *is = map_at(&known, (uintptr_t)site);
  if (!*is)
    *is = 1 + (uint32_t)fits(site->function);
  return *is == 2;
}

/* Two are as many as more, and states that do not differ otherwise are the same. */
static uint8_t more(uint8_t lines, bool another) {
  return lines + another > 2 ? 2 : (uint8_t)(lines + another);
}

void sum_come(struct sum *s, const struct memo_load *x, bool open) {
  const struct line *l = x->line;
  /* Another one begins where something else is read, or the same once more. */
  if (!x->summed || open || (s->line && l->address < s->line->address))
    *s = (struct sum){0};
  if (!x->summed || open || s->line == l)
    return;
  if (!s->line)
    s->until = UINT64_MAX;
  s->not_newest = more(s->not_newest, s->line_not_newest);
  s->not_oldest = more(s->not_oldest, s->line_not_oldest);
  s->line_not_newest = s->line_not_oldest = false;
  s->line = l;
}

/* What an answer is about: the line as it was stored last, or before? */
static bool is_newest(const struct line *l, const struct candidate *c) {
  for (int i = 0; i < c->refinement_count; i++)
    if (c->refinements[i].interval.high != l->interval[c->refinements[i].domain].high)
      return false;
  return true;
}

static bool is_oldest(const struct line *l, const struct candidate *c) {
  for (int i = 0; i < c->refinement_count; i++)
    if (c->refinements[i].interval.low != l->interval[c->refinements[i].domain].low)
      return false;
  return true;
}

/* Narrow the moments at which all lines were as they were read.  Of a line with several failed domains in doubt nothing
 * is said: no moment is left. */
static void narrow(struct sum *s, const struct line *l, const struct candidate *c) {
  const struct refinement *r = &c->refinements[0];
  uint64_t since = 0, until = c->refinement_count == 1 ? UINT64_MAX : 0;
  for (size_t i = 0; i < l->stores.length && until; i++) {
    const struct store *x = &l->stores.data[i];
    if (x->domain != r->domain)
      continue;
    if (x->position <= r->interval.low)
      since = x->step;
    else if (x->position > r->interval.high) {
      until = x->step;
      break;
    }
  }
  s->since = since > s->since ? since : s->since;
  s->until = until < s->until ? until : s->until;
}

void sum_take(struct sum *s, const struct line *l, const struct candidate *c) {
  if (!s->line)
    return;
  s->line_not_newest |= !is_newest(l, c);
  s->line_not_oldest |= !is_oldest(l, c);
  narrow(s, l, c);
}

bool sum_tries(const struct sum *s, const struct line *l, const struct candidate *c) {
  struct sum then = *s;
  sum_take(&then, l, c);
  return !s->line || then.not_newest + then.line_not_newest <= 1 ||
         then.not_oldest + then.line_not_oldest <= 1 || then.since < then.until;
}
