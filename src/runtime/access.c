#include "runtime/access.h"
#include "runtime/share.h"
#include "base/check.h"
#include "runtime/fault.h"
#include "runtime/program.h"
#include "runtime/search.h"
#include "runtime/stop.h"
#include "runtime/thread.h"
#include <string.h>

/* A line whose write-back a thread has asked for but not yet waited for. */
struct pending {
  struct space_line *line;
  uint32_t positions; /* own positions of the line it covers */
};

struct scoped {
  struct space_line *line;
  uint64_t bytes;
};

/* The running execution.  Set anew by access_begin. */
static struct {
  struct access_options options;
  event_list *events;
  bool recording;
  bool stored; /* since the last failure point */
  uint64_t steps;
  bool in_scope;
  VEC(struct scoped) scope; /* bytes that became known since access_scope_begin */
  VEC(struct pending) pending[THREADS_MAX];
  int threads_used; /* flush buffers in use */
} run;

void access_set_recording(bool recording) {
  run.recording = recording;
}

void access_begin(const struct access_options *o, event_list *events) {
  run.options = *o;
  run.events = events;
  run.stored = false;
  run.steps = 0;
  run.in_scope = false;
  for (int t = 0; t < run.threads_used; t++)
    run.pending[t].length = 0;
  run.threads_used = 0;
}

static void record(struct event e) {
  if (!run.recording)
    return;
  struct thread *t = fiber_current() ? thread_current() : NULL;
  e.thread = t ? (uint16_t)t->id : 0;
  e.machine = t ? (uint16_t)t->machine : 0;
  if (!e.site && t)
    e.code = program_caller();
  vec_push(run.events, e);
}

void access_step(const struct abi_site *site) {
  fault_progress++;
  if (++run.steps > run.options.steps_max && run.options.steps_max)
    stop_with(STOP_HANG, site, "no end after %lu steps on watched memory (--max-steps)",
              (unsigned long)run.options.steps_max);
}

uint64_t access_steps(void) {
  return run.steps;
}

bool access_eadr(void) {
  return run.options.eadr;
}

uint64_t access_peek(const void *address, int size) {
  uint64_t value = 0;
  uintptr_t a = (uintptr_t)address;
  if (!abi_watched(a))
    memcpy(&value, address, (size_t)size);
  else if (space_valid(a, (size_t)size))
    memcpy(&value, space_alias(a), (size_t)size);
  return value;
}

void access_illegal(uintptr_t address, size_t bytes, bool write, const struct abi_site *site) {
  const char *what = write ? "write" : "read";
  if (address - ABI_WINDOW_BASE >= SPACE_OWN_OFFSET)
    stop_with(STOP_ILLEGAL_ACCESS, site,
              "%s of %zu bytes at 0x%lx, which is the checker's own memory (a wild pointer)", what,
              bytes, (unsigned long)address);
  struct region *r = space_region_at(address);
  if (r && space_unmapped(address))
    stop_with(STOP_ILLEGAL_ACCESS, site, "%s of %zu bytes at 0x%lx in '%s', which is not mapped",
              what, bytes, (unsigned long)address, r->name);
  if (r)
    stop_with(STOP_ILLEGAL_ACCESS, site, "%s of %zu bytes at 0x%lx runs over the end of region '%s'",
              what, bytes, (unsigned long)address, r->name);
  stop_with(STOP_ILLEGAL_ACCESS, site, "%s of %zu bytes at 0x%lx, where no region is mapped", what,
            bytes, (unsigned long)address);
}

/* How many of `bytes` at `address` lie in one aligned 8-byte word. */
static int piece(uintptr_t address, size_t bytes) {
  size_t room = 8 - (address & 7);
  return (int)(bytes < room ? bytes : room);
}

static uint64_t mask_of(uintptr_t address, int size) {
  return (((uint64_t)1 << size) - 1) << (address & (LINE_BYTES - 1));
}

