/* What is left out of a state because the threads of a machine are gone, or about to be. */
#include "base/str.h"
#include "process/fiber_tls.h"
#include "thread/thread_internal.h"

_Static_assert(offsetof(struct thread, ready_previous) ==
                   offsetof(struct thread, ready_next) + sizeof(struct thread *),
               "the links are beside each other");

#define ADD_GAP(gaps, member) world_add_gap(gaps, &(member), sizeof(member))

/* From one member up to another one, which lie behind each other. */
#define ADD_GAP_UNTIL(gaps, t, first, end) \
  world_add_gap(gaps, &(t)->first, offsetof(struct thread, end) - offsetof(struct thread, first))

/* Its stack, and what it was in the middle of. */
static void add_ended(world_gap_list *gaps, const struct thread *t) {
  const struct fiber_tls *tls = t->fiber.native_tls;
  if (tls)
    world_add_gap(gaps, (void *)t->fiber.stack_low,
                  (uintptr_t)tls + fiber_tls_bytes() - t->fiber.stack_low);
  ADD_GAP(gaps, t->fiber);
  ADD_GAP_UNTIL(gaps, t, next, vain); /* compares, expected, spin, turn */
}

/* What the thread needs to be taken out of everything stays: what it waits for and holds. */
static void add_gone(world_gap_list *gaps, const struct thread *t) {
  add_ended(gaps, t);
  if (t->state != THREAD_WAITING)
    ADD_GAP(gaps, t->state);
  ADD_GAP(gaps, t->waits_what);
  ADD_GAP_UNTIL(gaps, t, timed_out, queue); /* its end, its start, what it has for itself */
  ADD_GAP_UNTIL(gaps, t, once, flush_buffer);
  ADD_GAP(gaps, t->ignores);
}

/* Will there be nobody but the current thread? */
static bool is_alone(uint32_t machines) {
  for (const struct thread *t = sched.ready_first; t; t = t->ready_next)
    if (!(machines >> t->machine & 1))
      return false;
  for (const struct thread *t = sched.timed_first; t; t = t->timed_next)
    if (!(machines >> t->machine & 1))
      return false;
  return true;
}

void thread_add_gaps(world_gap_list *gaps, uint32_t machines, bool anew) {
  for (int i = 0; i < sched.count; i++) {
    const struct thread *t = sched.table[i];
    world_add_gap(gaps, &t->ready_next, 2 * sizeof t->ready_next); /* and ready_previous */
    if (machines >> t->machine & 1)
      add_gone(gaps, t);
    else if (t->state == THREAD_DONE)
      add_ended(gaps, t);
  }
  ADD_GAP(gaps, sched.turns_of);
  ADD_GAP(gaps, sched.ready_first);
  ADD_GAP(gaps, sched.ready_last);
  ADD_GAP(gaps, sched.dead);
  ADD_GAP(gaps, sched.live);
  for (int m = 0; m < MACHINES_MAX; m++)
    if (machines >> m & 1)
      ADD_GAP(gaps, sched.live_on[m]);
  bool stays = !(machines >> sched.current->machine & 1);
  if (!stays)
    ADD_GAP(gaps, sched.current);
  if (stays && !(anew && is_alone(machines)))
    return;
  ADD_GAP(gaps, sched.quantum);
  ADD_GAP(gaps, sched.looked_at);
  ADD_GAP(gaps, sched.looks);
}

void thread_add_turn_gaps(world_gap_list *gaps) {
  thread_add_gaps(gaps, 0, false);
  for (int i = 0; i < sched.count; i++)
    ADD_GAP(gaps, sched.table[i]->fiber.stack_pointer);
  ADD_GAP(gaps, sched.current);
  ADD_GAP(gaps, sched.paused);
  ADD_GAP(gaps, sched.quantum);
  ADD_GAP(gaps, sched.turns);
  ADD_GAP(gaps, sched.looked_at);
  ADD_GAP(gaps, sched.looks);
}

void thread_put_ready(struct str *out, uint32_t machines) {
  for (const struct thread *t = sched.ready_first; t; t = t->ready_next)
    if (!(machines >> t->machine & 1))
      str_append_bytes(out, &t->id, sizeof t->id);
  int none = -1;
  str_append_bytes(out, &none, sizeof none);
}
