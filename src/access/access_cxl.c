/* The cxl model: machines with coherent caches over shared memory, failing one by one.
 *
 * Stores of a machine stay in its cache until it flushes the line, until another machine loads it
 * (coherence writes it back), or, in the CXL 3 protocol, until another machine stores to it (the
 * ownership goes over and the old owner's line is written back).  Whatever makes a store of a live
 * machine certain is preceded by the question whether that machine fails right before it. */
#include "access/access_internal.h"
#include "access/cxl.h"
#include "access/schedule.h"
#include "access/spin.h"
#include "base/check.h"
#include "base/mem.h"
#include "door/door.h"
#include "event/window.h"
#include "process/layout.h"
#include "process/share.h"
#include "thread/thread.h"
#include <string.h>

struct cxl cxl;

/* Programs keep tags in the other bits of pointers. */
#define ADDRESS_BITS (((uint64_t)1 << 48) - 1)

struct cxl_change {
  void *variable;
  uint64_t before;
  int size;
};

/* ---- state ---- */

int cxl_failures(void) {
  return __builtin_popcount(cxl.state.failed);
}

int cxl_failures_left(void) {
  return cxl.options.failures_max - cxl_failures();
}

bool cxl_settled(void) {
  return cxl.state.failed && cxl_failures_left() <= 0;
}

/* After the last failure every byte is resolved when it is first read.  (Poison is a matter of whole
 * lines and stays with the other rule.) */
static bool is_settled(void) {
  return cxl_settled() && !cxl.options.poison;
}

void cxl_set(void *variable, uint64_t value, int size) {
  struct cxl_change c = {.variable = variable, .size = size};
  memcpy(&c.before, variable, (size_t)size);
  vec_push(&cxl.changes, c);
  memcpy(variable, &value, (size_t)size);
}

struct cxl_mark cxl_mark(void) {
  return (struct cxl_mark){memory_mark(&cxl.memory), cxl.changes.length, cxl.touched.length};
}

void cxl_undo(struct cxl_mark m) {
  memory_undo(&cxl.memory, m.memory);
  while (cxl.changes.length > m.changes) {
    struct cxl_change c = vec_pop(&cxl.changes);
    memcpy(c.variable, &c.before, (size_t)c.size);
  }
  if (cxl.touched.length > m.touched)
    cxl.touched.length = m.touched;
}

static void doubt_line(struct space_line *l, int machine) {
  uint64_t doubt = l->doubt;
  for (size_t n = l->line.stores.length; n-- > 0;) {
    const struct store *s = &l->line.stores.data[n];
    if (s->domain == machine && s->position > l->line.interval[machine].low)
      doubt |= (((uint64_t)1 << s->size) - 1) << s->offset;
  }
  cxl_set(&l->doubt, doubt, 8);
}

void cxl_lose(int machine) {
  CHECK(!cxl_failed(machine), "machine %d fails twice", machine);
  cxl.state.failed |= (uint16_t)(1u << machine);
  cxl.memory.failed |= 1u << machine;
  cxl.state.reads_known = is_settled() && !schedule.explores;
  for (size_t i = 1; i < space_line_count(); i++) {
    struct space_line *l = space_line_by_index(i);
    if (!(l->dirty >> machine & 1))
      continue;
    cxl_set(&l->dirty, l->dirty & ~(1u << machine), 2);
    if (cxl.options.gpf)
      memory_raise(&cxl.memory, &l->line, machine, l->line.latest[machine]);
    else
      doubt_line(l, machine);
  }
}

/* The machine has done something that another one may notice, so it makes a difference again whether it fails now. */
static void was_seen(int machine) {
  cxl.state.quiet &= (uint16_t) ~(1u << machine);
}

static void acted(int machine) {
  was_seen(machine);
  cxl.state.looks = 0;
}

/* A failure point: ask the search whether this machine fails right before `what`.  Returns if it does not, or if
 * another machine's thread acts; does not return if the acting thread is its own and it fails.  observed: ask even if
 * the machine has stored nothing since it was last asked, because the difference from failing later would be seen. */
