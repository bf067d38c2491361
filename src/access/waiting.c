#include "access/waiting.h"
#include "process/stop.h"
#include "process/world.h"
#include <string.h>

#define LOOKS_MAX 64 /* in one round */
#define ALONE_PLACES 8
#define ALONE_LOOKS 200              /* in a row */
#define OWN_LOOKS 10000              /* the same at what it has stored to, with no store since */
#define STACK_MAX ((size_t)64 << 10) /* that is compared */

uint64_t waiting_entered[7];

/* World memory. */
struct waiting {
  const struct abi_site *site; /* the load at which rounds begin; NULL: no round yet */
  uintptr_t address, code;
  bool hopeless;
  bool disturbed;    /* what it looked at in this round has changed since */
  uint32_t looks;    /* in this round; more than LOOKS_MAX: too many */
  uint32_t patience; /* after so many the beginning of a round is sought elsewhere */
  struct {
    uintptr_t address;
    uint32_t size;
  } looked[LOOKS_MAX];
  uintptr_t alone[ALONE_PLACES]; /* looked at in turn, while nobody else touches them */
  uint32_t alone_next, alone_again;
  uintptr_t own[ALONE_PLACES]; /* stored to lately */
  uint32_t own_next, own_again;
  uint64_t registers[7];
  size_t stack_bytes;
  char *stack; /* as it was when the round began */
};

static struct waiting *get(struct thread *t) {
  if (!t->turn.loop) {
    t->turn.loop = world_alloc(sizeof *t->turn.loop);
    t->turn.loop->stack = world_alloc(STACK_MAX);
  }
  return t->turn.loop;
}

void waiting_leave(void) {
  struct waiting *w = thread_current()->turn.loop;
  if (!w)
    return;
  w->site = NULL;
  w->alone_again = w->own_again = 0;
}

void waiting_stores_alone(uintptr_t address) {
  struct waiting *w = get(thread_current());
  w->own_again = 0;
  for (uint32_t i = 0; i < ALONE_PLACES; i++)
    if (w->own[i] == address)
      return;
  w->own[w->own_next++ % ALONE_PLACES] = address;
}

bool waiting_looks_alone(uintptr_t address) {
  struct waiting *w = get(thread_current());
  for (uint32_t i = 0; i < ALONE_PLACES; i++)
    if (w->own[i] == address)
      return ++w->own_again >= OWN_LOOKS;
  for (uint32_t i = 0; i < ALONE_PLACES; i++)
    if (w->alone[i] == address)
      return ++w->alone_again >= ALONE_LOOKS;
  w->alone[w->alone_next++ % ALONE_PLACES] = address;
  w->alone_again = 0;
  return false;
}

static bool begins_here(const struct waiting *w, const struct operation *o) {
  return w->site && w->site == o->site && w->address == o->address && w->code == o->code;
}

static void begin_round(struct thread *self, struct waiting *w) {
  uintptr_t sp = waiting_entered[6];
  w->site = NULL;
  if (sp < self->fiber.stack_low || self->fiber.stack_high - sp > STACK_MAX)
    return;
  w->site = self->next.site;
  w->address = self->next.address;
  w->code = self->next.code;
  w->looks = 0;
  w->disturbed = false;
  memcpy(w->registers, waiting_entered, sizeof w->registers);
  w->stack_bytes = self->fiber.stack_high - sp;
  memcpy(w->stack, (const void *)sp, w->stack_bytes);
}

static bool nothing_changed(const struct thread *self, const struct waiting *w) {
  uintptr_t sp = waiting_entered[6];
  return !w->disturbed && w->looks <= LOOKS_MAX && self->fiber.stack_high - sp == w->stack_bytes &&
         memcmp(w->registers, waiting_entered, sizeof w->registers) == 0 &&
         memcmp(w->stack, (const void *)sp, w->stack_bytes) == 0;
}

/* A loop may begin at any load; it is found as Brent finds cycles: the state is taken after 2, 4, 8, ...
 * looks, and compared until then. */
void waiting_check(struct thread *self) {
  const struct operation *o = &self->next;
  bool looks = o->kind == OPERATION_READ || (o->kind == OPERATION_WRITE && o->locked);
  if (!looks || !o->site)
    return;
  struct waiting *w = get(self);
  if (!begins_here(w, o)) {
    if (!w->site)
      w->patience = 2;
    else if (w->looks < w->patience)
      return;
    else if (w->patience < LOOKS_MAX)
      w->patience *= 2;
    begin_round(self, w);
    return;
  }
  if (nothing_changed(self, w))
    self->turn.waits = true;
  else
    begin_round(self, w);
}

void waiting_looked(const struct operation *o, uint64_t value) {
  (void)value;
  struct waiting *w = get(thread_current());
  if (!w->site)
    return;
  if (w->looks < LOOKS_MAX) {
    w->looked[w->looks].address = o->address;
    w->looked[w->looks].size = o->size;
  }
  w->looks++;
}

static bool has_looked_at(const struct waiting *w, const struct operation *o) {
  for (uint32_t n = 0; n < w->looks && n < LOOKS_MAX; n++)
    if (w->looked[n].address < o->address + o->size &&
        o->address < w->looked[n].address + w->looked[n].size)
      return true;
  return false;
}

void waiting_changed(const struct operation *o) {
  for (int i = 0; i < thread_count(); i++) {
    struct thread *t = thread_by_id(i);
    struct waiting *w = t->turn.loop;
    if (!w || !w->site || !has_looked_at(w, o))
      continue;
    w->disturbed = true;
    if (!t->turn.waits)
      continue;
    t->turn.waits = false;
    if (thread_strategy.woken)
      thread_strategy.woken(t);
  }
}

void waiting_is_hopeless(struct thread *t) {
  t->turn.loop->hopeless = true;
}

bool waiting_was_hopeless(const struct thread *t) {
  return t->turn.loop && t->turn.loop->hopeless;
}

void waiting_end(struct thread *self) {
  struct waiting *w = self->turn.loop;
  if (w && w->hopeless)
    stop_with(STOP_HANG, self->next.site,
              "a loop that nobody can end any more: it waits for a change of what it looks at, and "
              "no other thread can go on");
  if (w && w->site && begins_here(w, &self->next)) { /* a new round with the same beginning */
    w->looks = 0;
    w->disturbed = false;
  }
}
