#include "access/ordinary.h"
#include "access/frames.h"
#include "access/lifetime.h"
#include "access/times.h"
#include "access/tries.h"
#include "access/turn.h"
#include "access/waiting.h"
#include "base/check.h"
#include "process/fiber_tls.h"
#include "process/heap.h"
#include "process/program.h"
#include "process/world.h"
#include "thread/entered.h"
#include <string.h>

/* Larger blocks are not looked at line by line when they are filled: that would cost more than using them. */
#define FILLED_BYTES_MAX ((size_t)4096)

struct ordinary ordinary;

struct pending {
  uintptr_t address, block;
  /* hidden: what memory held there, while the store is shown in it (ordinary.h). */
  uint64_t value, hidden;
  const struct abi_site *site;
  uintptr_t code;
  uint32_t issued; /* 1 + position of the operation that it follows, or 0 */
  uint32_t number; /* 1, 2, ... among the thread's */
  uint64_t time;   /* of its thread then */
  uint8_t size, order;
  bool dead; /* it was to the frame of a function that has returned since */
};

struct pending_stores {
  struct pending *items; /* [first, end) are waiting, oldest first */
  uint32_t first, end, capacity;
  uint32_t count; /* stores that ever came in */
};

struct region_of_name {
  struct region_of_name *next;
  void *memory;
  char name[];
};

static struct region_of_name *regions; /* goes back with the program */
static struct thread *shown; /* whose buffered stores are in memory; goes back with the program */

void ordinary_init(bool tso) {
  ordinary.on = true;
  ordinary.tso = tso;
  entered_wanted = true;
  world_include(&shown, sizeof shown);
  world_include(&regions, sizeof regions);
}

void *ordinary_region(const char *name, size_t bytes) {
  for (struct region_of_name *r = regions; r; r = r->next)
    if (strcmp(r->name, name) == 0)
      return r->memory;
  void *memory = heap_alloc_pages(bytes ? bytes : 1);
  if (!memory)
    return NULL;
  struct region_of_name *r = world_alloc(sizeof *r + strlen(name) + 1);
  memcpy(r->name, name, strlen(name) + 1);
  r->memory = memory;
  r->next = regions;
  regions = r;
  return memory;
}

/* ---- what others could notice ---- */

static struct operation operation_of(enum operation_kind kind, uintptr_t address, int size,
                                     int order, const struct abi_site *site) {
  uintptr_t block = lifetime_block(address);
  if (!block)
    lifetime_check_reach(kind, address, site);
  return (struct operation){.kind = (uint8_t)kind,
                            .order = (uint8_t)(order + 1),
                            .thread = (uint16_t)thread_current()->id,
                            .size = (uint32_t)size,
                            .address = address,
                            .block = block,
                            .site = site};
}

/* Does no other thread touch these bytes, as far as is known?  Then the access is no step. */
static bool is_private(const struct operation *o) {
  if (fiber_tls_is_native(o->address))
    return true;
  switch (sharing_touch(&ordinary.sharing, o)) {
  case SHARING_PRIVATE:
    return true;
  case SHARING_BROKEN:
    ordinary.broken = true;
    return false;
  case SHARING_SHARED:
    break;
  }
  return false;
}

static uint64_t fetch(uintptr_t address, int size) {
  uint64_t value = 0;
  memcpy(&value, (const void *)address, (size_t)size);
  return value;
}

static void put(uintptr_t address, uint64_t value, int size) {
  memcpy((void *)address, &value, (size_t)size);
}

/* ---- buffers ---- */

bool ordinary_buffer_empty(const struct thread *t) {
  return !t->pending || t->pending->first == t->pending->end;
}

static void show(struct thread *t) {
  struct pending_stores *b = t->pending;
  for (uint32_t i = b ? b->first : 0; b && i < b->end; i++) {
    struct pending *p = &b->items[i];
    if (p->dead)
      continue;
    p->hidden = fetch(p->address, p->size);
    put(p->address, p->value, p->size);
  }
}

/* Take the thread's buffered stores out of memory again.  What is there now may come from code without hooks, or the
 * stack may have been used again: then the buffer holds that from now on.  Where our own frames lie now, nothing is
 * touched. */
