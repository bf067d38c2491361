#include "access/access.h"
#include "access/access_internal.h"
#include "access/cxl.h"
#include "access/ordinary.h"
#include "access/protection.h"
#include "access/schedule.h"
#include "access/spin.h"
#include "access/store_buffer.h"
#include "access/turn.h"
#include "analysis/flush.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "door/door.h"
#include "process/caller.h"
#include "process/fault.h"
#include "process/image.h"
#include "process/loop.h"
#include "process/program.h"
#include "process/share.h"
#include "process/stop.h"
#include "process/unwind.h"
#include "process/world.h"
#include "thread/thread.h"
#include <signal.h>
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
  event_list *events;
  event_frames_list *frames;
  bool recording;
  uint64_t steps, steps_noticed; /* when so many are exceeded it may be a hang */
  struct loop_samples loop;
  bool in_scope;
  VEC(struct scoped) scope;
  bool reads_known; /* load_known may answer */
} run = {.model = &access_pm};

/* What it is in the middle of: an access can be a decision that the search comes back to.  World
 * memory. */
static struct {
  bool exclusive;
  bool plain; /* a load by the program is under way, of so many bytes there */
  uintptr_t plain_address;
  int plain_size;
  const struct buffered
      *draining;          /* what is on its way from a store buffer to the cache, or NULL */
  struct thread *drained; /* its thread */
} doing;

void access_begin(const struct access_options *o, event_list *events, event_frames_list *frames) {
  run.model = o->cxl ? &access_cxl : &access_pm;
  run.options = *o;
  run.events = events;
  run.frames = frames;
  run.steps = 0;
  run.steps_noticed = o->steps_max ? o->steps_max - o->steps_max / 8 : UINT64_MAX;
  loop_clear(&run.loop);
  run.in_scope = false;
  run.reads_known = !o->cxl && o->failures && !schedule.explores;
  if (!o->cxl)
    access_pm_begin(o->eadr, o->failures > 0);
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
  struct thread *t = doing.draining ? doing.drained : fiber_current() ? thread_current() : NULL;
  e.thread = t ? (uint16_t)t->id : 0;
  e.machine = t ? (uint16_t)t->machine : 0;
  if (!e.site && !e.code && t)
    e.code = doing.draining ? doing.draining->code : program_caller();
  if (e.kind == EVENT_FAILURE_POINT) {
    e.detail = (uint32_t)run.frames->length;
    struct event_frames frames = {0};
    if (t && !doing.draining)
      program_frames(&frames);
    vec_push(run.frames, frames);
  }
  if (stacks_on && t && !doing.draining)
    stacks_note_event(access_events());
  vec_push(run.events, e);
}

void access_note_load(uintptr_t address, int size, const struct abi_site *site) {
  int failures = run.options.cxl ? cxl_failures() : run.options.failures;
  stacks_note_load(failures, address, size, site);
}

uint32_t access_events(void) {
  return (uint32_t)run.events->length;
}

void access_record_store(const struct access_piece *p) {
  access_record(
      (struct event){.kind = p->flags & ACCESS_NON_TEMPORAL ? EVENT_NT_STORE : EVENT_STORE,
                     .size = (uint8_t)p->size,
                     .joined = p->joined,
                     .atomic = p->flags & ACCESS_ATOMIC,
                     .release = p->flags & ACCESS_RELEASE,
                     .copied = p->copied,
                     .detail = doing.draining != NULL,
                     .address = p->address,
                     .value = p->value,
                     .site = p->site});
}

/* Does the order between threads matter, and are there several?  A machine that is failing does
 * nothing more that others could rely on, though its threads may have to leave locks. */
static bool orders_threads(void) {
  if (!run.recording || !fiber_current() || thread_count() < 2)
    return false;
  return !run.options.cxl || (run.options.note_order && !cxl_failed(thread_current()->machine));
}

