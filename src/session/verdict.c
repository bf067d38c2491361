#include "session/verdict.h"
#include "access/space.h"
#include "base/check.h"
#include "base/intern.h"
#include "libc/pmfile.h"
#include "process/image.h"
#include "process/program.h"
#include "process/share.h"
#include "process/unwind.h"
#include "session/advice.h"
#include "session/gave_up.h"
#include <string.h>

#define NO_FINDING (-1)

struct verdict {
  int finding;     /* index, or NO_FINDING */
  uint32_t ending; /* if there is a finding: executions that show it may differ in details */
  int outcome;     /* index, or -1 */
  bool assumed;    /* tidemark_assume left the execution out */
};

/* How a run ended; interned, so filled with zeros between its members. */
struct ending {
  struct stop stop;
  int thread, machine;
};

struct found {
  char *identity;
  enum finding_kind kind;
  struct verdict_places at; /* analyses */
  uint64_t rank;            /* analyses: of what is described; the least is kept */
  struct finding_prevention prevention;
  struct finding finding;            /* count > 0: filled in */
  struct bigint more;                /* executions that were not walked; not part of its count */
  bool glimpsed;                     /* filled in without being counted, */
  struct finding_prevention glimpse; /* and what would prevent that execution */
  uint64_t count_before;             /* of the search that started again; filled in likewise */
  uintptr_t function, loop_low,
      loop_high; /* FINDING_HANG: places in the loop that were seen, or 0 */
};

