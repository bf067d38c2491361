#include "session/concurrency.h"
#include "access/lifetime.h"
#include "access/stacks.h"
#include "analysis/data_race.h"
#include "analysis/fences.h"
#include "analysis/prefix.h"
#include "analysis/store_buffer.h"
#include "base/str.h"
#include "event/lanes.h"
#include "libc/kept.h"
#include "process/program.h"
#include "process/share.h"
#include "search/interleavings.h"
#include "session/describe.h"
#include "session/verdict.h"

struct leak {
  int thread;
  uintptr_t lock;
};

static struct {
  VEC(struct operation) operations;
  VEC(struct operation) by_lane; /* the same for the monitors, if there are many threads */
  VEC(struct leak) leaks;
} found; /* in the execution at hand */

static struct data_race races = {.before = interleavings_before};
static struct store_buffer overtakings;

static const struct operation *operation(uint32_t position) {
  return &found.operations.data[position];
}

/* Lines in one order: the two accesses may come in either. */
static struct verdict_places places_of(const struct operation *a, const struct operation *b) {
  struct verdict_line x = verdict_line(a->site, a->code), y = verdict_line(b->site, b->code);
  bool swap =
      x.file == y.file ? x.line > y.line || (x.line == y.line && x.code > y.code) : x.file > y.file;
  return swap ? (struct verdict_places){y, x} : (struct verdict_places){x, y};
}

static struct verdict_places overtaking_places(const struct store_buffer_report *r) {
  const struct operation *load = operation(r->load), *store = operation(r->store);
  return (struct verdict_places){verdict_line(store->site, store->code),
                                 verdict_line(load->site, load->code)};
}

static struct verdict_places race_places(const struct data_race_report *r) {
  const struct operation *first = operation(r->first), *second = operation(r->second);
  if (second->kind == OPERATION_FREE)
    return (struct verdict_places){verdict_line(first->site, first->code),
                                   verdict_line(second->site, second->code)};
  return places_of(first, second);
}

static bool same_places(struct verdict_places a, struct verdict_places b) {
  return verdict_same_line(&a.store, &b.store) && verdict_same_line(&a.load, &b.load);
}

/* Each pair of lines once: findings count executions. */
static bool is_first_race(size_t n) {
  for (size_t i = 0; i < n; i++)
    if (same_places(race_places(&races.reports.data[i]), race_places(&races.reports.data[n])))
      return false;
  return true;
}

static bool is_first_overtaking(size_t n) {
  for (size_t i = 0; i < n; i++)
    if (same_places(overtaking_places(&overtakings.reports.data[i]),
                    overtaking_places(&overtakings.reports.data[n])))
      return false;
  return true;
}

/* The finding, to be filled in; NULL: it is known. */
static struct finding *found_at(enum finding_kind kind, const struct verdict_places *at) {
  bool known = interleavings.early ? verdict_knows(kind, at) : verdict_again(kind, at);
  if (known)
    return NULL;
  interleavings_describe();
  return interleavings.early ? verdict_foreseen(&interleavings.history, kind, at)
                             : verdict_found(&interleavings.history, kind, at, 0);
}

static struct place place_of(const struct operation *o) {
  return program_place(o->site, o->code, true);
}

static void add_part(struct finding *f, enum finding_role role, const struct operation *o) {
  vec_push(&f->parts,
           ((struct finding_part){
               .role = role, .thread = o->thread, .size = (int)o->size, .place = place_of(o)}));
}

/* Who has called that, if this is the run in which somebody asks. */
static void put_stack(uint32_t position, place_list *out) {
  const struct event_frames *frames = stacks_on ? stacks_of_event(position) : NULL;
  for (int i = 0; frames && i < frames->count; i++)
    vec_push(out, program_place(NULL, frames->code[i], true));
}

static void add_step(struct finding *f, enum finding_role role, uint32_t position) {
  add_part(f, role, operation(position));
  put_stack(position, &vec_last(&f->parts).stack);
}

static const char *access_text(const struct operation *o) {
  bool store = operation_is_store(o);
  if (o->kind == OPERATION_LOCK)
    return o->lock == OPERATION_LOCK_SETUP ? "initialisation or destruction of a lock"
                                           : "lock operation";
  if (o->kind == OPERATION_FREE)
    return "free";
  return o->order ? (store ? "atomic store" : "atomic load") : store ? "store" : "load";
}