static void may_fail(int machine, bool observed, const char *what, const struct abi_site *site) {
  uint16_t bit = (uint16_t)(1u << machine);
  if (cxl.state.failed & bit || cxl_failures_left() <= 0 || spin_is_alone())
    return;
  if (cxl.state.quiet & bit && !observed)
    return;
  cxl.state.quiet |= bit;
  enum door_fate fate =
      door->fail(&(struct door_failure){.machine = machine, .before = what, .site = site});
  if (fate == DOOR_GOES_ON)
    return;
  if (fate == DOOR_FAILS)
    cxl_lose(machine);
  access_lose_buffers(machine);
  spin_machine_failed();
  if (access_on_behalf()) { /* what leaves another thread's buffer is not over yet */
    thread_fail_machine(machine);
    return;
  }
  if (thread_current()->machine == machine)
    access_abandon();
  thread_kill_machine(machine);
}

/* Was the newest store to the line lost with its machine?  Refines the line. */
static bool is_poisoned(struct space_line *l) {
  if (!l->line.stores.length)
    return false;
  struct store s = vec_last(&l->line.stores); /* it may lie elsewhere after the choice */
  struct interval i = l->line.interval[s.domain];
  if (!cxl_failed(s.domain) || s.position <= i.low)
    return false;
  if (s.position > i.high)
    return true;
  bool lost = door->choose(CHOICE_POISON, 2);
  struct candidate c = {.refinement_count = 1};
  c.refinements[0].domain = s.domain;
  c.refinements[0].interval =
      lost ? (struct interval){i.low, s.position - 1} : (struct interval){s.position, i.high};
  memory_choose(&cxl.memory, &l->line, &c);
  return lost;
}

/* Whoever reads a poisoned line is told: its machine's handler is called, or it is a finding. */
static void tell_poison(uintptr_t address, const struct abi_site *site) {
  void (*handler)(void *) = cxl.state.poison_handler[thread_current()->machine];
  if (!handler)
    stop_at(STOP_POISON, address, site,
            "read of poisoned memory at 0x%lx: a machine failed before it wrote this line back",
            (unsigned long)address);
  handler((void *)address);
}

/* ---- accesses ---- */

/* The machine's stores to the line up to `position` are in memory now. */
static void write_back(struct space_line *l, int machine, uint32_t position) {
  memory_raise(&cxl.memory, &l->line, machine, position);
  if (l->line.interval[machine].low >= l->line.latest[machine] && l->dirty >> machine & 1)
    cxl_set(&l->dirty, l->dirty & ~(1u << machine), 2);
}

/* Something is about to make a store of the machine certain: does the machine fail before?  With --gpf stores are
 * certain as soon as they are made, and it is asked before the next store instead. */
static void may_fail_before(int machine, bool observed, const char *what,
                            const struct abi_site *site) {
  if (!cxl.options.gpf)
    may_fail(machine, observed, what, site);
}

/* The running machine is about to make stores of another machine certain, which third machines can see even if both
 * fail afterwards: does the running one fail before?  Asked only if two may still fail. */
static void may_not_come_to_it(const char *what, const struct abi_site *site) {
  if (cxl_failures_left() >= 2)
    may_fail_before(access_machine(), true, what, site);
}

/* Another machine takes part in this line: what live machines have not written back of it goes to
 * memory, unless they fail first. */
static void fetch_from_others(struct space_line *l, const char *what, const struct abi_site *site) {
  int self = access_machine();
  for (int m = 0; m < cxl.options.machines; m++) {
    if (m == self || !(l->dirty >> m & 1))
      continue;
    may_not_come_to_it(what, site);
    if (cxl_failed(self))
      return;
    may_fail_before(m, true, what, site);
    if (!cxl_failed(m))
      write_back(l, m, l->line.latest[m]);
  }
}

static void resolve_unknown(struct space_line *l, const struct access_piece *p) {
  uint64_t unknown = access_mask(p->address, p->size) & ~*l->known;
  while (unknown) {
    int first = __builtin_ctzl(unknown);
    int count = __builtin_ctzl(~(unknown >> first));
    uintptr_t address = l->line.address + (uintptr_t)first;
    cxl_know(l, address, count, access_ask(&l->line, address, count, p->site));
    unknown &= ~access_mask(address, count);
  }
}

/* Make sure that the cache view holds what this load reads.  told: its instruction was told of poison already. */
static void resolve(struct space_line *l, const struct access_piece *p, bool *told) {
  uint64_t bytes = access_mask(p->address, p->size);
  if (is_settled()) {
    resolve_unknown(l, p);
    return;
  }
  if (cxl.options.poison && is_poisoned(l) && !*told) {
    *told = true;
    tell_poison(p->address, p->site);
  }
  if (!(l->doubt & bytes))
    return;
  uint64_t value = access_ask(&l->line, p->address, p->size, p->site);
  cxl_set(space_alias(p->address), value, p->size);
  cxl_set(&l->doubt, l->doubt & ~bytes, 8);
}

