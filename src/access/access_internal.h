/* What the files of accesses share.
 *
 *      access.c         cuts an access into pieces that lie within one aligned 8-byte word, checks that they lie in a
 *                       region
 *      access_steps.c   steps and turns so far: is there an end?
 *      access_pm.c, access_cxl.c   what a piece means in a memory model (struct access_model)
 *      access_flush.c   flushes and fences           access_buffer.c  what leaves store buffers
 *      access_copy.c    copies                       access_leave.c   loads that the host takes over (search/merge.h)
 *      access_event.c   what is recorded             access_cxl_state.c   the cxl model's state (cxl.h)
 */
#ifndef ACCESS_ACCESS_INTERNAL_H
#define ACCESS_ACCESS_INTERNAL_H

#include "access/access.h"
#include "access/space.h"
#include "access/stacks.h"
#include "door/door.h"
#include "event/event.h"
#include "event/operation.h"
#include "process/loop.h"

struct access_piece {
  uintptr_t address;
  int size;
  const struct abi_site *site;
  /* Loads: was the instruction that this is a part of told of poison?  So that it is told once.  Or NULL. */
  bool *told;
  /* stores: */
  uint64_t value;
  int flags;
  bool half, joined; /* first and second half of a 16-byte atomic store */
  bool copied;       /* part of a copy, not the store of a scalar */
  bool continued;    /* not the first piece of its copy or store */
};

/* One memory model for the running execution. */
struct access_model {
  uint64_t (*load)(const struct access_piece *p);
  void (*store)(const struct access_piece *p);
  void (*flush)(int kind, struct space_line *l, uint32_t place, const struct abi_site *site);
  /* `count` write-backs that the thread had asked for are waited for. */
  void (*fence)(int kind, const struct access_pending *pending, size_t count,
                const struct abi_site *site);
  /* Are there stores up to that position that no flush has written back (cxl: of the acting machine)? */
  bool (*is_dirty)(const struct space_line *l, uint32_t position);
  void (*synchronise)(void); /* a lock operation, after its fence */
  void (*observe_machine)(int machine);
  void (*program_ends)(void);
  int (*failures)(void);
  size_t *(*allocated)(int *part, int share);
};

extern const struct access_model access_pm, access_cxl;

/* A thread's flush buffer.  World memory. */
struct flush_buffer {
  struct access_pending *items;
  uint32_t length, capacity;
  uint32_t waited; /* how many of them had to wait for the store buffer */
};

/* Bytes that became known since access_scope_begin. */
struct access_scoped {
  struct space_line *line;
  uint64_t bytes;
};

/* The running execution. */
struct access_run {
  const struct access_model *model;
  struct access_options options;
  event_list *events;
  event_frames_list *frames;
  bool recording;
  uint64_t steps, steps_noticed; /* beyond steps_noticed it is looked whether the program hangs */
  int endless; /* it is known that it does: so many steps are left to see where; 0: it is not known */
  int endless_thread; /* the first thread that was seen there */
  /* Likewise, turns since the program last touched memory that is new to it; */
  uint64_t turns, turns_noticed;
  uint64_t turns_elsewhere; /* and those before that */
  struct loop_samples loop;
  bool in_scope;
  VEC(struct access_scoped) scope;
  /* Bytes that became known by loads that analyses do not look at. */
  VEC(struct access_scoped) ignored;
  bool reads_known; /* known bytes may be read without asking; */
  /* In so many bytes of the window even by quick.h; 0: nowhere. */
  size_t quick_bytes;
};
extern struct access_run access_run;

struct buffered; /* store_buffer.h */

/* What the running execution is in the middle of.  World memory, because an access can be a decision that the search
 * comes back to. */
struct access_doing {
  bool exclusive;
  bool plain; /* a load by the program is under way, of so many bytes there */
  uintptr_t plain_address;
  int plain_size;
  /* The entry on its way from a store buffer to the cache, or NULL. */
  const struct buffered *draining;
  struct thread *drained; /* its thread */
};
extern struct access_doing access_doing;

