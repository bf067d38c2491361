/* The lock of a stream (flockfile), for ordinary programs.  libc's own would take all threads of the program for one,
 * since they are one to the system. */
#ifndef LIBC_STREAM_LOCK_H
#define LIBC_STREAM_LOCK_H

#include <stdio.h>

/* Once, before world_seal. */
void stream_lock_init(void);

/* For a function of libc that takes the stream's lock and gives it back: waits for who has locked it.  What the function
 * does belongs to the step in which it is given back.  Only programs that refer to flockfile have these steps.
 * pre: ordinary_concerns(). */
void stream_lock_take(const FILE *file);
void stream_lock_give(const FILE *file);
void stream_lock_pass(const FILE *file); /* both */

#endif
