#include "session/describe.h"
#include "access/space.h"
#include "access/stacks.h"
#include "libc/pmname.h"
#include "process/image.h"
#include "process/program.h"
#include "session/deadlock.h"
#include <stdlib.h>
#include <string.h>

/* Names of files are words of memory to the search, which are flushed; to the user, calls change them. */
static char *describe_moment(const struct history *h, const struct history_failure *f) {
  const struct event *next =
      f->machine < 0 && f->event + 1 < h->events.length ? &h->events.data[f->event + 1] : NULL;
  const char *path;
  if (!next || next->kind != EVENT_PERSIST || !pmname_is_entry(next->address, &path))
    return mem_strdup(f->before);
  struct str text = {0};
  if (path)
    str_format(&text, "this call was over, which changes the directory entry of %s", path);
  else
    str_append(&text, "this call was over, which renames a file");
  char *copy = mem_strdup(str_text(&text));
  str_free(&text);
  return copy;
}

static struct finding_failure describe_failure(const struct history *h,
                                               const struct history_failure *f, size_t index) {
  struct finding_failure out = {.execution = (int)index,
                                .machine = f->machine,
                                .point = f->point,
                                .before = describe_moment(h, f),
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
  out.unmade = !chosen && c->domain == 0 && h->happened && !h->happened(c->store);
  return out;
}

static struct finding_load describe_load(const struct history *h, const struct history_read *r) {
  struct finding_load out = {.address = r->address, .size = r->size, .execution = r->execution};
  out.place = program_place(r->site, r->code, true);
  struct region *region = space_region_at(r->address);
  const char *path;
  if (pmname_is_entry(r->address, &path)) {
    struct str name = {0};
    if (path)
      str_format(&name, "directory entry of %s", path);
    else
      str_append(&name, "a rename that has begun");
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

static const char *what_it_does(const struct operation *o) {
  static const char *const what[] = {"start", "load",           "store", "flush",
                                     "fence", "lock operation", "free"};
  if (o->kind == OPERATION_LOCK && o->lock == OPERATION_LOCK_JOIN)
    return "join";
  if (o->kind == OPERATION_LOCK && o->lock == OPERATION_LOCK_RELEASE && o->also)
    return "wait";
  return what[o->kind];
}

static struct finding_turn describe_turn(const struct history_step *s) {
  static const char *const waits[] = {"", "wait, which ends without a signal,",
                                      "wait, whose time is over,"};
  const struct operation *o = &s->operation;
  struct finding_turn t = {.execution = s->execution, .thread = o->thread, .drain = o->drain};
  bool ends = o->kind == OPERATION_LOCK && !o->site && !o->code; /* thread_exit is no code of it */
  const char *does = !o->way                ? what_it_does(o)
                     : operation_signals(o) ? "signal, which wakes another one than the first,"
                                            : waits[o->way];
  struct str choice = {0};
  if (operation_chooses(o)) {
    str_format(&choice, "choice of %llu", (unsigned long long)o->operand[0] + o->way);
    does = str_text(&choice);
  }
  t.what = mem_strdup(ends ? "end" : does);
  str_free(&choice);
  t.place = program_place(o->site, o->code, true);
  return t;
}

static void put_frames(const struct event_frames *frames, place_list *out) {
  for (int i = 0; frames && i < frames->count; i++)
    vec_push(out, program_place(NULL, frames->code[i], true));
}

/* Steps of one thread in a row are one turn; each drained entry of a buffer is one of its own. */
static void describe_turns(const struct history *h, struct finding *f) {
  for (size_t i = 0; i < h->steps.length; i++) {
    const struct history_step *s = &h->steps.data[i];
    const struct operation *o = &s->operation;
    const struct finding_turn *last = f->turns.length ? &vec_last(&f->turns) : NULL;
    if (operation_chooses(o) && o->operand[1])
      continue; /* the number is told with its last digit */
    bool goes_on = last && !o->drain && !o->way && !operation_chooses(o) && !last->drain &&
                   last->thread == o->thread && last->execution == s->execution;
    if (s->when != HISTORY_HAPPENED || goes_on)
      continue;
    vec_push(&f->turns, describe_turn(s));
    if (stacks_on && h->steps_are_events && !o->drain)
      put_frames(stacks_of_event((uint32_t)i), &vec_last(&f->turns).stack);
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

static void describe_stack(const struct stop *s, struct finding *f) {
  int at = ending_frame(s);
  ending_stack(s, &f->stack);
  if (!s->site && at >= 0)
    f->place = program_place(NULL, s->frames[at], at > 0 || !s->interrupted);
  if (s->site)
    f->place = program_place(s->site, 0, false);
}

void describe_execution(const struct history *h, struct finding *f) {
  struct str text = {0};
  if (h->complete)
    h->complete();
  f->execution = (int)h->failures.length;
  choice_token(&h->choices, &text);
  f->token = mem_strdup(str_text(&text));
  str_free(&text);
  for (size_t i = 0; i < h->failures.length; i++) {
    vec_push(&f->failures, describe_failure(h, &h->failures.data[i], i));
    describe_stands(h, &vec_last(&f->failures));
  }
  for (size_t i = 0; i < h->reads.length; i++)
    vec_push(&f->loads, describe_load(h, &h->reads.data[i]));
  describe_turns(h, f);
}

void describe_variable(uintptr_t address, struct finding *f) {
  const char *path;
  uintptr_t offset;
  if (!image_resolve(address, &path, &offset))
    return;
  struct finding_variable v = {.address = address, .object = mem_strdup(path), .offset = offset};
  vec_push(&f->variables, v);
}

/* Locks are named by their addresses. */
static void describe_variables(struct finding *f) {
  for (const char *p = f->message; (p = strstr(p, "0x"));) {
    char *end;
    uintptr_t address = strtoul(p, &end, 16);
    describe_variable(address, f);
    p = end;
  }
}

void describe_ending(const struct history *h, const struct ending *e, struct finding *f) {
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
  describe_variables(f);
  describe_stack(&e->stop, f);
  describe_execution(h, f);
  if (e->stop.freed_code)
    vec_push(&f->parts,
             ((struct finding_part){.role = f->kind == FINDING_LOCK_MISUSE ? FINDING_ROLE_DESTROYED
                                                                           : FINDING_ROLE_FREED,
                                    .thread = e->stop.freed_thread,
                                    .place = program_place(NULL, e->stop.freed_code, true)}));
  if (f->kind == FINDING_DEADLOCK)
    deadlock_describe(h, f);
  if (e->stop.stale)
    describe_stale(h, e->stop.address, f);
  if (f->kind == FINDING_POISON)
    describe_lost(h, e->stop.address, f);
  if (f->kind == FINDING_USE_AFTER_RETURN)
    f->fix = mem_strdup("let the variable live for as long as others use it: wait for them before "
                        "its function returns, or allocate it with malloc");
}
