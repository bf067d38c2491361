/* Private to the functions that a C program calls and does not define. */
#ifndef CPROG_C_CALL_H
#define CPROG_C_CALL_H

#include "cprog/c_exec.h"

struct c_call {
  struct c_exec *x;
  const struct c_instruction *i;
  const int *args; /* expressions, as the result */
  int count;
  int result;
};

struct c_external {
  const char *name;              /* a final * stands for any ending */
  int args;                      /* at least */
  void (*run)(struct c_call *c); /* NULL = it gives its first argument */
};

/* Locks and whatever else threads wait for (c_sync.c); ends with a name that is NULL. */
extern const struct c_external c_sync_externals[];
extern const struct c_external c_string_externals[]; /* c_string.c */
extern const struct c_external c_linux_externals[];  /* c_linux.c */

int c_call_constant(struct c_call *c, int64_t v);
void c_call_fence(struct c_call *c, enum c_fence f);
struct c_request c_call_request(struct c_call *c, int address, int bytes, enum cir_order order);

#endif
