/* The scheduler of ordinary programs with threads (--model=sc, --model=tso): whose turn it is.
 *
 * Before a thread does something that others could notice it announces it and waits for its turn (turn_take); when it
 * has happened it says so (turn_note).  What may happen next is the announced operation of any thread that can go on,
 * or a store leaving a buffer; the search says which (door->pick).  A thread that has just been created or woken runs
 * on until it announces something. */
#ifndef ACCESS_TURN_H
#define ACCESS_TURN_H

#include "thread/thread.h"

void turn_init(void);

/* Announce an operation of the current thread, and return when it is its turn; and it has happened. */
void turn_take(const struct operation *o);
void turn_note(struct operation *o);
void turn_note_drain(const struct operation *o); /* a store has left some thread's buffer */

/* tidemark_choose: a number below count; the search tries each of them.  pre: count > 0. */
uint32_t turn_choose(uint32_t count);

/* tidemark_assume: the current thread has come to something that the program says cannot happen.  It waits until nobody
 * else can go on, and then the execution ends. */
_Noreturn void turn_leave_out(void);

/* Nobody can go on: tell the search (door->waits) about looks that threads do not make because they would lead
 * nowhere. */
void turn_tell_futile(void);

/* The search does not let anybody go on: tell it about threads that wait for locks, and about such looks. */
void turn_tell_who_waits(void);

/* Has the thread that goes on done so for long although others could have? */
bool turn_is_unfair(void);

/* The program is about to end; returns when nobody else can go on. */
void turn_exit(void);

#endif