void access_order(int kind, const void *object, uint32_t detail) {
  if (!orders_threads())
    return;
  struct event e = {.kind = (uint8_t)kind, .address = (uintptr_t)object, .detail = detail};
  const struct event *last = run.events->length ? &vec_last(run.events) : NULL;
  if (kind == EVENT_ACQUIRE && last && last->kind == EVENT_ACQUIRE && last->address == e.address &&
      last->thread == thread_current()->id)
    return; /* it looks again, and nothing has happened since */
  access_record(e);
}

/* A load from the cache: of what another thread has stored, perhaps. */
static inline void record_load(uintptr_t address, int size, const struct abi_site *site) {
  if (!run.recording || run.options.cxl || !orders_threads())
    return;
  const struct space_line *l = space_line_if_any(address);
  if (l && l->positions && l->writer != thread_current()->id)
    access_record((struct event){
        .kind = EVENT_LOAD, .size = (uint8_t)size, .address = address, .site = site});
}

static struct thread *acting_thread(void) {
  return doing.draining ? doing.drained : thread_current();
}

/* Where is it, now and then in its last steps? */
static void sample_loop(void) {
  uint64_t stride = (run.options.steps_max - run.steps_noticed) / LOOP_SAMPLES + 1;
  if (hash_u64(0, run.steps) % stride)
    return;
  uintptr_t pcs[STOP_FRAMES_MAX];
  int n = unwind_calls_quickly((uintptr_t)__builtin_frame_address(0), pcs, STOP_FRAMES_MAX);
  loop_add(&run.loop, acting_thread()->id, pcs, n, false);
}

static _Noreturn void too_many_steps(const struct abi_site *site) {
  struct stop s = {.kind = STOP_HANG, .site = site};
  struct str text = {0};
  str_format(&text, "no end after %lu steps (if it is only long, raise --max-steps)",
             (unsigned long)run.options.steps_max);
  stop_set_message(&s, str_text(&text));
  str_free(&text);
  loop_find(&run.loop, &s);
  stop_execution(&s);
}

void access_step(const struct abi_site *site) {
  fault_progress++;
  if (++run.steps <= run.steps_noticed)
    return;
  if (run.steps > run.options.steps_max)
    too_many_steps(site);
  sample_loop();
}

uint64_t access_steps(void) {
  return run.steps;
}

void access_set_steps(uint64_t steps) {
  loop_clear(&run.loop);
  run.steps = steps;
}

void access_note_fetch(uintptr_t line, uint32_t position, const struct abi_site *site) {
  if (run.options.note_order)
    access_record(
        (struct event){.kind = EVENT_FETCH, .address = line, .detail = position, .site = site});
}

void access_put_state(struct str *out, bool counts) {
  access_pm_put_state(out, counts);
  space_put(out, counts);
}

void access_set_state(const char *bytes, size_t n) {
  size_t first = access_pm_set_state(bytes);
  space_set(bytes + first, n - first);
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
    if (door && door->peeked)
      door->peeked(a, size);
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
    stop_with(STOP_ILLEGAL_ACCESS, site,
              "%s of %zu bytes at 0x%lx runs over the end of region '%s'", what, bytes, at,
              r->name);
  stop_with(STOP_ILLEGAL_ACCESS, site, "%s of %zu bytes at 0x%lx, where no region is mapped", what,
            bytes, at);
}

/* ---- loads and stores ---- */

/* How many of `bytes` at `address` lie in one aligned 8-byte word. */
static int piece_size(uintptr_t address, size_t bytes) {
  size_t room = 8 - (address & 7);
  return (int)(bytes < room ? bytes : room);
}

void access_check_protection(uintptr_t address, bool write, const struct abi_site *site) {
  if (protection_allows(address, write))
    return;
  bool handled = fault_program_handles && fault_program_handles(SIGSEGV);
  stop_with(STOP_SEGFAULT, site, "segmentation fault: %s address 0x%lx, which mprotect forbids%s",
            write ? "write to" : "read of", (unsigned long)address,
            handled ? "; the program's handler is not called" : "");
}

