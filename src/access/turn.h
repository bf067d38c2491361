/* Whose turn it is in an ordinary program with threads (--model=sc, --model=tso).
 *
 * Before a thread does something that others could notice it announces it and waits for its turn
 * (turn_take); when it has happened it says so (turn_note).  What may happen next is the next
 * operation of any thread that can go on, or a store leaving a buffer; the search says which
 * (door->pick).  A thread that has just been created or woken runs on until it announces something. */
#ifndef ACCESS_TURN_H
#define ACCESS_TURN_H

#include "thread/thread.h"

void turn_init(void);

/* pre: an operation of the current thread. */
void turn_take(const struct operation *o);
void turn_note(struct operation *o);
void turn_note_drain(const struct operation *o); /* of any thread's buffer */

/* A number below count, of which the search tries each.  pre: count > 0. */
uint32_t turn_choose(uint32_t count);

/* The current thread has come to what the program says cannot happen: it waits until nobody else can go on, and
 * then the execution ends. */
_Noreturn void turn_leave_out(void);

/* Nobody goes on: tell what threads do not do because it would be in vain. */
void turn_tell_futile(void);

/* The program is about to end: when nobody else can go on. */
void turn_exit(void);

#endif
