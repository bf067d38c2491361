/* What happens when the program touches watched memory.
 *
 * Hooks, interposed functions and libpmem end up here, on the program's fiber.  Stores go to the
 * cache view (the alias) at once and are recorded as events; clflushopt, clwb and non-temporal
 * stores wait in the thread's flush buffer for its next fence.  What that means for the other
 * executions (pm) or machines (cxl) is in access_pm.c and access_cxl.c.
 *
 * With the fixed schedule stores leave the store buffer at once.  For one thread that loses nothing:
 * a store still buffered at a failure is a store after an earlier failure point.  While schedules
 * are explored and another thread can run, stores, clflush and sfence wait in the thread's store
 * buffer (store_buffer.h) until the search has them drain (docs/semantics.md, "Store buffers"). */
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
  uint64_t turns_max; /* ordinary programs: of these, that others could notice */
  bool note_flushes;  /* tell analysis/flush.h what flushes and fences do */
  bool note_order;    /* cxl: record what orders machines */
  bool watched;       /* analyses look at loads */
  bool note_loads;    /* pm: what a recovery has read before a further failure counts */
};

#define ACCESS_NO_PLACE UINT32_MAX

/* A write-back that a thread has asked for but not yet waited for; in its flush buffer. */
struct access_pending {
  struct space_line *line;
  uint32_t position; /* of the newest store it covers, as the model counts */
  uint64_t
      after; /* not yet settled: it covers what is there when that entry of the store buffer has
                     drained; 0: settled */
  uint32_t place; /* of the flush (analysis/flush.h), or ACCESS_NO_PLACE */
  int kind;       /* enum abi_flush; not yet settled ones are reported when they are, with */
  const struct abi_site *site;
  uintptr_t code;
  uint32_t issue; /* likewise (event_issue) */
};

/* Before and after an execution.  Events are recorded only while somebody wants them. */
void access_begin(const struct access_options *o, event_list *events, event_frames_list *frames);
void access_set_recording(bool recording);
void access_end(void);

uint64_t access_load(uintptr_t address, int size, const struct abi_site *site); /* size <= 8 */
uint64_t access_load_locked(uintptr_t address, int size, const struct abi_site *site);
uint8_t access_byte(uintptr_t address, const struct abi_site *site); /* a step only once a line */
void access_store(uintptr_t address, uint64_t value, int size, int flags,
                  const struct abi_site *site);
void access_read(void *to, uintptr_t address, size_t bytes, const struct abi_site *site);
void access_write(uintptr_t address, const void *from, size_t bytes, int flags,
                  const struct abi_site *site);
/* Between two places in watched memory, as memmove does it: as if all was read before the first store,
 * except that more than 1 KiB that do not overlap are copied 1 KiB after the other. */
void access_copy(uintptr_t to, uintptr_t from, size_t bytes, int flags,
                 const struct abi_site *site);
void access_read16(void *to, uintptr_t address, const struct abi_site *site);          /* locked */
void access_write16(uintptr_t address, const void *from, const struct abi_site *site); /* atomic */

void access_flush(int kind, uintptr_t address, const struct abi_site *site);
void access_flush_range(int kind, uintptr_t address, size_t bytes, const struct abi_site *site);
void access_fence(int kind, const struct abi_site *site);

/* A library function that flushes, or (no bytes) does not, and then perhaps fences. */
void access_persist_call(const char *name, uintptr_t address, size_t bytes, bool fence);

/* Store buffers: drain the oldest entry of that thread's, or all of the current thread's.  Between
 * access_exclusive_begin and _end accesses go straight to the cache and no other thread runs;
 * access_wait_for_turn, before, lets others go first, who access these bytes in whatever way. */
struct thread;
struct operation;
void access_drain(struct thread *t);
void access_drain_all(void);
void access_wait_for_turn(uintptr_t address, size_t bytes);
void access_exclusive_begin(void);
void access_exclusive_end(void);

/* cxl: machines that this may ask to fail, as memory is now; a bit for each. */
uint32_t access_asks(const struct thread *t, const struct operation *o);

