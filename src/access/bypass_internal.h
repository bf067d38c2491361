/* What bypass_enter.S does and leaves on the stack; for bypass.c and those it asks. */
#ifndef ACCESS_BYPASS_INTERNAL_H
#define ACCESS_BYPASS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define BYPASS_RED_ZONE 128

/* The interrupted thread, on its own stack; changes count when it goes on.  World memory. */
struct bypass_frame {
  uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax, flags;
  bool (*function)(struct bypass_frame *f); /* true: go on by way of bypass_leave */
  uintptr_t resume;                         /* where to go on */
  uintptr_t instruction;                    /* that this is about */
  uint8_t red_zone[BYPASS_RED_ZONE];
};

/* Enter with `function`, `resume` and `instruction` pushed: calls the function with every register
 * saved.  bypass_leave is an illegal instruction. */
extern const char bypass_enter[] __attribute__((visibility("hidden")));
extern const char bypass_leave[] __attribute__((visibility("hidden")));

/* In a signal handler: make the thread call fn, on account of an instruction, when the handler returns, then go on where
 * it was. */
void bypass_call(ucontext_t *c, bool (*fn)(struct bypass_frame *f), uintptr_t instruction);

/* On the thread: access_wait_for_turn, if others may run now, and access_exclusive_begin. */
void bypass_begin(const struct bypass_frame *f, uintptr_t address, size_t bytes);

#endif