static const char *race_fix(const struct operation *first, const struct operation *second) {
  if (first->kind == OPERATION_LOCK || second->kind == OPERATION_LOCK)
    return "initialise a lock before other threads can come to know it, and destroy it when they "
           "are known to be done with it: join them, or let release and acquire order that";
  if (first->order)
    return "make this access atomic, as the other one is, or let both threads hold the same lock";
  if (second->order)
    return "make the other access atomic, as this one is, or let both threads hold the same lock";
  return "let both threads hold the same lock, order the accesses with a release store and an "
         "acquire "
         "load between them, or make both atomic";
}

static void report_race(const struct data_race_report *r) {
  const struct operation *first = operation(r->first), *second = operation(r->second);
  struct verdict_places at = race_places(r);
  struct finding *f = found_at(FINDING_DATA_RACE, &at);
  if (!f)
    return;
  struct str text = {0};
  str_format(&text, "this %s of thread %d and the %s of thread %d are not ordered",
             access_text(second), second->thread, access_text(first), first->thread);
  f->message = mem_strdup(str_text(&text));
  str_free(&text);
  f->place = place_of(second);
  f->thread = second->thread;
  put_stack(r->second, &f->stack);
  add_step(f, FINDING_ROLE_FIRST, r->first);
  add_step(f, FINDING_ROLE_SECOND, r->second);
  describe_variable(first->address > second->address ? first->address : second->address, f);
  if (second->kind == OPERATION_FREE)
    return;
  const char *kept = kept_advice(second->address);
  f->fix = mem_strdup(kept ? kept : race_fix(first, second));
}

static void report_overtaking(const struct store_buffer_report *r) {
  const struct operation *load = operation(r->load), *store = operation(r->store);
  struct verdict_places at = overtaking_places(r);
  struct finding *f = found_at(FINDING_STORE_BUFFER, &at);
  if (!f)
    return;
  f->message = mem_strdup("this load can be carried out before the thread's "
                          "earlier store is visible to others");
  f->place = place_of(load);
  f->thread = load->thread;
  put_stack(r->load, &f->stack);
  add_step(f, FINDING_ROLE_DELAYED, r->store);
  add_step(f, FINDING_ROLE_EARLY, r->load);
  add_step(f, FINDING_ROLE_CONFLICT, r->write);
  f->fix =
      mem_strdup("add a full fence (atomic_thread_fence(memory_order_seq_cst)) between the store "
                 "and the load, or make the store sequentially consistent");
  f->fix_place = place_of(store);
  vec_push(&f->windows, ((struct finding_window){.thread = load->thread,
                                                 .primary = true,
                                                 .fence = true,
                                                 .after = place_of(store),
                                                 .before = place_of(load)}));
}

/* A use after free that no thread carries out any more. */
static void report_late(const struct lifetime_late *l) {
  struct verdict_places at = {verdict_line(l->store.site, l->store.code),
                              verdict_line(l->freed.site, l->freed.code)};
  struct finding *f = found_at(FINDING_USE_AFTER_FREE, &at);
  if (!f)
    return;
  struct str text = {0};
  str_format(&text,
             "this store leaves the store buffer when thread %d has freed the heap block it is for",
             l->freed.thread);
  f->message = mem_strdup(str_text(&text));
  str_free(&text);
  f->place = place_of(&l->store);
  f->thread = l->store.thread;
  add_part(f, FINDING_ROLE_FREED, &l->freed);
  add_part(f, FINDING_ROLE_LATE, &l->store);
}

void concurrency_note_leaks(void) {
  found.leaks.length = 0;
  for (int i = 0; i < thread_count(); i++) {
    const void *lock = sync_mutex_left(thread_by_id(i));
    if (lock)
      vec_push(&found.leaks, ((struct leak){i, (uintptr_t)lock}));
  }
}

void concurrency_share(void) {
  share_register(&found, sizeof found);
}

/* Where the thread has locked it, or the number of all events. */
static size_t locked_at(const struct leak *l) {
  for (size_t i = interleavings_events(); i-- > 0;) {
    const struct operation *o = interleavings_event(i);
    if (o->kind == OPERATION_LOCK && o->thread == l->thread &&
        (o->address == l->lock || o->also == l->lock))
      return i;
  }
  return interleavings_events();
}

