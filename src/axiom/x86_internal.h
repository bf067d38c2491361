/* Private to x86.c (instructions) and x86_flow.c (control flow): the symbolic machine. */
#ifndef AXIOM_X86_INTERNAL_H
#define AXIOM_X86_INTERNAL_H

#include "axiom/x86.h"

/* What the flags say: nothing, a full comparison, or only whether the result is zero or negative. */
enum flags { FLAGS_NONE, FLAGS_COMPARE, FLAGS_RESULT };

struct state {
  int path; /* expression: this point is reached */
  int regs[X86_REGISTER_COUNT];
  enum flags flags;
};

struct machine {
  struct program *p;
  struct scan *scan;
  int thread, id, default_bits;
  struct x86_code *code;
  const struct instruction *now;
  struct state *at; /* the state before `now` */
};

/* Runs the instruction `now`, which is no jump, in the state `at`. */
void x86_execute(struct machine *m);

/* What a condition code such as "ne" says about the flags, as an expression; -1 if it is none. */
int x86_flag_test(struct machine *m, const char *cc);

void x86_need_operands(struct machine *m, int n);

#endif
