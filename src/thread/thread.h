/* Threads of the program under test, and who runs next.
 *
 * Threads are fibers; exactly one runs at a time and it runs until it waits, yields, ends, or has
 * used up its quantum of scheduling points, so a schedule is a deterministic function of the
 * program.  All state here is world memory: it goes back with the program. */
#ifndef THREAD_THREAD_H
#define THREAD_THREAD_H

#include "base/rng.h"
#include "event/event.h"
#include "event/operation.h"
#include "process/fiber.h"
#include "process/stop.h"
#include "process/world.h"
#include "thread/entered.h"
#include <stdbool.h>

#define THREADS_MAX 1024       /* at once */
#define THREADS_EVER_MAX 65536 /* in one execution: identifiers are not used again */
#define MACHINES_MAX 16
#define THREAD_STACK_BYTES ((size_t)8 << 20) /* as on Linux; only touched pages cost */
#define THREAD_QUANTUM 10000 /* scheduling points a thread may use while others are ready */
#define THREAD_SPINS 100     /* looks at one address in a row after which it spins */
#define THREAD_CPUS 4        /* what the program is told about the machine */

enum thread_state { THREAD_UNUSED, THREAD_READY, THREAD_WAITING, THREAD_DONE };

/* Waiting threads in the order of their arrival; a thread is in at most one queue. */
struct thread_queue {
  struct thread *first, *last;
  const struct sync_object *object; /* whose queue it is, for the deadlock report */
};

/* Is the thread only waiting for others to change something?  See spin.h. */
#define THREAD_SPIN_PERIOD 16
struct thread_spin {
  bool waits;
  uintptr_t looked[THREAD_SPIN_PERIOD]; /* at the addresses of its newest loads */
  uint32_t loads;                       /* since something changed */
  uint32_t repeats[THREAD_SPIN_PERIOD]; /* [p]: loads in a row of what it loaded p+1 loads before */
  uint32_t yields, loads_at_yield; /* yields since something changed; loads before the newest */
  uint64_t stored;                 /* entries its store buffer had seen by then */
};

/* Ordinary programs: how far the thread has come in the schedule.  See access/turn.h. */
struct thread_turn {
  bool announced;  /* thread.next is what it does next */
  bool waits;      /* it goes round a loop until something it looked at changes */
  bool late;       /* it does not go on in this execution, although something has (waiting.h) */
  bool again;      /* it does, because nobody else could go on */
  bool futile;     /* it would look in vain now (explore/futile.h) */
  bool stored;     /* sc: a store buffer could still hold something of it */
  uint32_t after;  /* 1 + position of the operation that created or woke it, if that is news */
  bool learns;     /* all that is known there is known to it when it goes on */
  uint32_t newest; /* 1 + position of its newest operation, or 0 */
  struct waiting *loop;    /* owned by waiting.c */
  uint32_t unasked;        /* times a wait of it ended without a reason */
  bool begun;              /* it, or its buffer, has done something */
  bool cut;                /* a loop of it is too long: it does not go on */
  bool left_out;           /* the same because of what the program assumes */
  uint64_t time;           /* ns that have passed for it alone, owned by times.c; */
  uint32_t looks;          /* at the clock */
  struct visits *visited;  /* owned by unroll.c */
  struct visits *timeouts; /* early ones, owned by turn.c */
  struct visits *tries;    /* in vain; with what follows owned by tries.c */
  uint64_t try_state;      /* of the thread where it tries; 0: not known */
  bool tries_enough;       /* it has failed in that state */
  uint32_t tries_alone;    /* since nobody else could go on */
  bool steps_back;         /* nobody else could go on */
  uint64_t holds;          /* a number that says which locks and permits it has taken */
  uintptr_t passed[8];     /* ring of locks that it has taken or released lately */
  uint32_t passed_next;
  struct kept_blocks *kept; /* owned by lifetime.c */
  struct given_back *given_back;
};

