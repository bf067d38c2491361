/* The pm model: Px86 with failures of the whole system.
 *
 * An execution runs to its end; what it did is recorded, and a failure is a cut of that record made
 * later by the search.  What is written back for certain becomes a PERSIST event, preceded by a
 * FAILURE_POINT where a failure could make a difference: before an operation that makes a store
 * certain, if anything was stored since the last such point. */
#include "access/access_internal.h"
#include "access/allocator.h"
#include "access/schedule.h"
#include "base/map.h"
#include "base/str.h"
#include "door/door.h"
#include "process/fiber.h"
#include "process/stop.h"
#include "process/within.h"
#include <string.h>

static struct {
  bool eadr;
  bool after_failure; /* an earlier execution may have left bytes in doubt */
  bool note_loads;    /* see access_options */
  bool stored;        /* since the last failure point */
  bool read;          /* since then, what an earlier execution left, if that counts */
  bool any_point;
  bool asked_failures;                /* it asked how many failures there were */
  size_t allocated[ALLOCATOR_SHARES]; /* by tidemark_alloc */
} pm;

/* Traces, if somebody asks which flushes have an effect: what was written back in this execution, by the
 * operation with that number.  Host memory. */
struct written {
  uint32_t position, operation;
  uint32_t previous; /* 1 + the one of the same line before it, or 0 */
};

static struct {
  VEC(struct written) list;
  struct map newest; /* by line: 1 + the newest */
} written;

static void forget_written(void) {
  written.list.length = 0;
  map_free(&written.newest);
}

static void note_written(const struct space_line *l, uint32_t position) {
  if (!access_run.options.note_flushes || !schedule.traces)
    return;
  uint32_t *newest = map_at(&written.newest, l->line.address);
  vec_push(&written.list,
           ((struct written){position, schedule_operation(access_doing.draining), *newest}));
  *newest = (uint32_t)written.list.length;
}

/* Traces: in every order of the trace, are the stores up to that position written back before the operation under
 * way? */
static bool is_written(const struct space_line *l, uint32_t position) {
  uint32_t now = schedule_operation(access_doing.draining);
  for (uint32_t n = map_get(&written.newest, l->line.address); n;
       n = written.list.data[n - 1].previous)
    if (written.list.data[n - 1].position >= position &&
        door->ordered(written.list.data[n - 1].operation, now))
      return true;
  return position == 0;
}

void access_pm_begin(const struct access_options *o) {
  pm.eadr = o->eadr;
  pm.after_failure = o->failures > 0;
  pm.note_loads = o->note_loads;
  pm.stored = pm.read = false;
  pm.any_point = false;
  pm.asked_failures = false;
  memset(pm.allocated, 0, sizeof pm.allocated);
  forget_written();
}

/* Ask the search for the unknown bytes among these and put them into the cache view. */
static void make_known(struct space_line *l, const struct access_piece *p) {
  uint64_t unknown;
  while (
      (unknown = access_mask(p->address, p->size) & ~*l->known)) { /* what is read may be the moment
                                                                        to forget other bytes */
    int first = __builtin_ctzl(unknown);
    int count = __builtin_ctzl(~(unknown >> first));
    uintptr_t address = l->line.address + (uintptr_t)first;
    uint64_t value = access_ask(&l->line, address, count, p->site);
    pm.read |= pm.note_loads;
    memcpy(space_alias(address), &value, (size_t)count);
    space_touch(l);
    uint64_t bytes = access_mask(address, count);
    *l->known |= bytes;
    access_scope_add(l, bytes);
  }
}

static uint64_t load(const struct access_piece *p) {
  if (pm.after_failure) {
    struct space_line *l = space_line_if_any(p->address);
    if (!l && space_observes_all())
      l = space_line(p->address);
    if (l && l->observed)
      make_known(l, p);
  }
  uint64_t value = 0;
  memcpy(&value, space_alias(p->address), (size_t)p->size);
  return value;
}

/* A point that is left out leaves what was stored to the next one. */
static void failure_point(uint64_t cause, const struct abi_site *site, uintptr_t code) {
  if (!pm.stored || (fiber_current() && within_now()))
    return;
  access_record(
      (struct event){.kind = EVENT_FAILURE_POINT, .value = cause, .site = site, .code = code});
  pm.stored = pm.read = false;
  pm.any_point = true;
  struct door_failure f = {.machine = -1, .before = event_cause_text(cause), .site = site};
  if (door->fail(&f) == DOOR_FAILS && fiber_current()) {
    tidemark_debug_failure();
    stop_with(STOP_FAILURE, site, "the power fails");
  }
}

