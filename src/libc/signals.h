/* Signals that the program gets from itself (interpose_signal.c), and timers (interpose_timer.c). */
#ifndef LIBC_SIGNALS_H
#define LIBC_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* To the current thread: calls the handler, ends the execution, or neither.  -1 and errno: no such signal. */
int signals_raise(int sig);

/* What the functions of libc do; set_mask returns the error. */
int signals_set_action(int sig, const struct sigaction *new, struct sigaction *old);
int signals_set_mask(int how, const sigset_t *set, sigset_t *old);
int signals_suspend(const sigset_t *mask);

bool signals_handled(int sig); /* does the program have a function for it? */

/* There may be a handler, or a thread that blocks a signal, which was not there before. */
void timers_note_handlers(void);

/* Host side, at the end of an execution: should a handler of a timer have run by then, or may one be what everybody
 * waits for?  Then it is refused instead. */
struct stop;
bool signals_doubt(struct stop *why);

#endif