static void hide(struct thread *t) {
  struct pending_stores *b = t->pending;
  uintptr_t low = t->fiber.stack_low, live = fiber_current() == &t->fiber ? program_stack() : low;
  for (uint32_t i = b ? b->end : 0; b && i-- > b->first;) {
    struct pending *p = &b->items[i];
    p->dead = p->address >= low && p->address < live;
    if (p->dead)
      continue;
    p->value = fetch(p->address, p->size);
    put(p->address, p->hidden, p->size);
  }
}

void ordinary_show(struct thread *t) {
  if (!ordinary.tso || shown == t)
    return;
  if (shown)
    hide(shown);
  show(t);
  shown = t;
}

/* Put the bytes of a value, which is for address `at`, into the buffer for [to, to + size), where they overlap. */
static void overlay(char *bytes, uintptr_t to, uint32_t size, uint64_t value, uintptr_t at,
                    uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (at + i >= to && at + i < to + size)
      bytes[at + i - to] = ((const char *)&value)[i];
}

void ordinary_see(const struct thread *t, uintptr_t address, uint32_t size, uint64_t found[2]) {
  const struct pending_stores *other = shown != t && shown ? shown->pending : NULL;
  const struct pending_stores *own = shown != t ? t->pending : NULL;
  found[0] = found[1] = 0;
  memcpy(found, (const void *)address, size);
  for (uint32_t i = other ? other->end : 0; other && i-- > other->first;)
    if (!other->items[i].dead)
      overlay((char *)found, address, size, other->items[i].hidden, other->items[i].address,
              other->items[i].size);
  for (uint32_t i = own ? own->first : 0; own && i < own->end; i++)
    overlay((char *)found, address, size, own->items[i].value, own->items[i].address,
            own->items[i].size);
}

/* For operation.after: the thread's newest operation or, if it has none since it was created or woken, the one that did
 * that. */
static uint32_t issued_after(const struct thread *t) {
  return t->turn.after ? t->turn.after : t->turn.newest;
}

static void push(struct thread *t, const struct pending *new) {
  struct pending_stores *b = t->pending;
  if (!b)
    b = t->pending = world_alloc(sizeof *b);
  if (b->first == b->end)
    b->first = b->end = 0;
  WORLD_ROOM(b->items, b->end, b->capacity);
  b->items[b->end] = *new;
  b->items[b->end++].number = ++b->count;
}

struct operation ordinary_next_drain(const struct thread *t) {
  const struct pending *p = &t->pending->items[t->pending->first];
  return (struct operation){.kind = OPERATION_WRITE,
                            .drain = true,
                            .order = p->order,
                            .thread = (uint16_t)t->id,
                            .size = p->size,
                            .address = p->address,
                            .block = p->block,
                            .store = p->number,
                            .after = p->issued,
                            .site = p->site,
                            .code = p->code};
}

void ordinary_drain(struct thread *t) {
  struct operation o = ordinary_next_drain(t);
  if (shown)
    hide(shown);
  const struct pending *p = &t->pending->items[t->pending->first];
  o.before[0] = fetch(p->address, p->size);
  if (!p->dead && !frames_are_gone(&o))
    put(p->address, p->value, p->size);
  times_tell(p->address, p->time);
  t->pending->first++;
  if (shown)
    show(shown);
  turn_note_drain(&o);
  lifetime_drained(&o);
}

/* The newest store in the buffer to some of these bytes; NULL: there is none. */
static const struct pending *newest_to(const struct thread *t, uintptr_t address, uint32_t size) {
  const struct pending_stores *b = t->pending;
  for (uint32_t i = b ? b->end : 0; b && i-- > b->first;) {
    const struct pending *p = &b->items[i];
    if (p->address < address + size && address < p->address + p->size)
      return p;
  }
  return NULL;
}

static bool is_to_all(const struct pending *p, uintptr_t address, uint32_t size) {
  return p->address <= address && address + size <= p->address + p->size;
}

