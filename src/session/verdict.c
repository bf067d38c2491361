#include "session/verdict.h"
#include "access/space.h"
#include "base/check.h"
#include "libc/pmfile.h"
#include "process/image.h"
#include "process/program.h"
#include "process/share.h"
#include "session/advice.h"
#include <string.h>

#define NO_FINDING (-1)

struct verdict {
  int finding;  /* index, or NO_FINDING */
  int outcome;  /* index, or -1 */
  bool assumed; /* tidemark_assume left the execution out */
};

struct found {
  struct stop stop; /* of the run that showed it first */
  enum finding_kind kind;
  int thread, machine;
  struct verdict_places at; /* analyses */
  uint64_t rank;            /* analyses: of what is described; the least is kept */
  struct advice advice;
  struct finding finding; /* count > 0: filled in */
  uint64_t count_before;  /* of the search that started again; filled in likewise */
};

static struct {
  VEC(struct verdict) verdicts;
  VEC(struct found) found;
  VEC(struct outcome) outcomes;
  bool keep; /* findings of a search that started again */
} all;

/* ---- at the end of a run ---- */

static bool finding_kind_of(const struct stop *why, enum finding_kind *kind) {
  switch (why->kind) {
  case STOP_FINISHED:
    *kind = FINDING_EXIT_STATUS;
    return why->status != 0;
  case STOP_ASSERTION:
    *kind = FINDING_ASSERTION;
    return true;
  case STOP_ABORT:
    *kind = FINDING_ABORT;
    return true;
  case STOP_SEGFAULT:
    *kind = FINDING_SEGFAULT;
    return true;
  case STOP_ILLEGAL_ACCESS:
    *kind = FINDING_ILLEGAL_ACCESS;
    return true;
  case STOP_FATAL_SIGNAL:
    *kind = FINDING_FATAL_SIGNAL;
    return true;
  case STOP_HANG:
    *kind = FINDING_HANG;
    return true;
  case STOP_DEADLOCK:
    *kind = FINDING_DEADLOCK;
    return true;
  case STOP_NONDETERMINISM:
    *kind = FINDING_NONDETERMINISM;
    return true;
  case STOP_POISON:
    *kind = FINDING_POISON;
    return true;
  case STOP_NONE:
  case STOP_REFUSED:
  case STOP_ASSUME:
  case STOP_FAILURE:
  case STOP_KNOWN:
    break;
  }
  return false;
}

/* The innermost frame of the program itself, or at least of a library; -1: none. */
static int stop_frame(const struct stop *s) {
  int library = -1;
  for (int i = 0; i < s->frame_count; i++) {
    if (image_is_own_code(s->frames[i]))
      return i;
    if (library < 0 && !program_is_ours(s->frames[i]))
      library = i;
  }
  return library;
}

/* Templates of a library that were compiled into the program stand between it and the program. */
#define LIBRARY_FRAMES 4

static bool same_code(const struct stop *a, const struct stop *b) {
  int i = stop_frame(a), j = stop_frame(b), count = a->by_library ? LIBRARY_FRAMES : 1;
  if (i < 0 || j < 0)
    return i == j;
  for (int n = 0; n < count; n++) {
    uintptr_t x = i + n < a->frame_count ? a->frames[i + n] : 0;
    uintptr_t y = j + n < b->frame_count ? b->frames[j + n] : 0;
    if (x != y)
      return false;
  }
  return true;
}

/* Where in a function a loop was interrupted is chance. */
static bool same_loop(const struct stop *a, const struct stop *b) {
  if (!a->site || !b->site)
    return a->site == b->site;
  return strcmp(a->site->function, b->site->function) == 0 &&
         strcmp(a->site->file, b->site->file) == 0;
}

/* Is this a kind that analyses find, not the end of an execution? */
static bool verdict_by_analysis(enum finding_kind kind) {
  return kind == FINDING_ROBUSTNESS || kind == FINDING_PERSISTENCY_RACE ||
         kind == FINDING_REDUNDANT_FLUSH || kind == FINDING_REDUNDANT_FENCE;
}

