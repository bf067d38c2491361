#include "access/access.h"
#include "access/access_internal.h"
#include "access/cxl.h"
#include "access/lifetime.h"
#include "access/mapped.h"
#include "access/ordinary.h"
#include "access/protection.h"
#include "access/quick.h"
#include "access/schedule.h"
#include "access/space_tree.h"
#include "access/spin.h"
#include "access/store_buffer.h"
#include "access/turn.h"
#include "access/unseen.h"
#include "base/mem.h"
#include "base/str.h"
#include "door/door.h"
#include "event/window.h"
#include "process/fault.h"
#include "process/program.h"
#include "process/share.h"
#include "process/stop.h"
#include "process/world.h"
#include "thread/entered.h"
#include "thread/thread.h"
#include <string.h>

struct access_run access_run = {.model = &access_pm};
struct access_doing access_doing;

void access_begin(const struct access_options *o, event_list *events, event_frames_list *frames) {
  access_run.model = o->cxl ? &access_cxl : &access_pm;
  access_run.options = *o;
  access_run.events = events;
  access_run.frames = frames;
  access_begin_steps();
  access_run.in_scope = false;
  access_run.ignored.length = 0;
  access_run.reads_known = !o->cxl && o->failures && !schedule.explores;
  access_set_recording(access_run.recording);
  if (!o->cxl)
    access_pm_begin(o);
}

void access_end(void) {
  if (!access_run.options.cxl)
    access_pm_end();
}

void access_set_recording(bool recording) {
  access_run.recording = recording;
  access_run.quick_bytes = !recording && access_run.reads_known ? SPACE_REGION_BYTES : 0;
}

/* Record a load from the cache, which may read what another thread has stored. */
static inline void record_load(uintptr_t address, int size, const struct abi_site *site) {
  if (!access_run.recording || access_run.options.cxl || !access_orders_threads())
    return;
  const struct space_line *l = space_line_if_any(address);
  if (l && l->positions && l->writer != thread_current()->id)
    access_record((struct event){
        .kind = EVENT_LOAD, .size = (uint8_t)size, .address = address, .site = site});
}

void access_forget(void) {
  if (access_run.options.cxl)
    cxl_forget();
  else
    space_forget();
}

void access_put_state(struct str *out, bool counts) {
  if (access_run.options.cxl) {
    cxl_put_state(out);
    return;
  }
  access_pm_put_state(out, counts);
  space_put(out, counts);
}

void access_set_state(const char *bytes, size_t n) {
  if (access_run.options.cxl) {
    cxl_set_known(bytes, n);
    return;
  }
  size_t first = access_pm_set_state(bytes);
  space_set(bytes + first, n - first);
}

void access_note_changes(bool on) {
  space_notes_changes = on && !access_run.options.cxl;
}

void access_put_number(struct space_tree *t, struct str *out, bool counts) {
  if (access_run.options.cxl) {
    cxl_put_state(out);
    return;
  }
  access_pm_put_state(out, counts);
  uint32_t number = space_tree_put(t, counts);
  str_append_bytes(out, &number, sizeof number);
}

void access_set_number(const struct space_tree *t, const char *bytes, size_t n) {
  uint32_t number;
  if (access_run.options.cxl) {
    cxl_set_known(bytes, n);
    return;
  }
  size_t first = access_pm_set_state(bytes);
  memcpy(&number, bytes + first, sizeof number);
  space_tree_set(t, number);
}

bool access_shared(void) {
  return access_run.options.cxl;
}

bool access_eadr(void) {
  return access_run.options.eadr;
}