/* Cancelling it; owned by sync_cancel.c. */
enum cancel_stage { CANCEL_BEFORE, CANCEL_WAITS, CANCEL_AFTER };
struct thread_cancel {
  bool off;                /* not now, or never again */
  bool asynchronous;       /* it could happen anywhere */
  bool asked;              /* somebody has */
  bool woken;              /* its wait is over for that reason */
  enum cancel_stage stage; /* with `at` */
  const void *at;          /* between its two looks: the object that it may wait for */
  const char *refused;     /* it waits for what cannot be interrupted here */
};

/* What the program wishes for it, and reads again; inherited.  Owned by sync_attributes.c. */
struct thread_wish {
  int policy, priority; /* of scheduling */
  uint32_t cpus;        /* a bit for each it may use; 0: all */
};

struct thread {
  struct fiber fiber;
  int id;      /* 0, 1, ...: in order of creation, or as thread_strategy.birth says */
  int machine; /* 0 in the pm model */
  enum thread_state state;
  const void *waits_for;  /* THREAD_WAITING: address of the object, for the deadlock report */
  const char *waits_what; /* "mutex", "condition variable", "join", ... */
  unsigned long deadline; /* virtual nanoseconds at which a timed wait gives up; 0: never */
  bool timed_out;
  /* ... fields of thread.c (result, joiner, detached, keys, emulated TLS) follow below ... */
  void *result;
  bool detached, joined;
  uint32_t children; /* threads that it has created */
  uint64_t descent;  /* the same in every execution for the nth child of a thread */
  int joiner;        /* id of the thread waiting in join; -1: none */
  const struct thread *tries_to_join; /* that one, without waiting */
  uint64_t seed;     /* of its random numbers; a thread inherits it from the one that creates it */
  struct rng random; /* numbers of its own (libc/interpose_random.c), */
  struct rng system; /* and those that the system gives to it (access/unseen.h) */
  void *(*start)(void *);
  void *start_argument;
  void *tls;                  /* emulated TLS table, owned by tls.c */
  void *keys;                 /* pthread_setspecific values, owned by sync_keys.c */
  struct thread_queue *queue; /* the queue it waits in, or NULL */
  struct thread *queue_next, *queue_previous;
  struct thread *ready_next, *ready_previous; /* list of ready threads, oldest first */
  struct thread *timed_next, *timed_previous; /* list of waits with a deadline */
  struct sync_mutex *mutexes;                 /* held, newest first; owned by sync_mutex.c */
  struct sync_once *once; /* pthread_once routines it is in, owned by sync_once.c */
  void *cleanup;          /* innermost pthread_cleanup_push, owned by sync_cleanup.c */
  unsigned futex_bits;    /* which wake-ups of a futex it takes */
  bool futex_private;     /* and of which kind */
  char name[16];
  struct thread_wish wish;
  struct flush_buffer *flush_buffer; /* write-backs it has asked for, owned by access.c */
  struct store_buffer *store_buffer; /* owned by store_buffer.c */
  struct operation next;             /* what it does when it gets its turn, owned by schedule.c */
  bool compares;     /* that stores only if it finds what is expected there, owned by schedule.c */
  char expected[16]; /* next.size bytes of it */
  char operand[16];  /* of a locked instruction: what it stores, or computes with; likewise */
  uint64_t stand
      [ENTERED_REGISTERS]; /* registers before a flush, the stack pointer 0 if it is none; likewise */
  struct thread_spin spin;            /* owned by spin.c */
  struct thread_turn turn;            /* owned by turn.c */
  struct vain *vain;                  /* owned by vain.c */
  struct pending_stores *pending;     /* owned by ordinary.c */
  int channel_fd;                     /* what it is about to try (channel.h), and */
  short channel_events;               /* what for */
  const struct file_lock *tries_file; /* likewise (file_lock.h) */
  struct thread_cancel cancel;
  int ignores; /* calls of tidemark_ignore_begin that have not ended */
  /* A bit for each signal; with what follows owned by libc/interpose_signal.c. */
  uint64_t signals_blocked; /* a thread inherits it from the one that creates it */
  uint64_t signals_pending, signals_awaited;
};

