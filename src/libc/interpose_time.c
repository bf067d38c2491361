/* Time, the same in every execution: a clock that each look at it advances. */
#include "access/times.h"
#include "libc/memory.h"
#include "process/caller.h"
#include "process/machine_state.h"
#include "process/system_call.h"
#include "process/virtual_clock.h"
#include "process/world.h"
#include "thread/entered.h"
#include "thread/thread.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define SECOND CLOCK_SECOND
#define EPOCH CLOCK_EPOCH

/* ns since the execution began, for the program. */
static uint64_t look(void) {
  times_told();
  return clock_look();
}

static void give_time(struct timespec *to, uint64_t t) {
  struct timespec made = {(time_t)(t / SECOND), (long)(t % SECOND)};
  memory_give(to, &made, sizeof made);
}

/* Those of processes have negative numbers; 10 is not used any more. */
static bool is_clock(clockid_t id) {
  bool good = id < 0 ? ~(id >> 3) == 0 || ~(id >> 3) == thread_pid() : id <= CLOCK_TAI && id != 10;
  if (!good)
    errno = EINVAL;
  return good;
}

INTERPOSE int clock_gettime(clockid_t id, struct timespec *to) {
  ENTERED();
  if (!CALLED_BY_PROGRAM())
    return (int)system_call_errno(SYS_clock_gettime, id, to);
  if (!is_clock(id))
    return -1;
  times_told();
  uint64_t t = clock_read(id);
  give_time(to, t);
  return 0;
}

/* Of a process: returns the error, as pthread functions do. */
INTERPOSE int clock_getcpuclockid(pid_t pid, clockid_t *id) {
  if (!CALLED_BY_PROGRAM())
    return REAL(clock_getcpuclockid)(pid, id);
  *id = CLOCK_PROCESS_CPUTIME_ID;
  return pid == 0 || pid == thread_pid() ? 0 : ESRCH;
}

INTERPOSE int clock_getres(clockid_t id, struct timespec *to) {
  if (!CALLED_BY_PROGRAM())
    return (int)system_call_errno(SYS_clock_getres, id, to);
  if (!is_clock(id))
    return -1;
  if (to)
    *to = (struct timespec){0, CLOCK_LOOK};
  return 0;
}

INTERPOSE int timespec_get(struct timespec *to, int base) {
  ENTERED();
  if (!CALLED_BY_PROGRAM())
    return REAL(timespec_get)(to, base);
  give_time(to, look() + EPOCH);
  return base;
}

INTERPOSE int gettimeofday(struct timeval *to, void *zone) {
  ENTERED();
  if (!CALLED_BY_PROGRAM())
    return (int)system_call_errno(SYS_gettimeofday, to, zone);
  uint64_t t = look() + EPOCH;
  struct timeval made = {(time_t)(t / SECOND), (suseconds_t)(t % SECOND / 1000)};
  memory_give(to, &made, sizeof made);
  return 0;
}

INTERPOSE time_t time(time_t *to) {
  ENTERED();
  if (!CALLED_BY_PROGRAM())
    return (time_t)system_call_errno(SYS_time, to);
  time_t t = (time_t)((look() + EPOCH) / SECOND);
  if (to)
    memory_give(to, &t, sizeof t);
  return t;
}

INTERPOSE clock_t clock(void) {
  if (!CALLED_BY_PROGRAM())
    return REAL(clock)();
  return (clock_t)(look() / 1000);
}

INTERPOSE clock_t times(struct tms *to) {
  if (!CALLED_BY_PROGRAM())
    return (clock_t)system_call_errno(SYS_times, to);
  clock_t t = (clock_t)(look() / (SECOND / 100));
  if (to)
    memory_give(to, &(struct tms){.tms_utime = t}, sizeof *to);
  return t;
}

/* A pause is over at once, and the clock shows that it was. */
static uint64_t to_ns(const struct timespec *t) {
  return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec;
}

static bool valid(const struct timespec *t) {
  return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < (long)SECOND;
}

INTERPOSE int nanosleep(const struct timespec *t, struct timespec *left) {
  if (!CALLED_BY_PROGRAM())
    return (int)system_call_errno(SYS_nanosleep, t, left);
  if (!valid(t)) {
    errno = EINVAL;
    return -1;
  }
  ENTERED();
  thread_cancel_point();
  clock_pause(to_ns(t));
  if (left)
    give_time(left, 0);
  return 0;
}

INTERPOSE int clock_nanosleep(clockid_t id, int flags, const struct timespec *t,
                              struct timespec *left) {
  if (!CALLED_BY_PROGRAM())
    return REAL(clock_nanosleep)(id, flags, t, left);
  if (!valid(t) || !is_clock(id))
    return EINVAL;
  uint64_t until = to_ns(t), now = flags & TIMER_ABSTIME ? clock_read(id) : 0;
  ENTERED();
  thread_cancel_point();
  clock_pause(until > now ? until - now : 0);
  if (left && !(flags & TIMER_ABSTIME))
    give_time(left, 0);
  return 0;
}

INTERPOSE int usleep(useconds_t us) {
  if (!CALLED_BY_PROGRAM())
    return REAL(usleep)(us);
  ENTERED();
  thread_cancel_point();
  clock_pause((uint64_t)us * 1000);
  return 0;
}

INTERPOSE unsigned sleep(unsigned seconds) {
  if (!CALLED_BY_PROGRAM())
    return REAL(sleep)(seconds);
  ENTERED();
  thread_cancel_point();
  clock_pause(seconds * SECOND);
  return 0;
}

INTERPOSE pid_t getpid(void) {
  return CALLED_BY_PROGRAM() ? thread_pid() : (pid_t)system_call_errno(SYS_getpid);
}

INTERPOSE pid_t getppid(void) {
  return CALLED_BY_PROGRAM() ? VIRTUAL_PROCESS - 1 : (pid_t)system_call_errno(SYS_getppid);
}