/* The registers of access_load's caller that it must find again (load_enter.S). */
struct access_registers {
  uint64_t r15, r14, r13, r12, rbx, rbp, sp;
};

/* Bytes of the piece as a mask over its line. */
static inline uint64_t access_mask(uintptr_t address, int size) {
  return (((uint64_t)1 << size) - 1) << (address % LINE_BYTES);
}

/* An execution begins: no steps, no turns so far. */
void access_begin_steps(void);

/* The thread that acts: the running one, or the one whose store buffer drains. */
struct thread *access_acting_thread(void);
int access_thread(void);
int access_machine(void);
/* Is the acting thread another one than the running one? */
bool access_on_behalf(void);

/* The running thread has gone (its machine has failed) in the middle of an access: forget what it was doing. */
void access_abandon(void);

/* The machine has failed: what its threads have in store buffers and flush buffers is lost. */
void access_lose_buffers(int machine);

/* Do stores of the current thread wait in its store buffer now? */
bool access_buffers(void);
void access_into_buffer(const struct buffered *b);

/* Can no other thread tell whether the current thread's buffer has drained, so that it may drain at once? */
bool access_drains_unnoticed(void);

/* The piece lies where the program may access it, or this does not return. */
void access_check_piece(uintptr_t address, int size, bool write, const struct abi_site *site);

/* What has left the store buffer, or never was in one, takes effect: a store; a flush; a fence, for write-backs that
 * were asked for before entry `number` of the buffer.  settle: flushes that waited for that entry cover what is in the
 * cache now. */
void access_store_to_cache(const struct access_piece *p);
void access_flush_line(int kind, uintptr_t address, uint32_t place, const struct abi_site *site);
void access_complete(int kind, uint64_t number, uint32_t place, const struct abi_site *site);
void access_settle(const struct thread *t, uint64_t number);

/* note_plain: a load that the host may take over begins; pre: access_captures.  scrub_stack: clear what hooks have left
 * behind on the stack. */
void access_note_plain(uintptr_t address, int size);
void access_scrub_stack(void);
bool access_is_compared(void); /* are states taken in the middle of hooks, or will they be soon? */

/* Does the order between threads matter, and are there several? */
bool access_orders_threads(void);

/* Append to the event list, if somebody wants events. */
void access_record(struct event e);
void access_record_store(const struct access_piece *p);

/* record_issue: something waits from now on, under that number.  issue_number: the number of what leaves a store buffer
 * just now (event_issue). */
void access_record_issue(uint32_t number, uintptr_t address, int size, const struct abi_site *site);
uint32_t access_issue_number(void);
uint32_t access_events(void); /* recorded so far: the next one's index */

/* stacks_on: keep the call stack of a load. */
void access_note_load(uintptr_t address, int size, const struct abi_site *site);

/* Ask the search for the value of bytes in doubt. */
static inline uint64_t access_ask(struct line *l, uintptr_t address, int size,
                                  const struct abi_site *site) {
  if (stacks_on)
    access_note_load(address, size, site);
  return door->read(l, address, size, site);
}

/* Ask for the line's write-back; the thread's next fence waits for it.  place: of the flush. */
void access_add_pending(struct space_line *l, uint32_t position, uint32_t place);

/* The bytes have become known by a load, or been overwritten (access_scope_begin). */
void access_scope_add(struct space_line *l, uint64_t bytes);
void access_scope_remove(struct space_line *l, uint64_t bytes);

void access_pm_begin(const struct access_options *o);
void access_pm_may_fail(const struct operation *before);
void access_pm_end(void);
void access_pm_put_state(struct str *out, bool counts); /* see access_put_state */
size_t access_pm_set_state(const char *bytes);          /* how many there were */

uint32_t access_cxl_asks(const struct thread *t, const struct operation *o);

#endif