/* Once, before world_seal. */
void thread_init(void);

/* A cancellation point without a wait; pre: ENTERED(). */
void thread_cancel_point(void);
/* Around a wait that pthread_cancel cannot end: then it is refused, as that. */
void thread_check_uncancelled(const char *what);
void thread_end_uncancelled(void);

struct thread *thread_current(void);                   /* pre: on a fiber */
struct thread *thread_by_id(int id);                   /* NULL if there is none */
struct thread *thread_of_handle(unsigned long handle); /* a pthread_t on this machine; NULL: gone */
struct thread *thread_ever_of_handle(unsigned long handle); /* also one that is gone */
int thread_tid(const struct thread *t); /* what gettid says; the main thread's is the pid */
int thread_pid(void);                   /* what getpid says: another one on each machine */
bool thread_machine_ended(int machine); /* none of its threads goes on */
int thread_count(void);                 /* created so far in this execution */
int thread_live(void);                  /* not yet ended */

/* Create the first thread of a machine; it will call entry(argument), which never returns. */
struct thread *thread_create_main(int machine, void (*entry)(void *), void *argument);
/* Another thread on the machine of the current one; NULL if there are too many already.  id: -1, or one that nobody
 * has; there may be smaller ones that nobody has yet. */
uint64_t thread_descent(uint64_t creator, uint32_t number); /* of its child number 1, 2, ... */
void thread_expect(int id); /* of one that is about to be created: nobody else gets it */
struct thread *thread_create(int id, size_t stack_bytes, void *(*start)(void *), void *argument);
void thread_seed(struct thread *t, uint64_t seed); /* its random numbers begin anew */

/* A scheduling point: lets another thread run when this one's quantum is used up. */
void thread_step(void);
/* The rest of its turn is rounded down: executions that become the same a few steps sooner or later go on alike. */
void thread_round_turn(void);
/* A scheduling point before an operation on a lock. */
void thread_at_lock(const void *object, enum operation_lock how);
/* The same, saying what is done; `also` is a second lock that it is about.  Returns false if nobody
 * wants to know: then thread_at_lock is for the caller to call. */
bool thread_at(const void *object, const void *also, enum operation_lock how);
/* The same before waiting for a condition; how it ends, if that is up to somebody. */
enum thread_way { THREAD_WOKEN, THREAD_WAKES_ITSELF, THREAD_TIMES_OUT };
enum thread_way thread_at_wait(const void *condition, const void *mutex, bool timed);
/* The same before a signal; which of those who wait it wakes, from the first. */
uint32_t thread_at_signal(const void *condition, const struct thread_queue *waiters);
/* The time of a wait with a deadline that is about to begin is over, though others could go on.  Where it
 * would end as soon as what it waits for is there, to be late is the same as to wait. */
bool thread_times_out(unsigned long deadline);
/* Has it passed already?  Only where the clock does not end waits by itself. */
bool thread_is_late(unsigned long deadline);
/* It has passed now. */
void thread_pass_deadline(unsigned long deadline);
/* The same before a futex operation: one that waits depends on the word's value, one that wakes others up on none. */
enum thread_way thread_at_futex(const void *word, bool waits, const unsigned *expected);
/* The same before an atomic or volatile load; looking at one address again and again is taken for
 * spinning and ends the turn early. */
void thread_step_load(const void *address);
void thread_no_look(void); /* it was more than a look */
/* The same before asking for something that only others change; who asks in a loop spins. */
void thread_step_ask(void);
/* How far the current thread is in its turn, as a number. */
uint64_t thread_turn_so_far(void);
/* Can no other thread go on before this one does something about it? */
bool thread_alone(void);

/* What does not matter while the current thread is alone gets a fixed value. */
void thread_settle(void);
/* Let every other ready thread run before this one goes on. */
void thread_yield(void);

