#include "process/unwind.h"
#include "process/caller.h"
#include "process/fiber.h"
#include "process/image.h"
#include "process/program.h"
#include "process/unwind_table.h"

#define SCAN_BYTES 16384
#define BIT(r) (1u << (r))

static struct unwind_stack running_stack(void) {
  const struct fiber *f = fiber_current();
  return (struct unwind_stack){f->stack_low, f->stack_high};
}

static bool knows(const struct unwind_frame *f, int r) {
  return f->known >> r & 1;
}

static bool is_code(uintptr_t pc) {
  const uint8_t *table;
  return program_is_ours(pc) || image_is_code(pc, &table);
}

static bool follows_call(uintptr_t pc) {
  const unsigned char *p = (const unsigned char *)pc;
  if (!is_code(pc - 7))
    return false;
  if (p[-5] == 0xe8)
    return true;
  for (int n = 2; n <= 7; n++) /* call *r/m */
    if (p[-n] == 0xff && (p[-n + 1] >> 3 & 7) == 2)
      return true;
  return false;
}

static bool step_by_frame_pointer(const struct unwind_stack *s, struct unwind_frame *f) {
  uintptr_t fp = f->value[UNWIND_RBP], next, pc;
  if (!knows(f, UNWIND_RBP) || (knows(f, UNWIND_RSP) && fp < f->value[UNWIND_RSP]) ||
      !unwind_read(s, fp, &next) || !unwind_read(s, fp + 8, &pc))
    return false;
  *f = (struct unwind_frame){.known = BIT(UNWIND_PC) | BIT(UNWIND_RSP) | BIT(UNWIND_RBP)};
  f->value[UNWIND_PC] = pc;
  f->value[UNWIND_RBP] = next;
  f->value[UNWIND_RSP] = fp + 16;
  return true;
}

/* The frame pointer may still be that of the function found, or be anything. */
static bool step_by_scan(const struct unwind_stack *s, struct unwind_frame *f) {
  if (!knows(f, UNWIND_RSP))
    return false;
  uintptr_t sp = (f->value[UNWIND_RSP] + 7) & ~(uintptr_t)7, end = sp + SCAN_BYTES, pc;
  for (; sp < end && unwind_read(s, sp, &pc); sp += 8) {
    if (!(caller_in_worker(pc) || image_is_own_code(pc)) || !follows_call(pc))
      continue;
    bool above = knows(f, UNWIND_RBP) && f->value[UNWIND_RBP] > sp;
    f->value[UNWIND_PC] = pc;
    f->value[UNWIND_RSP] = sp + 8;
    f->known = BIT(UNWIND_PC) | BIT(UNWIND_RSP) | (above ? BIT(UNWIND_RBP) : 0);
    f->exact = false;
    return true;
  }
  return false;
}

static bool step(const struct unwind_stack *s, struct unwind_frame *f, bool quick) {
  const uint8_t *table;
  uintptr_t pc = f->value[UNWIND_PC];
  bool keeps_frame_pointer = program_is_ours(pc) || image_is_own_code(pc);
  if (quick && keeps_frame_pointer)
    return step_by_frame_pointer(s, f);
  if (image_is_code(pc, &table) && unwind_table_step(table, s, f))
    return true;
  return (keeps_frame_pointer && step_by_frame_pointer(s, f)) || step_by_scan(s, f);
}

enum { QUICK = 1, TO_OWN_CODE = 2 }; /* ways to walk; the second: not further than that */

static int walk(struct unwind_frame *f, int way, uintptr_t *pcs, int max) {
  struct unwind_stack s = running_stack();
  int n = 0;
  while (n < max) {
    pcs[n] = f->value[UNWIND_PC] + (n && f->exact); /* as if it were a return address */
    n++;
    if (way & TO_OWN_CODE && image_is_own_code(pcs[n - 1]))
      break;
    uintptr_t sp = f->value[UNWIND_RSP];
    bool has_caller =
        step(&s, f, way & QUICK) && knows(f, UNWIND_PC) && is_code(f->value[UNWIND_PC]);
    if (!has_caller || !knows(f, UNWIND_RSP) || f->value[UNWIND_RSP] <= sp)
      break;
  }
  return n;
}

static int walk_calls(uintptr_t fp, int way, uintptr_t *pcs, int max) {
  struct unwind_stack s = running_stack();
  struct unwind_frame f = {.known = BIT(UNWIND_RBP)};
  f.value[UNWIND_RBP] = fp;
  return step_by_frame_pointer(&s, &f) ? walk(&f, way, pcs, max) : 0;
}

int unwind_calls(uintptr_t fp, uintptr_t *pcs, int max) {
  return walk_calls(fp, 0, pcs, max);
}

int unwind_calls_quickly(uintptr_t fp, uintptr_t *pcs, int max) {
  return walk_calls(fp, QUICK, pcs, max);
}

int unwind_to_own_code_quickly(uintptr_t fp, uintptr_t *pcs, int max) {
  return walk_calls(fp, QUICK | TO_OWN_CODE, pcs, max);
}

int unwind_calls_to_own_code(uintptr_t fp, uintptr_t *pcs, int max) {
  return walk_calls(fp, TO_OWN_CODE, pcs, max);
}

int unwind_interrupted(const ucontext_t *u, uintptr_t *pcs, int max) {
  static const int order[UNWIND_REGISTERS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                              REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                              REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  struct unwind_stack s = running_stack();
  struct unwind_frame f = {.known = BIT(UNWIND_REGISTERS) - 1, .exact = true};
  for (int r = 0; r < UNWIND_REGISTERS; r++)
    f.value[r] = (uintptr_t)u->uc_mcontext.gregs[order[r]];
  uintptr_t caller;
  /* A call through a bad pointer has no frame of its own yet: its caller is on top of the stack. */
  if (!is_code(f.value[UNWIND_PC]) && unwind_read(&s, f.value[UNWIND_RSP], &caller) &&
      is_code(caller)) {
    f.value[UNWIND_PC] = caller;
    f.value[UNWIND_RSP] += 8;
    f.exact = false;
  }
  bool called = !f.exact;
  int n = walk(&f, 0, pcs, max);
  pcs[0] -= called;
  return n;
}

uintptr_t unwind_function_bytes(uintptr_t pc, size_t *bytes) {
  const uint8_t *table;
  return image_is_code(pc - 1, &table) ? unwind_table_function(table, pc - 1, bytes) : 0;
}

uintptr_t unwind_function(uintptr_t pc) {
  size_t bytes;
  return unwind_function_bytes(pc, &bytes);
}
