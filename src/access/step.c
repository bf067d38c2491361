#include "access/step.h"
#include "access/opcode.h"
#include "base/check.h"
#include "process/layout.h"
#include <string.h>
#include <sys/mman.h>

#define TRAP_FLAG 0x100
#define ZERO_FLAG 0x40
#define INSTRUCTION_BYTES 15
#define COPIES 4096 /* a power of two; at most half of them are used */

static struct {
  uint8_t *end; /* of the page for copies; NULL: the trap flag is used */
  bool active, copied;
  uintptr_t at;         /* the instruction */
  int bytes;            /* of it that were copied, without a repeat prefix */
  uint8_t repeat;       /* that prefix, or 0 */
  struct opcode opcode; /* of the instruction */
} step;

/* A copy of an instruction and what calls `after` behind it:
 *
 *      (the instruction)
 *      lea  -128(%rsp), %rsp       the red zone
 *      push original(%rip)
 *      push next(%rip)
 *      push after(%rip)
 *      jmp  *enter(%rip)
 *
 * None of it changes a flag. */
struct copy {
  uint8_t code[48];
  uintptr_t original, next; /* original: 0 if not used */
};

static struct {
  uintptr_t enter, after;
  size_t count;
  struct copy copy[COPIES];
} * copies; /* NULL: not allowed here */

void step_init(bool (*after)(struct bypass_frame *f)) {
  void *p = mmap(NULL, sizeof *copies, PROT_READ | PROT_WRITE | PROT_EXEC,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return; /* every instruction is stepped, then */
  copies = p;
  copies->enter = (uintptr_t)bypass_enter;
  copies->after = (uintptr_t)after;
}

void step_avoid_traps(void) {
  uint8_t *page = mmap(NULL, 2 * LAYOUT_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED || mprotect(page + LAYOUT_PAGE, LAYOUT_PAGE, PROT_NONE))
    return; /* not allowed here: traps, then */
  step.end = page + LAYOUT_PAGE;
}

void step_reset(void) {
  step.active = false;
}

/* ---- copies ---- */

static struct copy *find_copy(uintptr_t instruction) {
  size_t i = instruction * 0x9e3779b97f4a7c15u >> 32 & (COPIES - 1);
  while (copies->copy[i].original && copies->copy[i].original != instruction)
    i = (i + 1) & (COPIES - 1);
  return &copies->copy[i];
}

/* An instruction (push, jmp) whose operand is a variable, relative to its end. */
static uint8_t *put_relative(uint8_t *p, uint8_t modrm, const uintptr_t *operand) {
  int32_t distance = (int32_t)((const uint8_t *)operand - (p + 6));
  *p++ = 0xff;
  *p++ = modrm;
  memcpy(p, &distance, sizeof distance);
  return p + sizeof distance;
}

/* The instruction was stepped and ended at `next`.  What reaches watched memory is never relative to
 * rip, which is too far away, so it can be executed anywhere. */
static void add_copy(uintptr_t next) {
  static const uint8_t lea[] = {0x48, 0x8d, 0x64, 0x24, 0x100 - BYPASS_RED_ZONE};
  size_t length = next - step.at;
  bool repeated = step.opcode.repeats && opcode_is_string(&step.opcode);
  if (!copies || copies->count >= COPIES / 2 || length == 0 || length > INSTRUCTION_BYTES ||
      repeated || opcode_is_transfer(&step.opcode))
    return;
  struct copy *c = find_copy(step.at);
  if (c->original)
    return; /* and its code has changed since */
  memcpy(c->code, (const void *)step.at, length);
  uint8_t *p = c->code + length;
  memcpy(p, lea, sizeof lea);
  p = put_relative(p + sizeof lea, 0x35, &c->original);
  p = put_relative(p, 0x35, &c->next);
  p = put_relative(p, 0x35, &copies->after);
  put_relative(p, 0x25, &copies->enter);
  c->original = step.at;
  c->next = next;
  copies->count++;
}

uintptr_t step_copy(uintptr_t instruction) {
  if (!copies)
    return 0;
  const struct copy *c = find_copy(instruction);
  bool same = c->original && memcmp(c->code, (const void *)instruction, c->next - c->original) == 0;
  return same ? (uintptr_t)c->code : 0;
}

uintptr_t step_original(uintptr_t pc) {
  uintptr_t first = copies ? (uintptr_t)copies->copy : 0;
  if (!copies || pc < first || pc >= first + sizeof copies->copy)
    return pc;
  return copies->copy[(pc - first) / sizeof *copies->copy].original;
}

/* ---- steps ---- */

/* Can a copy at the end of a page replace the instruction?  A repeated one is copied without its
 * prefix. */
static bool may_be_copied(void) {
  const struct opcode *o = &step.opcode;
  step.repeat = opcode_is_string(o) ? o->repeat : 0;
  return step.repeat ? o->repeats == 1 && !o->short_address : !opcode_is_transfer(o);
}

/* The first `bytes` bytes, so that they end where the page does. */
static void place_copy(ucontext_t *c) {
  const uint8_t *from = (const uint8_t *)step.at;
  uint8_t *to = step.end - step.bytes;
  for (int i = 0; i < step.bytes; from++)
    if (!step.repeat || *from != step.repeat)
      to[i++] = *from;
  c->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)to;
}