/* Wait until thread_wake; what and object are for the deadlock report.  With a deadline the wait
 * ends with timed_out set when every other thread waits too (virtual time then jumps). Returns
 * false if it timed out. */
bool thread_wait(const void *object, const char *what, unsigned long deadline);
/* The same, in a queue from which thread_wake, the deadline or a failure removes the thread. */
bool thread_wait_in(struct thread_queue *q, const void *object, const char *what,
                    unsigned long deadline);
void thread_wake(struct thread *t);

/* The current thread is over: destructors of thread-local objects and keys run, its joiner wakes.
 * The last thread of a machine to go this way ends the program with status 0. */
_Noreturn void thread_exit(void *result);
bool thread_holds_mutexes(int machine);

/* How often a thread of that machine got its turn, in this execution. */
unsigned long thread_turns_of(int machine);
/* One more turn is over without anybody having waited; after some of them time jumps to the next
 * deadline. */
void thread_idle_turn(void);
/* Turns since something happened, if somebody waits for time to pass. */
int thread_idle_turns(void);

/* Host side: the program of that machine has ended, normally or not.  Its threads are gone; for
 * what they held it is the end of a process as POSIX sees it, not a failure. */
void thread_end_machine(int machine);

/* Nanoseconds since the start of the execution (virtual_clock.h).  Time passes as the program looks
 * at clocks, and jumps to the earliest deadline when nothing else can happen. */
unsigned long thread_virtual_time(void);
void thread_sleep(unsigned long ns); /* wait that long; others run in the meantime */

/* Nobody can go on unless time passes: called before it does, on the fiber of the last thread that went
 * to wait.  True: somebody can now.  NULL: nobody wants to know. */
extern bool (*thread_on_idle)(void);
bool thread_time_can_pass(void); /* somebody waits for that */

/* Host side: the thread does nothing more, and keeps what it holds. */
void thread_abandon(struct thread *t);

/* Host side: run until the execution stops.  Deadlock, the end of all threads after main called
 * pthread_exit, and every stop_execution end up in `why`; STOP_NONE after thread_pause. */
void thread_run(struct stop *why);
/* Fiber side: go to the host; the next thread_run continues here if the thread still lives. */
void thread_pause(void);

/* All threads of that machine are gone at once (cxl); mutexes and read-write locks they hold are
 * released.  Does not return if the caller is one of them. */
void thread_kill_machine(int machine);
/* The same, but returns to the caller, who must come to a scheduling point at once. */
void thread_fail_machine(int machine);

/* Gaps (process/world.h) in the state of threads, if these machines (a bit for each) are gone; anew: a thread that is
 * alone then begins a new turn; and who is ready without those, which is left out there.  Whose stacks can be given
 * back does not count: those of threads that have ended, before the next one begins. */
void thread_add_gaps(world_gap_list *gaps, uint32_t machines, bool anew);
/* Gaps for whoever says himself who goes on: whose turn it is, and in which order others wait for theirs. */
void thread_add_turn_gaps(world_gap_list *gaps);
struct str;
void thread_put_ready(struct str *out, uint32_t machines);

/* Those that can run, oldest first; let time pass until a wait is over: false if nobody waits for
 * that. */
struct thread *thread_ready(void);
bool thread_jump(void);

/* The running thread, or otherwise the first of the ready ones, for which that holds; NULL: none.  Both
 * may be NULL. */
struct thread *thread_first_that(struct thread *running, struct thread *ready,
                                 bool (*wanted)(const struct thread *t));
bool thread_is_unannounced(const struct thread *t); /* what it does next is not known yet */

/* Must its thread wait before it can do this (a lock that is held, a thread that has not ended)? */
bool sync_blocks(const struct operation *o);
/* Who holds what the thread waits for; NULL: nobody, or nobody can. */
const struct thread *sync_owner_of_awaited(const struct thread *t);

/* Would an attempt (OPERATION_LOCK_TRY) fail now? */
bool sync_fails(const struct operation *o);

/* An operation that is about to happen: what it turns out to be, by who holds the lock.  A release by somebody else
 * is none. */
