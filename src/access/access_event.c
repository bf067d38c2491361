/* What happens becomes events, if somebody wants them. */
#include "access/access_internal.h"
#include "access/cxl.h"
#include "access/store_buffer.h"
#include "process/program.h"
#include "thread/thread.h"

void access_record(struct event e) {
  if (!access_run.recording)
    return;
  struct thread *t = access_doing.draining ? access_doing.drained
                     : fiber_current()     ? thread_current()
                                           : NULL;
  e.thread = t ? (uint16_t)t->id : 0;
  e.machine = t ? (uint16_t)t->machine : 0;
  if (!e.site && !e.code && t)
    e.code = access_doing.draining ? access_doing.draining->code : program_caller();
  if (e.kind == EVENT_FAILURE_POINT) {
    e.detail = (uint32_t)access_run.frames->length;
    struct event_frames frames = {0};
    if (t && !access_doing.draining)
      program_frames(&frames);
    vec_push(access_run.frames, frames);
  }
  if (stacks_on && t && !access_doing.draining)
    stacks_note_event(access_events());
  vec_push(access_run.events, e);
}

void access_note_load(uintptr_t address, int size, const struct abi_site *site) {
  int failures = access_run.options.cxl ? cxl_failures() : access_run.options.failures;
  stacks_note_load(failures, address, size, site);
}

uint32_t access_events(void) {
  return (uint32_t)access_run.events->length;
}

/* Two kinds of numbers: of entries of the store buffer, and of flushes that wait for one. */
uint32_t access_issue_number(void) {
  return access_doing.draining ? 2 * (uint32_t)access_doing.draining->number : 0;
}

void access_record_issue(uint32_t number, uintptr_t address, int size,
                         const struct abi_site *site) {
  access_record((struct event){.kind = EVENT_ISSUE,
                               .size = (uint8_t)size,
                               .detail = number,
                               .address = address,
                               .site = site});
}

void access_record_store(const struct access_piece *p) {
  access_record(
      (struct event){.kind = p->flags & ACCESS_NON_TEMPORAL ? EVENT_NT_STORE : EVENT_STORE,
                     .size = (uint8_t)p->size,
                     .joined = p->joined,
                     .atomic = p->flags & ACCESS_ATOMIC,
                     .release = p->flags & ACCESS_RELEASE,
                     .copied = p->copied,
                     .continued = p->continued,
                     .detail = access_issue_number(),
                     .address = p->address,
                     .value = p->value,
                     .site = p->site});
}

/* Does the order between threads matter, and are there several?  A machine that is failing does
 * nothing more that others could rely on, though its threads may have to leave locks. */
bool access_orders_threads(void) {
  if (!access_run.recording || !fiber_current() || thread_count() < 2)
    return false;
  return !access_run.options.cxl ||
         (access_run.options.note_order && !cxl_failed(thread_current()->machine));
}

void access_order(int kind, const void *object, uint32_t detail) {
  if (access_run.options.cxl && fiber_current())
    cxl.state.looks = 0; /* a lock was taken or released: not one that was only tried */
  if (!access_orders_threads())
    return;
  if (access_run.options.cxl && kind == EVENT_RELEASE)
    cxl_note_release(object);
  struct event e = {.kind = (uint8_t)kind, .address = (uintptr_t)object, .detail = detail};
  const struct event *last = access_run.events->length ? &vec_last(access_run.events) : NULL;
  if (kind == EVENT_ACQUIRE && last && last->kind == EVENT_ACQUIRE && last->address == e.address &&
      last->thread == thread_current()->id)
    return; /* it looks again, and nothing has happened since */
  access_record(e);
}

void access_note_fetch(uintptr_t line, uint32_t position, const struct abi_site *site) {
  if (access_run.options.note_order)
    access_record(
        (struct event){.kind = EVENT_FETCH, .address = line, .detail = position, .site = site});
}