/* Ask the search for the unknown bytes among these and put them into the cache view. */
static void make_known(struct space_line *l, uintptr_t address, int size,
                       const struct abi_site *site) {
  uint64_t unknown = mask_of(address, size) & ~l->known;
  while (unknown) {
    int first = __builtin_ctzl(unknown);
    int count = __builtin_ctzl(~(unknown >> first));
    uint64_t value = search_observe_load(l, l->line.address + (uintptr_t)first, count, site);
    memcpy(space_alias(l->line.address + (uintptr_t)first), &value, (size_t)count);
    space_touch(l);
    uint64_t bytes = (((uint64_t)1 << count) - 1) << first;
    l->known |= bytes;
    unknown &= ~bytes;
    if (run.in_scope)
      vec_push(&run.scope, ((struct scoped){l, bytes}));
  }
}

/* pre: within one 8-byte word. */
static uint64_t load_piece(uintptr_t address, int size, const struct abi_site *site) {
  struct space_line *l = space_line_if_any(address);
  if (space_unmapped(address))
    access_illegal(address, (size_t)size, false, site);
  if (!l) {
    if (!space_valid(address, (size_t)size))
      access_illegal(address, (size_t)size, false, site);
    if (space_observes_all())
      l = space_line(address);
  }
  if (l && l->observed)
    make_known(l, address, size, site);
  uint64_t value = 0;
  memcpy(&value, space_alias(address), (size_t)size);
  return value;
}

void access_scope_begin(void) {
  run.in_scope = true;
  run.scope.length = 0;
}

void access_scope_end(bool forget) {
  for (size_t i = 0; forget && i < run.scope.length; i++)
    run.scope.data[i].line->known &= ~run.scope.data[i].bytes;
  run.in_scope = false;
}

/* The program has overwritten these bytes: they are not forgotten. */
static void unscope(struct space_line *l, uint64_t bytes) {
  for (size_t i = 0; i < run.scope.length; i++)
    if (run.scope.data[i].line == l)
      run.scope.data[i].bytes &= ~bytes;
}

static bool in_regions(uintptr_t address) {
  return address - ABI_WINDOW_BASE < SPACE_REGION_BYTES;
}

uint64_t access_load(uintptr_t address, int size, const struct abi_site *site) {
  access_step(site);
  if (!in_regions(address))
    access_illegal(address, (size_t)size, false, site);
  int first = piece(address, (size_t)size);
  uint64_t value = load_piece(address, first, site);
  if (first < size)
    value |= load_piece(address + (uintptr_t)first, size - first, site) << (first * 8);
  return value;
}

void access_read(void *to, uintptr_t address, size_t bytes, const struct abi_site *site) {
  access_step(site);
  char *out = to;
  for (size_t done = 0; done < bytes;) {
    uintptr_t at = address + done;
    if (!in_regions(at))
      access_illegal(at, bytes - done, false, site);
    int n = piece(at, bytes - done);
    uint64_t value = load_piece(at, n, site);
    memcpy(out + done, &value, (size_t)n);
    done += (size_t)n;
  }
}

static void failure_point(const struct abi_site *site) {
  if (run.stored)
    record((struct event){.kind = EVENT_FAILURE_POINT, .site = site});
  run.stored = false;
}

static void write_back(struct space_line *l, uint32_t positions, const struct abi_site *site) {
  if (positions <= l->written_back)
    return;
  failure_point(site);
  l->written_back = positions;
  record((struct event){.kind = EVENT_PERSIST,
                        .address = l->line.address,
                        .detail = l->positions - positions,
                        .site = site});
}

static void add_pending(struct space_line *l) {
  int t = thread_current()->id;
  if (t >= run.threads_used)
    run.threads_used = t + 1;
  struct pending p = {l, l->positions};
  vec_push(&run.pending[t], p);
}