bool ordinary_answers(const struct thread *t, uintptr_t address, uint32_t size) {
  const struct pending *p = newest_to(t, address, size);
  return p && is_to_all(p, address, size);
}

void ordinary_find_answer(const struct thread *t, struct operation *o) {
  const struct pending *p = newest_to(t, o->address, o->size);
  o->mixed = p && !is_to_all(p, o->address, o->size);
  o->store = p && !o->mixed ? p->number : 0;
}

/* ---- accesses ---- */

/* The only thread there is uses memory. */
static inline void use_alone(enum operation_kind kind, uintptr_t address,
                             const struct abi_site *site) {
  if (!ordinary_runs())
    return;
  lifetime_check_reach(kind, address, site);
  if (lifetime.count)
    lifetime_used_alone(kind, address, site);
}

/* Copy what was found out when the operation was announced (operation.state). */
static void take_state(struct operation *o) {
  const struct operation *announced = &thread_current()->next;
  o->state = announced->state;
  memcpy(o->rounds, announced->rounds, sizeof o->rounds);
}

static int piece(uintptr_t address, size_t bytes) {
  size_t room = 8 - (address & 7);
  return (int)(bytes < room ? bytes : room);
}

/* pre: it lies in one aligned word. */
static uint64_t load_word(uintptr_t address, int size, int order, const struct abi_site *site) {
  access_step(site);
  if (!ordinary_concerns()) {
    use_alone(OPERATION_READ, address, site);
    return fetch(address, size);
  }
  struct operation o = operation_of(OPERATION_READ, address, size, order, site);
  if (is_private(&o)) {
    if (frames_are_gone(&o))
      frames_stop(&o);
    lifetime_used(&o, true);
    if (!waiting_looks_alone(address, order >= ABI_RELAXED))
      return fetch(address, size);
    sharing_expect(&ordinary.sharing, &o);
    ordinary.broken = true;
  }
  turn_take(&o);
  bool gone = frames_are_gone(&o);
  uint64_t value = gone ? 0 : fetch(address, size);
  o.before[0] = value;
  take_state(&o);
  ordinary_find_answer(thread_current(), &o);
  turn_note(&o);
  if (gone)
    frames_stop(&o);
  lifetime_used(&o, false);
  waiting_looked(&o);
  return value;
}

/* An access across two words is two steps, and others can come in between. */
uint64_t ordinary_load(uintptr_t address, int size, int order, const struct abi_site *site) {
  int first = piece(address, (size_t)size);
  if (first == size)
    return load_word(address, size, order, site);
  uint64_t low = load_word(address, first, order, site);
  return low | load_word(address + (uintptr_t)first, size - first, order, site) << first * 8;
}

/* The thread has stored something, which ends rounds of waiting loops (waiting.h) and attempts at locks (tries.h).  Not
 * if it was to its own stack, which is compared as part of its state. */
static void leaves_behind(uintptr_t address, bool private) {
  const struct fiber *own = &thread_current()->fiber;
  if (private && address >= own->stack_low && address < own->stack_high)
    return;
  waiting_leave();
  tries_forget();
}

/* pre: it lies in one aligned word. */
static void store_word(uintptr_t address, uint64_t value, int size, int order,
                       const struct abi_site *site) {
  access_step(site);
  if (!ordinary_concerns()) {
    use_alone(OPERATION_WRITE, address, site);
    put(address, value, size);
    return;
  }
  struct operation o = operation_of(OPERATION_WRITE, address, size, order, site);
  bool private = is_private(&o), visible = !private && (ordinary.tso || ordinary.early_looks);
  if (visible || fetch(address, size) != value) /* storing what is there already is no change */
    leaves_behind(address, private);
  if ((private || ordinary.tso) && frames_are_gone(&o))
    frames_stop(&o);
  if (private) {
    lifetime_used(&o, true);
    waiting_stores_alone(address);
    put(address, value, size);
    return;
  }
  struct thread *self = thread_current();
  if (ordinary.tso) {
    lifetime_buffered(&o);
    ordinary_show(self);
    push(self, &(struct pending){.address = address,
                                 .block = o.block,
                                 .value = value,
                                 .hidden = fetch(address, size),
                                 .site = site,
                                 .code = site ? 0 : program_caller(),
                                 .issued = issued_after(self),
                                 .time = self->turn.time,
                                 .size = (uint8_t)size,
                                 .order = o.order});
    put(address, value, size);
    return;
  }
  turn_take(&o);
  bool gone = frames_are_gone(&o);
  if (!gone) {
    o.before[0] = fetch(address, size);
    put(address, value, size);
    o.same = !visible && o.before[0] == value;
  }
  if (!o.same) /* others have changed it before its turn came */
    leaves_behind(address, false);
  waiting_stores(&o);
  turn_note(&o);
  if (o.same)
    waiting_stored_same(&o);
  if (gone)
    frames_stop(&o);
  lifetime_used(&o, false);
}