uint64_t access_peek(const void *address, int size) {
  uint64_t value = 0;
  uintptr_t a = (uintptr_t)address;
  if (!window_has(a))
    memcpy(&value, address, (size_t)size);
  else if (access_run.options.cxl && space_valid(a, (size_t)size))
    value = cxl_peek(a, size);
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
  if (address - ABI_WINDOW_BASE >= SPACE_OWN_OFFSET && !window.wanted)
    stop_with(STOP_ILLEGAL_ACCESS, site,
              "%s of %zu bytes at 0x%lx, which is the checker's own memory (a wild pointer)", what,
              bytes, at);
  struct region *r = space_region_at(address);
  if (r && mapped_at(address) == MAPPED_BEYOND_END)
    stop_with(STOP_ILLEGAL_ACCESS, site,
              "%s of %zu bytes at 0x%lx in '%s', beyond the end of the file, which has %zu KiB (a "
              "bus error)",
              what, bytes, at, r->name, mapped_end(r) / 1024);
  if (r && mapped_at(address) == MAPPED_NOT)
    stop_with(STOP_ILLEGAL_ACCESS, site, "%s of %zu bytes at 0x%lx in '%s', which is not mapped%s",
              what, bytes, at, r->name, mapped_any(r) ? " there" : "");
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
  stop_with(STOP_SEGFAULT, site,
            "segmentation fault: %s address 0x%lx, which mmap or mprotect forbids%s",
            write ? "write to" : "read of", (unsigned long)address,
            handled ? "; the program's handler is not called" : "");
}

/* A line that exists lies in a region; otherwise look. */
void access_check_piece(uintptr_t address, int size, bool write, const struct abi_site *site) {
  mem_may_go_back(); /* what is asked about this piece may be a decision */
  if (address - window.base >= SPACE_REGION_BYTES)
    access_illegal(address, (size_t)size, write, site);
  if (!space_line_if_any(address) && !space_valid(address, (size_t)size))
    access_illegal(address, (size_t)size, write, site);
  if (mapped_at(address) != MAPPED)
    access_illegal(address, (size_t)size, write, site);
  if (__builtin_expect(protection_ranges, 0) && site) /* files are written to in any case */
    access_check_protection(address, write, site);
}

static uint64_t load_from_cache(uintptr_t address, int size, const struct abi_site *site) {
  return access_run.model->load(
      &(struct access_piece){.address = address, .size = size, .site = site});
}

/* Record the bytes of a load that come from the cache; the others (own) come from the thread's store buffer. */
static void record_rest(uintptr_t address, int size, uint8_t own, const struct abi_site *site) {
  for (int i = 0; i < size; i++) {
    int first = i;
    while (i < size && !(own >> i & 1))
      i++;
    if (i > first)
      record_load(address + (uintptr_t)first, i - first, site);
  }
}

/* The thread's own buffered stores first, then the cache, when it is the thread's turn: until then
 * the stores may drain and be overwritten by others. */
static uint64_t load_as_scheduled(uintptr_t address, int size, const struct abi_site *site) {
  uint64_t value = 0;
  uint8_t whole = (uint8_t)((1 << size) - 1);
  if (!schedule.traces && access_drains_unnoticed())
    access_drain_all();
  schedule_point(OPERATION_READ, (void *)address, (size_t)size, false, site);
  uint8_t own = store_buffer_forward(thread_current(), address, size, &value);
  if (own == whole)
    return value;
  record_rest(address, size, own, site);
  value = load_from_cache(address, size, site);
  store_buffer_forward(thread_current(), address, size, &value);
  return value;
}

static uint64_t load_piece(uintptr_t address, int size, const struct abi_site *site) {
  uint64_t known;
  bool silent = access_run.quick_bytes || cxl.state.reads_known;
  if (silent && quick_is_known(address, size, SPACE_REGION_BYTES)) {
    mem_may_go_back();
    memcpy(&known, space_alias(address & ~(uintptr_t)7), 8); /* a piece lies in one word */
    return known >> (address & 7) * 8 & ~(uint64_t)0 >> (8 - size) * 8;
  }
  access_check_piece(address, size, false, site);
  if (schedule_explores() && !access_doing.exclusive)
    return load_as_scheduled(address, size, site);
  if (schedule.traces && access_doing.exclusive && !schedule_covers(address, (size_t)size))
    schedule_refuse_trace("a load that is no operation of its own");
  record_load(address, size, site);
  return load_from_cache(address, size, site);
}