/* A line that exists lies in a region; otherwise look. */
static void check_piece(uintptr_t address, int size, bool write, const struct abi_site *site) {
  mem_may_go_back(); /* what is asked about this piece may be a decision */
  if (address - ABI_WINDOW_BASE >= SPACE_REGION_BYTES)
    access_illegal(address, (size_t)size, write, site);
  if (!space_line_if_any(address) && !space_valid(address, (size_t)size))
    access_illegal(address, (size_t)size, write, site);
  if (space_unmapped(address))
    access_illegal(address, (size_t)size, write, site);
  if (__builtin_expect(protection_ranges, 0) && site) /* files are written to in any case */
    access_check_protection(address, write, site);
}

static uint64_t load_from_cache(uintptr_t address, int size, const struct abi_site *site) {
  return run.model->load(&(struct access_piece){.address = address, .size = size, .site = site});
}

/* The thread's own buffered stores first, then the cache, when it is the thread's turn: until then
 * the stores may drain and be overwritten by others. */
static uint64_t load_as_scheduled(uintptr_t address, int size, const struct abi_site *site) {
  uint64_t value = 0;
  uint8_t whole = (uint8_t)((1 << size) - 1);
  if (thread_alone())
    access_drain_all();
  schedule_point(OPERATION_READ, (void *)address, (size_t)size, false, site);
  uint8_t own = store_buffer_forward(thread_current(), address, size, &value);
  if (own == whole)
    return value;
  if (!own)
    record_load(address, size, site);
  value = load_from_cache(address, size, site);
  store_buffer_forward(thread_current(), address, size, &value);
  return value;
}

/* What the execution knows already, where nobody wants to hear of it: most loads after a failure. */
static inline bool load_known(uintptr_t address, int size, uint64_t *value) {
  if (run.recording || !run.reads_known || address - ABI_WINDOW_BASE >= SPACE_REGION_BYTES ||
      space_has_mappings)
    return false;
  const struct space_line *l = space_line_if_any(address);
  if (!l || access_mask(address, size) & ~l->known)
    return false;
  mem_may_go_back();
  memcpy(value, space_alias(address & ~(uintptr_t)7), 8); /* a piece lies in one word */
  *value = *value >> (address & 7) * 8 & ~(uint64_t)0 >> (8 - size) * 8;
  return true;
}

static uint64_t load_piece(uintptr_t address, int size, const struct abi_site *site) {
  uint64_t known;
  if (load_known(address, size, &known))
    return known;
  check_piece(address, size, false, site);
  if (schedule_explores() && !doing.exclusive)
    return load_as_scheduled(address, size, site);
  record_load(address, size, site);
  return load_from_cache(address, size, site);
}

/* Does what the current thread does wait in its store buffer? */
static bool buffers(void) {
  if (!schedule_explores() || doing.exclusive)
    return false;
  if (!thread_alone())
    return true;
  access_drain_all();
  return false;
}

int access_thread(void) {
  return acting_thread()->id;
}

int access_machine(void) {
  return acting_thread()->machine;
}

bool access_on_behalf(void) {
  return doing.draining && doing.drained != thread_current();
}

static void store_to_cache(const struct access_piece *p) {
  if (schedule_explores())
    schedule_note(&(struct operation){.kind = OPERATION_WRITE,
                                      .thread = (uint16_t)acting_thread()->id,
                                      .address = p->address,
                                      .size = (uint32_t)p->size});
  run.model->store(p);
}

static void store_piece(const struct access_piece *p) {
  check_piece(p->address, p->size, true, p->site);
  if (p->flags & ACCESS_LOCKED) {
    store_to_cache(p);
  } else if (!buffers()) {
    if (schedule_explores())
      spin_changed();
    store_to_cache(p);
  } else {
    access_record((struct event){
        .kind = EVENT_ISSUE, .size = (uint8_t)p->size, .address = p->address, .site = p->site});
    store_buffer_push(thread_current(), &(struct buffered){.kind = BUFFERED_STORE,
                                                           .piece = *p,
                                                           .code = p->site ? 0 : program_caller()});
  }
}

