/* How an execution of the program ends, and the one way to end it.
 *
 * Whoever notices (an interposed function, a hook, a signal handler) fills a struct stop and calls
 * stop_execution: control goes to the host, the fiber is never resumed, and the session decides what
 * it means.  A stop is data; it becomes a finding in session/verdict.c and nowhere else. */
#ifndef PROCESS_STOP_H
#define PROCESS_STOP_H

#include "abi/abi.h"
#include <stdbool.h>
#include <stdint.h>

#define STOP_FRAMES_MAX 32
#define STOP_MESSAGE_MAX 512
#define STOP_SAID_MAX 200

enum stop_kind {
  STOP_NONE,
  STOP_FINISHED,       /* main returned or exit was called; status says what with */
  STOP_ASSERTION,      /* tidemark_assert, assert (__assert_fail) */
  STOP_ABORT,          /* abort, uncaught exception, __stack_chk_fail, heap corruption, ... */
  STOP_SEGFAULT,       /* SIGSEGV on ordinary memory, stack overflow */
  STOP_ILLEGAL_ACCESS, /* watched window: unmapped region, the checker's memory */
  STOP_FATAL_SIGNAL,   /* SIGFPE, SIGILL, SIGBUS, ... */
  STOP_HANG,           /* step budget or watchdog */
  STOP_LONG,           /* sc, tso: a step budget that nobody has asked for: it may end or not */
  STOP_FULL,           /* sc, tso: what is kept about its steps is more than --memory */
  STOP_DEADLOCK,       /* every thread waits */
  STOP_REFUSED,        /* the program asked for something the model cannot carry (exit 3) */
  STOP_ASSUME,         /* tidemark_assume failed: leave this execution out */
  STOP_FAILURE,        /* the session injected the failure here */
  STOP_NONDETERMINISM, /* replayed operations differ from their record */
  STOP_POISON,
  STOP_USE_AFTER_FREE,   /* sc, tso: a heap block that was given back */
  STOP_USE_AFTER_RETURN, /* sc, tso: what a function of another thread had on its stack */
  STOP_WRONG_UNLOCK,     /* sc, tso: a lock that its thread does not hold */
  STOP_LOCK_MISUSE,      /* sc, tso: a lock that was destroyed, or is destroyed while it is used */
  STOP_THREAD_MISUSE,    /* sc, tso: a thread that is joined twice, or was detached */
  STOP_KNOWN,            /* from here on everything is known from an earlier execution */
};

/* Without padding, see stop_normal. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"
struct stop {
  enum stop_kind kind;
  int status;           /* STOP_FINISHED: exit status; STOP_FATAL_SIGNAL: signal number */
  uintptr_t address;    /* faulting address, where it applies */
  uintptr_t freed_code; /* where the block was given back before, 0: it was not */
  uint64_t waits; /* STOP_DEADLOCK: a number for what is waited for and where, 0: see the message */
  const struct abi_site *site;       /* the hook's site, or NULL: frames[0] tells */
  uintptr_t loop_low, loop_high;     /* STOP_HANG: places in the loop, or 0 */
  uintptr_t frames[STOP_FRAMES_MAX]; /* code addresses of the simulated thread, innermost first */
  /* An abort, or a bad exit status: the last line that the program wrote to its standard error, and
   * the stack at that moment, as above; empty if there is none. */
  uintptr_t said_frames[STOP_FRAMES_MAX];
  char said[STOP_SAID_MAX];
  char message[STOP_MESSAGE_MAX];
  int frame_count, said_count;
  int freed_thread; /* who gave the block back */
  bool stale;       /* address: volatile memory before a failure */
  bool explained;   /* the message says more than the program did */
  bool by_library;  /* a library noticed what its callers did wrong */
  bool interrupted; /* frames[0] is an instruction, not a return address like the others */
};
#pragma GCC diagnostic pop

/* Called before control leaves the program, while its stack is still there; NULL: nobody. */
extern void (*stop_observer)(const struct stop *why);

/* The program was answered as another machine might not answer it, and goes on: one line that users
 * should know when they read the verdict.  NULL: nobody listens. */
extern void (*stop_remark)(const char *text);

/* pre: on a fiber.  Fills the frames from the caller's stack if frame_count is 0 and the stop can
 * become a finding. */
_Noreturn void stop_execution(struct stop *why);

void stop_set_message(struct stop *s,
                      const char *text); /* if it is too long: cut, with " ..." at its end */

/* A copy without what is left beyond the ends of lists and texts: equal stops are equal bytes. */
struct stop stop_normal(const struct stop *s);

/* Has a thread done something wrong, so that others could still go on? */
bool stop_is_of_one_thread(const struct stop *s);

/* Breakpoints for a debugger: a failure was injected, a finding is about to be reported. */
void tidemark_debug_failure(void);
void tidemark_debug_finding(void);

/* The common cases. */
_Noreturn void stop_with(enum stop_kind kind, const struct abi_site *site, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void stop_at(enum stop_kind kind, uintptr_t address, const struct abi_site *site,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
_Noreturn void stop_stale(uintptr_t address, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* an abort over volatile memory of before a failure */
_Noreturn void stop_freed(enum stop_kind kind, const struct abi_site *site, uintptr_t freed_code,
                          int freed_thread, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
_Noreturn void stop_refuse(const char *what); /* "fork", "socket", ... */
_Noreturn void stop_finished(int status);

#endif
