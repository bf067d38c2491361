#include "session/advice.h"
#include "access/cxl.h"
#include "access/space.h"
#include "access/stacks.h"
#include "analysis/fix.h"
#include "analysis/flush.h"
#include "finding/prevention.h"
#include "libc/pmname.h"
#include "process/program.h"
#include "session/ending.h"
#include <string.h>

static struct place place_of(const struct history *h, uint32_t step) {
  const struct event *e = trace_event(&h->trace, step);
  return program_place(e->site, e->code, true);
}

static struct verdict_line place_to_flush(const struct event *e) {
  struct verdict_line line = verdict_line(e->site, e->code);
  if (line.file)
    line.column = e->site->column;
  return line;
}

/* ---- in words ---- */

static const char *fix_text(const struct history *h, uint32_t lost, const struct fix_window *w) {
  const struct event *store = trace_event(&h->trace, lost);
  if (w->flush != TRACE_NONE && w->flush == lost)
    return "add a fence (sfence) right after this non-temporal store; it needs no flush";
  if (w->flush != TRACE_NONE)
    return "this flush has not completed when a later store is made: add a fence (sfence) right "
           "after it";
  if (!w->primary)
    return "persist what was read here before anything is stored that relies on it: add a flush "
           "(clwb) of its cache line and a fence (sfence) right after it. The thread that stored "
           "it may be stopped before a flush of its own";
  return store->copied
             ? "add a flush (clwb) of every cache line that this copy writes and a fence (sfence) "
               "right after it"
             : "add a flush (clwb) of this store's cache line and a fence (sfence) right after it";
}

/* For a lost store and a survivor that are parts of one access: no flush can come between them. */
static const char *one_access_text(const struct history *h, uint32_t lost) {
  return trace_event(&h->trace, lost)->copied
             ? "no flush fits between the parts of this copy, which lie on different cache lines: "
               "align what is copied so that one line holds it, or let a store that follows its "
               "flush and fence say that it is valid"
             : "no flush fits between the parts of this store, which crosses a cache line: align "
               "the variable";
}

static uint32_t fix_step(const struct fix_window *w) {
  return w->flush != TRACE_NONE ? w->flush : w->after;
}

static struct finding_window describe_window(const struct history *h, const struct fix_window *w) {
  return (struct finding_window){.thread = w->thread,
                                 .primary = w->primary,
                                 .flush = w->flush == TRACE_NONE,
                                 .fence = true,
                                 .after = place_of(h, fix_step(w)),
                                 .before = place_of(h, w->before)};
}

/* ---- findings of a program ---- */

struct pair {
  uint32_t lost, survivor;
};

static VEC(struct pair) pairs; /* of the execution that is looked at */

static void collect(const struct analysis_report *r) {
  vec_push(&pairs, ((struct pair){r->store, r->survivor}));
}

static VEC(struct history_load) loads; /* of the execution that is looked at, one by one */

static void list_loads(const struct history *h) {
  loads.length = 0;
  for (size_t i = 0; i < h->loads.length; i++)
    for (uint32_t j = 0; j < h->loads.data[i].count; j++) {
      struct history_load l = h->loads.data[i];
      l.load += j;
      vec_push(&loads, l);
    }
}

static struct analysis_load describe_load(uint32_t number) {
  const struct history_load *l = &loads.data[number];
  const struct memo_load *n = l->load;
  return (struct analysis_load){.number = number,
                                .line = n->line,
                                .address = n->address,
                                .size = n->size,
                                .level = l->execution};
}

/* Is the load part of a checksum validation that was wrong?  Other executions, which go on alike, have read something
 * else there. */
static bool was_wrong(const struct history *h, uint32_t load) {
  if (!loads.data[load].load->in_checksum)
    return false;
  for (size_t i = 0; i < h->validations.length; i++)
    if (load < h->validations.data[i].loads)
      return !h->validations.data[i].valid;
  return false;
}

