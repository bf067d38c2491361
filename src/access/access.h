/* What happens when the program touches watched memory: the interface of hooks, interposed functions and libpmem.
 *
 * Called on the program's fiber.  Stores go to the cache view (the alias, access/space.h) at once and are recorded as
 * events; clflushopt, clwb and non-temporal stores wait in the thread's flush buffer for its next fence.  What that
 * means for later executions (pm) or other machines (cxl) is in access_pm.c and access_cxl.c, behind struct
 * access_model.
 *
 * With the fixed schedule stores leave the store buffer at once.  For one thread that loses nothing: a store still
 * buffered at a failure is a store after an earlier failure point.  While schedules are explored and another thread can
 * run, stores, clflush and sfence wait in the thread's store buffer (store_buffer.h) until the search has them drain
 * (docs/semantics.md, "Store buffers"). */
#ifndef ACCESS_ACCESS_H
#define ACCESS_ACCESS_H

#include "access/space.h"
#include "event/event.h"
#include "process/world.h"

struct str;

enum access_flags {
  ACCESS_PLAIN = 0,
  ACCESS_ATOMIC = 1,
  ACCESS_NON_TEMPORAL = 2,
  ACCESS_LOCKED = 4,  /* part of a locked instruction: past the store buffer */
  ACCESS_RELEASE = 8, /* atomic, and earlier stores may not be moved behind it */
};

struct access_options {
  bool cxl;           /* which model */
  bool eadr;          /* caches are persistent */
  int failures;       /* pm: before this execution */
  uint64_t steps_max; /* per execution; 0: no limit */
  uint64_t turns_max; /* ordinary programs: steps that others could notice, per execution */
  bool may_be_long;   /* an execution that exceeds that need not be a hang */
  bool note_flushes;  /* tell analysis/flush.h what flushes and fences do */
  bool note_order;    /* cxl: record what orders machines */
  bool watched;       /* analyses want to hear of loads */
  bool note_loads;    /* pm: a recovery that has only read something may fail, too (robustness) */
};

#define ACCESS_NO_PLACE UINT32_MAX

/* A write-back that a thread has asked for but not yet waited for; in its flush buffer. */
struct access_pending {
  struct space_line *line;
  uint32_t position; /* of the newest store it covers, as the model counts */
  /* Not 0: it is not settled yet.  It will cover what is there when the entry of the store buffer with that number has
   * drained; then it is recorded, with kind, site, code and issue. */
  uint64_t after;
  uint32_t place; /* of the flush (analysis/flush.h), or ACCESS_NO_PLACE */
  int kind;       /* enum abi_flush */
  const struct abi_site *site;
  uintptr_t code;
  uint32_t issue; /* event_issue */
  /* If flushes are noted: so much had come into the thread's store buffer before it. */
  uint32_t behind;
};

/* Before and after an execution.  Events are appended to the list while recording is set. */
void access_begin(const struct access_options *o, event_list *events, event_frames_list *frames);
void access_set_recording(bool recording);
void access_end(void);

uint64_t access_load(uintptr_t address, int size, const struct abi_site *site); /* size <= 8 */
uint64_t access_load_locked(uintptr_t address, int size, const struct abi_site *site);
uint8_t access_byte(uintptr_t address, const struct abi_site *site); /* one step for each line */
void access_store(uintptr_t address, uint64_t value, int size, int flags,
                  const struct abi_site *site);
void access_read(void *to, uintptr_t address, size_t bytes, const struct abi_site *site);
void access_write(uintptr_t address, const void *from, size_t bytes, int flags,
                  const struct abi_site *site);
/* What a call of libc leaves for the program: a write where the memory is watched. */
void access_give(void *to, const void *from, size_t bytes);
/* Between two places in watched memory, as memmove does it: as if all was read before the first store,
 * except that more than 1 KiB that do not overlap are copied 1 KiB after the other. */
void access_copy(uintptr_t to, uintptr_t from, size_t bytes, int flags,
                 const struct abi_site *site);
void access_read16(void *to, uintptr_t address, const struct abi_site *site);          /* locked */
void access_write16(uintptr_t address, const void *from, const struct abi_site *site); /* atomic */

void access_flush(int kind, uintptr_t address, const struct abi_site *site);
void access_flush_range(int kind, uintptr_t address, size_t bytes, const struct abi_site *site);
void access_fence(int kind, const struct abi_site *site);

/* A library function of that name flushes these bytes (none if 0), and then perhaps fences. */
void access_persist_call(const char *name, uintptr_t address, size_t bytes, bool fence);

/* Store buffers: drain the oldest entry of that thread's, or all of the current thread's.
 *
 * Between access_exclusive_begin and _end accesses go straight to the cache and no other thread runs.  Call
 * access_wait_for_turn before: it is the scheduling point for an access of any kind to these bytes. */
struct thread;
struct operation;
void access_drain(struct thread *t);
void access_drain_all(void);
void access_wait_for_turn(uintptr_t address, size_t bytes);
void access_exclusive_begin(void);
void access_exclusive_end(void);
/* Both for what a system call does to these bytes in several accesses, where schedules are explored step by step.
 * False: nothing has begun. */
