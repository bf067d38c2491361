/* Flushes and fences, and what a thread has asked to be written back. */
#include "access/access_internal.h"
#include "access/ordinary.h"
#include "access/schedule.h"
#include "access/store_buffer.h"
#include "analysis/flush.h"
#include "event/window.h"
#include "process/image.h"
#include "process/program.h"
#include "process/world.h"
#include "thread/thread.h"
#include <string.h>

static uint32_t entries_before(const struct thread *t) {
  if (!access_run.options.note_flushes)
    return 0;
  return (uint32_t)(access_doing.draining ? access_doing.draining->number - 1
                    : t->store_buffer     ? t->store_buffer->numbers
                                          : 0);
}

static void add_pending(struct access_pending new) {
  struct thread *t = access_acting_thread();
  new.behind = entries_before(t);
  struct flush_buffer *b = t->flush_buffer;
  if (!b)
    b = t->flush_buffer = world_alloc(sizeof *b);
  WORLD_ROOM(b->items, b->length, b->capacity);
  b->items[b->length++] = new;
}

void access_add_pending(struct space_line *l, uint32_t position, uint32_t place) {
  add_pending((struct access_pending){.line = l, .position = position, .place = place});
}

/* Are there several threads whose order is not the only one possible?  Of two flushes of a line the first one has the
 * effect, and in another schedule that may be the other one; with traces it is known which could have been the
 * first. */
static bool several_threads(void) {
  return !schedule.traces && thread_count() > access_machines();
}

/* A flush or fence in the source, or in a call of a library, is executed. */
static uint32_t note_executed(struct flush_place place) {
  struct event_frames frames;
  if (!access_run.options.note_flushes)
    return ACCESS_NO_PLACE;
  program_frames(&frames);
  for (int i = 0; i < frames.count && i < FLUSH_FRAMES; i++)
    place.code[i] = frames.code[i];
  if (!place.site && !(frames.count && image_is_own_code(frames.code[0])))
    return ACCESS_NO_PLACE;
  return flush_executed(&place, several_threads());
}

static uint32_t note_place(bool fence, int kind, const struct abi_site *site) {
  if (!site)
    return ACCESS_NO_PLACE;
  return note_executed((struct flush_place){.fence = fence, .kind = (uint8_t)kind, .site = site});
}

static void note_completed(uint32_t place, bool used) {
  if (place != ACCESS_NO_PLACE)
    flush_completed(place, used);
}

/* One that waits for an entry of the store buffer, a flush perhaps, is in the list before that. */
static bool covers_more(const struct access_pending *p, const struct access_pending *pending) {
  const struct space_line *l = p->line;
  return p->position > l->covered ||
         (l->covered && p->position == l->covered && p->behind < pending[l->covered_by].behind);
}

/* Tell analysis/flush.h which of these flushes make something persistent: of each line the one that covers most, of
 * equal ones the first in the program. */
static bool note_pending(const struct access_pending *pending, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    struct space_line *l = pending[i].line;
    if (covers_more(&pending[i], pending) && access_run.model->is_dirty(l, pending[i].position)) {
      l->covered = pending[i].position;
      l->covered_by = (uint32_t)i;
      any = true;
    }
  }
  for (size_t i = 0; i < count; i++) {
    const struct space_line *l = pending[i].line;
    note_completed(pending[i].place, l->covered && l->covered_by == i);
  }
  for (size_t i = 0; i < count; i++)
    pending[i].line->covered = 0;
  return any;
}

/* How many stores the line has seen. */
static uint32_t positions_of(const struct space_line *l) {
  return access_run.options.cxl ? l->line.positions : l->positions;
}

/* A line that nobody has touched has nothing to write back.  While schedules are explored that
 * another execution touched it must make no difference. */
