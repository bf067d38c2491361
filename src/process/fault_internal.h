/* Ends of an execution that gate.c and watchdog.c find inside a signal handler. */
#ifndef PROCESS_FAULT_INTERNAL_H
#define PROCESS_FAULT_INTERNAL_H

#include <ucontext.h>

struct stop;

void fault_stop(struct stop *why, ucontext_t *context); /* fills the frames if there are none */
void fault_refuse(const char *what, ucontext_t *context);
void fault_finish(int status, ucontext_t *context);

/* Handle SIGPROF and SIGALRM so. */
void fault_on_tick(void (*handler)(int, siginfo_t *, void *));

#endif