void ordinary_store(uintptr_t address, uint64_t value, int size, int order,
                    const struct abi_site *site) {
  int first = piece(address, (size_t)size);
  store_word(address, value, first, order, site);
  if (first < size)
    store_word(address + (uintptr_t)first, value >> first * 8, size - first, order, site);
}

void ordinary_read(void *to, uintptr_t address, size_t bytes, const struct abi_site *site) {
  char *out = to;
  for (int n; bytes; bytes -= (size_t)n, address += (size_t)n, out += n) {
    n = piece(address, bytes);
    uint64_t value = load_word(address, n, ORDINARY_PLAIN, site);
    memcpy(out, &value, (size_t)n);
  }
}

void ordinary_write(uintptr_t address, const void *from, size_t bytes,
                    const struct abi_site *site) {
  const char *in = from;
  for (int n; bytes; bytes -= (size_t)n, address += (size_t)n, in += n) {
    uint64_t value = 0;
    n = piece(address, bytes);
    memcpy(&value, in, (size_t)n);
    store_word(address, value, n, ORDINARY_PLAIN, site);
  }
}

/* Line by line, because that is how it is known what threads share. */
void ordinary_fill(const void *block, size_t bytes) {
  uintptr_t address = (uintptr_t)block;
  if (!ordinary_concerns() || !ordinary.data_races || bytes > FILLED_BYTES_MAX)
    return;
  for (size_t part; bytes; bytes -= part, address += part) {
    size_t room = LINE_BYTES - address % LINE_BYTES;
    part = bytes < room ? bytes : room;
    struct operation o = operation_of(OPERATION_WRITE, address, (int)part, ORDINARY_PLAIN, NULL);
    if (!is_private(&o))
      ordinary_write(address, (const void *)address, part, NULL);
  }
}

/* A locked instruction that changes nothing is a load for the others: no thread can tell whether it came before or
 * after it. Test-and-set in a loop waits that way. */
static void note_locked(struct operation *o, bool stored) {
  o->kind = stored ? OPERATION_WRITE : OPERATION_READ;
  o->same =
      stored && !ordinary.early_looks && memcmp((const void *)o->address, o->before, o->size) == 0;
  turn_note(o);
  lifetime_used(o, false);
  if (o->same)
    waiting_stored_same(o);
  else if (stored)
    leaves_behind(o->address, false);
  else
    waiting_looked(o);
}

/* The same for memory that no other thread has touched so far. */
static void changes_alone(const struct operation *o, bool stored) {
  if (stored) {
    leaves_behind(o->address, true);
    waiting_stores_alone(o->address);
  } else if (waiting_looks_alone(o->address, true)) {
    sharing_expect(&ordinary.sharing, o);
    ordinary.broken = true;
  }
}

static struct operation locked_operation(uintptr_t address, int size, int order,
                                         const struct abi_site *site) {
  if (!ordinary_concerns())
    return (struct operation){
        .kind = OPERATION_WRITE, .size = (uint32_t)size, .address = address, .site = site};
  struct operation o = operation_of(OPERATION_WRITE, address, size, order, site);
  o.locked = o.drained = true;
  return o;
}

