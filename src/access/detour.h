/* Loads and stores of code that was not instrumented, carried out without opening a page, and in the end without a
 * signal.
 *
 * Such an instruction (reading.h) runs as a copy that reads the alias of the window, or that stores to a buffer, from
 * where it is written.  Once it has faulted twice it is replaced, where it stands, by a jump to a stub that calls what the fault calls
 * if the address is watched, and executes the instruction otherwise:
 *
 *      48 8b 39           mov (%rcx),%rdi          e9 xx xx | 48 83     jmp stub
 *      48 83 c1 08        add $8,%rcx              48 83 c1 08
 *
 * A jump has five bytes and the instruction may have fewer.  The bytes behind it stay as they are, as
 * others may jump there; they are part of the jump's distance, so the stub lies where that leads, if
 * the address is free.  libc's instructions, too: our own code uses them, but never in a region.
 *
 * All of it is host memory.  Whether an instruction has been replaced makes no difference to what is
 * read: the same function says so in both cases. */
#ifndef ACCESS_DETOUR_H
#define ACCESS_DETOUR_H

#include "access/reading.h"

struct detour {
  uintptr_t original; /* 0: not used */
  struct reading reading;
  uint8_t code[READING_BYTES_MAX + 1]; /* the instruction's bytes */
  bool installed, allowed;             /* the jump is there; it may be */
  bool sums; /* it is that of a loop that computes a checksum as PMDK does */
  uint8_t installations;
  uint16_t faults;       /* since it was last installed */
  uint8_t elsewhere[64]; /* the copy with another operand, and where it goes on */
  uintptr_t next;
};

/* Stubs call bypass_enter with the first function, copies of stores with the other one, when they have stored. */
void detour_init(bool (*carry_out)(struct bypass_frame *f), bool (*stored)(struct bypass_frame *f));
void detour_keep_code(
    void); /* from now on no instruction is replaced; called once, for a debugger */

/* NULL: it is not such an instruction, or there are too many. */
struct detour *detour_of(uintptr_t instruction);

/* The instruction that the stub at pc stands for; pc itself if there is none. */
uintptr_t detour_original(uintptr_t pc);

/* The thread goes on with the instruction, reading at that address instead of its own, or storing to a buffer; or with
 * the instruction where it stands, which is not replaced any more. */
void detour_read_at(struct detour *d, struct bypass_frame *f, uintptr_t address);
void detour_store(struct detour *d, struct bypass_frame *f); /* to a buffer */
const void *detour_stored(void);                             /* that buffer, until the next one */
void detour_give_up(struct detour *d, struct bypass_frame *f);

/* It faulted: is it worth a jump? */
void detour_faulted(struct detour *d, bool allowed);

#endif