static bool same_bug(const struct found *f, enum finding_kind kind, const struct stop *s) {
  if (f->kind != kind || verdict_by_analysis(kind))
    return false;
  if (kind == FINDING_HANG)
    return same_loop(&f->stop, s);
  if (kind == FINDING_DEADLOCK) /* who came last is chance, who waits for what is not */
    return strcmp(f->stop.message, s->message) == 0;
  if (f->stop.site != s->site)
    return false;
  if (kind == FINDING_ASSERTION && strcmp(f->stop.message, s->message) != 0)
    return false; /* two on one line */
  if (kind == FINDING_EXIT_STATUS)
    return f->stop.status == s->status;
  return kind == FINDING_NONDETERMINISM || s->site || same_code(&f->stop, s);
}

static int find_finding(const struct stop *why, int thread, int machine) {
  enum finding_kind kind;
  if (!finding_kind_of(why, &kind))
    return NO_FINDING;
  for (size_t i = 0; i < all.found.length; i++)
    if (same_bug(&all.found.data[i], kind, why))
      return (int)i;
  struct found f = {.stop = *why, .kind = kind, .thread = thread, .machine = machine};
  vec_push(&all.found, f);
  return (int)all.found.length - 1;
}

static int find_outcome(const char *text) {
  if (!text)
    return -1;
  for (size_t i = 0; i < all.outcomes.length; i++)
    if (strcmp(all.outcomes.data[i].text, text) == 0)
      return (int)i;
  vec_push(&all.outcomes, ((struct outcome){.text = mem_strdup(text)}));
  return (int)all.outcomes.length - 1;
}

uint32_t verdict_of(const struct stop *why, const char *outcome, int thread, int machine) {
  struct verdict v = {.assumed = why->kind == STOP_ASSUME};
  v.finding = find_finding(why, thread, machine);
  v.outcome = v.assumed ? -1 : find_outcome(outcome);
  for (size_t i = 0; i < all.verdicts.length; i++) {
    const struct verdict *old = &all.verdicts.data[i];
    if (old->finding == v.finding && old->outcome == v.outcome && old->assumed == v.assumed)
      return (uint32_t)i;
  }
  vec_push(&all.verdicts, v);
  return (uint32_t)all.verdicts.length - 1;
}

/* ---- details of a finding, from the first of its executions with the fewest failures ---- */

static struct finding_failure describe_failure(const struct history_failure *f, size_t index) {
  struct finding_failure out = {.execution = (int)index,
                                .machine = f->machine,
                                .point = f->point,
                                .before = mem_strdup(f->before),
                                .place = program_place(f->site, f->code, true)};
  for (int i = 0; i < f->frames.count; i++)
    vec_push(&out.stack, program_place(NULL, f->frames.code[i], true));
  return out;
}

static struct finding_store describe_store(const struct history *h, const struct candidate *c,
                                           bool chosen) {
  struct finding_store out = {.value = c->value, .chosen = chosen};
  if (c->store == CANDIDATE_INITIAL) {
    out.initial = true;
    return out;
  }
  const struct event *e = &h->events.data[c->store];
  out.thread = e->thread;
  out.machine = e->machine;
  out.place = program_place(e->site, e->code, true);
  out.execution = h->machines ? 0 : c->domain;
  return out;
}

static struct finding_load describe_load(const struct history *h, const struct history_read *r) {
  struct finding_load out = {.address = r->address, .size = r->size, .execution = r->execution};
  out.place = program_place(r->site, r->code, true);
  struct region *region = space_region_at(r->address);
  struct pmfile *file = pmfile_of_entry(r->address);
  if (file) {
    struct str name = {0};
    str_format(&name, "directory entry of %s", pmfile_path(file));
    out.region = mem_strdup(str_text(&name));
    out.region_offset = r->address % LINE_BYTES;
    str_free(&name);
  } else if (region) {
    out.region = mem_strdup(region->name);
    out.region_offset = r->address - region->base;
  }
  for (size_t i = 0; i < r->count; i++)
    vec_push(&out.stores, describe_store(h, &h->candidates.data[r->first + i], i == r->taken));
  return out;
}

