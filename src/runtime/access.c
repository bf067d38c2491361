#include "runtime/access.h"
#include "base/check.h"
#include "runtime/access_internal.h"
#include "runtime/fault.h"
#include "runtime/program.h"
#include "runtime/share.h"
#include "runtime/stop.h"
#include "runtime/survivors.h"
#include "runtime/thread.h"
#include "runtime/world.h"
#include <string.h>

/* A thread's flush buffer.  World memory. */
struct flush_buffer {
  struct access_pending *items;
  uint32_t length, capacity;
};

/* Bytes that became known since access_scope_begin. */
struct scoped {
  struct space_line *line;
  uint64_t bytes;
};

/* The running execution. */
static struct {
  const struct access_model *model;
  struct access_options options;
  struct history *history;
  bool recording;
  uint64_t steps;
  bool in_scope;
  VEC(struct scoped) scope;
} run = {.model = &access_pm};

void access_begin(const struct access_options *o, struct history *history) {
  run.model = o->cxl ? &access_cxl : &access_pm;
  run.options = *o;
  run.history = history;
  run.steps = 0;
  run.in_scope = false;
  if (!o->cxl)
    access_pm_begin(o->eadr);
}

void access_end(void) {
  if (!run.options.cxl)
    access_pm_end();
}

void access_set_recording(bool recording) {
  run.recording = recording;
}

void access_record(struct event e) {
  if (!run.recording)
    return;
  struct thread *t = fiber_current() ? thread_current() : NULL;
  e.thread = t ? (uint16_t)t->id : 0;
  e.machine = t ? (uint16_t)t->machine : 0;
  if (!e.site && t)
    e.code = program_caller();
  if (e.kind == EVENT_FAILURE_POINT) {
    e.detail = (uint32_t)run.history->frames.length;
    struct history_frames frames = {0};
    if (t)
      program_frames(&frames);
    vec_push(&run.history->frames, frames);
  }
  vec_push(&run.history->events, e);
}

void access_record_store(const struct access_piece *p) {
  access_record(
      (struct event){.kind = p->flags & ACCESS_NON_TEMPORAL ? EVENT_NT_STORE : EVENT_STORE,
                     .size = (uint8_t)p->size,
                     .joined = p->joined,
                     .atomic = p->flags & ACCESS_ATOMIC,
                     .address = p->address,
                     .value = p->value,
                     .site = p->site});
}

void access_step(const struct abi_site *site) {
  fault_progress++;
  if (++run.steps > run.options.steps_max && run.options.steps_max)
    stop_with(STOP_HANG, site, "no end after %lu steps (if it is only long, raise --max-steps)",
              (unsigned long)run.options.steps_max);
}

uint64_t access_steps(void) {
  return run.steps;
}

void access_set_steps(uint64_t steps) {
  run.steps = steps;
}

bool access_eadr(void) {
  return run.options.eadr;
}

uint64_t access_peek(const void *address, int size) {
  uint64_t value = 0;
  uintptr_t a = (uintptr_t)address;
  if (!abi_watched(a))
    memcpy(&value, address, (size_t)size);
  else if (space_valid(a, (size_t)size)) {
    memcpy(&value, space_alias(a), (size_t)size);
    if (survivors_running())
      survivors_peeked(a, size);
  }
  return value;
}

void access_illegal(uintptr_t address, size_t bytes, bool write, const struct abi_site *site) {
  const char *what = write ? "write" : "read";
  unsigned long at = address;
  if (address - ABI_WINDOW_BASE >= SPACE_OWN_OFFSET)
    stop_with(STOP_ILLEGAL_ACCESS, site,
              "%s of %zu bytes at 0x%lx, which is the checker's own memory (a wild pointer)", what,
              bytes, at);
  struct region *r = space_region_at(address);
  if (r && space_unmapped(address))
    stop_with(STOP_ILLEGAL_ACCESS, site, "%s of %zu bytes at 0x%lx in '%s', which is not mapped",
              what, bytes, at, r->name);
  if (r)
    stop_with(STOP_ILLEGAL_ACCESS, site, "%s of %zu bytes at 0x%lx runs over the end of region '%s'",
              what, bytes, at, r->name);
  stop_with(STOP_ILLEGAL_ACCESS, site, "%s of %zu bytes at 0x%lx, where no region is mapped", what,
            bytes, at);
}

/* ---- loads and stores ---- */

/* How many of `bytes` at `address` lie in one aligned 8-byte word. */
static int piece_size(uintptr_t address, size_t bytes) {
  size_t room = 8 - (address & 7);
  return (int)(bytes < room ? bytes : room);
}

/* A line that exists lies in a region; otherwise look. */
static void check_piece(uintptr_t address, int size, bool write, const struct abi_site *site) {
  if (address - ABI_WINDOW_BASE >= SPACE_REGION_BYTES)
    access_illegal(address, (size_t)size, write, site);
  if (!space_line_if_any(address) && !space_valid(address, (size_t)size))
    access_illegal(address, (size_t)size, write, site);
  if (space_unmapped(address))
    access_illegal(address, (size_t)size, write, site);
}

static uint64_t load_piece(uintptr_t address, int size, const struct abi_site *site) {
  check_piece(address, size, false, site);
  return run.model->load(
      &(struct access_piece){.address = address, .size = size, .site = site});
}

static void store_piece(const struct access_piece *p) {
  check_piece(p->address, p->size, true, p->site);
  run.model->store(p);
}