void access_flush_line(int kind, uintptr_t address, uint32_t place, const struct abi_site *site) {
  struct space_line *l = space_line_if_any(address);
  bool nothing = !l || (schedule.explores && positions_of(l) == 0);
  if (place != ACCESS_NO_PLACE && (nothing || kind == ABI_CLFLUSH))
    flush_completed(place, !nothing && access_run.model->is_dirty(l, POSITION_MAX));
  if (nothing)
    return;
  access_run.model->flush(kind, l, place, site); /* a failure may come before it */
  access_scrub_if_compared();
  access_record((struct event){.kind = EVENT_FLUSH,
                               .address = address,
                               .detail = (uint32_t)kind,
                               .value = access_issue_number(),
                               .site = site});
}

/* It settles when an entry of the thread's store buffer has left. */
static void wait_with_flush(const struct access_pending *p) {
  add_pending(*p);
  struct flush_buffer *b = thread_current()->flush_buffer;
  uint32_t issue = 2 * b->waited++ + 1;
  b->items[b->length - 1].issue = issue;
  access_record_issue(issue, p->line->line.address, LINE_BYTES, p->site);
}

/* A clflush waits for its turn like a store.  Another flush waits only for what it cannot overtake:
 * the sooner it comes, the less it covers, so that coming as soon as it may leaves all states that
 * coming later could.  Behind a store to its line it comes together with that store.  Behind an
 * sfence it has a turn of its own: what it covers depends on what others store to the line. */
static void flush_as_scheduled(int kind, uintptr_t address, uint32_t place,
                               const struct abi_site *site) {
  struct thread *t = thread_current();
  struct buffered b = {.kind = BUFFERED_FLUSH, .detail = kind, .place = place};
  b.piece = (struct access_piece){.address = LINE_OF(address), .size = LINE_BYTES, .site = site};
  b.code = site ? 0 : program_caller();
  const struct buffered *before = store_buffer_before_flush(t, LINE_OF(address));
  bool behind_fence = schedule.traces ? store_buffer_behind_fence(t, LINE_OF(address))
                                      : before && before->kind == BUFFERED_FENCE;
  if (kind != ABI_CLFLUSH &&
      behind_fence) /* without it the flush could go before what it is behind */
    note_completed(t->store_buffer->fence_place, true);
  if (kind == ABI_CLFLUSH || behind_fence) {
    access_into_buffer(&b);
    return;
  }
  if (schedule.traces) { /* in any case, whatever has left the buffer by now */
    schedule_point(OPERATION_FLUSH, (void *)LINE_OF(address), LINE_BYTES, false, site);
    before = store_buffer_before_flush(t, LINE_OF(address));
  }
  if (before) {
    wait_with_flush(&(struct access_pending){.line = space_line(address),
                                             .after = before->number,
                                             .place = place,
                                             .kind = kind,
                                             .site = site,
                                             .code = b.code});
    return;
  }
  if (!schedule.traces)
    schedule_point(OPERATION_FLUSH, (void *)LINE_OF(address), LINE_BYTES, false, site);
  access_flush_line(kind, address, place, site);
}

static void flush_at(int kind, uintptr_t address, uint32_t place, const struct abi_site *site) {
  if (access_buffers())
    flush_as_scheduled(kind, address, place, site);
  else
    access_flush_line(kind, address, place, site);
}

/* Flushing ordinary memory is harmless and says nothing. */
static bool may_flush(uintptr_t address, const struct abi_site *site) {
  access_step(site);
  if (window_has(address))
    access_check_piece(address, 1, false, site);
  return window_has(address);
}

void access_flush(int kind, uintptr_t address, const struct abi_site *site) {
  if (may_flush(address, site))
    flush_at(kind, address, note_place(false, kind, site), site);
}

void access_flush_range(int kind, uintptr_t address, size_t bytes, const struct abi_site *site) {
  for (uintptr_t at = LINE_OF(address); bytes && at < address + bytes; at += LINE_BYTES)
    access_flush(kind, at, site);
}

