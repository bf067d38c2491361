#include "process/host.h"
#include "base/check.h"
#include "base/mem.h"
#include "process/fiber_internal.h"
#include <string.h>

static struct stop recorded;

enum stop_kind host_run(struct fiber *f, struct stop *why) {
  CHECK(!fiber_current(), "host_run on a fiber");
  recorded.kind = STOP_NONE;
  mem_begin_program();
  fiber_switch(f);
  mem_end_program();
  if (recorded.kind != STOP_NONE)
    *why = recorded;
  return recorded.kind;
}

void host_record(const struct stop *why) {
  recorded = *why;
}

void host_landing(uintptr_t *pc, uintptr_t *sp) {
  /* Below the host's saved frame its stack is free.  As after a call: sp % 16 == 8. */
  *pc = (uintptr_t)fiber_abandon;
  *sp = (((uintptr_t)fiber_host()->stack_pointer - 4096) & ~(uintptr_t)15) - 8;
}