/* ---- leaving a load ---- */

bool access_captures;
struct access_registers access_registers;
uint64_t access_answer;
void access_load_resume(void);

/* What a hook leaves below on the program's stack would become part of its state wherever a later
 * frame has a gap. */
#define SCRUBBED_BYTES 1024
static __attribute__((noinline)) void scrub_stack(void) {
  char below[SCRUBBED_BYTES];
  memset(below, 0, sizeof below);
  __asm__ volatile("" : : "r"(below) : "memory");
}

bool access_is_plain(uintptr_t address, int size) {
  return access_captures && doing.plain && doing.plain_address == address &&
         doing.plain_size == size && !run.in_scope;
}

void access_leave_load(void) {
  struct fiber *f = &thread_current()->fiber;
  const struct access_registers *r = &access_registers;
  uint64_t control = *(const uint64_t *)f->stack_pointer;
  uint64_t *frame = (uint64_t *)r->sp - 8; /* as fiber_swap pops it */
  memcpy(frame + 1, r, 6 * sizeof *frame);
  frame[0] = control;
  frame[7] = (uint64_t)access_load_resume;
  memset((char *)frame - SCRUBBED_BYTES, 0, SCRUBBED_BYTES);
  f->stack_pointer = frame;
  doing.plain = false;
}

void access_answer_load(struct line *l, uintptr_t address, int size, uint64_t value) {
  struct space_line *s = space_line_by_index(l->number);
  memcpy(space_alias(address), &value, (size_t)size);
  space_touch(s);
  s->known |= access_mask(address, size);
  access_answer = value;
}

/* Is it an access of the program itself, which gets the result and nothing else, on its usual stack
 * with some room left? */
static void note_plain(uintptr_t address, int size) {
  const struct fiber *f = &thread_current()->fiber;
  uintptr_t sp = access_registers.sp;
  doing.plain = !doing.exclusive && sp >= f->stack_low + 2 * SCRUBBED_BYTES && sp < f->stack_high &&
                !caller_in_worker(*(const uintptr_t *)sp);
  doing.plain_address = address;
  doing.plain_size = size;
}

uint64_t access_load_here(uintptr_t address, int size, const struct abi_site *site) {
  if (ordinary.on && !abi_watched(address))
    return ordinary_load(address, size, ORDINARY_PLAIN, site);
  access_step(site);
  int first = piece_size(address, (size_t)size);
  if (access_captures)
    note_plain(address, size);
  bool scrub = doing.plain;
  uint64_t value = load_piece(address, first, site);
  doing.plain = false;
  if (first < size)
    value |= load_piece(address + (uintptr_t)first, size - first, site) << (first * 8);
  if (scrub)
    scrub_stack();
  return value;
}

uint64_t access_load_locked(uintptr_t address, int size, const struct abi_site *site) {
  doing.exclusive = true;
  uint64_t value = access_load(address, size, site);
  doing.exclusive = false;
  return value;
}

uint8_t access_byte(uintptr_t address, const struct abi_site *site) {
  if (ordinary.on && !abi_watched(address))
    return (uint8_t)ordinary_load(address, 1, ORDINARY_PLAIN, site);
  if (address % LINE_BYTES == 0)
    access_step(site);
  return (uint8_t)load_piece(address, 1, site);
}

void access_read(void *to, uintptr_t address, size_t bytes, const struct abi_site *site) {
  if (ordinary.on && !abi_watched(address)) {
    ordinary_read(to, address, bytes, site);
    return;
  }
  access_step(site);
  char *out = to;
  for (size_t done = 0; done < bytes;) {
    int n = piece_size(address + done, bytes - done);
    uint64_t value = load_piece(address + done, n, site);
    memcpy(out + done, &value, (size_t)n);
    done += (size_t)n;
  }
}

