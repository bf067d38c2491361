/* A function that is being executed: c_exec.c runs its blocks, c_loop.c its loops. */
#ifndef CPROG_C_FRAME_H
#define CPROG_C_FRAME_H

#include "cprog/c_exec.h"

struct entry { /* a way into a block */
  int guard;
  int *phis; /* values of its phis, in order */
};

typedef LIST(struct entry) entry_list;
typedef LIST(int) guards_list;

struct frame {
  const struct c_function *f;
  int *values;         /* expressions; -1 = not there yet */
  entry_list *entries; /* by block */
  guards_list *
      left_out; /* by block: guards of ways to it that nobody takes, because values rule them out */
  LIST(int) returns; /* guards */
  int *exits;        /* by loop: how many ways out have been taken so far */
  int entered;       /* the guard with which the last block was entered */
  LIST(int) results; /* none if it has not come to a return */
  struct place end;  /* of its last return */
};

/* c_exec.c */
void c_run_block(struct c_exec *x, struct frame *f, int block);

/* c_loop.c: blocks of a loop but its header (of a function: -1, all), inner loops as one. */
void c_run_region(struct c_exec *x, struct frame *f, int loop);

#endif