/* The paper's rule: whether the newest store to the line is lost poisons it for every load, also for
 * those that read other bytes. */
static void ask_newest_writer(struct space_line *l, const struct access_piece *p) {
  if (!l->line.stores.length)
    return;
  const struct store *s = &vec_last(&l->line.stores);
  int writer = s->domain;
  if (writer == access_machine() || s->position <= l->line.interval[writer].low)
    return;
  may_fail_before(writer, true, "a load by another machine", p->site);
  acted(writer); /* seen alive, it may still fail before it writes the line back */
}

/* Up to which position a load of these bytes would have to write back what the machine stored; 0: not at all.  Asked
 * again after each question to the search, see flush_line. */
static uint32_t position_read(const struct space_line *l, const struct access_piece *p,
                              int machine) {
  int offset = (int)(p->address - l->line.address);
  if (machine == access_machine() || cxl_failed(machine))
    return 0;
  uint32_t position = memory_newest_read(&cxl.memory, &l->line, machine, offset, p->size);
  return position > l->line.interval[machine].low ? position : 0;
}

/* The paper's rule: a load writes back only up to the store it reads, and only if that store is
 * another live machine's.  Sets cxl.state.fetched: up to which position, 0: nothing. */
static void fetch_what_is_read(struct space_line *l, const struct access_piece *p, bool *told) {
  for (int m = 0; m < cxl.options.machines; m++) {
    if (!position_read(l, p, m))
      continue;
    may_not_come_to_it("a load", p->site);
    may_fail_before(m, true, "a load by another machine", p->site);
    uint32_t position = position_read(l, p, m);
    if (position) {
      write_back(l, m, position);
      if (position > cxl.state.fetched)
        cxl.state.fetched = position;
      if (cxl.options.poison)
        acted(m); /* as above */
      continue;
    }
    resolve(l, p, told);
    m = -1; /* other stores may be read now */
  }
}

bool cxl_is_private(uint64_t value, uint32_t except) {
  uint64_t address = value & ADDRESS_BITS;
  if (address < LAYOUT_HEAP_TABLE_BASE)
    return false;
  int machine = world_machine(address);
  for (int i = 0; machine < 0 && i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    bool has_stack = t->fiber.native_tls; /* it may be somebody else's by now */
    if (has_stack && address >= t->fiber.stack_low && address < t->fiber.stack_high)
      machine = t->machine;
  }
  return machine >= 0 && !(except >> machine & 1);
}

void cxl_note_release(const void *object) {
  const struct thread *self = thread_current();
  bool own = cxl_is_private((uintptr_t)object, ~(1u << self->machine));
  for (int i = 0; i < thread_count() && !own; i++) /* a thread that it has woken */
    own = thread_by_id(i) == object && thread_by_id(i)->machine == self->machine;
  if (!own)
    cxl.state.released |= (uint16_t)(1u << self->machine);
}

static uint64_t load(const struct access_piece *p) {
  struct space_line *l = space_line_if_any(p->address);
  cxl_consult(p->address);
  cxl.state.fetched = 0;
  if (l && l->dirty & ~(1u << access_machine()) && !cxl.options.paper_coherence)
    fetch_from_others(l, "a load by another machine", p->site);
  if (l && cxl.options.paper_coherence && cxl.options.poison)
    ask_newest_writer(l, p);
  bool told = false, *is_told = p->told ? p->told : &told;
  if (l || is_settled())
    resolve(space_line(p->address), p, is_told);
  if (l && cxl.options.paper_coherence)
    fetch_what_is_read(l, p, is_told);
  else if (l)
    cxl.state.fetched = l->line.positions;
  if (l && stacks_on && !is_settled())
    access_note_load(p->address, p->size, p->site);
  if (l && door->loaded && !is_settled())
    door->loaded(&l->line, p->address, p->size, p->site);
  if (cxl.state.fetched &&
      door->fetched) /* who has read a store knows of it when its line is written back */
    door->fetched(&l->line, cxl.state.fetched, p->site);
  uint64_t value = 0;
  memcpy(&value, space_alias(p->address), (size_t)p->size);
  if (!cxl.reads_private)
    cxl.reads_private = cxl_is_private(value, 1u << access_machine());
  return value;
}

