#include "runtime/step.h"
#include "base/check.h"
#include "runtime/layout.h"
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#define TRAP_FLAG 0x100
#define ZERO_FLAG 0x40
#define INSTRUCTION_BYTES 15

static struct {
  uint8_t *end; /* of the page for copies; NULL: the trap flag is used */
  bool active, copied;
  uintptr_t at;   /* the instruction */
  int bytes;      /* of it that were copied, without a repeat prefix */
  uint8_t repeat; /* that prefix, or 0 */
  uint8_t opcode; /* of a repeated instruction */
} step;

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

static bool is_prefix(uint8_t byte) {
  static const uint8_t prefixes[] = {0x66, 0x67, 0x2e, 0x36, 0x3e, 0x26,
                                     0x64, 0x65, 0xf0, 0xf2, 0xf3};
  return (byte & 0xf0) == 0x40 || memchr(prefixes, byte, sizeof prefixes);
}

static bool is_string_operation(uint8_t opcode) {
  static const uint8_t string[] = {0xa4, 0xa5, 0xa6, 0xa7, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf};
  return memchr(string, opcode, sizeof string);
}

/* Is the instruction a repeated one, and can a copy elsewhere replace it?  What reaches watched memory
 * is never relative to rip, which is too far away, but calls and jumps through memory are. */
static bool examine(const uint8_t *p) {
  int repeats = 0, short_counters = 0;
  step.repeat = 0;
  for (int i = 0; i < INSTRUCTION_BYTES && is_prefix(*p); i++, p++) {
    short_counters += *p == 0x67;
    if (*p == 0xf2 || *p == 0xf3) {
      repeats++;
      step.repeat = *p;
    }
  }
  step.opcode = *p;
  if (is_string_operation(*p))
    return repeats <= 1 && !short_counters;
  step.repeat = 0; /* part of the opcode */
  int operation = p[1] >> 3 & 7;
  return *p != 0xff || operation < 2 || operation > 5;
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
  step.copied = step.end && examine((const uint8_t *)step.at);
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
  return !memchr(comparing, step.opcode, sizeof comparing) || equal == (step.repeat == 0xf3);
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

enum step_end step_signal(const siginfo_t *info, ucontext_t *c, uintptr_t *stepped) {
  *stepped = step.at;
  if (!step.active)
    return STEP_OTHER_SIGNAL;
  if (step.copied)
    return copy_signal(info, c);
  take_back(c);
  return info->si_signo == SIGTRAP ? STEP_DONE : STEP_OTHER_SIGNAL;
}
