/* Signals that the program gets from itself. */
#ifndef LIBC_SIGNALS_H
#define LIBC_SIGNALS_H

/* To the current thread: calls the handler, ends the execution, or neither.  -1 and errno: no such signal. */
int signals_raise(int sig);

#endif