/* Carry out the locked instruction; returns whether it stored.  pre: it is its turn, or no other thread notices. */
static bool change_it(struct operation *o, const uint64_t *desired) {
  memcpy(o->before, (const void *)o->address, o->size);
  bool stores = operation_stores(o, o->before);
  uint64_t made;
  if (o->change >= OPERATION_CHANGE_RMW) {
    made = operation_combine(o->change - OPERATION_CHANGE_RMW, o->before[0], o->operand[0],
                             (int)o->size);
    desired = &made;
  }
  if (stores && desired)
    memcpy((void *)o->address, desired, o->size);
  return stores;
}

/* desired: what it stores, unless that is computed from what was there; NULL: nothing, as yet.  failure: the order of a
 * compare-and-swap that fails. */
static void carry_out_locked(struct operation *o, const uint64_t *desired, const int *failure) {
  if (!ordinary_concerns()) {
    use_alone(OPERATION_WRITE, o->address, o->site);
    change_it(o, desired);
    return;
  }
  bool private = is_private(o);
  if (private)
    ordinary_fence(ABI_SEQ_CST, o->site);
  else
    turn_take(o);
  if (!private)
    take_state(o);
  if (frames_are_gone(o)) {
    o->kind = OPERATION_READ;
    if (!private)
      turn_note(o);
    frames_stop(o);
  }
  bool stores = change_it(o, desired);
  if (failure && memcmp(o->before, o->operand, o->size) != 0)
    o->order = (uint8_t)(*failure + 1);
  if (!private) {
    note_locked(o, stores);
    return;
  }
  lifetime_used(o, true);
  changes_alone(o, stores);
}

uint64_t ordinary_locked(uintptr_t address, int size, int order, int change, uint64_t operand,
                         uint64_t desired, const struct abi_site *site) {
  access_step(site);
  bool swaps = change == OPERATION_CHANGE_CAS, same = swaps && operand == desired;
  int failure = ABI_CAS_FAILURE(order);
  struct operation o =
      locked_operation(address, size, swaps ? ABI_CAS_SUCCESS(order) : order, site);
  o.change = same ? OPERATION_CHANGE_NEVER : (uint8_t)change;
  o.operand[0] = operand;
  carry_out_locked(&o, &desired, swaps ? &failure : NULL);
  return o.before[0];
}

/* Whether an add or xor stores does not depend on what it finds, so nothing but the result tells that. */
uint64_t ordinary_update(uintptr_t address, int size, int order, int rmw, uint64_t operand,
                         bool unused, const struct abi_site *site) {
  access_step(site);
  struct operation o = locked_operation(address, size, order, site);
  o.change = (uint8_t)(OPERATION_CHANGE_RMW + rmw);
  o.operand[0] = operand;
  o.blind = unused && !ordinary.each_order &&
            (rmw == ABI_RMW_ADD || rmw == ABI_RMW_SUB || rmw == ABI_RMW_XOR);
  carry_out_locked(&o, NULL, NULL);
  return o.before[0];
}

void ordinary_changes(uintptr_t address, int size, int order) {
  struct operation o = locked_operation(address, size, order, NULL);
  carry_out_locked(&o, NULL, NULL);
}

void ordinary_locked16(void *old, uintptr_t address, const void *expected, const void *desired,
                       int order, const struct abi_site *site) {
  access_step(site);
  int failure = ABI_CAS_FAILURE(order);
  struct operation o =
      locked_operation(address, 16, expected ? ABI_CAS_SUCCESS(order) : order, site);
  uint64_t new[2];
  if (expected) {
    o.change = OPERATION_CHANGE_CAS16;
    memcpy(o.operand, expected, sizeof o.operand);
  }
  if (desired)
    memcpy(new, desired, sizeof new);
  if (!desired || (expected && memcmp(expected, desired, sizeof new) == 0))
    o.change = OPERATION_CHANGE_NEVER;
  carry_out_locked(&o, new, expected ? &failure : NULL);
  memcpy(old, o.before, sizeof o.before);
}

void ordinary_fence(int order, const struct abi_site *site) {
  if (!ordinary_concerns())
    return;
  struct operation o = operation_of(OPERATION_FENCE, 0, 0, order, site);
  o.drained = order == ABI_SEQ_CST;
  turn_take(&o);
  turn_note(&o);
}
