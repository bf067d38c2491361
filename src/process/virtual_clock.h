/* The program's clock and random numbers: deterministic, world state. */
#ifndef PROCESS_VIRTUAL_CLOCK_H
#define PROCESS_VIRTUAL_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_SECOND ((uint64_t)1000000000)
#define CLOCK_EPOCH ((uint64_t)1700000000 * CLOCK_SECOND) /* what time() says first */
#define CLOCK_LOOK 1000 /* a look at the clock takes a microsecond */

#define VIRTUAL_PROCESS 4242 /* what getpid says on the first machine, one more on the next */

uint64_t clock_look(void);         /* ns since the execution began; each look takes 1 us */
uint64_t clock_look_common(void);  /* the same on the clock of all threads: by whoever schedules */
void clock_pass(uint64_t ns);      /* so much has passed for the current thread */
uint64_t clock_time(void);         /* the same without taking time: for the checker */
uint64_t clock_read(clockid_t id); /* ns on that clock; what pthread_*_timed* deadlines mean */
uint64_t clock_state(void);        /* a number that changes with each look and each random number */
void clock_advance(uint64_t ns);
void clock_pause(uint64_t ns);              /* what sleep does: advance, then tell the scheduler */
extern void (*clock_on_pause)(uint64_t ns); /* may be NULL; called on the fiber */

/* So much passes for the current thread: what time is it for it then?  NULL: there is one clock for all. */
extern uint64_t (*clock_of_thread)(uint64_t ns);

uint64_t clock_random(void);
/* The next one of the current thread; NULL: there is one sequence for all. */
extern uint64_t (*clock_random_of_thread)(void);

void clock_seal(void); /* called by world_seal */

#endif