/* Known, but by somebody else: by traces, the other thread's may not have come yet. */
static void write_back(struct space_line *l, uint32_t position, uint64_t cause,
                       const struct abi_site *site) {
  bool known = position <= l->written_back;
  if (known && (!schedule.traces || !position || l->written_back_by == access_thread()))
    return;
  failure_point(cause, site, 0);
  note_written(l, position);
  if (!known) {
    space_touch(l);
    l->written_back = position;
    l->written_back_by = access_thread();
  }
  access_record((struct event){.kind = EVENT_PERSIST,
                               .address = l->line.address,
                               .detail = l->positions - position,
                               .site = site});
}

static void store(const struct access_piece *p) {
  struct space_line *l = space_line(p->address);
  memcpy(space_alias(p->address), &p->value, (size_t)p->size);
  space_touch(l);
  uint64_t bytes = access_mask(p->address, p->size);
  *l->known |= bytes;
  l->own |= bytes;
  access_scope_remove(l, bytes);
  if (!p->joined)
    l->positions++;
  space_note_writer(l, access_thread());
  pm.stored = true;
  access_record_store(p);
  bool past_caches = p->flags & ACCESS_NON_TEMPORAL; /* it waits in a buffer that no model saves */
  if (past_caches)
    access_add_pending(l, l->positions, ACCESS_NO_PLACE);
  if (pm.eadr && !p->half && !past_caches)
    write_back(l, l->positions, CAUSE_STORE, p->site);
}

static void flush(int kind, struct space_line *l, uint32_t place, const struct abi_site *site) {
  if (kind == ABI_CLFLUSH)
    write_back(l, l->positions, CAUSE_FLUSH + (uint64_t)kind, site);
  else
    access_add_pending(l, l->positions, place);
}

static void fence(int kind, const struct access_pending *pending, size_t count,
                  const struct abi_site *site) {
  for (size_t i = 0; i < count; i++)
    write_back(pending[i].line, pending[i].position, CAUSE_FENCE + (uint64_t)kind, site);
}

static bool is_dirty(const struct space_line *l, uint32_t position) {
  uint32_t newest = position < l->positions ? position : l->positions;
  return schedule.traces ? !is_written(l, newest) : newest > l->written_back;
}

static void synchronise(void) {}

static void observe_machine(int machine) {
  (void)machine;
}

static void program_ends(void) {}

static int failures(void) {
  if (!pm.after_failure)
    return 0; /* nothing is uncertain yet */
  pm.asked_failures = true;
  return (int)door->fact(DOOR_FAILURES);
}

static size_t *allocated(int *part, int share) {
  *part = failures();
  return &pm.allocated[share > 0 ? share : 0];
}

void access_pm_put_state(struct str *out, bool counts) {
  uint64_t flags =
      counts ? (uint64_t)pm.stored | (uint64_t)pm.any_point << 1 | (uint64_t)pm.asked_failures << 2
             : 0;
  str_append_bytes(out, pm.allocated, sizeof pm.allocated);
  str_append_bytes(out, &flags, sizeof flags);
}

size_t access_pm_set_state(const char *bytes) {
  uint64_t flags;
  memcpy(pm.allocated, bytes, sizeof pm.allocated);
  memcpy(&flags, bytes + sizeof pm.allocated, sizeof flags);
  pm.stored = flags & 1;
  pm.any_point = flags >> 1 & 1;
  pm.asked_failures = flags >> 2 & 1;
  return sizeof pm.allocated + sizeof flags;
}

/* A program that has ended can still lose what it never flushed.  And a failure after an execution
 * that stored nothing shows if the next one asks how many there were, or is another command, or if it
 * can contradict what this one has read. */
void access_pm_end(void) {
  if (pm.read || (!pm.any_point && (!pm.after_failure || pm.asked_failures)))
    pm.stored = true;
  failure_point(CAUSE_END, NULL, 0);
}

/* Something else may happen before this does, and be lost by a failure that this one is not part of:
 * the point is noted before anybody chooses. */
void access_pm_may_fail(const struct operation *before) {
  uint64_t cause = CAUSE_STORE;
  if (before->kind == OPERATION_FLUSH)
    cause = CAUSE_FLUSH + ABI_CLFLUSH;
  else if (before->kind == OPERATION_FENCE)
    cause = CAUSE_FENCE + (before->drain ? ABI_SFENCE : ABI_MFENCE);
  else if (before->kind == OPERATION_LOCK || before->drained)
    cause = CAUSE_FENCE + EVENT_FENCE_RMW;
  failure_point(cause, before->site, before->code);
}

const struct access_model access_pm = {load,     store,       flush,           fence,
                                       is_dirty, synchronise, observe_machine, program_ends,
                                       failures, allocated};
