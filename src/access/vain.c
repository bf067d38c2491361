#include "access/vain.h"
#include "access/schedule.h"
#include "base/intern.h"
#include "base/str.h"
#include "process/gate.h"
#include "process/heap.h"
#include "process/places.h"
#include "process/world.h"
#include "thread/entered.h"
#include <string.h>

#define LOOKS_MAX 32                    /* looks that are remembered for a thread */
#define STACKS_BYTES ((size_t)64 << 10) /* of the stacks of all of them together */

struct look {
  const struct abi_site *site;
  uintptr_t address, code;
  uint32_t size;
  bool changed; /* what is there has changed since */
  uint64_t registers[ENTERED_REGISTERS];
  size_t stack_begin, stack_bytes; /* in vain.stacks */
  uint32_t number, epoch;          /* see vain_put */
};

struct vain {
  uint32_t count;
  /* How many changes of its heap and system calls there were at its last turn. */
  uint64_t heap, calls;
  uint32_t round; /* while the thread waits: the look with which its round began */
  struct look looks[LOOKS_MAX];
  char stacks[STACKS_BYTES];
};

bool vain_begun;

void vain_leave(void) {
  struct vain *v = thread_current()->vain;
  if (v)
    v->count = 0;
}

static bool same_place(const struct look *l, const struct operation *o) {
  return l->site == o->site && l->address == o->address && l->code == o->code;
}

static bool same_state(const struct vain *v, const struct look *l, const char *stack,
                       size_t bytes) {
  return l->stack_bytes == bytes && memcmp(l->registers, entered, sizeof l->registers) == 0 &&
         memcmp(v->stacks + l->stack_begin, stack, bytes) == 0;
}

static size_t stacks_end(const struct vain *v) {
  const struct look *last = &v->looks[v->count - 1];
  return v->count ? last->stack_begin + last->stack_bytes : 0;
}

/* Drop the oldest looks: a loop around this look begins with one of the newest. */
static void make_room(struct vain *v, size_t bytes) {
  if (v->count == LOOKS_MAX || stacks_end(v) + bytes > STACKS_BYTES)
    v->count = 0;
}

static void add(struct vain *v, const struct operation *o, const char *stack, size_t bytes) {
  vain_begun = true;
  make_room(v, bytes);
  struct look *l = &v->looks[v->count];
  *l = (struct look){.site = o->site,
                     .address = o->address,
                     .code = o->code,
                     .size = o->size,
                     .stack_begin = stacks_end(v),
                     .stack_bytes = bytes};
  memcpy(l->registers, entered, sizeof l->registers);
  memcpy(v->stacks + l->stack_begin, stack, bytes);
  v->count++;
}

static bool has_changed(const struct vain *v) {
  for (uint32_t i = v->round; i < v->count; i++)
    if (v->looks[i].changed)
      return true;
  return false;
}

void vain_check(struct thread *self) {
  const struct operation *o = &self->next;
  uintptr_t sp = entered[ENTERED_STACK];
  size_t bytes = self->fiber.stack_high - sp;
  entered[ENTERED_STACK] = 0; /* a hook that does not save registers is not compared with this */
  if (!self->vain)
    self->vain = world_alloc(sizeof *self->vain);
  struct vain *v = self->vain;
  if (v->heap != heap_changes() || v->calls != gate_calls)
    v->count = 0;
  if (!o->site || o->site != entered_site || sp < self->fiber.stack_low || bytes > STACKS_BYTES) {
    v->count = 0;
    return;
  }
  entered[ENTERED_STACK] = sp;
  for (uint32_t i = 0; i < v->count && !self->turn.waits; i++)
    if (same_place(&v->looks[i], o) && same_state(v, &v->looks[i], (const char *)sp, bytes)) {
      places_watch_all();
      self->turn.waits = true;
      v->round = i;
    }
  self->turn.late = self->turn.waits && has_changed(v);
  if (!self->turn.waits)
    add(v, o, (const char *)sp, bytes);
  entered[ENTERED_STACK] = 0;
}

/* If the thread goes on although it has gone round, the next round begins. */
void vain_looks(struct thread *self) {
  struct vain *v = self->vain;
  if (self->turn.waits) {
    v->count = v->round + 1;
    v->looks[v->round].changed = false;
  } else if (v->count) {
    v->looks[v->count - 1].changed = false;
  }
  self->turn.waits = self->turn.late = false;
  v->heap = heap_changes();
  v->calls = gate_calls;
}

void vain_changed(uintptr_t address, size_t size, const struct thread *leaves_buffer_of) {
  for (int i = 0; i < thread_count(); i++) {
    struct thread *t = thread_by_id(i);
    struct vain *v = t == leaves_buffer_of ? NULL : t->vain;
    for (uint32_t n = 0; v && n < v->count; n++)
      v->looks[n].changed |=
          address < v->looks[n].address + v->looks[n].size && v->looks[n].address < address + size;
    if (v && t->turn.waits)
      t->turn.late = has_changed(v);
  }
}

/* The number of a look; it is kept with the look, which does not change, except for what it looked at (changed). */
static uint32_t number_of(const struct vain *v, struct look *l, struct intern *parts,
                          uint32_t epoch) {
  static struct str bytes;
  if (l->number && l->epoch == epoch)
    return l->number;
  uint64_t head[] = {(uintptr_t)l->site, l->address, l->code, l->size, l->stack_bytes};
  str_clear(&bytes);
  str_append_bytes(&bytes, head, sizeof head);
  str_append_bytes(&bytes, l->registers, sizeof l->registers);
  str_append_bytes(&bytes, v->stacks + l->stack_begin, l->stack_bytes);
  l->number = intern(parts, str_text(&bytes), bytes.length);
  l->epoch = epoch;
  return l->number;
}

/* How often its heap has changed; another one may be selected. */
static uint64_t heap_of_thread(const struct thread *t) {
  return schedule.heaps ? heap_changes_of(t->id % HEAP_MOVED_MAX) : heap_changes();
}

bool vain_put(struct thread *t, struct intern *parts, uint32_t epoch, struct str *out,
              world_gap_list *gaps) {
  struct vain *v = t->vain;
  if (v)
    world_add_gap(gaps, v, sizeof *v);
  if (!v || !v->count)
    return false;
  const struct look *now = &v->looks[t->turn.waits ? v->round : v->count - 1];
  uintptr_t sp = now->registers[ENTERED_STACK];
  if (now->site != t->next.site || now->address != t->next.address || now->code != t->next.code ||
      sp < t->fiber.stack_low || sp > t->fiber.stack_high)
    return false;
  uint32_t head[] = {v->count,     t->turn.waits ? v->round : 0, t->turn.waits,
                     t->turn.late, v->heap == heap_of_thread(t), v->calls == gate_calls};
  str_append_bytes(out, head, sizeof head);
  for (uint32_t i = 0; i < v->count; i++) {
    uint32_t look[] = {number_of(v, &v->looks[i], parts, epoch), v->looks[i].changed};
    str_append_bytes(out, look, sizeof look);
  }
  world_add_gap(gaps, (void *)t->fiber.stack_low, sp - t->fiber.stack_low);
  return true;
}
