/* Ends of an execution that gate.c finds inside a signal handler. */
#ifndef PROCESS_FAULT_INTERNAL_H
#define PROCESS_FAULT_INTERNAL_H

#include <ucontext.h>

void fault_refuse(const char *what, ucontext_t *context);
void fault_finish(int status, ucontext_t *context);

#endif