/* Not inlined: numbers of stores would be left on the thread's stack, which is compared as part of its state. */
static __attribute__((noinline)) void swap(struct access_pending *a, struct access_pending *b) {
  struct access_pending c = *a;
  *a = *b;
  *b = c;
}

/* Wait for the write-backs that the thread asked for before entry `number` of its store buffer. */
void access_complete(int kind, uint64_t number, uint32_t place, const struct abi_site *site) {
  struct flush_buffer *b = access_acting_thread()->flush_buffer;
  if (!b || b->length == 0) {
    note_completed(place, false);
    return;
  }
  size_t done = 0, count = b->length;
  for (size_t i = 0; i < count; i++) /* move those that the fence waits for to the front */
    if (b->items[i].after < number) {
      if (i != done)
        swap(&b->items[done], &b->items[i]);
      done++;
    }
  if (access_run.options.note_flushes)
    note_completed(place, note_pending(b->items, done));
  access_run.model->fence(kind, b->items, done, site); /* a failure may come before it */
  access_scrub_if_compared();
  access_record((struct event){
      .kind = EVENT_FENCE, .detail = (uint32_t)kind, .value = access_issue_number(), .site = site});
  memmove(b->items, b->items + done, (count - done) * sizeof *b->items);
  b->length = (uint32_t)(count - done);
}

static void fence_at(int kind, uint32_t place, const struct abi_site *site) {
  struct thread *t = thread_current();
  if (kind == ABI_SFENCE && access_buffers()) {
    if (schedule.traces || !store_buffer_empty(t) || (t->flush_buffer && t->flush_buffer->length))
      access_into_buffer(&(struct buffered){.kind = BUFFERED_FENCE,
                                            .detail = kind,
                                            .place = place,
                                            .piece = {.site = site},
                                            .code = site ? 0 : program_caller()});
    return;
  }
  if (kind == ABI_MFENCE && schedule_explores())
    schedule_point(OPERATION_FENCE, NULL, 0, true, site);
  access_drain_all();
  access_complete(kind, UINT64_MAX, place, site);
}

void access_fence(int kind, const struct abi_site *site) {
  access_step(site);
  if (ordinary.on) {
    if (kind == ABI_MFENCE)
      ordinary_fence(ABI_SEQ_CST, site);
    return; /* lock operations wait for the buffer themselves */
  }
  if (kind == ABI_LFENCE)
    return;
  bool orders_more = kind != ABI_SFENCE && thread_count() > 1; /* stores before loads */
  uint32_t place =
      kind == EVENT_FENCE_RMW || orders_more ? ACCESS_NO_PLACE : note_place(true, kind, site);
  fence_at(kind, place, site);
}

void access_persist_call(const char *name, uintptr_t address, size_t bytes, bool fence) {
  uint32_t place = ordinary.on ? ACCESS_NO_PLACE
                               : note_executed((struct flush_place){.fence = !bytes, .call = name});
  for (uintptr_t at = LINE_OF(address); bytes && at < address + bytes; at += LINE_BYTES)
    if (may_flush(at, NULL))
      flush_at(ABI_CLWB, at, place, NULL);
  if (!fence)
    return;
  access_step(NULL);
  if (!ordinary.on)
    fence_at(ABI_SFENCE, place, NULL);
}

void access_full_fence(void) {
  access_fence(EVENT_FENCE_RMW, NULL);
}

/* Flushes that waited for this entry cover what is there now. */
void access_settle(const struct thread *t, uint64_t number) {
  struct flush_buffer *b = t->flush_buffer;
  for (uint32_t i = 0; b && i < b->length; i++)
    if (b->items[i].after == number) {
      struct access_pending *p = &b->items[i];
      access_record((struct event){.kind = EVENT_FLUSH,
                                   .address = p->line->line.address,
                                   .detail = (uint32_t)p->kind,
                                   .value = p->issue,
                                   .site = p->site,
                                   .code = p->code});
      p->position = positions_of(p->line);
      p->after = 0;
    }
}