/* Let the robustness analysis look at the execution, from its beginning; also at validations that were wrong? */
static void find_pairs(const struct history *h, struct analyses *a, bool wrong_ones) {
  pairs.length = 0;
  list_loads(h);
  for (size_t i = 0; i < h->trace.steps.length; i++)
    analyses_step(a);
  for (uint32_t i = 0; i < loads.length; i++) {
    struct analysis_load l = describe_load(i);
    if (wrong_ones || !was_wrong(h, i))
      analyses_load(a, h->memory, &l, NULL);
  }
}

/* ---- what prevents an execution ---- */

#define REMEDIES_MAX \
  32 /* of one execution: more lost stores give more to choose from, and cost time */

/* Something that is done at one or two places. */
static char *remedy_key(const struct history *h, const char *what, uint32_t step, uint32_t other) {
  struct str key = {0};
  str_append(&key, what);
  for (int i = 0; i < 2; i++) {
    const struct event *e = trace_event(&h->trace, i ? other : step);
    if (e->site && *e->site->file)
      str_format(&key, " %s:%u:%u", e->site->file, e->site->line, e->site->column);
    else
      ending_add_code(e->site ? (uintptr_t)e->site : e->code, &key);
    if (other == step)
      break;
  }
  char *text = mem_strdup(str_text(&key));
  str_free(&key);
  return text;
}

static void add_key(struct finding_case *c, char *key) {
  for (size_t i = 0; i < c->remedies.length; i++)
    if (strcmp(c->remedies.data[i], key) == 0) {
      mem_free(key, strlen(key) + 1);
      return;
    }
  vec_push(&c->remedies, key);
}

static void describe_remedy(struct finding_case *c, const struct history *h, uint32_t lost,
                            const struct fix_window *w) {
  c->window = describe_window(h, w);
  c->text = mem_strdup(fix_text(h, lost, w));
  c->place = place_of(h, fix_step(w));
}

/* A flush right behind the store prevents whatever a window of its own thread does, wherever the window ends.  The
 * fence behind a flush that is there already helps only who comes by that flush, and what another thread flushes only
 * who reads it there. */
static void add_window_keys(struct finding_case *c, const struct history *h, uint32_t lost,
                            const struct fix_window *w) {
  if (w->flush != TRACE_NONE && w->flush != lost)
    add_key(c, remedy_key(h, "fence", w->flush, w->flush));
  if (w->primary)
    add_key(c, remedy_key(h, "flush", lost, lost));
  else if (w->flush == TRACE_NONE)
    add_key(c, remedy_key(h, "read", w->after, lost));
}

static void add_remedy(struct finding_case *c, const struct history *h, const struct clock *clock,
                       const struct pair *p) {
  fix_window_list windows = {0};
  fix_windows(&h->trace, clock, p->lost, p->survivor, &windows);
  if (windows.length) { /* otherwise nothing happens between the two: no place for a flush */
    if (!c->text)
      describe_remedy(c, h, p->lost, &windows.data[0]);
    add_window_keys(c, h, p->lost, &windows.data[0]);
  } else if (fix_is_one_access(&h->trace, clock, p->lost, p->survivor)) {
    if (!c->text) {
      c->text = mem_strdup(one_access_text(h, p->lost));
      c->place = place_of(h, p->lost);
    }
    add_key(c, remedy_key(h, "align", p->lost, p->lost));
  }
  vec_free(&windows);
}

static bool same_site(const struct history *h, uint32_t a, uint32_t b) {
  const struct event *x = trace_event(&h->trace, a), *y = trace_event(&h->trace, b);
  return x->site ? x->site == y->site : !y->site && x->code == y->code;
}

/* Pairs of the same two places have the same remedies, or nearly so. */
static bool is_like_earlier(const struct history *h, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (same_site(h, pairs.data[i].lost, pairs.data[n].lost) &&
        same_site(h, pairs.data[i].survivor, pairs.data[n].survivor))
      return true;
  return false;
}

