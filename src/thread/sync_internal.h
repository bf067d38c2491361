/* Synchronisation objects of the program, as the sync_*.c files and thread.c share them.
 *
 * What an object is and who holds it is kept here, in world memory, keyed by the object's address;
 * its bytes are read only for static initialisers and attributes, and bytes of objects in ordinary
 * memory are kept in step (lock word, kind, value) so that memory that is reused or initialised
 * again by plain stores starts afresh.  So are the bytes of mutexes and semaphores in persistent memory
 * (pm), which survive a failure like any others.  Other bytes in watched memory are never written.  Initialising and
 * destroying an object in ordinary memory that was not used is a matter of its bytes alone: programs
 * initialise tens of thousands of locks and use a few.
 *
 * Calls from the host stack (constructors of libraries while they are loaded) find everything free
 * and change nothing. */
#ifndef THREAD_SYNC_INTERNAL_H
#define THREAD_SYNC_INTERNAL_H

#include "abi/abi.h"
#include "process/caller.h"
#include "thread/thread.h"
#include <pthread.h>
#include <stddef.h>
#include <time.h>

enum sync_kind {
  SYNC_MUTEX,
  SYNC_COND,
  SYNC_RWLOCK,
  SYNC_SPIN,
  SYNC_BARRIER,
  SYNC_SEMAPHORE,
  SYNC_ONCE,
  SYNC_FUTEX,
  SYNC_CHANNEL,
  SYNC_FILE,
};

/* First member of every kind of object.  Never freed: destroying one only makes it fresh. */
struct sync_object {
  const void *address;
  enum sync_kind kind;
  int machine;               /* of an object in a library that machines share; otherwise 0 */
  struct sync_object *chain; /* next in the same bucket */
  struct sync_object *next;  /* in order of first use */
  struct thread_queue waiters;
  uintptr_t destroyed; /* ordinary programs: where it was last, or 0, and by which thread */
  int destroyed_by;
};

/* Each registers its state as part of the world; sync_init calls the others. */
void sync_init(void);
void sync_keys_init(void);
void sync_semaphore_init(void);
void sync_channel_init(void);
void sync_file_init(void);

/* The object of that kind at that address, zeroed at its first use. */
void *sync_get(const void *address, enum sync_kind kind, size_t bytes);
void *sync_find(const void *address, enum sync_kind kind); /* NULL: not used yet */
void sync_forget(void *object, size_t bytes); /* back to zero, except for the waiters */
struct sync_object *sync_first(void);         /* all objects, in order of first use */

/* Bytes of an object; writes to watched memory are left out (but see thread_memory.lock_store). */
uint64_t sync_read(const void *p, int size);
void sync_write(void *p, uint64_t value, int size);

static inline bool sync_on_host(void) {
  return !fiber_current();
}

/* Memory of the program, where it wants a result. */
void sync_give(void *to, const void *from, size_t bytes);

/* What every operation begins with: a scheduling point, and a fence if it executes a locked
 * instruction (as glibc's does; one that does not must not hide a missing fence). */
enum sync_instruction { SYNC_PLAIN, SYNC_LOCKED };
/* An attempt, which looks before it executes a locked instruction, has not failed: it executes that now. */
void sync_attempts(void);
/* The same, saying more (thread_at). */
void sync_enter_as(enum sync_instruction i, const void *object, enum operation_lock how);
void sync_enter(enum sync_instruction i, const void *object); /* NULL: perhaps several objects */

/* Under the fixed schedule a lock goes straight to its first waiter, which nobody can overtake;
 * under a strategy it becomes free and everybody who waited tries again. */
static inline bool sync_hands_over(void) {
  return !thread_strategy.choose;
}
void sync_wake_all(struct thread_queue *q);

/* Absolute time on a clock as a deadline for thread_wait; EINVAL if it is not a time. */
int sync_deadline(clockid_t clock, const struct timespec *time, unsigned long *deadline);

/* What a thread that the current one creates with these attributes (NULL: none) is given; an error if they are
 * wrong. */
int sync_wish(const pthread_attr_t *attr, struct thread_wish *w);
int sync_cpu(void); /* on which the current thread is */

/* What syscall does for the program; six arguments. */
long sync_system_call(long number, const long *arguments);

/* The mutex part of a condition wait: give up, get back. */
int sync_mutex_release(void *mutex);
int sync_mutex_reacquire(void *mutex);

/* A thread has ended (robust mutexes say so), or its machine has failed (all are released).  Where lock operations are
 * steps, robust ones are released by steps of their own, ahead of the end. */
void sync_mutex_thread_ends(struct thread *t);
void sync_mutex_thread_exit(struct thread *t);
void sync_mutex_machine_failed(struct thread *t);
void sync_rwlock_machine_failed(int machine);
void sync_file_machine_gone(int machine); /* or its program has ended */
void sync_keys_thread_exit(struct thread *t);

/* The thread that holds the object, or NULL. */
bool sync_mutex_blocks(const struct sync_object *o, const struct thread *t);
const struct thread *sync_mutex_owner(const struct sync_object *o);
const struct thread *sync_rwlock_owner(const struct sync_object *o);
const struct thread *sync_spin_owner(const struct sync_object *o);
bool sync_rwlock_fails(const struct sync_object *o, bool read);
bool sync_semaphore_empty(const struct sync_object *o);
bool sync_channel_fails(const struct thread *t); /* what it is about to try */
bool sync_file_fails(const struct sync_object *o, const struct thread *t); /* likewise */
const struct thread *sync_once_owner(const struct sync_object *o);

/* Somebody, or nobody (NULL), holds what the current thread releases: undefined.  Returns if the program is allowed
 * that. */
void sync_not_held(const char *what, const struct thread *holder);

/* Ordinary programs: what is undefined (sync_alive.c).  They return if it is not, or the program is allowed that.
 * was_destroyed, was_not_made: its bytes say so.  check_alive: are they those of an object that was destroyed?
 * check_unused: is it destroyed (what) while somebody holds it or waits for it?  note_destroyed: it is destroyed
 * now.  check_one_mutex: somebody (NULL: nobody) waits for the condition with another mutex. */
void sync_was_destroyed(const void *object, enum sync_kind kind);
void sync_was_not_made(const void *object, enum sync_kind kind);
void sync_check_alive(const void *object, enum sync_kind kind);
void sync_check_unused(const void *object, enum sync_kind kind, const char *what,
                       const struct thread *holder, const struct thread *waiter);
void sync_check_one_mutex(const void *condition, const struct thread *waiter);
void sync_note_destroyed(struct sync_object *o);

/* Cancellation points (sync_cancel.c).  begin: before the step on the object.  waits: it is about to wait for it; false:
 * not any more.  has_waited: whatever has ended the wait.  end: it need not wait, or no longer. */
void sync_cancel_begin(const void *object);
bool sync_cancel_waits(void);
void sync_cancel_has_waited(void);
void sync_cancel_end(void);
bool sync_cancel_concerns(void);          /* can it happen to the current thread at all? */
void sync_cancel_joins(struct thread *t); /* before it is */
bool sync_cancel_fails(const struct thread *t, const void *object);
_Noreturn void sync_unwind(void *result);

/* Who waits for what. */
void sync_describe_deadlock(char *text, size_t bytes);
_Noreturn void sync_report_deadlock(void);

#endif
