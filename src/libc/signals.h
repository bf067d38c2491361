/* Signals that the program gets from itself. */
#ifndef LIBC_SIGNALS_H
#define LIBC_SIGNALS_H

#include <stdbool.h>

/* To the current thread: calls the handler, ends the execution, or neither.  -1 and errno: no such signal. */
int signals_raise(int sig);

/* Host side, at the end of an execution: should a handler have run by then, or may one be what everybody waits for?  Then
 * it is refused instead. */
struct stop;
bool signals_doubt(struct stop *why);

#endif