static struct finding_case describe_case(struct finding_prevention *p, const struct history *h,
                                         const struct clock *clock) {
  struct finding_case c = {.before = p->executions, .effort = p->effort};
  int looked_at = 0;
  for (size_t i = 0; i < pairs.length && looked_at < REMEDIES_MAX; i++)
    if (!is_like_earlier(h, i)) {
      add_remedy(&c, h, clock, &pairs.data[i]);
      looked_at++;
    }
  p->effort += (uint64_t)looked_at * h->trace.steps.length;
  return c;
}

static struct analyses new_analyses(const struct history *h) {
  return (struct analyses){
      .robustness_wanted = true, .trace = &h->trace, .found = collect, .load = describe_load};
}

/* Would a flush make a checksum right that was wrong here? */
static bool rests_on_validation(const struct history *h) {
  struct analyses analyses = new_analyses(h);
  find_pairs(h, &analyses, true);
  analyses_free(&analyses);
  return pairs.length > 0;
}

static void consider_failures(struct finding_prevention *p, const struct history *h) {
  struct analyses analyses = new_analyses(h);
  if (prevention_is_closed(p))
    return;
  find_pairs(h, &analyses, false);
  struct finding_case c = describe_case(p, h, &analyses.clock);
  if (pairs.length == 0) {
    c.hopeless = true;
    c.unsure = analyses.imprecise || rests_on_validation(h);
    for (int l = 0; l < CLOCK_LEVELS; l++) /* threads may be ordered in ways that nobody sees */
      c.unsure |= clock_threads(&analyses.clock, l) > 1;
  }
  prevention_add(p, &c);
  p->effort += h->trace.steps.length + loads.length;
  analyses_free(&analyses);
}

/* Is it something that other machines can notice: a store to another line than that of `address`, or a lock
 * operation? */
static bool shows(const struct event *e, uintptr_t address) {
  if (e->kind == EVENT_STORE || e->kind == EVENT_NT_STORE)
    return LINE_OF(e->address) != LINE_OF(address);
  return e->kind == EVENT_FENCE && e->detail == EVENT_FENCE_RMW && !e->site;
}

/* Did the machine do such a thing after the access that this store is part of?  Otherwise it could as well have failed
 * before it, or in the middle, where no flush fits. */
static bool acts_later(const struct history *h, uint32_t store) {
  const struct event *s = &h->events.data[store];
  bool within = true;
  for (size_t i = store + 1; i < h->events.length; i++) {
    const struct event *e = &h->events.data[i];
    if (e->machine != s->machine)
      continue;
    bool own = e->thread == s->thread;
    within &= !own || e->continued;
    if (shows(e, s->address) && !(own && within))
      return true;
  }
  return false;
}

/* Of the stores that the load did not see, the newest that others could rely on; NULL: there is none. */
static const struct event *lost_store(const struct history *h, const struct history_read *r) {
  for (uint32_t i = 0; i < r->taken; i++) {
    uint32_t store = h->candidates.data[r->first + i].store;
    if (store != CANDIDATE_INITIAL && acts_later(h, store))
      return &h->events.data[store];
  }
  return NULL;
}

static struct finding_case make_durable(const struct event *store) {
  return (struct finding_case){
      .text = mem_strdup(store->kind == EVENT_NT_STORE
                             ? "this store is lost with its machine: add a fence (sfence) after "
                               "it, before anything is stored that relies on it"
                             : "this store is lost with its machine: add a flush (clwb) and a "
                               "fence (sfence) after it, before anything is stored that relies on "
                               "it"),
      .place = program_place(store->site, store->code, true)};
}

/* cxl: the last load that did not see a store of a failed machine which others could rely on. */
static void consider_machines(struct finding_prevention *p, const struct history *h) {
  const struct event *lost = NULL;
  bool any = false;
  for (size_t i = h->reads.length; i-- > 0 && !p->cases.length && !lost;) {
    lost = lost_store(h, &h->reads.data[i]);
    any |= h->reads.data[i].taken > 0;
  }
  if (!any)
    return;
  /* Some lock operations leave no event. */
  struct finding_case c =
      lost ? make_durable(lost)
           : (struct finding_case){.hopeless = true, .unsure = cxl.state.synchronised > 0};
  c.before = p->executions;
  prevention_add(p, &c);
}