static void check_aligned16(uintptr_t address, const struct abi_site *site) {
  if (address & 15)
    stop_with(STOP_ILLEGAL_ACCESS, site, "16-byte atomic access at 0x%lx, which is not aligned",
              (unsigned long)address);
}

void access_read16(void *to, uintptr_t address, const struct abi_site *site) {
  access_step(site);
  check_aligned16(address, site);
  check_piece(address, 16, false, site);
  bool told = false;
  uint64_t halves[2];
  for (uintptr_t i = 0; i < 2; i++)
    halves[i] = run.model->load(
        &(struct access_piece){.address = address + i * 8, .size = 8, .site = site, .told = &told});
  memcpy(to, halves, sizeof halves);
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
  if (ordinary.on && !abi_watched(address)) {
    ordinary_write(address, from, bytes, site);
    return;
  }
  access_step(site);
  const char *in = from;
  for (size_t done = 0; done < bytes;) {
    struct access_piece p = {.address = address + done,
                             .size = piece_size(address + done, bytes - done),
                             .flags = flags,
                             .copied = bytes > 8 || !(flags & ACCESS_ATOMIC),
                             .site = site};
    memcpy(&p.value, in + done, (size_t)p.size);
    store_piece(&p);
    done += (size_t)p.size;
  }
}

void access_write16(uintptr_t address, const void *from, const struct abi_site *site) {
  access_step(site);
  check_aligned16(address, site);
  uint64_t halves[2];
  memcpy(halves, from, sizeof halves);
  struct access_piece p = {.address = address,
                           .size = 8,
                           .value = halves[0],
                           .flags = ACCESS_ATOMIC | ACCESS_LOCKED | ACCESS_RELEASE,
                           .half = true,
                           .site = site};
  store_piece(&p);
  p.address += 8;
  p.value = halves[1];
  p.half = false;
  p.joined = true;
  store_piece(&p);
}

/* ---- flushes and fences ---- */

static void add_pending(struct access_pending new) {
  struct thread *t = acting_thread();
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
  b->items[b->length++] = new;
}

void access_add_pending(struct space_line *l, uint32_t position, uint32_t place) {
  add_pending((struct access_pending){.line = l, .position = position, .place = place});
}

/* Do threads of one machine take turns in a way that is not the only one? */
static bool several_threads(void) {
  return !schedule_explores() && thread_count() > access_machines();
}