/* pre: within one 8-byte word. */
static void store_piece(uintptr_t address, uint64_t value, int size, int flags, bool joined,
                        const struct abi_site *site) {
  struct space_line *l = space_line_if_any(address);
  if (space_unmapped(address))
    access_illegal(address, (size_t)size, true, site);
  if (!l) {
    if (!space_valid(address, (size_t)size))
      access_illegal(address, (size_t)size, true, site);
    l = space_line(address);
  }
  memcpy(space_alias(address), &value, (size_t)size);
  space_touch(l);
  l->known |= mask_of(address, size);
  if (run.in_scope)
    unscope(l, mask_of(address, size));
  if (!joined)
    l->positions++;
  run.stored = true;
  record((struct event){.kind = flags & ACCESS_NON_TEMPORAL ? EVENT_NT_STORE : EVENT_STORE,
                        .size = (uint8_t)size,
                        .joined = joined,
                        .atomic = flags & ACCESS_ATOMIC,
                        .address = address,
                        .value = value,
                        .site = site});
  if (flags & ACCESS_NON_TEMPORAL)
    add_pending(l);
  if (run.options.eadr)
    write_back(l, l->positions, site);
}

void access_store(uintptr_t address, uint64_t value, int size, int flags,
                  const struct abi_site *site) {
  access_step(site);
  if (!in_regions(address))
    access_illegal(address, (size_t)size, true, site);
  int first = piece(address, (size_t)size);
  store_piece(address, value, first, flags, false, site);
  if (first < size)
    store_piece(address + (uintptr_t)first, value >> (first * 8), size - first, flags, false, site);
}

void access_write(uintptr_t address, const void *from, size_t bytes, int flags,
                  const struct abi_site *site) {
  access_step(site);
  const char *in = from;
  for (size_t done = 0; done < bytes;) {
    uintptr_t at = address + done;
    if (!in_regions(at))
      access_illegal(at, bytes - done, true, site);
    int n = piece(at, bytes - done);
    uint64_t value = 0;
    memcpy(&value, in + done, (size_t)n);
    store_piece(at, value, n, flags, false, site);
    done += (size_t)n;
  }
}

void access_write16(uintptr_t address, const void *from, const struct abi_site *site) {
  access_step(site);
  if (!in_regions(address) || address & 15)
    access_illegal(address, 16, true, site);
  uint64_t halves[2];
  memcpy(halves, from, sizeof halves);
  store_piece(address, halves[0], 8, ACCESS_ATOMIC, false, site);
  store_piece(address + 8, halves[1], 8, ACCESS_ATOMIC, true, site);
}

void access_flush(int kind, uintptr_t address, const struct abi_site *site) {
  access_step(site);
  if (!abi_watched(address))
    return; /* flushing ordinary memory is harmless and says nothing */
  if (!space_region_at(address))
    access_illegal(address, 1, false, site);
  struct space_line *l = space_line_if_any(address);
  if (!l)
    return;
  record((struct event){
      .kind = EVENT_FLUSH, .address = address, .detail = (uint32_t)kind, .site = site});
  if (kind == ABI_CLFLUSH)
    write_back(l, l->positions, site);
  else
    add_pending(l);
}

void access_flush_range(int kind, uintptr_t address, size_t bytes, const struct abi_site *site) {
  for (uintptr_t at = LINE_OF(address); bytes && at < address + bytes; at += LINE_BYTES)
    access_flush(kind, at, site);
}

void access_fence(int kind, const struct abi_site *site) {
  access_step(site);
  int t = thread_current()->id;
  if (kind == ABI_LFENCE || t >= run.threads_used || run.pending[t].length == 0)
    return;
  record((struct event){.kind = EVENT_FENCE, .detail = (uint32_t)kind, .site = site});
  for (size_t i = 0; i < run.pending[t].length; i++)
    write_back(run.pending[t].data[i].line, run.pending[t].data[i].positions, site);
  run.pending[t].length = 0;
}

void access_full_fence(void) {
  access_fence(EVENT_FENCE_RMW, NULL);
}

void access_end(void) {
  failure_point(NULL);
}

void access_share(void) {
  share_register(&run, sizeof run);
}