void advice_consider(struct finding_prevention *p, const struct history *h) {
  if (h->failures.length == 0)
    return;
  if (h->machines)
    consider_machines(p, h);
  else
    consider_failures(p, h);
}

/* ---- findings of analyses ---- */

static void put_region(struct finding_part *p, uintptr_t address) {
  struct region *region = space_region_at(address);
  const char *path;
  if (pmname_is_entry(address, &path) || !region)
    return;
  p->region = mem_strdup(region->name);
  p->region_offset = address - region->base;
}

static void put_stack(const struct event_frames *frames, place_list *out) {
  for (int i = 0; frames && i < frames->count; i++)
    vec_push(out, program_place(NULL, frames->code[i], true));
}

/* Where a store began: it may have left its store buffer later, during something else. */
static uint32_t issue_of(const struct trace *t, uint32_t store) {
  const struct event *e = trace_event(t, store);
  for (uint32_t i = 0; event_issue(e) && i < store; i++) {
    const struct event *x = trace_event(t, i);
    if (t->steps.data[i].level == t->steps.data[store].level && x->thread == e->thread &&
        x->kind == EVENT_ISSUE && x->detail == event_issue(e))
      return i;
  }
  return store;
}

static const struct event_frames *store_frames(const struct history *h, uint32_t step) {
  return stacks_on ? stacks_of_event(h->trace.steps.data[issue_of(&h->trace, step)].event) : NULL;
}

static void add_store(const struct history *h, struct finding *f, enum finding_role role,
                      uint32_t step) {
  const struct event *e = trace_event(&h->trace, step);
  struct finding_part p = {.role = role,
                           .thread = e->thread,
                           .execution = h->trace.steps.data[step].level,
                           .size = e->size,
                           .copied = e->copied,
                           .place = place_of(h, step)};
  put_region(&p, e->address);
  put_stack(store_frames(h, step), &p.stack);
  vec_push(&f->parts, p);
}

static void add_load(struct finding *f, enum finding_role role, const struct analysis_load *l) {
  struct finding_part p = {.role = role,
                           .execution = l->level,
                           .size = l->size,
                           .place = program_place(l->site, l->code, true)};
  put_region(&p, l->address);
  if (stacks_on)
    put_stack(stacks_of_load(l->level, l->address, l->size, l->site), &p.stack);
  vec_push(&f->parts, p);
}

static void describe_robustness(const struct history *h, const struct analyses *a,
                                const struct analysis_report *r, struct finding *f) {
  fix_window_list windows = {0};
  f->message = mem_strdup("this store can be lost although a later one survives");
  add_store(h, f, FINDING_ROLE_LOST, r->store);
  add_store(h, f, FINDING_ROLE_SURVIVED, r->survivor);
  add_load(f, FINDING_ROLE_MISSED, r->load);
  if (r->other->number != r->load->number)
    add_load(f, FINDING_ROLE_READ, r->other);
  fix_windows(&h->trace, &a->clock, r->store, r->survivor, &windows);
  for (size_t i = 0; i < windows.length; i++)
    vec_push(&f->windows, describe_window(h, &windows.data[i]));
  if (windows.length) {
    f->fix = mem_strdup(fix_text(h, r->store, &windows.data[0]));
    f->fix_place = place_of(h, fix_step(&windows.data[0]));
  } else if (fix_is_one_access(&h->trace, &a->clock, r->store, r->survivor)) {
    f->fix = mem_strdup(one_access_text(h, r->store));
    f->fix_place = place_of(h, r->store);
  }
  vec_free(&windows);
}