void access_store_to_cache(const struct access_piece *p) {
  if (schedule_explores())
    schedule_note(&(struct operation){.kind = OPERATION_WRITE,
                                      .thread = (uint16_t)access_acting_thread()->id,
                                      .address = p->address,
                                      .size = (uint32_t)p->size});
  if (schedule.traces && !access_doing.draining && fiber_current() &&
      !schedule_covers(p->address, (size_t)p->size))
    schedule_refuse_trace("a store that is no operation of its own");
  if (schedule.traces)
    spin_stored(p->address, p->size, p->value);
  access_run.model->store(p);
  access_scrub_if_compared();
}

static void store_piece(const struct access_piece *p) {
  access_check_piece(p->address, p->size, true, p->site);
  if (p->flags & ACCESS_LOCKED) {
    access_store_to_cache(p);
  } else if (!access_buffers()) {
    if (schedule_explores())
      spin_changed();
    access_store_to_cache(p);
  } else {
    access_into_buffer(&(struct buffered){
        .kind = BUFFERED_STORE, .piece = *p, .code = p->site ? 0 : program_caller()});
  }
}

/* Where the thread stands is not known here (entered.h): such a look is not compared with others. */
static bool is_ordinary(uintptr_t address) {
  bool is = ordinary.on && !window_has(address);
  if (is)
    entered[ENTERED_STACK] = 0;
  return is;
}

uint64_t access_load_here(uintptr_t address, int size, const struct abi_site *site) {
  if (is_ordinary(address))
    return ordinary_load(address, size, ORDINARY_PLAIN, site);
  access_step(site);
  int first = piece_size(address, (size_t)size);
  if (access_captures)
    access_note_plain(address, size);
  bool scrub = access_doing.plain || access_is_compared();
  uint64_t value = load_piece(address, first, site);
  access_doing.plain = false;
  if (first < size)
    value |= load_piece(address + (uintptr_t)first, size - first, site) << (first * 8);
  if (scrub)
    access_scrub_stack();
  return value;
}

uint64_t access_load_locked(uintptr_t address, int size, const struct abi_site *site) {
  access_doing.exclusive = true;
  uint64_t value = access_load(address, size, site);
  access_doing.exclusive = false;
  return value;
}

uint8_t access_byte(uintptr_t address, const struct abi_site *site) {
  if (is_ordinary(address))
    return (uint8_t)ordinary_load(address, 1, ORDINARY_PLAIN, site);
  if (address % LINE_BYTES == 0)
    access_step(site);
  return (uint8_t)load_piece(address, 1, site);
}