/* Once for a store: the two halves of a 16-byte one lie in one line. */
static void before_store(struct space_line *l, const struct abi_site *site) {
  int self = access_machine();
  if (cxl.options.gpf || cxl.options.poison)
    may_fail(self, false, "a store", site);
  if (cxl.options.paper_coherence)
    return;
  if (l->dirty & ~(1u << self))
    fetch_from_others(l, "a store by another machine", site);
  if (door->fetched && !cxl_failed(self))
    door->fetched(&l->line, l->line.positions, site);
}

/* Does the store repeat the newest one to its line, which is still in doubt if the machine fails?  Whichever of the two
 * is lost then, the bytes are the same. */
static bool repeats_newest(const struct space_line *l, const struct access_piece *p) {
  if (!l->line.stores.length)
    return false;
  const struct store *s = &vec_last(&l->line.stores);
  return s->domain == access_machine() && s->position > l->line.interval[s->domain].low &&
         s->offset == p->address % LINE_BYTES && s->size == p->size && s->value == p->value;
}

/* An exchange in a waiting loop stores what is there.  After the last failure, when nothing is lost any more, that is as
 * if nothing had happened. */
static void note_change(const struct space_line *l, const struct access_piece *p) {
  uint64_t bytes = access_mask(p->address, p->size);
  bool known = is_settled() ? (*l->known & bytes) == bytes : !(l->doubt & bytes);
  bool same = known && memcmp(space_alias(p->address), &p->value, (size_t)p->size) == 0;
  cxl.changes_made += !same || !(is_settled() || repeats_newest(l, p));
  if (!same)
    cxl.state.vain = 0;
}

static void store(const struct access_piece *p) {
  struct space_line *l = space_line(p->address);
  int self = access_machine();
  cxl_consult(p->address);
  if (!p->joined)
    before_store(l, p->site);
  if (cxl_failed(self))
    return; /* before the store left its buffer */
  struct store s = {.value = p->value,
                    .event = access_events(),
                    .step = access_events(), /* every event is one */
                    .offset = (uint8_t)(p->address % LINE_BYTES),
                    .size = (uint8_t)p->size,
                    .domain = (uint8_t)self,
                    .atomic = p->flags & ACCESS_ATOMIC,
                    .release = p->flags & ACCESS_RELEASE};
  access_record_store(p);
  note_change(l, p);
  if (!cxl.stores_apart)
    memory_append(&cxl.memory, &l->line, &s, p->joined);
  if (is_settled())
    cxl_touch(l);
  cxl_set(space_alias(p->address), p->value, p->size);
  cxl_set(&l->dirty, l->dirty | 1u << self, 2);
  uint64_t bytes = access_mask(p->address, p->size);
  if (l->doubt & bytes)
    cxl_set(&l->doubt, l->doubt & ~bytes, 8);
  if (is_settled()) {
    cxl_set(l->known, *l->known | bytes, 8);
    cxl_set(&l->own, l->own | bytes, 8);
  }
  acted(self);
  if (p->flags & ACCESS_NON_TEMPORAL)
    access_add_pending(l, l->line.latest[self], ACCESS_NO_PLACE);
}

/* Write-backs by accesses of other machines do not count here: they depend on who was faster. */
static bool is_dirty(const struct space_line *l, uint32_t position) {
  int self = access_machine();
  uint32_t done = l->flushed ? l->flushed[self] : 0;
  for (size_t n = l->line.stores.length; n-- > 0 && l->line.stores.data[n].position > done;) {
    const struct store *s = &l->line.stores.data[n];
    if (s->position <= position && (s->domain == self || cxl.options.global_flush))
      return true;
  }
  return false;
}

static void note_flushed(struct space_line *l, uint32_t position) {
  int self = access_machine();
  if (!l->flushed)
    l->flushed = mem_alloc(MACHINES_MAX * sizeof *l->flushed);
  if (position > l->flushed[self])
    cxl_set(&l->flushed[self], position, sizeof *l->flushed);
}

/* Up to where a flush of that position writes back what the machine has stored. */
static uint32_t covered_by(const struct space_line *l, int machine, uint32_t position) {
  return position < l->line.latest[machine] ? position : l->line.latest[machine];
}

/* The machine (with --flush=global, all of them) writes the line back up to *position.  A pointer, read again after
 * each question to the search: a copy on the stack would make states different that are the same. */
