/* Loads that the host takes over: a load by the program is left in the middle, its state taken, and answered later,
 * perhaps in another run (search/merge.h). */
#include "access/access_internal.h"
#include "access/cxl.h"
#include "process/caller.h"
#include "thread/thread.h"
#include <string.h>

bool access_captures;
struct access_registers access_registers;
uint64_t access_answer;
void access_load_resume(void);

/* What a hook leaves below on the program's stack would become part of its state wherever a later
 * frame has a gap. */
#define SCRUBBED_BYTES 1024
__attribute__((noinline)) void access_scrub_stack(void) {
  char below[SCRUBBED_BYTES];
  memset(below, 0, sizeof below);
  __asm__ volatile("" : : "r"(below) : "memory");
}

bool access_is_compared(void) {
  return cxl.consults || cxl.state.vain >= CXL_VAIN_MIN / 2 ||
         access_run.steps >= access_run.steps_noticed;
}

void access_scrub_if_compared(void) {
  if (access_is_compared())
    access_scrub_stack();
}

bool access_is_plain(uintptr_t address, int size) {
  return access_captures && access_doing.plain && access_doing.plain_address == address &&
         access_doing.plain_size == size && !access_run.in_scope && !access_is_unseen();
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
  access_doing.plain = false;
}

void access_answer_load(struct line *l, uintptr_t address, int size, uint64_t value) {
  struct space_line *s = space_line_by_index(l->number);
  access_answer = value;
  if (access_run.options.cxl) {
    cxl_know(s, address, size, value);
    return;
  }
  memcpy(space_alias(address), &value, (size_t)size);
  space_touch(s);
  *s->known |= access_mask(address, size);
}

/* Is it an access of the program itself, which gets the result and nothing else, on its usual stack
 * with some room left? */
void access_note_plain(uintptr_t address, int size) {
  const struct fiber *f = &thread_current()->fiber;
  uintptr_t sp = access_registers.sp;
  access_doing.plain = !access_doing.exclusive && sp >= f->stack_low + 2 * SCRUBBED_BYTES &&
                       sp < f->stack_high && !caller_in_worker(*(const uintptr_t *)sp);
  access_doing.plain_address = address;
  access_doing.plain_size = size;
}