uint64_t access_load(uintptr_t address, int size, const struct abi_site *site) {
  access_step(site);
  int first = piece_size(address, (size_t)size);
  uint64_t value = load_piece(address, first, site);
  if (first < size)
    value |= load_piece(address + (uintptr_t)first, size - first, site) << (first * 8);
  return value;
}

uint8_t access_byte(uintptr_t address, const struct abi_site *site) {
  if (address % LINE_BYTES == 0)
    access_step(site);
  return (uint8_t)load_piece(address, 1, site);
}

void access_read(void *to, uintptr_t address, size_t bytes, const struct abi_site *site) {
  access_step(site);
  char *out = to;
  for (size_t done = 0; done < bytes;) {
    int n = piece_size(address + done, bytes - done);
    uint64_t value = load_piece(address + done, n, site);
    memcpy(out + done, &value, (size_t)n);
    done += (size_t)n;
  }
}

void access_store(uintptr_t address, uint64_t value, int size, int flags,
                  const struct abi_site *site) {
  access_step(site);
  struct access_piece p = {.address = address,
                           .size = piece_size(address, (size_t)size),
                           .value = value,
                           .flags = flags,
                           .site = site};
  store_piece(&p);
  if (p.size == size)
    return;
  p.address += (uintptr_t)p.size;
  p.value >>= p.size * 8;
  p.size = size - p.size;
  store_piece(&p);
}

void access_write(uintptr_t address, const void *from, size_t bytes, int flags,
                  const struct abi_site *site) {
  access_step(site);
  const char *in = from;
  for (size_t done = 0; done < bytes;) {
    struct access_piece p = {.address = address + done,
                             .size = piece_size(address + done, bytes - done),
                             .flags = flags,
                             .site = site};
    memcpy(&p.value, in + done, (size_t)p.size);
    store_piece(&p);
    done += (size_t)p.size;
  }
}

void access_write16(uintptr_t address, const void *from, const struct abi_site *site) {
  access_step(site);
  if (address & 15)
    stop_with(STOP_ILLEGAL_ACCESS, site, "16-byte atomic access at 0x%lx, which is not aligned",
              (unsigned long)address);
  uint64_t halves[2];
  memcpy(halves, from, sizeof halves);
  struct access_piece p = {.address = address, .size = 8, .value = halves[0],
                           .flags = ACCESS_ATOMIC, .half = true, .site = site};
  store_piece(&p);
  p.address += 8;
  p.value = halves[1];
  p.half = false;
  p.joined = true;
  store_piece(&p);
}

/* ---- flushes and fences ---- */

void access_add_pending(struct space_line *l, uint32_t position) {
  struct thread *t = thread_current();
  struct flush_buffer *b = t->flush_buffer;
  if (!b)
    b = t->flush_buffer = world_alloc(sizeof *b);
  if (b->length == b->capacity) {
    uint32_t capacity = b->capacity ? b->capacity * 2 : 16;
    struct access_pending *items = world_alloc(capacity * sizeof *items);
    if (b->length)
      memcpy(items, b->items, b->length * sizeof *items);
    b->items = items;
    b->capacity = capacity;
  }
  b->items[b->length++] = (struct access_pending){l, position};
}

void access_flush(int kind, uintptr_t address, const struct abi_site *site) {
  access_step(site);
  if (!abi_watched(address))
    return; /* flushing ordinary memory is harmless and says nothing */
  check_piece(address, 1, false, site);
  struct space_line *l = space_line_if_any(address);
  if (!l)
    return;
  access_record((struct event){
      .kind = EVENT_FLUSH, .address = address, .detail = (uint32_t)kind, .site = site});
  run.model->flush(kind, l, site);
}

void access_flush_range(int kind, uintptr_t address, size_t bytes, const struct abi_site *site) {
  for (uintptr_t at = LINE_OF(address); bytes && at < address + bytes; at += LINE_BYTES)
    access_flush(kind, at, site);
}

void access_fence(int kind, const struct abi_site *site) {
  access_step(site);
  struct flush_buffer *b = thread_current()->flush_buffer;
  if (kind == ABI_LFENCE || !b || b->length == 0)
    return;
  access_record((struct event){.kind = EVENT_FENCE, .detail = (uint32_t)kind, .site = site});
  size_t count = b->length;
  b->length = 0;
  run.model->fence(kind, b->items, count, site);
}

void access_full_fence(void) {
  access_fence(EVENT_FENCE_RMW, NULL);
}

void access_synchronise(void) {
  run.model->synchronise();
}

void access_program_ends(void) {
  run.model->program_ends();
}

void access_observe_machine(int machine) {
  run.model->observe_machine(machine);
}

/* ---- checksum scopes ---- */

void access_scope_begin(void) {
  run.in_scope = true;
  run.scope.length = 0;
}

void access_scope_end(bool forget) {
  for (size_t i = 0; forget && i < run.scope.length; i++)
    run.scope.data[i].line->known &= ~run.scope.data[i].bytes;
  run.in_scope = false;
}

void access_scope_add(struct space_line *l, uint64_t bytes) {
  if (run.in_scope)
    vec_push(&run.scope, ((struct scoped){l, bytes}));
}

void access_scope_remove(struct space_line *l, uint64_t bytes) {
  for (size_t i = 0; run.in_scope && i < run.scope.length; i++)
    if (run.scope.data[i].line == l)
      run.scope.data[i].bytes &= ~bytes;
}

void access_share(void) {
  share_register(&run, sizeof run);
}