#define STALE_BLOCK_MAX 65536 /* a field of a larger block is not attributed to its pointer */

/* The store that put the pointer into persistent memory: of those before the failure the newest
 * with the greatest address at or below the one used. */
static const struct event *stored_pointer(const struct history *h, uintptr_t address) {
  const struct event *best = NULL;
  size_t end = h->failures.length == 1 ? h->failures.data[0].event : h->events.length;
  for (size_t i = 0; i < end; i++) {
    const struct event *e = &h->events.data[i];
    if ((e->kind != EVENT_STORE && e->kind != EVENT_NT_STORE) ||
        address - e->value >= STALE_BLOCK_MAX || (best && e->value < best->value))
      continue;
    best = e;
  }
  return best;
}

static void describe_stale(const struct history *h, uintptr_t address, struct finding *f) {
  const struct event *store = stored_pointer(h, address);
  f->fix = mem_strdup("heap, stacks and thread-local variables are gone after a failure: do not "
                      "keep their addresses in persistent memory, or set them anew before they are "
                      "used");
  if (store)
    f->fix_place = program_place(store->site, store->code, true);
}

/* Steps of one thread in a row are one turn; each drained entry of a buffer is one of its own. */
static void describe_turns(const struct history *h, struct finding *f) {
  static const char *const what[] = {"start", "load", "store", "flush", "fence", "lock operation"};
  for (size_t i = 0; i < h->steps.length; i++) {
    const struct history_step *s = &h->steps.data[i];
    const struct operation *o = &s->operation;
    const struct finding_turn *last = f->turns.length ? &vec_last(&f->turns) : NULL;
    if (last && !o->drain && !last->drain && last->thread == o->thread &&
        last->execution == s->execution)
      continue;
    struct finding_turn t = {.execution = s->execution, .thread = o->thread, .drain = o->drain};
    bool ends =
        o->kind == OPERATION_LOCK && !o->site && !o->code; /* thread_exit is no code of it */
    t.what = mem_strdup(ends ? "end" : what[o->kind]);
    t.place = program_place(o->site, o->code, true);
    vec_push(&f->turns, t);
  }
}

void verdict_stack(const struct stop *s, place_list *out) {
  int at = stop_frame(s);
  /* How a library came to call abort says nothing about the program. */
  int first = s->kind == STOP_ABORT && at > 0 ? at : 0;
  for (int i = first; i < s->frame_count; i++) {
    if (!program_is_ours(s->frames[i]))
      vec_push(out, program_place(NULL, s->frames[i], i > 0 || !s->interrupted));
  }
}

static void describe_stack(const struct stop *s, struct finding *f) {
  int at = stop_frame(s);
  verdict_stack(s, &f->stack);
  if (!s->site && at >= 0)
    f->place = program_place(NULL, s->frames[at], at > 0 || !s->interrupted);
  if (s->site)
    f->place = program_place(s->site, 0, false);
}

/* How the execution came about. */
static void describe_execution(const struct history *h, struct finding *f) {
  struct str text = {0};
  f->execution = (int)h->failures.length;
  choice_token(&h->choices, &text);
  f->token = mem_strdup(str_text(&text));
  str_free(&text);
  for (size_t i = 0; i < h->failures.length; i++)
    vec_push(&f->failures, describe_failure(&h->failures.data[i], i));
  for (size_t i = 0; i < h->reads.length; i++)
    vec_push(&f->loads, describe_load(h, &h->reads.data[i]));
  describe_turns(h, f);
}

static void describe(const struct history *h, struct found *found) {
  struct finding *f = &found->finding;
  f->kind = found->kind;
  f->thread = found->thread;
  f->machine = found->machine;
  struct str text = {0};
  if (found->kind == FINDING_EXIT_STATUS)
    str_format(&text, "the program ended with exit status %d", found->stop.status);
  else
    str_append(&text, found->stop.message);
  f->message = mem_strdup(str_text(&text));
  str_free(&text);
  describe_stack(&found->stop, f);
  describe_execution(h, f);
  if (found->stop.stale)
    describe_stale(h, found->stop.address, f);
}