void step_begin(ucontext_t *c) {
  step.active = true;
  step.at = (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
  step.opcode = opcode_read(step.at);
  step.copied = step.end && may_be_copied();
  step.bytes = 1;
  if (step.copied)
    place_copy(c);
  else
    c->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void take_back(ucontext_t *c) {
  if (step.copied)
    c->uc_mcontext.gregs[REG_RIP] = (greg_t)step.at;
  c->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
  step.active = false;
}

/* After one round of a repeated instruction: is there another? */
static bool repeats(ucontext_t *c) {
  static const uint8_t comparing[] = {0xa6, 0xa7, 0xae, 0xaf};
  if (!step.repeat || --c->uc_mcontext.gregs[REG_RCX] == 0)
    return false;
  bool equal = c->uc_mcontext.gregs[REG_EFL] & ZERO_FLAG;
  return !memchr(comparing, *step.opcode.code, sizeof comparing) || equal == (step.repeat == 0xf3);
}

static enum step_end copy_signal(const siginfo_t *info, ucontext_t *c) {
  uintptr_t pc = (uintptr_t)c->uc_mcontext.gregs[REG_RIP], end = (uintptr_t)step.end;
  bool at_end = info->si_signo == SIGSEGV && (uintptr_t)info->si_addr == end;
  if (at_end && pc == end) {
    bool again = repeats(c);
    take_back(c);
    if (!again)
      c->uc_mcontext.gregs[REG_RIP] += step.bytes + (step.repeat != 0);
    return STEP_DONE;
  }
  if (at_end && pc == end - (uintptr_t)step.bytes && step.bytes < INSTRUCTION_BYTES) {
    step.bytes++;
    place_copy(c);
    return STEP_UNDER_WAY;
  }
  take_back(c);
  return STEP_OTHER_SIGNAL;
}

static enum step_end trap_signal(const siginfo_t *info, ucontext_t *c) {
  take_back(c);
  return info->si_signo == SIGTRAP ? STEP_DONE : STEP_OTHER_SIGNAL;
}

enum step_end step_signal(const siginfo_t *info, ucontext_t *c, uintptr_t *stepped) {
  *stepped = step.at;
  if (!step.active)
    return STEP_OTHER_SIGNAL;
  enum step_end end = step.copied ? copy_signal(info, c) : trap_signal(info, c);
  if (end == STEP_DONE)
    add_copy((uintptr_t)c->uc_mcontext.gregs[REG_RIP]);
  return end;
}
