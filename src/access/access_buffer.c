/* What waits in store buffers while schedules are explored, and how it leaves them. */
#include "access/access_internal.h"
#include "access/cxl.h"
#include "access/schedule.h"
#include "access/store_buffer.h"
#include "access/vain.h"
#include "thread/thread.h"

struct thread *access_acting_thread(void) {
  return access_doing.draining ? access_doing.drained : thread_current();
}

int access_thread(void) {
  return access_acting_thread()->id;
}

int access_machine(void) {
  return access_acting_thread()->machine;
}

bool access_on_behalf(void) {
  return access_doing.draining && access_doing.drained != thread_current();
}

/* There is no other thread.  With --poison its own loads would tell. */
bool access_drains_unnoticed(void) {
  return thread_alone() && !(access_run.options.cxl && cxl.options.poison);
}

bool access_buffers(void) {
  if (!schedule_explores() || access_doing.exclusive)
    return false;
  if (schedule.traces)
    return schedule_concerns_others();
  if (!access_drains_unnoticed())
    return true;
  access_drain_all();
  return false;
}

void access_into_buffer(const struct buffered *b) {
  if (schedule.traces)
    vain_leave();
  const struct buffered *new = store_buffer_push(thread_current(), b);
  access_record_issue(2 * (uint32_t) new->number, b->piece.address, b->piece.size, b->piece.site);
}

void access_drain(struct thread *t) {
  struct buffered b = store_buffer_pop(t);
  access_doing.draining = &b;
  access_doing.drained = t;
  switch (b.kind) {
  case BUFFERED_STORE:
    access_store_to_cache(&b.piece);
    break;
  case BUFFERED_FLUSH:
    access_flush_line(b.detail, b.piece.address, b.place, b.piece.site);
    break;
  case BUFFERED_FENCE:
    access_complete(b.detail, b.number, b.place, b.piece.site);
  }
  access_settle(t, b.number);
  access_doing.draining = NULL;
}

void access_drain_all(void) {
  if (!schedule_explores())
    return;
  struct thread *t = thread_current();
  while (!store_buffer_empty(t))
    access_drain(t);
}

void access_wait_for_turn(uintptr_t address, size_t bytes) {
  if (schedule_explores())
    schedule_point(OPERATION_WRITE, (void *)address, bytes < UINT32_MAX ? bytes : UINT32_MAX, true,
                   NULL);
  else
    thread_step_load((void *)address); /* it may be a loop that waits for another thread */
}

void access_exclusive_begin(void) {
  access_drain_all();
  access_doing.exclusive = true;
}

void access_exclusive_end(void) {
  access_doing.exclusive = false;
}

bool access_alone_begin(uintptr_t address, size_t bytes) {
  if (!schedule_explores() || schedule.traces || access_doing.exclusive)
    return false;
  access_wait_for_turn(address, bytes);
  access_exclusive_begin();
  return true;
}

void access_alone_end(bool begun) {
  if (begun)
    access_exclusive_end();
}

bool access_may_persist(const struct thread *t, const struct operation *o) {
  bool asked = t->flush_buffer && t->flush_buffer->length;
  switch ((enum operation_kind)o->kind) {
  case OPERATION_NONE:
  case OPERATION_READ:
  case OPERATION_FREE:
    return false;
  case OPERATION_WRITE:
    return access_run.options.eadr || (o->drained && asked);
  case OPERATION_FLUSH:
    return o->drain;
  case OPERATION_FENCE:
  case OPERATION_LOCK:
    return asked;
  }
  return false;
}

void access_may_fail(const struct operation *before) {
  if (!access_run.options.cxl) /* there an operation itself asks who fails before it */
    access_pm_may_fail(before);
}

uint32_t access_asks(const struct thread *t, const struct operation *o) {
  return access_run.options.cxl ? access_cxl_asks(t, o) : 0;
}

void access_add_gaps(world_gap_list *gaps, uint32_t machines) {
  for (int i = 0; i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    const struct flush_buffer *b = t->flush_buffer;
    bool gone = machines >> t->machine & 1;
    if (!b)
      continue;
    uint32_t used = gone ? 0 : b->length;
    world_add_gap(gaps, b->items + used, (b->capacity - used) * sizeof *b->items);
    for (uint32_t k = 0; cxl.consults && k < used; k++)
      world_add_gap(gaps, &b->items[k].position, sizeof b->items[k].position);
    if (gone)
      world_add_gap(gaps, b, sizeof *b);
  }
  if (machines >> thread_current()->machine & 1)
    world_add_gap(gaps, &access_doing, sizeof access_doing);
}

void access_put_pending(struct str *out, uint32_t machines) {
  for (int i = 0; cxl.consults && i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    const struct flush_buffer *b = t->flush_buffer;
    for (uint32_t k = 0; b && !(machines >> t->machine & 1) && k < b->length; k++) {
      uint32_t covered = cxl_covered(&b->items[k].line->line, b->items[k].position);
      str_append_bytes(out, &covered, sizeof covered);
    }
  }
}

void access_lose_buffers(int machine) {
  for (int i = 0; i < thread_count(); i++) {
    struct thread *t = thread_by_id(i);
    if (t->machine != machine)
      continue;
    store_buffer_lose(t);
    if (t->flush_buffer)
      t->flush_buffer->length = 0;
  }
}
