/* What access.c and the files of the memory models share.
 *
 * access.c cuts an access into pieces that lie within one aligned 8-byte word, checks that they lie
 * in a region, counts steps and keeps the flush buffers; a model says what a piece means. */
#ifndef ACCESS_ACCESS_INTERNAL_H
#define ACCESS_ACCESS_INTERNAL_H

#include "access/access.h"
#include "access/space.h"
#include "access/stacks.h"
#include "door/door.h"
#include "event/event.h"
#include "event/operation.h"

struct access_piece {
  uintptr_t address;
  int size;
  const struct abi_site *site;
  bool *
      told; /* loads: has the instruction, of which this is a part, been told of poison?  Or NULL */
  /* stores: */
  uint64_t value;
  int flags;
  bool half, joined; /* first and second half of a 16-byte atomic store */
  bool copied;       /* part of a copy, not the store of a scalar */
};

/* One memory model for the running execution. */
struct access_model {
  uint64_t (*load)(const struct access_piece *p);
  void (*store)(const struct access_piece *p);
  void (*flush)(int kind, struct space_line *l, uint32_t place, const struct abi_site *site);
  /* `count` write-backs that the thread had asked for are waited for. */
  void (*fence)(int kind, const struct access_pending *pending, size_t count,
                const struct abi_site *site);
  /* Are there stores up to that position that no flush has written back?  cxl: of this machine. */
  bool (*is_dirty)(const struct space_line *l, uint32_t position);
  void (*synchronise)(void); /* a lock operation, after its fence */
  void (*observe_machine)(int machine);
  void (*program_ends)(void);
  int (*failures)(void);
  size_t *(*allocated)(int *part);
};

extern const struct access_model access_pm, access_cxl;

/* The registers of access_load's caller that it must find again (load_enter.S). */
struct access_registers {
  uint64_t r15, r14, r13, r12, rbx, rbp, sp;
};

/* Bytes of the piece as a mask over its line. */
static inline uint64_t access_mask(uintptr_t address, int size) {
  return (((uint64_t)1 << size) - 1) << (address % LINE_BYTES);
}

/* The thread that acts: the running one, or the one whose store buffer drains. */
int access_thread(void);
int access_machine(void);
/* Is it another thread than the running one? */
bool access_on_behalf(void);

/* The running thread is gone, in the middle of what it did. */
void access_abandon(void);

/* What threads of that machine have not yet brought to the cache is gone. */
void access_lose_buffers(int machine);

/* Append to the event list, if somebody wants events. */
void access_record(struct event e);
void access_record_store(const struct access_piece *p);
uint32_t access_events(void); /* recorded so far: the next one's index */

/* The thread loads these bytes, and somebody wants to know its stack. */
void access_note_load(uintptr_t address, int size, const struct abi_site *site);

/* The value of bytes in doubt. */
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

void access_pm_begin(bool eadr, bool after_failure);
void access_pm_may_fail(const struct operation *before);
void access_pm_end(void);
void access_pm_put_state(struct str *out, bool counts); /* see access_put_state */
size_t access_pm_set_state(const char *bytes);          /* how many there were */

uint32_t access_cxl_asks(const struct thread *t, const struct operation *o);

#endif
