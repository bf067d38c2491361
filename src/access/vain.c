#include "access/vain.h"
#include "process/gate.h"
#include "process/heap.h"
#include "process/places.h"
#include "process/world.h"
#include "thread/entered.h"
#include <string.h>

#define LOOKS_MAX 32                    /* that are remembered */
#define STACKS_BYTES ((size_t)64 << 10) /* of all of them together */

struct look {
  const struct abi_site *site;
  uintptr_t address, code;
  uint32_t size;
  bool changed; /* what it looked at, since */
  uint64_t registers[ENTERED_REGISTERS];
  size_t stack_begin, stack_bytes; /* in vain.stacks */
};

struct vain {
  uint32_t count;
  uint64_t heap, calls; /* changes of its heap and system calls when it last had its turn */
  uint32_t round;       /* while the thread waits: the look with which its round began */
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

/* The newest ones are those that a loop around this look begins with. */
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
  entered[ENTERED_STACK] = 0; /* whoever does not say where it stands is not compared */
  if (!self->vain)
    self->vain = world_alloc(sizeof *self->vain);
  struct vain *v = self->vain;
  if (v->heap != heap_changes() || v->calls != gate_calls)
    v->count = 0;
  if (!o->site || sp < self->fiber.stack_low || bytes > STACKS_BYTES) {
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

/* If it was let go on all the same, the next round begins. */
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
