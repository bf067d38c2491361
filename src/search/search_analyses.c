/* What the pm search tells analyses: steps and loads along the execution that is walked, and the answers that a load
 * could have had. */
#include "access/space.h"
#include "base/check.h"
#include "search/search_internal.h"

void search_note_step(int level, uint32_t event) {
  struct search *s = &search;
  vec_push(&s->history.trace.steps, ((struct trace_step){.event = event, .level = (uint8_t)level}));
  if (s->analyses)
    analyses_step(s->analyses);
}

static struct analysis_load describe_load(int level, const struct memo_load *n, uint32_t number) {
  return (struct analysis_load){.number = number,
                                .line = n->line,
                                .address = n->address,
                                .size = n->size,
                                .level = level,
                                .site = n->site,
                                .code = n->code,
                                .ignored = n->ignored,
                                .postponed = n->in_checksum};
}

/* Loads of the execution under way so far. */
static uint32_t load_count(void) {
  const struct history *h = &search.history;
  return h->loads.length ? vec_last(&h->loads).number + vec_last(&h->loads).count : 0;
}

void search_note_loads(struct walk *w, const struct memo_load *n, uint32_t count) {
  struct history_load l = {n, w->level, count, load_count()};
  vec_push(&search.history.loads, l);
}

/* Note that analyses have heard of these bytes, so that the same load tells them nothing new. */
static void tell(struct line *line, const struct analysis_load *l) {
  if (search.memory.watched)
    memory_tell(&search.memory, line, l->level, (int)(l->address - line->address), l->size);
}

/* A checksum validation has ended.  If it was right, analyses have heard of what it has read. */
void search_note_checksum(bool valid) {
  struct analyses *a = search.analyses;
  vec_push(&search.history.validations, ((struct history_validation){load_count(), valid}));
  if (!a)
    return;
  for (size_t i = a->validation; valid && i < a->postponed.length; i++) {
    const struct analysis_load *l = &a->postponed.data[i].load;
    tell(&space_line(l->line->address)->line, l);
  }
  analyses_checksum(a, &search.memory, valid);
}

bool search_matters(int domain, uint32_t step, uint32_t moment) {
  const struct search *s = &search;
  for (size_t i = 1; i < space_line_count(); i++) {
    const struct line *l = &space_line_by_index(i)->line;
    for (size_t n = 0; n < l->stores.length; n++) {
      const struct store *x = &l->stores.data[n];
      if (x->domain == domain && x->event != STORE_NAMELESS &&
          !memory_is_covered(&s->memory, l, domain, x->position, moment) &&
          clock_ordered(&s->analyses->clock, x->step, step))
        return true;
    }
  }
  return false;
}

void search_note_load(struct walk *w, const struct memo_load *n, const struct candidate *taken,
                      uint64_t value) {
  struct search *s = &search;
  (void)value;
  search_note_loads(w, n, 1);
  if (!s->analyses || analyses_settled(s->analyses, n->line, n->address, n->size, w->level))
    return;
  bool looked_at = !n->in_checksum && !n->ignored;
  if (looked_at && !taken && !s->memory.open &&
      analyses_load_quickly(s->analyses, n->line, n->address, n->size, w->level))
    return;
  struct analysis_load l = describe_load(w->level, n, load_count() - 1);
  analyses_load(s->analyses, &s->memory, &l, taken);
  if (looked_at)
    tell(n->line, &l);
}

struct analysis_load search_load(uint32_t number) {
  const struct history_load *all = search.history.loads.data;
  size_t first = 0;
  CHECK(number < load_count(), "load %u of %u", number, load_count());
  for (size_t end = search.history.loads.length; end - first > 1;) {
    size_t middle = first + (end - first) / 2;
    if (all[middle].number <= number)
      first = middle;
    else
      end = middle;
  }
  return describe_load(all[first].execution, all[first].load + (number - all[first].number),
                       number);
}

/* The newest stores that loads of the part read go to x->newest.  False: there are more than MEMO_NEWEST, or analyses
 * have to hear of some load by itself. */
static bool find_newest(const struct memo_chain *part, struct memo_lines *x) {
  for (int i = 0; i < MEMO_NEWEST; i++)
    x->newest[i] = TRACE_NONE;
  for (uint32_t i = 0; i < part->length; i++) {
    const struct memo_load *l = &part->loads[i];
    if (l->ignored || l->in_checksum ||
        !analyses_newest(search.analyses, l->line, l->address, l->size, x->newest, MEMO_NEWEST))
      return false;
  }
  return true;
}

/* Analyses are told of the part as a whole if they would learn the same from its loads one by one. */
bool search_may_skim(struct walk *w, const struct memo_chain *part) {
  struct memo_lines *x = part->lines;
  if (!search.analyses)
    return true;
  for (uint32_t i = 0; i < x->count; i++)
    if (!analyses_certain(search.analyses, x->at[i].line, w->level))
      return false;
  if (x->together == MEMO_UNKNOWN)
    x->together = find_newest(part, x) ? MEMO_TOGETHER : MEMO_ONE_BY_ONE;
  return x->together == MEMO_TOGETHER && analyses_loads(search.analyses, x->newest, MEMO_NEWEST);
}

/* Let analyses look at one answer.  If the moment of the failure is open, the answer says something about it, too. */
static void look_at_answer(const struct analysis_load *l, struct line *line,
                           const struct candidate *c) {
  struct search *s = &search;
  size_t mark = memory_mark(&s->memory);
  if (s->memory.open)
    memory_choose(&s->memory, line, c);
  analyses_candidates(s->analyses, &s->memory, l, c, 1);
  memory_undo(&s->memory, mark);
}

/* Each answer is looked at as if it had been taken: what is found names it.  `choice` is the one
 * between them, NULL if their values are the same. */
void search_note_candidates(struct walk *w, const struct memo_load *n, struct choice *choice) {
  struct search *s = &search;
  if (!s->analyses)
    return;
  struct analysis_load l = describe_load(w->level, n, load_count());
  uint32_t taken = choice ? choice->taken : 0;
  for (size_t i = 0; i < w->raw.length; i++) {
    uint32_t answer = w->answer_of.data[i];
    if (s->history.choices.replaying && answer != taken)
      continue;
    if (choice)
      choice->taken = vec_last(&s->history.reads).taken = answer;
    look_at_answer(&l, n->line, &w->raw.data[i]);
  }
  if (choice)
    choice->taken = vec_last(&s->history.reads).taken = taken;
}

static void note_whole(const struct line *l, uint32_t step) {
  memory_note_whole(&search.memory, &space_line(l->address)->line, step);
}

void search_watch(void) {
  struct search *s = &search;
  s->memory.watched = s->merges && s->analyses;
  if (s->analyses)
    s->analyses->whole = s->memory.watched ? note_whole : NULL;
}