static void report_leak(const struct leak *l) {
  size_t position = locked_at(l);
  if (position == interleavings_events())
    return;
  const struct operation *o = interleavings_event(position);
  struct verdict_line line = verdict_line(o->site, o->code);
  struct finding *f = found_at(FINDING_LOCK_LEAK, &(struct verdict_places){line, line});
  if (!f)
    return;
  struct str text = {0};
  str_format(&text, "thread %d has ended and still holds the mutex that it locked here", l->thread);
  f->message = mem_strdup(str_text(&text));
  str_free(&text);
  f->place = place_of(o);
  f->thread = l->thread;
  put_stack((uint32_t)position, &f->stack);
}

static bool same_late(const struct lifetime_late *a, const struct lifetime_late *b) {
  return a->store.site == b->store.site && a->store.code == b->store.code &&
         a->freed.code == b->freed.code;
}

static void check_ends(void) {
  for (size_t i = 0; lifetime_late(i); i++) {
    size_t k = 0;
    while (!same_late(lifetime_late(k), lifetime_late(i)))
      k++;
    if (k == i)
      report_late(lifetime_late(i));
  }
  for (size_t i = 0; i < found.leaks.length; i++)
    report_leak(&found.leaks.data[i]);
}

static struct fences fences;

#define THREADS_MANY 128 /* the square of them is kept for each operation */
#define THREADS_FEW 8    /* for which lanes are not worth while */

/* Returns how many of them are the same as last time. */
static size_t take_operations(void) {
  static struct lanes lanes; /* scratch */
  static uint32_t threads;
  size_t same = interleavings_unchanged();
  same = same < found.operations.length ? same : found.operations.length;
  found.operations.length = same;
  found.by_lane.length = lanes.count = 0;
  lanes.of.length = lanes.unused.length = 0;
  threads = same ? threads : 0; /* at least: those of others before do no harm */
  for (size_t i = same; i < interleavings_events(); i++) {
    vec_push(&found.operations, *interleavings_event(i));
    uint32_t thread = vec_last(&found.operations).thread;
    threads = thread >= threads ? thread + 1 : threads;
  }
  for (size_t i = 0; i < found.operations.length && threads > THREADS_FEW; i++) {
    struct operation o = found.operations.data[i];
    uint32_t creator = o.after ? found.operations.data[o.after - 1].thread : LANES_NONE;
    struct lanes_change c = lanes_add(&lanes, &o, o.after, (uint32_t)i, creator);
    o.begins = c.thread != LANES_NONE;
    o.thread = (uint16_t)lanes.of.data[o.thread];
    vec_push(&found.by_lane, o);
  }
  return found.by_lane.length ? 0 : same;
}

/* As the monitors see them. */
static const struct operation *operations_by_lane(void) {
  return found.by_lane.length ? found.by_lane.data : found.operations.data;
}

bool concurrency_consider_fences(void) {
  take_operations();
  return fences_consider(&fences, operations_by_lane(), found.operations.length);
}

bool concurrency_wants_fences(void) {
  return fences.needed.length && !fences.hopeless;
}

void concurrency_tell_fences(struct results *r) {
  for (size_t i = 0; i < fences.places.length; i++)
    if (fences.places.data[i].chosen)
      vec_push(&r->fences, program_place(fences.places.data[i].site, 0, false));
}

bool concurrency_check(bool data_races, bool store_buffers) {
  check_ends();
  if (!data_races && !store_buffers)
    return true;
  size_t same = take_operations(), count = found.operations.length;
  bool too_many = store_buffers && found.by_lane.length &&
                  prefix_threads(operations_by_lane(), count) > THREADS_MANY;
  if (data_races)
    data_race_follow(&races, operations_by_lane(), count, same);
  for (size_t i = 0; i < races.reports.length; i++)
    if (is_first_race(i))
      report_race(&races.reports.data[i]);
  if (store_buffers && !too_many)
    store_buffer_follow(&overtakings, operations_by_lane(), count, same);
  for (size_t i = 0; i < overtakings.reports.length; i++)
    if (is_first_overtaking(i))
      report_overtaking(&overtakings.reports.data[i]);
  if (too_many) /* not all monitors have seen it */
    found.operations.length = 0;
  return !too_many;
}
