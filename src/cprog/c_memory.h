/* Private to the executor of C programs: memory that is contents, not events. */
#ifndef CPROG_C_MEMORY_H
#define CPROG_C_MEMORY_H

#include "cprog/c_exec.h"

/* Whether an access at this address is to such memory now. */
bool c_is_contents(struct c_exec *x, int address);
int c_contents_load(struct c_exec *x, struct c_request r);
void c_contents_store(struct c_exec *x, struct c_request r, int value);

int64_t c_function_address(int function);

/* The function at an address, -1 if there is none. */
int c_function_at(const struct c_module *m, int64_t address);

/* By function: may an expression be its address?  *all: no others come into question. */
const unsigned char *c_find_callees(struct c_exec *x, int pointer, bool *all);

#endif
