/* A runtime library for OpenMP made of pthreads, for programs that are checked.
 *
 * The usual ones keep threads that wait for each other in code without hooks.  Here a parallel region creates its
 * threads and joins them, a barrier is a pthread_barrier_t, whatever is shared is under a mutex: all that orders
 * threads is seen, and nothing else does.  tidemark-cc links this archive in place of libomp, so its state is part of the
 * program.  The calls are those that clang makes (__kmpc_*); what is not here (tasks, cancellation, nested
 * regions with threads of their own) is missing when the program is linked, or runs in one thread.
 *
 * region.c: threads and what they are told; loop.c: who does which iterations; lock.c: locks and barriers. */
#ifndef OPENMP_TEAM_H
#define OPENMP_TEAM_H

#include <pthread.h>
#include <stdint.h>

struct loop; /* one whose iterations are given out on the way */

struct team {
  int count;
  pthread_barrier_t barrier;
  pthread_mutex_t mutex; /* of what follows: */
  uint32_t singles;      /* so many of these regions have somebody */
  struct loop *loops;    /* newest first */
};

/* One thread of a team. */
struct member {
  struct team *team;
  int number;
  uint32_t singles, loops; /* so many it has come to */
  struct loop *loop;       /* the one it is in */
  int asked;               /* num_threads(...) of the region that follows; 0: nobody has */
};

/* The calling thread; outside of regions a team of its own. */
struct member *team_member(void);

#endif
