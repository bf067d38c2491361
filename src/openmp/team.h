/* A runtime library for OpenMP made of pthreads, for programs that are checked.
 *
 * The usual ones keep threads that wait for each other in code without hooks.  Here a parallel region creates its
 * threads and joins them, a barrier is a pthread_barrier_t, whatever is shared is under a mutex: all that orders
 * threads is seen, and nothing else does.  tidemark-cc links this archive in place of libomp, so its state is part of
 * the program.  The calls are those that clang makes (__kmpc_*); what is not here (cancellation, reductions over tasks,
 * nested regions with threads of their own) is missing when the program is linked, or runs in one thread.
 *
 * region.c: threads and what they are told; loop.c: who does which iterations; lock.c: locks and barriers; task.c:
 * tasks, which is linked only if the program has some; order.c: iterations that wait for others. */
#ifndef OPENMP_TEAM_H
#define OPENMP_TEAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct loop;     /* one whose iterations are given out on the way */
struct doacross; /* one whose iterations say which others they wait for */
struct task;
struct group; /* of tasks */

struct team {
  int count;
  pthread_barrier_t barrier;
  pthread_mutex_t mutex;       /* of what follows: */
  pthread_cond_t changed;      /* tasks, order */
  uint32_t singles;            /* so many of these regions have somebody */
  struct loop *loops;          /* newest first */
  struct doacross *doacrosses; /* likewise */
  struct task *tasks;          /* that are not done, oldest first */
  int arrived;                 /* at a barrier of a program that has tasks, */
  uint32_t rounds;             /* and so many of these were passed */
  const void *copied;          /* what copyprivate gives to all */
};

/* One thread of a team. */
struct member {
  struct team *team;
  int number;
  uint32_t singles, loops;   /* so many it has come to */
  struct loop *loop;         /* the one it is in */
  struct doacross *doacross; /* likewise, */
  uint32_t doacrosses;       /* and so many it has come to */
  uint64_t iteration;        /* in the loop, if it is ordered; */
  bool ordered;              /* its ordered part is done */
  struct task *task;         /* the one it is in; NULL: in none */
  struct group *group;       /* newest one that it has begun in there */
  int children;              /* tasks it made outside of any that are not done */
  int asked;                 /* num_threads(...) of the region that follows; 0: nobody has */
  int teams_asked;           /* num_teams(...) of the same kind */
  int league, leagues;       /* of how many teams its own is which; 0 of 0: there is one */
};

/* The calling thread; outside of regions a team of its own. */
struct member *team_member(void);

void team_barrier(struct member *m);
/* pthread_barrier_wait, for who does not look at who was the last (abi.h); libtidemark.so has it. */
int __tidemark_barrier_wait(pthread_barrier_t *barrier);
/* For programs with tasks: those who wait do them. */
__attribute__((weak)) void team_barrier_with_tasks(struct member *m);

#endif