/* A flush or fence in the source, or in a call of a library, is executed. */
static uint32_t note_executed(struct flush_place place) {
  struct event_frames frames;
  if (!run.options.note_flushes)
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

/* Which of these flushes make something persistent?  Of each line the one that covers most; of equal
 * ones the first. */
static bool note_pending(const struct access_pending *pending, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    struct space_line *l = pending[i].line;
    if (pending[i].position > l->covered && run.model->is_dirty(l, pending[i].position)) {
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
  return run.options.cxl ? l->line.positions : l->positions;
}

/* A line that nobody has touched has nothing to write back.  While schedules are explored that
 * another execution touched it must make no difference. */
static void flush_line(int kind, uintptr_t address, uint32_t place, const struct abi_site *site) {
  struct space_line *l = space_line_if_any(address);
  bool nothing = !l || (schedule.explores && positions_of(l) == 0);
  if (place != ACCESS_NO_PLACE && (nothing || kind == ABI_CLFLUSH))
    flush_completed(place, !nothing && run.model->is_dirty(l, POSITION_MAX));
  if (nothing)
    return;
  run.model->flush(kind, l, place, site); /* a failure may come before it */
  access_record((struct event){
      .kind = EVENT_FLUSH, .address = address, .detail = (uint32_t)kind, .site = site});
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
  if (kind == ABI_CLFLUSH || (before && before->kind == BUFFERED_FENCE)) {
    store_buffer_push(t, &b);
    return;
  }
  if (before) {
    add_pending((struct access_pending){.line = space_line(address),
                                        .after = before->number,
                                        .place = place,
                                        .kind = kind,
                                        .site = site,
                                        .code = b.code});
    return;
  }
  schedule_point(OPERATION_FLUSH, (void *)LINE_OF(address), LINE_BYTES, false, site);
  flush_line(kind, address, place, site);
}

static void flush_at(int kind, uintptr_t address, uint32_t place, const struct abi_site *site) {
  if (buffers())
    flush_as_scheduled(kind, address, place, site);
  else
    flush_line(kind, address, place, site);
}

/* Flushing ordinary memory is harmless and says nothing. */
static bool may_flush(uintptr_t address, const struct abi_site *site) {
  access_step(site);
  if (abi_watched(address))
    check_piece(address, 1, false, site);
  return abi_watched(address);
}

void access_flush(int kind, uintptr_t address, const struct abi_site *site) {
  if (may_flush(address, site))
    flush_at(kind, address, note_place(false, kind, site), site);
}

void access_flush_range(int kind, uintptr_t address, size_t bytes, const struct abi_site *site) {
  for (uintptr_t at = LINE_OF(address); bytes && at < address + bytes; at += LINE_BYTES)
    access_flush(kind, at, site);
}

/* Wait for the write-backs that the thread asked for before entry `number` of its store buffer. */
static void complete(int kind, uint64_t number, uint32_t place, const struct abi_site *site) {
  struct flush_buffer *b = acting_thread()->flush_buffer;
  if (!b || b->length == 0) {
    note_completed(place, false);
    return;
  }
  size_t done = 0, count = b->length;
  for (size_t i = 0; i < count; i++) /* those it waits for to the front */
    if (b->items[i].after < number) {
      struct access_pending swap = b->items[done];
      b->items[done++] = b->items[i];
      b->items[i] = swap;
    }
  if (run.options.note_flushes)
    note_completed(place, note_pending(b->items, done));
  run.model->fence(kind, b->items, done, site); /* a failure may come before it */
  access_record((struct event){.kind = EVENT_FENCE, .detail = (uint32_t)kind, .site = site});
  memmove(b->items, b->items + done, (count - done) * sizeof *b->items);
  b->length = (uint32_t)(count - done);
}

static void fence_at(int kind, uint32_t place, const struct abi_site *site) {
  struct thread *t = thread_current();
  if (kind == ABI_SFENCE && buffers()) {
    note_completed(place, true); /* what it holds back could go first without it */
    if (!store_buffer_empty(t) || (t->flush_buffer && t->flush_buffer->length))
      store_buffer_push(t, &(struct buffered){.kind = BUFFERED_FENCE,
                                              .detail = kind,
                                              .piece = {.site = site},
                                              .code = site ? 0 : program_caller()});
    return;
  }
  if (kind == ABI_MFENCE && schedule_explores())
    schedule_point(OPERATION_FENCE, NULL, 0, true, site);
  access_drain_all();
  complete(kind, UINT64_MAX, place, site);
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

/* ---- store buffers ---- */

/* Flushes that waited for this entry cover what is there now. */
static void settle(const struct thread *t, uint64_t number) {
  struct flush_buffer *b = t->flush_buffer;
  for (uint32_t i = 0; b && i < b->length; i++)
    if (b->items[i].after == number) {
      struct access_pending *p = &b->items[i];
      access_record((struct event){.kind = EVENT_FLUSH,
                                   .address = p->line->line.address,
                                   .detail = (uint32_t)p->kind,
                                   .site = p->site,
                                   .code = p->code});
      p->position = positions_of(p->line);
      p->after = 0;
    }
}

void access_drain(struct thread *t) {
  struct buffered b = store_buffer_pop(t);
  doing.draining = &b;
  doing.drained = t;
  switch (b.kind) {
  case BUFFERED_STORE:
    store_to_cache(&b.piece);
    break;
  case BUFFERED_FLUSH:
    flush_line(b.detail, b.piece.address, b.place, b.piece.site);
    break;
  case BUFFERED_FENCE:
    complete(b.detail, b.number, ACCESS_NO_PLACE, b.piece.site);
  }
  settle(t, b.number);
  doing.draining = NULL;
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
  doing.exclusive = true;
}

void access_exclusive_end(void) {
  doing.exclusive = false;
}

bool access_may_persist(const struct thread *t, const struct operation *o) {
  bool asked = t->flush_buffer && t->flush_buffer->length;
  switch ((enum operation_kind)o->kind) {
  case OPERATION_NONE:
  case OPERATION_READ:
  case OPERATION_FREE:
    return false;
  case OPERATION_WRITE:
    return run.options.eadr || (o->drained && asked);
  case OPERATION_FLUSH:
    return o->drain;
  case OPERATION_FENCE:
  case OPERATION_LOCK:
    return asked;
  }
  return false;
}

void access_may_fail(const struct operation *before) {
  if (!run.options.cxl) /* there an operation itself asks who fails before it */
    access_pm_may_fail(before);
}

uint32_t access_asks(const struct thread *t, const struct operation *o) {
  return run.options.cxl ? access_cxl_asks(t, o) : 0;
}

void access_abandon(void) {
  memset(&doing, 0, sizeof doing);
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

void access_full_fence(void) {
  access_fence(EVENT_FENCE_RMW, NULL);
}

static bool lock_load(const void *p, int size, uint64_t *value) {
  if (!abi_watched((uintptr_t)p) || run.options.cxl || !fiber_current())
    return false;
  *value = access_load_locked((uintptr_t)p, size, NULL);
  return true;
}

static bool lock_store(void *p, uint64_t value, int size) {
  if (!abi_watched((uintptr_t)p) || run.options.cxl || !fiber_current())
    return false;
  access_store((uintptr_t)p, value, size, ACCESS_ATOMIC | ACCESS_LOCKED | ACCESS_RELEASE, NULL);
  return true;
}

void access_synchronise(void) {
  run.model->synchronise();
}

void access_program_ends(void) {
  if (ordinary.on) {
    turn_exit();
    return;
  }
  if (schedule_explores())
    schedule_point(OPERATION_LOCK, NULL, 1, true, NULL);
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

/* ---- what the program may ask ---- */

int access_failures(void) {
  if (run.options.cxl && schedule_explores())
    schedule_point(OPERATION_READ, (void *)MACHINES_MAX, 1, false, NULL);
  return run.model->failures();
}

int access_machines(void) {
  return run.options.cxl ? cxl.options.machines : 1;
}

/* Being told is an observation: the machine may fail right before.  As a step of a schedule it is a
 * load of something of that machine. */
bool access_machine_failed(int machine) {
  if (!run.options.cxl || machine < 0 || machine >= cxl.options.machines)
    return false;
  if (schedule_explores())
    schedule_point(OPERATION_READ, (void *)(uintptr_t)machine, 1, false, NULL);
  access_observe_machine(machine);
  return cxl_failed(machine);
}

void access_on_poison(void (*handler)(void *)) {
  if (run.options.cxl)
    cxl.state.poison_handler[thread_current()->machine] = handler;
}

size_t *access_allocated(int *part) {
  return run.model->allocated(part);
}

static void provide_memory(void) {
  thread_memory = (struct thread_memory){.full_fence = access_full_fence,
                                         .synchronise = access_synchronise,
                                         .observe_machine = access_observe_machine,
                                         .drain_all = access_drain_all,
                                         .lock_load = lock_load,
                                         .lock_store = lock_store,
                                         .peek = access_peek,
                                         .order = access_order};
  world_include(&doing, sizeof doing);
}
WORLD_AT_SEAL(provide_memory)

void access_share(void) {
  share_register(&run, sizeof run);
  share_register(&doing, sizeof doing);
}