struct verdict_line verdict_line(const struct abi_site *site, uintptr_t code) {
  if (site && *site->file)
    return (struct verdict_line){.file = site->file, .line = site->line};
  return (struct verdict_line){.code = site ? (uintptr_t)site : code};
}

bool verdict_same_line(const struct verdict_line *a, const struct verdict_line *b) {
  if (!a->file || !b->file)
    return a->file == b->file && a->code == b->code;
  return a->line == b->line && strcmp(a->file, b->file) == 0;
}

struct finding *verdict_found(const struct history *h, enum finding_kind kind,
                              const struct verdict_places *at, uint64_t rank) {
  struct found *found = NULL;
  for (size_t i = 0; i < all.found.length && !found; i++) {
    struct found *f = &all.found.data[i];
    if (f->kind == kind && verdict_same_line(&f->at.store, &at->store) &&
        verdict_same_line(&f->at.load, &at->load))
      found = f;
  }
  if (!found) {
    vec_push(&all.found, ((struct found){.kind = kind, .at = *at}));
    found = &vec_last(&all.found);
  }
  uint64_t count = found->finding.count;
  if (count && rank >= found->rank) {
    found->finding.count++;
    return NULL;
  }
  finding_free(&found->finding);
  found->finding = (struct finding){.kind = kind, .count = count + 1};
  found->rank = rank;
  describe_execution(h, &found->finding);
  return &found->finding;
}

bool verdict_is_new(uint32_t verdict) {
  int finding = all.verdicts.data[verdict].finding;
  return finding != NO_FINDING && !all.found.data[finding].finding.count;
}

bool verdict_describes(const struct history *h, uint32_t verdict) {
  int finding = all.verdicts.data[verdict].finding;
  return finding != NO_FINDING &&
         (!all.found.data[finding].finding.count ||
          h->failures.length < all.found.data[finding].finding.failures.length);
}

void verdict_count(const struct history *h, uint32_t verdict) {
  CHECK(verdict < all.verdicts.length, "verdict %u", verdict);
  struct verdict v = all.verdicts.data[verdict];
  if (v.outcome >= 0)
    all.outcomes.data[v.outcome].count++;
  if (v.finding == NO_FINDING)
    return;
  struct found *found = &all.found.data[v.finding];
  uint64_t count = found->finding.count;
  if (!found->stop.stale && found->kind != FINDING_NONDETERMINISM)
    advice_consider(&found->advice, h);
  if (count && h->failures.length >= found->finding.failures.length) {
    found->finding.count++;
    return;
  }
  finding_free(&found->finding); /* this execution shows it with fewer failures */
  found->finding = (struct finding){.count = count + 1};
  describe(h, found);
}

void verdict_reset(void) {
  for (size_t i = 0; i < all.found.length; i++) {
    struct found *f = &all.found.data[i];
    f->count_before = f->finding.count ? f->finding.count : f->count_before;
    f->finding.count = 0;
    advice_reset(&f->advice);
  }
  for (size_t i = 0; i < all.outcomes.length; i++)
    all.outcomes.data[i].count = 0;
}

void verdict_keep(void) {
  all.keep = true;
}

size_t verdict_findings(void) {
  size_t n = 0;
  for (size_t i = 0; i < all.found.length; i++)
    n += all.found.data[i].finding.count > 0;
  return n;
}

void verdict_collect(struct results *r) {
  for (size_t i = 0; i < all.found.length; i++) {
    struct finding f = all.found.data[i].finding;
    if (!f.count && (!r->complete || all.keep)) /* there was no time to come to it again */
      f.count = all.found.data[i].count_before;
    advice_give(&all.found.data[i].advice, &f);
    if (f.count)
      vec_push(&r->findings, f);
  }
  for (size_t i = 0; i < all.outcomes.length; i++)
    if (all.outcomes.data[i].count)
      vec_push(&r->outcomes, all.outcomes.data[i]);
}

void verdict_share(void) {
  share_register(&all, sizeof all);
}