static void describe_race(const struct history *h, const struct analysis_report *r,
                          struct finding *f) {
  const struct event *e = trace_event(&h->trace, r->store);
  static const char *const types[] = {
      [1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"};
  struct str text = {0};
  f->message = mem_strdup(e->copied ? "a failure can tear this store, which is part of a copy"
                                    : "a failure can tear this store, which is not atomic");
  add_store(h, f, FINDING_ROLE_TORN, r->store);
  add_load(f, FINDING_ROLE_READ, r->load);
  if (e->copied || e->size > 8 || !types[e->size])
    str_append(&text, "persist the copy (clwb, sfence) before an atomic store makes it visible to "
                      "the recovery, or protect it with a checksum");
  else
    str_format(&text,
               "make it atomic: a variable of type _Atomic %s (C++: std::atomic<%s>) and "
               "atomic_store_explicit(..., memory_order_release), which costs nothing on x86",
               types[e->size], types[e->size]);
  f->fix = mem_strdup(str_text(&text));
  f->fix_place = place_of(h, r->store);
  str_free(&text);
}

static void describe_report(const struct history *h, const struct analyses *a,
                            const struct analysis_report *r, struct finding *f) {
  const struct event *e = trace_event(&h->trace, r->store);
  f->place = place_of(h, r->store);
  put_stack(store_frames(h, r->store), &f->stack);
  f->thread = e->thread;
  f->machine = e->machine;
  f->execution = h->trace.steps.data[r->store].level;
  if (r->kind == FINDING_ROBUSTNESS)
    describe_robustness(h, a, r, f);
  else
    describe_race(h, r, f);
}

uint32_t advice_report(const struct history *h, const struct analyses *a,
                       const struct analysis_report *r) {
  const struct event *e = trace_event(&h->trace, r->store);
  struct verdict_places at = {
      .store = r->kind == FINDING_ROBUSTNESS ? place_to_flush(e) : verdict_line(e->site, e->code),
      .load = verdict_line(r->load->site, r->load->code)};
  uint64_t distance = r->survivor == TRACE_NONE ? 0 : r->survivor - r->store;
  struct finding *f = verdict_found(h, r->kind, &at, (uint64_t)h->failures.length << 32 | distance);
  if (f)
    describe_report(h, a, r, f);
  return verdict_reported(r->kind, &at);
}

/* ---- flushes and fences without effect ---- */

static void describe_useless(const struct flush_place *p, struct finding *f) {
  struct str text = {0};
  const char *what = p->call    ? p->call
                     : p->fence ? event_fence_text(p->kind)
                                : event_flush_text(p->kind);
  struct place at = program_place(p->site, p->site ? 0 : p->code[0], true);
  const char *why = p->fence       ? "completes no flush that makes anything persistent"
                    : p->completed ? "never makes anything persistent that was not"
                                   : "has no effect, because no fence of its thread follows";
  str_format(&text, "this %s %s", what, why);
  f->message = mem_strdup(str_text(&text));
  str_clear(&text);
  if (!p->fence && !p->completed)
    str_append(&text, "add a fence (sfence) after it if what it flushes has to be persistent, or "
                      "remove it");
  else
    str_append(&text, "remove it");
  f->fix = mem_strdup(str_text(&text));
  f->fix_place = program_place(p->site, p->site ? 0 : p->code[0], true);
  f->place = program_place(p->site, p->site ? 0 : p->code[0], true);
  f->count = p->executed;
  f->refutes = p->used > 0; /* the compiler may have made several copies of a place */
  vec_push(&f->parts, ((struct finding_part){.role = FINDING_ROLE_USELESS, .place = at}));
  for (int i = 0; i < FLUSH_FRAMES && p->code[i]; i++)
    vec_push(&f->stack, program_place(NULL, p->code[i], true));
  str_free(&text);
}

void advice_report_flushes(const struct history *h) {
  for (size_t i = 0; i < flush_place_count(); i++) {
    const struct flush_place *p = flush_place(i);
    if (p->site && !*p->site->file)
      continue; /* copies of it could not be told apart */
    struct verdict_places at = {.load = {.code = i}};
    struct finding *f =
        verdict_found(h, p->fence ? FINDING_REDUNDANT_FENCE : FINDING_REDUNDANT_FLUSH, &at, 0);
    describe_useless(p, f);
  }
}