void access_read(void *to, uintptr_t address, size_t bytes, const struct abi_site *site) {
  if (is_ordinary(address)) {
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
  access_check_piece(address, 16, false, site);
  bool told = false;
  uint64_t halves[2];
  for (uintptr_t i = 0; i < 2; i++)
    halves[i] = access_run.model->load(
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
  p.continued = true;
  store_piece(&p);
}

void access_write(uintptr_t address, const void *from, size_t bytes, int flags,
                  const struct abi_site *site) {
  if (ordinary.on && !window_has(address)) {
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
                             .continued = done > 0,
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

void access_abandon(void) {
  memset(&access_doing, 0, sizeof access_doing);
}

static bool lock_load(const void *p, int size, uint64_t *value) {
  if (!window_has((uintptr_t)p) || access_run.options.cxl || !fiber_current())
    return false;
  *value = access_load_locked((uintptr_t)p, size, NULL);
  return true;
}

static bool lock_store(void *p, uint64_t value, int size) {
  if (!window_has((uintptr_t)p) || access_run.options.cxl || !fiber_current())
    return false;
  access_store((uintptr_t)p, value, size, ACCESS_ATOMIC | ACCESS_LOCKED | ACCESS_RELEASE, NULL);
  return true;
}

void access_synchronise(void) {
  access_run.model->synchronise();
  access_scrub_if_compared();
}

void access_program_ends(void) {
  if (ordinary.on) {
    turn_exit();
    return;
  }
  if (schedule_explores())
    schedule_exit();
  access_run.model->program_ends();
}

void access_observe_machine(int machine) {
  access_run.model->observe_machine(machine);
  access_scrub_if_compared();
}

bool access_is_unseen(void) {
  return access_run.options.watched && thread_current()->ignores;
}

/* Bytes that such loads have made known become unknown again, so that analyses see a later load of them. */
void access_ignored(void) {
  for (size_t i = 0; i < access_run.ignored.length; i++) {
    const struct access_scoped *x = &access_run.ignored.data[i];
    *x->line->known &= ~x->bytes | x->line->own;
  }
  access_run.ignored.length = 0;
}

/* ---- checksum scopes ---- */

/* cxl: what is read there is in doubt as elsewhere. */
void access_scope_begin(void) {
  access_run.in_scope = !access_run.options.cxl;
  access_run.scope.length = 0;
}

void access_scope_end(bool forget) {
  for (size_t i = 0; forget && i < access_run.scope.length; i++)
    *access_run.scope.data[i].line->known &= ~access_run.scope.data[i].bytes;
  access_run.in_scope = false;
}

void access_scope_add(struct space_line *l, uint64_t bytes) {
  if (access_run.in_scope)
    vec_push(&access_run.scope, ((struct access_scoped){l, bytes}));
  if (access_is_unseen())
    vec_push(&access_run.ignored, ((struct access_scoped){l, bytes}));
}

void access_scope_remove(struct space_line *l, uint64_t bytes) {
  for (size_t i = 0; access_run.in_scope && i < access_run.scope.length; i++)
    if (access_run.scope.data[i].line == l)
      access_run.scope.data[i].bytes &= ~bytes;
}

/* ---- what the program may ask ---- */

int access_failures(void) {
  if (access_run.options.cxl && schedule_explores())
    schedule_point(OPERATION_READ, (void *)MACHINES_MAX, 1, false, NULL);
  return access_run.model->failures();
}

int access_machines(void) {
  return access_run.options.cxl ? cxl.options.machines : 1;
}

/* Being told is an observation: the machine may fail right before.  As a step of a schedule it is a
 * load of something of that machine. */
bool access_machine_failed(int machine) {
  if (!access_run.options.cxl || machine < 0 || machine >= cxl.options.machines)
    return false;
  if (schedule_explores())
    schedule_point(OPERATION_READ, (void *)(uintptr_t)machine, 1, false, NULL);
  else
    thread_step_ask();
  access_observe_machine(machine);
  return cxl_failed(machine);
}

void access_on_poison(void (*handler)(void *)) {
  if (access_run.options.cxl)
    cxl.state.poison_handler[thread_current()->machine] = handler;
}

size_t *access_allocated(int *part, int share) {
  return access_run.model->allocated(part, share);
}

void access_give(void *to, const void *from, size_t bytes) {
  if (ordinary_runs() || window_has((uintptr_t)to))
    access_write((uintptr_t)to, from, bytes, ACCESS_PLAIN, NULL);
  else
    memcpy(to, from, bytes);
}

static void provide_memory(void) {
  thread_memory = (struct thread_memory){.full_fence = access_full_fence,
                                         .synchronise = access_synchronise,
                                         .observe_machine = access_observe_machine,
                                         .drain_all = access_drain_all,
                                         .lock_load = lock_load,
                                         .lock_store = lock_store,
                                         .peek = access_peek,
                                         .give = access_give,
                                         .order = access_order,
                                         .unseen = unseen_changes,
                                         .end_local = lifetime_end_local};
  world_include(&access_doing, sizeof access_doing);
}
WORLD_AT_SEAL(provide_memory)

void access_share(void) {
  share_register(&schedule, sizeof schedule);
  share_register(&access_run, sizeof access_run);
  share_register(&access_doing, sizeof access_doing);
}
