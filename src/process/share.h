/* --isolate: each run of the program is a forked child, and the search goes on with what it learnt.
 *
 * The checker's allocations lie in memory shared with the child.  Its variables do not: those that
 * a run may change are registered here, copied out by the child at its end and taken over by the
 * parent.  Everything else of the child, the program's world and all that describes the process,
 * is gone with it. */
#ifndef PROCESS_SHARE_H
#define PROCESS_SHARE_H

#include <stddef.h>

void share_register(void *variable, size_t bytes);
void share_init(void);    /* after all were registered */
void share_publish(void); /* child, before it ends */
void share_collect(void); /* parent, after that */

/* A child that goes on from here, as fork does it.  What is registered is published before: that is taken over if the
 * child ends without a word. */
int share_fork(void);

/* How the child ended, as waitpid says it. */
int share_wait(int child);

#endif