static struct {
  VEC(struct verdict) verdicts;
  VEC(struct found) found;
  VEC(struct outcome) outcomes;
  struct intern endings;
  VEC(struct bigint) outcomes_more; /* likewise */
  uint64_t look_at; /* so many executions of a finding, before others are only counted */
  bool keep;        /* findings of a search that started again */
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
  case STOP_USE_AFTER_FREE:
    *kind = FINDING_USE_AFTER_FREE;
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

/* The innermost frame of the program itself, or at least of a library; -1: none.  A function that
 * ends the program for others is not meant. */
static int stop_frame(const struct stop *s) {
  int library = -1, caller = gave_up_caller(s);
  if (caller >= 0)
    return caller;
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

static void add_code(uintptr_t code, struct str *out) {
  struct place p = program_place(NULL, code, false);
  str_format(out, " %s+0x%lx", p.object ? p.object : "", (unsigned long)p.offset);
}

static void add_frames(const struct stop *s, struct str *out) {
  int first = stop_frame(s), count = s->by_library ? LIBRARY_FRAMES : 1;
  for (int i = first; first >= 0 && i < first + count && i < s->frame_count; i++)
    add_code(s->frames[i], out);
}

static uintptr_t stop_function(const struct stop *s) {
  int at = stop_frame(s);
  return at < 0 ? 0 : unwind_function(s->frames[at] + (at == 0 && s->interrupted));
}

/* What tells it from other findings; the same in every process that searches this program. */
static void identify(enum finding_kind kind, const struct stop *s, struct str *out) {
  str_append(out, finding_kind_text((int)kind));
  if (kind == FINDING_DEADLOCK) { /* who came last is chance, who waits for what is not */
    if (s->waits)
      str_format(out, " %lx", (unsigned long)s->waits);
    else
      str_format(out, " %s", s->message);
    return;
  }
  if (kind == FINDING_HANG && (s->loop_low || !s->site)) {
    add_code(stop_function(s), out); /* where in it the loop was interrupted is chance */
    if (s->loop_low)
      add_code(s->loop_low, out);
    return;
  }
  if (s->site)
    str_format(out, " %s %s", s->site->file, s->site->function);
  if (kind == FINDING_HANG)
    return;
  if (s->site)
    str_format(out, " %u:%u", s->site->line, s->site->column);
  if (s->site && !*s->site->file) /* not known where */
    add_code((uintptr_t)s->site, out);
  if (s->freed_code)
    add_code(s->freed_code, out);
  if (kind == FINDING_ASSERTION) /* two on one line */
    str_format(out, " %s", s->message);
  if (kind == FINDING_EXIT_STATUS) {
    str_format(out, " %d", s->status);
    add_frames(s, out);
    gave_up_said(s, out);
  } else if (!s->site && kind != FINDING_NONDETERMINISM)
    add_frames(s, out);
}

/* Of a use after free: the use, and where it was freed. */
static struct verdict_places places_of(const struct stop *s) {
  if (!s->freed_code)
    return (struct verdict_places){0};
  return (struct verdict_places){.store = verdict_line(s->site, 0),
                                 .load = {.code = s->freed_code}};
}

/* Interrupted elsewhere, a loop looks a little different. */
static bool is_that_loop(const struct found *f, enum finding_kind kind, const struct stop *s) {
  return kind == FINDING_HANG && f->kind == kind && f->loop_low && s->loop_low &&
         f->function == stop_function(s) && f->loop_low <= s->loop_high &&
         s->loop_low <= f->loop_high;
}

static int find_finding(const struct stop *why) {
  enum finding_kind kind;
  if (!finding_kind_of(why, &kind))
    return NO_FINDING;
  struct str identity = {0};
  identify(kind, why, &identity);
  size_t i = 0;
  while (i < all.found.length && strcmp(all.found.data[i].identity, str_text(&identity)) != 0 &&
         !is_that_loop(&all.found.data[i], kind, why))
    i++;
  if (i == all.found.length)
    vec_push(&all.found, ((struct found){.identity = mem_strdup(str_text(&identity)),
                                         .kind = kind,
                                         .function = stop_function(why),
                                         .loop_low = why->loop_low,
                                         .loop_high = why->loop_high,
                                         .at = places_of(why)}));
  str_free(&identity);
  return (int)i;
}

static uint32_t number_of(const struct stop *why, int thread, int machine) {
  struct ending e;
  memset(&e, 0, sizeof e);
  e.stop.kind = why->kind;
  e.stop.status = why->status;
  e.stop.address = why->address;
  e.stop.stale = why->stale;
  e.stop.site = why->site;
  e.stop.by_library = why->by_library;
  e.stop.frame_count = why->frame_count;
  e.stop.interrupted = why->interrupted;
  e.stop.loop_low = why->loop_low;
  e.stop.loop_high = why->loop_high;
  e.stop.freed_code = why->freed_code;
  e.stop.freed_thread = why->freed_thread;
  e.stop.said_count = why->said_count;
  memcpy(e.stop.said_frames, why->said_frames, (size_t)why->said_count * sizeof *why->said_frames);
  strncpy(e.stop.said, why->said, sizeof e.stop.said - 1);
  memcpy(e.stop.frames, why->frames, (size_t)why->frame_count * sizeof *why->frames);
  strncpy(e.stop.message, why->message, sizeof e.stop.message - 1);
  e.thread = thread;
  e.machine = machine;
  return intern(&all.endings, &e, sizeof e);
}

static struct ending ending_of(uint32_t number) {
  struct ending e;
  memcpy(&e, all.endings.bytes.data + all.endings.items.data[number - 1].offset, sizeof e);
  return e;
}

static int find_outcome(const char *text) {
  if (!text)
    return -1;
  for (size_t i = 0; i < all.outcomes.length; i++)
    if (strcmp(all.outcomes.data[i].text, text) == 0)
      return (int)i;
  vec_push(&all.outcomes, ((struct outcome){.text = mem_strdup(text)}));
  vec_push(&all.outcomes_more, ((struct bigint){0}));
  return (int)all.outcomes.length - 1;
}

uint32_t verdict_of(const struct stop *why, const char *outcome, int thread, int machine) {
  struct verdict v = {.assumed = why->kind == STOP_ASSUME};
  v.finding = find_finding(why);
  v.ending = v.finding == NO_FINDING ? 0 : number_of(why, thread, machine);
  v.outcome = v.assumed ? -1 : find_outcome(outcome);
  for (size_t i = 0; i < all.verdicts.length; i++) {
    const struct verdict *old = &all.verdicts.data[i];
    if (old->finding == v.finding && old->ending == v.ending && old->outcome == v.outcome &&
        old->assumed == v.assumed)
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
  for (int i = 0; i < f->own.count; i++)
    vec_push(&out.own, program_place(NULL, f->own.code[i], true));
  out.ended = f->ended;
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

/* The newest store to the line, which its machine did not write back. */
static void describe_lost(const struct history *h, uintptr_t address, struct finding *f) {
  for (size_t i = h->events.length; i-- > 0;) {
    const struct event *e = &h->events.data[i];
    if ((e->kind != EVENT_STORE && e->kind != EVENT_NT_STORE) ||
        LINE_OF(e->address) != LINE_OF(address))
      continue;
    struct str text = {0};
    str_format(&text,
               "machine %d lost this store with its cache: flush it, and fence, before another "
               "machine may read the line, or handle poison (tidemark_on_poison)",
               e->machine);
    f->fix = mem_strdup(str_text(&text));
    f->fix_place = program_place(e->site, e->code, true);
    str_free(&text);
    return;
  }
}

static struct finding_turn describe_turn(const struct history_step *s) {
  static const char *const what[] = {"start", "load",           "store", "flush",
                                     "fence", "lock operation", "free"};
  static const char *const waits[] = {"", "wait, which ends without a signal,",
                                      "wait, whose time is over,"};
  const struct operation *o = &s->operation;
  struct finding_turn t = {.execution = s->execution, .thread = o->thread, .drain = o->drain};
  bool ends = o->kind == OPERATION_LOCK && !o->site && !o->code; /* thread_exit is no code of it */
  t.what = mem_strdup(ends ? "end" : o->way ? waits[o->way] : what[o->kind]);
  t.place = program_place(o->site, o->code, true);
  return t;
}

/* Steps of one thread in a row are one turn; each drained entry of a buffer is one of its own. */
static void describe_turns(const struct history *h, struct finding *f) {
  for (size_t i = 0; i < h->steps.length; i++) {
    const struct history_step *s = &h->steps.data[i];
    const struct operation *o = &s->operation;
    const struct finding_turn *last = f->turns.length ? &vec_last(&f->turns) : NULL;
    bool goes_on = last && !o->drain && !o->way && !last->drain && last->thread == o->thread &&
                   last->execution == s->execution;
    if (s->when == HISTORY_HAPPENED && !goes_on)
      vec_push(&f->turns, describe_turn(s));
  }
}

/* Where the threads stood at the failure, in their order. */
static void describe_stands(const struct history *h, struct finding_failure *f) {
  for (size_t i = 0; i < h->steps.length; i++) {
    const struct history_step *s = &h->steps.data[i];
    if (s->execution != f->execution || (s->when != HISTORY_NEXT && s->when != HISTORY_HELD_BACK))
      continue;
    vec_push(&f->stands, describe_turn(s));
    vec_last(&f->stands).drain = s->when == HISTORY_HELD_BACK;
    struct finding_turn *all = f->stands.data, new = vec_last(&f->stands);
    size_t at = f->stands.length - 1;
    for (; at > 0 && all[at - 1].thread > new.thread; at--)
      all[at] = all[at - 1];
    all[at] = new;
  }
}

void verdict_stack(const struct stop *s, place_list *out) {
  int at = stop_frame(s);
  /* How a library came to call abort says nothing about the program. */
  bool by_library = s->kind == STOP_ABORT && at > 0 && gave_up_caller(s) < 0;
  int first = by_library ? at : 0;
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
  if (h->complete)
    h->complete();
  f->execution = (int)h->failures.length;
  choice_token(&h->choices, &text);
  f->token = mem_strdup(str_text(&text));
  str_free(&text);
  for (size_t i = 0; i < h->failures.length; i++) {
    vec_push(&f->failures, describe_failure(&h->failures.data[i], i));
    describe_stands(h, &vec_last(&f->failures));
  }
  for (size_t i = 0; i < h->reads.length; i++)
    vec_push(&f->loads, describe_load(h, &h->reads.data[i]));
  describe_turns(h, f);
}

static void describe(const struct history *h, const struct ending *e, struct finding *f) {
  f->thread = e->thread;
  f->machine = e->machine;
  struct str text = {0};
  if (f->kind == FINDING_EXIT_STATUS)
    str_format(&text, "the program ended with exit status %d", e->stop.status);
  else
    str_append(&text, e->stop.message);
  f->message = mem_strdup(str_text(&text));
  f->said = *e->stop.said ? mem_strdup(e->stop.said) : NULL;
  str_free(&text);
  describe_stack(&e->stop, f);
  describe_execution(h, f);
  if (e->stop.freed_code)
    vec_push(&f->parts,
             ((struct finding_part){.role = FINDING_ROLE_FREED,
                                    .thread = e->stop.freed_thread,
                                    .place = program_place(NULL, e->stop.freed_code, true)}));
  if (e->stop.stale)
    describe_stale(h, e->stop.address, f);
  if (f->kind == FINDING_POISON)
    describe_lost(h, e->stop.address, f);
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

void verdict_line_text(const struct verdict_line *l, struct str *out) {
  if (l->file)
    str_format(out, " %s:%u", l->file, l->line);
  else
    add_code(l->code, out);
}

static struct found *find_found(enum finding_kind kind, const struct verdict_places *at) {
  for (size_t i = 0; i < all.found.length; i++) {
    struct found *f = &all.found.data[i];
    if (f->kind == kind && verdict_same_line(&f->at.store, &at->store) &&
        verdict_same_line(&f->at.load, &at->load))
      return f;
  }
  return NULL;
}

bool verdict_again(enum finding_kind kind, const struct verdict_places *at) {
  struct found *found = find_found(kind, at);
  bool known = found && found->finding.count;
  if (known)
    found->finding.count++;
  return known;
}

struct finding *verdict_found(const struct history *h, enum finding_kind kind,
                              const struct verdict_places *at, uint64_t rank) {
  struct found *found = find_found(kind, at);
  if (!found) {
    struct str text = {0};
    str_append(&text, finding_kind_text((int)kind));
    verdict_line_text(&at->store, &text);
    verdict_line_text(&at->load, &text);
    vec_push(&all.found,
             ((struct found){.identity = mem_strdup(str_text(&text)), .kind = kind, .at = *at}));
    found = &vec_last(&all.found);
    str_free(&text);
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

bool verdict_is_finding(uint32_t verdict) {
  return all.verdicts.data[verdict].finding != NO_FINDING;
}

bool verdict_is_new(uint32_t verdict) {
  int finding = all.verdicts.data[verdict].finding;
  return finding != NO_FINDING && !all.found.data[finding].finding.count;
}

static void count_outcome(const struct verdict *v) {
  if (v->outcome >= 0)
    all.outcomes.data[v->outcome].count++;
}

void verdict_count(const struct history *h, uint32_t verdict) {
  CHECK(verdict < all.verdicts.length, "verdict %u", verdict);
  struct verdict v = all.verdicts.data[verdict];
  count_outcome(&v);
  if (v.finding == NO_FINDING)
    return;
  struct found *found = &all.found.data[v.finding];
  uint64_t count = found->finding.count;
  struct ending e = ending_of(v.ending);
  if (!e.stop.stale && found->kind != FINDING_NONDETERMINISM)
    advice_consider(&found->prevention, h);
  found->prevention.executions++;
  if (count && h->failures.length >= found->finding.failures.length) {
    found->finding.count++;
    return;
  }
  finding_free(&found->finding); /* this execution shows it with fewer failures */
  found->finding = (struct finding){.kind = found->kind, .count = count + 1};
  describe(h, &e, &found->finding);
}

void verdict_glimpse(const struct history *h, uint32_t verdict) {
  struct verdict v = all.verdicts.data[verdict];
  if (v.finding == NO_FINDING)
    return;
  struct found *found = &all.found.data[v.finding];
  if (found->finding.count || found->glimpsed)
    return;
  struct ending e = ending_of(v.ending);
  finding_free(&found->finding);
  found->finding = (struct finding){.kind = found->kind};
  found->glimpsed = true;
  if (!e.stop.stale && found->kind != FINDING_NONDETERMINISM)
    advice_consider(&found->glimpse, h);
  found->glimpse.executions++;
  describe(h, &e, &found->finding);
}

bool verdict_known(uint32_t verdict) {
  struct verdict v = all.verdicts.data[verdict];
  return (v.outcome < 0 || all.outcomes.data[v.outcome].count) &&
         (v.finding == NO_FINDING ||
          all.found.data[v.finding].prevention.executions >= all.look_at);
}

void verdict_look_at(uint64_t executions) {
  all.look_at = executions;
}

static void repeat_outcome(const struct verdict *v, const struct bigint *times) {
  if (v->outcome >= 0)
    bigint_add(&all.outcomes_more.data[v->outcome], times);
}

void verdict_repeat(uint32_t verdict, const struct bigint *times) {
  struct verdict v = all.verdicts.data[verdict];
  repeat_outcome(&v, times);
  if (v.finding == NO_FINDING)
    return;
  bigint_add(&all.found.data[v.finding].more, times);
}

/* Does one of the verdicts before number n show its finding, too? */
static bool is_shown_before(const uint32_t *verdicts, size_t n) {
  int finding = all.verdicts.data[verdicts[n]].finding;
  for (size_t i = 0; i < n && finding != NO_FINDING; i++)
    if (all.verdicts.data[verdicts[i]].finding == finding)
      return true;
  return false;
}

void verdict_count_all(const struct history *h, const uint32_t *verdicts, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (is_shown_before(verdicts, i))
      count_outcome(&all.verdicts.data[verdicts[i]]);
    else
      verdict_count(h, verdicts[i]);
}

void verdict_repeat_all(const uint32_t *verdicts, size_t count, const struct bigint *times) {
  for (size_t i = 0; i < count; i++)
    if (is_shown_before(verdicts, i))
      repeat_outcome(&all.verdicts.data[verdicts[i]], times);
    else
      verdict_repeat(verdicts[i], times);
}

static void forget_outcomes(void) {
  for (size_t i = 0; i < all.outcomes.length; i++) {
    all.outcomes.data[i].count = 0;
    bigint_set(&all.outcomes_more.data[i], 0);
  }
}

void verdict_reset(void) {
  for (size_t i = 0; i < all.found.length; i++) {
    struct found *f = &all.found.data[i];
    f->count_before = f->finding.count ? f->finding.count : f->count_before;
    f->finding.count = 0;
    bigint_set(&f->more, 0);
    f->prevention = (struct finding_prevention){0};
    bigint_set(&f->more, 0);
  }
  forget_outcomes();
}

void verdict_forget(void) {
  for (size_t i = 0; i < all.found.length; i++) {
    struct found *f = &all.found.data[i];
    f->finding.prevention = f->prevention;
    finding_free(&f->finding);
    f->finding = (struct finding){0};
    f->prevention = (struct finding_prevention){0};
    bigint_set(&f->more, 0);
    f->glimpsed = false;
    f->glimpse = (struct finding_prevention){0};
    f->count_before = 0;
  }
  forget_outcomes();
}

void verdict_keep(void) {
  all.keep = true;
}

static bool is_use_after_free(const struct found *f, const struct verdict_places *at) {
  if (f->kind != FINDING_USE_AFTER_FREE)
    return false;
  return verdict_same_line(&f->at.store, &at->store) && verdict_same_line(&f->at.load, &at->load);
}

void verdict_drop_free_races(void) {
  for (size_t i = 0; i < all.found.length; i++) {
    struct found *f = &all.found.data[i];
    for (size_t k = 0; k < all.found.length && f->kind == FINDING_DATA_RACE; k++)
      if (is_use_after_free(&all.found.data[k], &f->at))
        f->finding.count = f->count_before = 0;
  }
}

size_t verdict_findings(void) {
  size_t n = 0;
  for (size_t i = 0; i < all.found.length; i++)
    n += all.found.data[i].finding.count > 0 || all.found.data[i].glimpsed;
  return n;
}

void verdict_collect(struct results *r) {
  for (size_t i = 0; i < all.found.length; i++) {
    struct finding f = all.found.data[i].finding;
    if (!f.count && (!r->complete || all.keep)) /* there was no time to come to it again */
      f.count = all.found.data[i].count_before;
    f.identity = all.found.data[i].identity;
    f.rank = all.found.data[i].rank;
    f.prevention = f.count ? all.found.data[i].prevention : all.found.data[i].glimpse;
    f.count_text = finding_total(&f.count, &all.found.data[i].more);
    if (f.count || all.found.data[i].glimpsed)
      vec_push(&r->findings, f);
  }
  for (size_t i = 0; i < all.outcomes.length; i++)
    if (all.outcomes.data[i].count) {
      struct outcome o = all.outcomes.data[i];
      o.count_text = finding_total(&o.count, &all.outcomes_more.data[i]);
      vec_push(&r->outcomes, o);
    }
}

void verdict_share(void) {
  share_register(&all, sizeof all);
}
