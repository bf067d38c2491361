/* Callee-saved registers and stack pointer where the program has called us, taken by ENTERED() at the beginning of a
 * function: with its stack they are all that the thread knows by itself. */
#ifndef THREAD_ENTERED_H
#define THREAD_ENTERED_H

#include <stdbool.h>
#include <stdint.h>

enum { ENTERED_STACK = 6, ENTERED_REGISTERS };
extern uint64_t entered[ENTERED_REGISTERS];
struct abi_site;
extern const struct abi_site
    *entered_site;          /* of the newest hook that has noted them; not by ENTERED() */
extern bool entered_wanted; /* by hooks, at their very beginning (access/entry_enter.S) */

#define ENTERED() \
  __asm__ volatile("movq %%rbx, 0(%0)\n\tmovq %%rbp, 8(%0)\n\tmovq %%r12, 16(%0)\n\t" \
                   "movq %%r13, 24(%0)\n\tmovq %%r14, 32(%0)\n\tmovq %%r15, 40(%0)\n\t" \
                   "movq %%rsp, 48(%0)" \
                   : \
                   : "r"(entered) \
                   : "memory")

#endif