void sync_settle(struct operation *o);

/* An arrival at a barrier that is about to happen: in which round it is.  False: others in it are serial, and this one
 * is not, or the other way round. */
bool sync_barrier_settle(struct operation *arrival);

/* What a thread waits for, in messages: a mutex that its bytes say is locked, though nobody in this execution did it. */
#define THREAD_LEFT_LOCKED "a mutex that was locked when the power failed,"

/* A mutex that a thread has left locked when it ended; NULL: none.  Robust ones are meant for that. */
const void *sync_mutex_left(const struct thread *t);

/* Strategies: who runs next.  Not part of the world; NULL members mean the fixed schedule.
 * choose is asked at every scheduling point; `running` is NULL if the current one cannot go on, the
 * others hang on `ready` (ready_next).  The result is one of them. */
struct thread_strategy {
  /* Ordinary programs: takes the place of at_lock and says more. */
  void (*at)(const void *object, const void *also, enum operation_lock how);
  enum thread_way (*at_wait)(const void *condition, const void *mutex, bool timed);
  void (*woken)(struct thread *t); /* or created: by the current thread, or by time */
  void (*at_lock)(const void *object, enum operation_lock how); /* instead of thread_step */
  /* The number of the next thread that this one creates, -1: in order of creation.  *known: it does not depend on what
   * others create before, so that creating it is nobody else's business. */
  int (*birth)(const struct thread *creator, bool *known);
  uint32_t (*at_signal)(const void *condition, const struct thread_queue *waiters);
  /* expected: NULL, or what the word must be for a wait with a deadline to begin. */
  enum thread_way (*at_futex)(const void *word, bool waits, const unsigned *expected);
  bool (*times_out)(void);
  uint64_t (*ahead)(void); /* with times_out: of the current thread's clock to that of all */
  void (*released)(const struct thread *owner, const void *mutex); /* also by its end, or a wait */
  void (*at_yield)(void); /* yields and sleeps are no more than that, and let nobody go first */
  struct thread *(*choose)(struct thread *running, struct thread *ready);
  bool chooses_on_host; /* when the host lets somebody go on, too; otherwise that is asked again */
  void (*machine_switch)(int from, int to); /* host side: a thread of another machine goes on */
  bool strict;                              /* to release what one does not hold is an error */
  uintptr_t (*caller)(void); /* with strict: the code of the program that is under way */
  unsigned vain_waits_max;   /* an execution with more timed waits in vain hangs; 0: no limit */
};
extern struct thread_strategy thread_strategy;

/* What lock operations mean for watched memory; provided by access/. */
struct thread_memory {
  void (*full_fence)(
      void); /* the fence in a lock operation, where glibc's has a locked instruction */
  void (*synchronise)(void);            /* other machines may see this thread's progress */
  void (*observe_machine)(int machine); /* whether that machine lives is about to be seen */
  void (*drain_all)(void);              /* the store buffer of the current thread */
  /* Bytes of a lock in persistent memory (pm), which a failure leaves as they are; at once, past the
   * store buffer.  False: they are not there, nothing was done. */
  bool (*lock_load)(const void *p, int size, uint64_t *value);
  bool (*lock_store)(void *p, uint64_t value, int size);
  uint64_t (*peek)(const void *p, int size); /* no observation, no step */
  /* What a call gives to the program, in memory of it: steps of the current thread, where that is watched. */
  void (*give)(void *to, const void *from, size_t bytes);
  /* What orders threads, for analyses: EVENT_ACQUIRE and EVENT_RELEASE of an object, EVENT_CREATE and
   * EVENT_JOIN of a thread. */
  void (*order)(int event_kind, const void *object, uint32_t detail);
  /* The current thread changes something that it alone can notice, and that is neither in its registers nor in memory
   * which the program itself stores to. */
  void (*unseen)(void);
  void (*end_local)(void *p); /* frees a thread-local variable of the current thread, which ends */
};
extern struct thread_memory thread_memory;

#endif
