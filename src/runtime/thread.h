/* Threads of the program under test, and who runs next.
 *
 * Threads are fibers; exactly one runs at a time and it runs until it waits, yields, ends, or has
 * used up its quantum of scheduling points, so a schedule is a deterministic function of the
 * program.  All state here is world memory: it goes back with the program. */
#ifndef RUNTIME_THREAD_H
#define RUNTIME_THREAD_H

#include "runtime/fiber.h"
#include "runtime/stop.h"
#include <stdbool.h>

#define THREADS_MAX 1024
#define MACHINES_MAX 16

enum thread_state { THREAD_UNUSED, THREAD_READY, THREAD_WAITING, THREAD_DONE };

struct thread {
  struct fiber fiber;
  int id;      /* 0, 1, ... in order of creation: also the index in the table */
  int machine; /* 0 in the pm model */
  enum thread_state state;
  const void *waits_for;   /* THREAD_WAITING: address of the object, for the deadlock report */
  const char *waits_what;  /* "mutex", "condition variable", "join", ... */
  unsigned long deadline;  /* virtual nanoseconds at which a timed wait gives up; 0: never */
  bool timed_out;
  /* ... fields of thread.c (result, joiner, detached, keys, emulated TLS) follow below ... */
  void *result;
  bool detached, joined;
  int joiner;
  void *(*start)(void *);
  void *start_argument;
  void *tls;  /* emulated TLS table, owned by tls.c */
  void *keys; /* pthread_setspecific values, owned by sync_keys.c */
};

struct thread *thread_current(void); /* pre: on a fiber */
struct thread *thread_by_id(int id); /* NULL if there is none */
int thread_count(void);              /* created so far in this execution */

/* Create the first thread of a machine; it will call entry(argument), which never returns. */
struct thread *thread_create_main(int machine, void (*entry)(void *), void *argument);

/* A scheduling point: lets another thread run when this one's quantum is used up. */
void thread_step(void);
/* Let every other ready thread run before this one goes on. */
void thread_yield(void);

/* Wait until thread_wake; what and object are for the deadlock report.  With a deadline the wait
 * ends with timed_out set when every other thread waits too (virtual time then jumps). Returns
 * false if it timed out. */
bool thread_wait(const void *object, const char *what, unsigned long deadline);
void thread_wake(struct thread *t);

/* The current thread is over. */
_Noreturn void thread_exit(void *result);

/* Host side: run until the execution stops.  Deadlock, the end of all threads after main called
 * pthread_exit, and every stop_execution end up in `why`. */
void thread_run(struct stop *why);

/* All threads of that machine are gone at once (cxl). */
void thread_kill_machine(int machine);

/* Watched memory as the interposed functions see it (implemented by access.c): every lock
 * operation is a full fence and a scheduling point on x86. */
void access_full_fence(void);

#endif
