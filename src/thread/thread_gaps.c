/* What is left out of a state because the threads of a machine are gone, or about to be. */
#include "base/str.h"
#include "process/fiber_tls.h"
#include "thread/thread_internal.h"

_Static_assert(offsetof(struct thread, ready_previous) ==
                   offsetof(struct thread, ready_next) + sizeof(struct thread *),
               "the links are beside each other");

#define ADD_GAP(gaps, member) world_add_gap(gaps, &(member), sizeof(member))

/* What the thread needs to be taken out of everything stays: what it waits for and holds. */
static void add_gone(world_gap_list *gaps, const struct thread *t) {
  const struct fiber_tls *tls = t->fiber.native_tls;
  ADD_GAP(gaps, t->fiber.stack_pointer);
  ADD_GAP(gaps, t->next);
  ADD_GAP(gaps, t->spin);
  ADD_GAP(gaps, t->turn);
  ADD_GAP(gaps, t->result);
  if (!tls)
    return;
  world_add_gap(gaps, (void *)t->fiber.stack_low, t->fiber.stack_high - t->fiber.stack_low);
  world_add_gap(gaps, &tls->emulated, fiber_tls_bytes() - offsetof(struct fiber_tls, emulated));
}

void thread_add_gaps(world_gap_list *gaps, uint32_t machines) {
  for (int i = 0; i < sched.count; i++) {
    const struct thread *t = sched.table[i];
    world_add_gap(gaps, &t->ready_next, 2 * sizeof t->ready_next); /* and ready_previous */
    if (machines >> t->machine & 1)
      add_gone(gaps, t);
  }
  ADD_GAP(gaps, sched.turns_of);
  ADD_GAP(gaps, sched.ready_first);
  ADD_GAP(gaps, sched.ready_last);
  ADD_GAP(gaps, sched.dead);
  ADD_GAP(gaps, sched.live);
  for (int m = 0; m < MACHINES_MAX; m++)
    if (machines >> m & 1)
      ADD_GAP(gaps, sched.live_on[m]);
  if (!(machines >> sched.current->machine & 1))
    return;
  ADD_GAP(gaps, sched.current);
  ADD_GAP(gaps, sched.quantum);
  ADD_GAP(gaps, sched.looked_at);
  ADD_GAP(gaps, sched.looks);
}

void thread_put_lists(struct str *out, uint32_t machines) {
  for (const struct thread *t = sched.ready_first; t; t = t->ready_next)
    if (!(machines >> t->machine & 1))
      str_append_bytes(out, &t->id, sizeof t->id);
  int none = -1;
  str_append_bytes(out, &none, sizeof none);
  for (const struct thread *t = sched.dead; t; t = t->ready_next)
    str_append_bytes(out, &t->id, sizeof t->id);
  str_append_bytes(out, &none, sizeof none);
}