bool access_alone_begin(uintptr_t address, size_t bytes);
void access_alone_end(bool begun);

/* cxl: the machines that may be asked to fail right before this operation, as memory is now; a bit each. */
uint32_t access_asks(const struct thread *t, const struct operation *o);

/* Could this operation make a store certain to be persistent?  Then a failure before it can make a difference. */
bool access_may_persist(const struct thread *t, const struct operation *o);
void access_may_fail(const struct operation *before);

/* Lock operations: the full fence in one; that it is something other machines may notice; and that the program learns
 * whether another machine lives, which may fail right before. */
void access_full_fence(void);
void access_synchronise(void);
void access_observe_machine(int machine);
void access_program_ends(void); /* on this machine */

/* What the program may ask about failures (tidemark.h); and for tidemark_alloc, how many bytes were given out so far in
 * the part of the region that the execution or machine has, or in that share of it. */
int access_failures(void);
int access_machines(void);
bool access_machine_failed(int machine);
void access_on_poison(void (*handler)(void *));
size_t *access_allocated(int *part, int share);

/* Is the thread in a part of the program whose loads analyses do not look at? */
bool access_is_unseen(void);
void access_ignored(void); /* it has left that part */
/* Bytes that are read between begin and end(true) become unknown again: a checksum over them turned out wrong, and the
 * program promises not to use them. */
void access_scope_begin(void);
void access_scope_end(bool forget);

/* What orders threads, for analyses: EVENT_ACQUIRE and EVENT_RELEASE of an object, EVENT_CREATE and
 * EVENT_JOIN of a thread. */
void access_order(int event_kind, const void *object, uint32_t detail);

/* cxl: the running machine has seen to it that a line is written back, up to that position. */
void access_note_fetch(uintptr_t line, uint32_t position, const struct abi_site *site);

/* Any step of the program that should count against its step budget. */
void access_step(const struct abi_site *site);
/* It is known that the execution goes round for ever: it ends as a hang as soon as it is known where. */
void access_never_ends(void);
bool access_is_endless(void); /* that was said: it will be stopped soon */

/* The door is told of steps (door.steps) only after so many more of them. */
void access_look_after(uint64_t steps);
/* A step that others could notice.  Counted apart, because the search remembers each of them and would run out of
 * memory. elsewhere: since the last one the program has touched memory for the first time, so it is no endless loop. */
void access_turn(const struct abi_site *site, bool elsewhere);
uint64_t access_steps(void);

/* How far the execution has come, for whoever lets it go back there; can: nobody looks for the loop that it is in. */
struct access_mark {
  uint64_t steps, turns, turns_elsewhere;
};
bool access_can_mark(void);
struct access_mark access_mark(void);
void access_back(struct access_mark m);

void access_set_steps(uint64_t steps); /* back to an earlier point of the execution */
bool access_eadr(void);
bool access_shared(void); /* by machines that fail one by one: --model=cxl */

/* After a failure (cxl: the last one): bytes that were read and not stored since become unknown again. */
void access_forget(void);

/* After access_forget: what the future of the execution depends on besides the world (process/world.h) and what loads
 * will read, as bytes that are equal for equal states; and back to it.  counts: failures may follow, so that it matters
 * how often lines were stored to. */
void access_put_state(struct str *out, bool counts);
void access_set_state(const char *bytes, size_t n);

/* The same for states that are compared with many others: what was stored is a number in a hash-consed tree (pm).
 * access_note_changes: call it before an execution in which that will be asked for. */
struct space_tree;
void access_note_changes(bool on);
void access_put_number(struct space_tree *t, struct str *out, bool counts);
void access_set_number(const struct space_tree *t, const char *bytes, size_t n);

/* If these machines are gone: add what their threads had under way to the parts of the world that are left out (gaps,
 * process/world.h). */
void access_add_gaps(world_gap_list *gaps, uint32_t machines);
/* What the other machines have under way, as far as it is left out of the world as a gap. */
void access_put_pending(struct str *out, uint32_t machines);

/* On a fiber, where states of decisions are compared (cxl.consults): clear what hooks have left behind on the stack. */
void access_scrub_if_compared(void);

/* Taking states at loads (search/merge.h).  While access_captures is set, the host can take over a load of the program
 * that is under way.  access_is_plain: is there one, of just these bytes?  access_leave_load, on the host after
 * thread_pause: the stack becomes what it was at the call of the hook, so that nothing of the hook is part of the
 * state. access_answer_load: when the thread goes on, the hook returns this value. */
extern bool access_captures;
bool access_is_plain(uintptr_t address, int size);
void access_leave_load(void);
void access_answer_load(struct line *l, uintptr_t address, int size, uint64_t value);

/* A value for the runtime's own use (is this lock initialised?): no observation, no step. */
uint64_t access_peek(const void *address, int size);

/* The address lies in the window, but in no region of the program: a segmentation fault. */
_Noreturn void access_illegal(uintptr_t address, size_t bytes, bool write,
                              const struct abi_site *site);

/* The program is about to access that address; does not return if mprotect forbids it. */
void access_check_protection(uintptr_t address, bool write, const struct abi_site *site);

void access_share(void); /* register what a run changes, for --isolate */

#endif