/* Could this make a store persistent for certain?  Then a failure before it can make a difference. */
bool access_may_persist(const struct thread *t, const struct operation *o);
void access_may_fail(const struct operation *before);

/* The fence in a lock operation; its being something other machines may see; and seeing whether
 * another machine lives (it may fail right before). */
void access_full_fence(void);
void access_synchronise(void);
void access_observe_machine(int machine);
void access_program_ends(void); /* on this machine */

/* What the program may ask about failures (tidemark.h), and memory for tidemark_alloc: bytes given out
 * so far in its part of the region, or in that share of it. */
int access_failures(void);
int access_machines(void);
bool access_machine_failed(int machine);
void access_on_poison(void (*handler)(void *));
size_t *access_allocated(int *part, int share);

/* Between begin and end(true) bytes are forgotten again once they were read: a checksum over them
 * turned out wrong and the program does not use them. */
bool access_is_unseen(void); /* do analyses not look at what the thread loads? */
void access_ignored(void);   /* such loads are over */
void access_scope_begin(void);
void access_scope_end(bool forget);

/* What orders threads, for analyses: EVENT_ACQUIRE and EVENT_RELEASE of an object, EVENT_CREATE and
 * EVENT_JOIN of a thread. */
void access_order(int event_kind, const void *object, uint32_t detail);

/* cxl: the running machine has seen to it that a line is written back, up to that position. */
void access_note_fetch(uintptr_t line, uint32_t position, const struct abi_site *site);

/* Any step of the program that should count against its step budget. */
void access_step(const struct abi_site *site);
/* A step that others could notice, which is remembered; counted apart, since memory ends before patience does.
 * elsewhere: since the last one the program has come to memory that is new to it, as endless loops do not. */
void access_turn(const struct abi_site *site, bool elsewhere);
uint64_t access_steps(void);
void access_set_steps(uint64_t steps); /* back to an earlier point of the execution */
bool access_eadr(void);

/* After a failure (cxl: the last one): bytes that were read and not stored since become unknown again. */
void access_forget(void);

/* What the future of the execution depends on then, besides the world (process/world.h) and what loads
 * read, as bytes that are the same for the same state; and back to it.  counts: failures may follow,
 * so that it matters how often lines were stored to. */
void access_put_state(struct str *out, bool counts);
void access_set_state(const char *bytes, size_t n);

/* The same, for a state that is compared with many others: what was stored is a number of the tree (pm).
 * access_note_changes: before an execution in which that will be asked for. */
struct space_tree;
void access_note_changes(bool on);
void access_put_number(struct space_tree *t, struct str *out, bool counts);
void access_set_number(const struct space_tree *t, const char *bytes, size_t n);

/* Gaps (process/world.h), if these machines are gone: what they had under way. */
void access_add_gaps(world_gap_list *gaps, uint32_t machines);
/* What other machines have under way, as far as that is a gap. */
void access_put_pending(struct str *out, uint32_t machines);

/* On a fiber, where decisions are compared (cxl.consults): what a hook has left on the stack is gone. */
void access_scrub_if_compared(void);

/* Taking states at loads.  While access_captures is set a load of the program can be left in its
 * middle: is it one, of these bytes as a whole?  Then, on the host, after thread_pause: the stack
 * becomes what it was at the call, and when the thread goes on the call returns what access_answer_load
 * says.  So nothing of the hook is part of a state. */
extern bool access_captures;
bool access_is_plain(uintptr_t address, int size);
void access_leave_load(void);
void access_answer_load(struct line *l, uintptr_t address, int size, uint64_t value);

/* A value for the runtime's own use (is this lock initialised?): no observation, no step. */
uint64_t access_peek(const void *address, int size);

/* The address is watched but nothing of the program's is there. */
_Noreturn void access_illegal(uintptr_t address, size_t bytes, bool write,
                              const struct abi_site *site);

/* An instruction of the program is about to do that; returns if mprotect allows it. */
void access_check_protection(uintptr_t address, bool write, const struct abi_site *site);

void access_share(void); /* register what a run changes, for --isolate */

#endif