static void flush_line(struct space_line *l, const uint32_t *position, const char *what,
                       const struct abi_site *site) {
  int self = access_machine();
  cxl_consult(l->line.address);
  for (int m = 0; m < cxl.options.machines; m++) {
    if ((m != self && !cxl.options.global_flush) || !(l->dirty >> m & 1))
      continue;
    if (covered_by(l, m, *position) <= l->line.interval[m].low)
      continue;
    if (m != self)
      may_not_come_to_it(what, site);
    if (cxl_failed(self))
      return;
    may_fail_before(m, m != self, what, site);
    if (!cxl_failed(m))
      write_back(l, m, covered_by(l, m, *position));
  }
  note_flushed(l, *position);
}

static void flush(int kind, struct space_line *l, uint32_t place, const struct abi_site *site) {
  if (kind == ABI_CLFLUSH)
    flush_line(l, &l->line.positions, event_flush_text((uint32_t)kind), site);
  else
    access_add_pending(l, l->line.positions, place);
}

static void fence(int kind, const struct access_pending *pending, size_t count,
                  const struct abi_site *site) {
  for (size_t i = 0; i < count && !cxl_failed(access_machine()); i++)
    flush_line(pending[i].line, &pending[i].position, event_fence_text((uint32_t)kind), site);
}

static void synchronise(void) {
  int self = thread_current()->machine;
  may_fail(self, false, "a lock operation", NULL);
  cxl.state.synchronised++;
  was_seen(self); /* who tries a lock in vain has done nothing: access_order tells */
}

/* A loop that never ends is stopped after some steps of it, if it makes any. */
static bool is_left_to_steps(void) {
  uint64_t steps = access_steps();
  bool left = access_is_endless() && steps != cxl.state.looked;
  cxl.state.looked = steps;
  return left;
}

/* A program that asks for ever whether machines live would be decided on for ever. */
static void count_look(void) {
  if (cxl_failures_left() > 0 && !is_left_to_steps() && ++cxl.state.looks > cxl.options.looks_max)
    stop_with(STOP_HANG, NULL,
              "no end: %u times in a row somebody asked whether a machine has failed, and nobody "
              "stored or locked anything",
              cxl.options.looks_max);
}

/* The program learns whether the machine lives: it may fail right before.  It may also fail later, which the next
 * question tells. */
static void observe_machine(int machine) {
  cxl.asked |= machine != access_machine();
  if (machine != access_machine())
    may_fail(machine, false, "another machine sees whether it lives", NULL);
  was_seen(
      machine); /* the count of looks goes on, and is not kept on the stack, which is part of states */
  if (machine != access_machine() && !cxl_failed(machine))
    count_look();
}

/* What it still holds is released only if the machine fails. */
static void program_ends(void) {
  int self = access_machine();
  if (thread_holds_mutexes(self))
    may_fail(self, true, "the end of its program", NULL);
}

static int failures(void) {
  for (int m = 0; m < cxl.options.machines; m++)
    observe_machine(m);
  return cxl_failures();
}

static size_t *allocated(int *part, int share) {
  (void)share;
  *part = access_machine();
  return &cxl.state.allocated[*part];
}

/* ---- schedules ---- */

/* The machines, a bit each, that have stores there which an access by another machine writes back. */
static uint32_t dirty_at(const struct operation *o) {
  uint32_t dirty = 0;
  if (!window_has(o->address))
    return 0;
  for (uintptr_t at = LINE_OF(o->address); at < o->address + o->size; at += LINE_BYTES) {
    const struct space_line *l = space_line_if_any(at);
    dirty |= l ? l->dirty : 0;
  }
  return dirty;
}

uint32_t access_cxl_asks(const struct thread *t, const struct operation *o) {
  uint32_t all = (1u << cxl.options.machines) - 1, own = 1u << t->machine, asks = 0;
  if (o->kind == OPERATION_NONE || cxl_failures_left() <= 0)
    return 0;
  if (o->kind == OPERATION_READ && o->address <= MACHINES_MAX) /* access_machine_failed */
    return (o->address == MACHINES_MAX ? all : 1u << o->address) & ~own;
  bool every_store = cxl.options.gpf || cxl.options.poison;
  if (o->drained || access_may_persist(t, o) || (o->kind == OPERATION_WRITE && every_store))
    asks |= (cxl.options.global_flush ? all & ~own : 0) | (own & ~cxl.state.quiet);
  uint32_t others = dirty_at(o) & ~own;
  if (others && o->kind != OPERATION_FLUSH)
    asks |= others | (cxl_failures_left() > 1 ? own : 0);
  return asks;
}

void cxl_share(void) {
  share_register(&cxl, sizeof cxl);
}

const struct access_model access_cxl = {load,     store,       flush,           fence,
                                        is_dirty, synchronise, observe_machine, program_ends,
                                        failures, allocated};
