/* How a process ends: exit, abort and what runs then. */
#include "access/access.h"
#include "base/check.h"
#include "libc/exception.h"
#include "process/caller.h"
#include "process/image.h"
#include "process/program.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "process/unwind.h"
#include "process/world.h"
#include "thread/tls.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* World memory. */
struct exit_handler {
  struct exit_handler *next;
  void *function;
  long first, second;
};

/* Newest first, those added meanwhile too. */
static void run_handlers(struct exit_handler **list) {
  while (*list) {
    struct exit_handler *h = *list;
    *list = h->next;
    fiber_call(h->function, h->first, h->second, 0);
  }
}

static int add_handler(struct exit_handler **list, void *function, long first, long second) {
  struct exit_handler *h = world_alloc(sizeof *h);
  *h = (struct exit_handler){*list, function, first, second};
  *list = h;
  return 0;
}

static struct image_handlers *handlers_of(void *dso) {
  struct image *image = image_of((uintptr_t)dso);
  return image_handlers(image ? image : image_current());
}

static void end_program(struct image *image) {
  access_program_ends();
  tls_run_destructors(); /* handlers and destructors of global objects still use thread-local variables */
  run_handlers(&image_handlers(image)->normal);
}

INTERPOSE int __cxa_atexit(void (*f)(void *), void *argument, void *dso);
int __cxa_atexit(void (*f)(void *), void *argument, void *dso) {
  if (!fiber_current())
    return REAL(__cxa_atexit)(f, argument, dso);
  return add_handler(&handlers_of(dso)->normal, (void *)f, (long)argument, 0);
}

INTERPOSE int __cxa_at_quick_exit(void (*f)(void *), void *dso);
int __cxa_at_quick_exit(void (*f)(void *), void *dso) {
  if (!fiber_current())
    return REAL(__cxa_at_quick_exit)(f, dso);
  return add_handler(&handlers_of(dso)->quick, (void *)f, 0, 0);
}

INTERPOSE int on_exit(void (*f)(int, void *), void *argument) {
  if (!fiber_current())
    return REAL(on_exit)(f, argument);
  return add_handler(&image_handlers(image_current())->normal, (void *)f, 0, (long)argument);
}

INTERPOSE void exit(int status) {
  if (!CALLED_BY_PROGRAM())
    REAL(exit)(status);
  image_exit(status);
}

INTERPOSE void quick_exit(int status) {
  if (!CALLED_BY_PROGRAM())
    REAL(quick_exit)(status);
  access_program_ends();
  run_handlers(&image_handlers(image_current())->quick);
  stop_finished(status);
}

static void leave_now(int status) {
  if (fiber_current()) {
    access_program_ends();
    stop_finished(status);
  }
  system_call_errno(SYS_exit_group, status);
}

INTERPOSE void _exit(int status) {
  if (CALLED_BY_PROGRAM())
    leave_now(status);
  for (;;)
    system_call_errno(SYS_exit_group, status);
}

INTERPOSE void _Exit(int status) {
  if (CALLED_BY_PROGRAM())
    leave_now(status);
  for (;;)
    system_call_errno(SYS_exit_group, status);
}

/* err(), error() and the like call libc's own exit, which ends up here. */
static void on_libc_exit(int status, void *unused) {
  (void)unused;
  if (fiber_current())
    image_exit(status);
}

static void exit_seal(void) {
  image_ends = end_program;
  REAL(on_exit)(on_libc_exit, NULL); /* exit() called inside libc comes to us */
}
WORLD_AT_SEAL(exit_seal)

INTERPOSE void abort(void) {
  if (!CALLED_BY_PROGRAM()) {
    REAL(abort)();
    __builtin_unreachable();
  }
  struct stop s = {.kind = STOP_ABORT};
  s.frame_count = unwind_calls((uintptr_t)__builtin_frame_address(0), s.frames, STOP_FRAMES_MAX);
  s.explained = exception_describe(&s);
  if (!s.explained)
    stop_set_message(&s, "abort called");
  stop_execution(&s);
}

INTERPOSE void __assert_fail(const char *expression, const char *file, unsigned line,
                             const char *function) {
  if (!CALLED_BY_PROGRAM())
    check_failed(file, (int)line, expression, "assert in %s", function);
  stop_with(STOP_ASSERTION, program_site(file, (int)line, function ? function : ""), "%s",
            expression);
}

INTERPOSE void __assert_perror_fail(int error, const char *file, unsigned line,
                                    const char *function);
void __assert_perror_fail(int error, const char *file, unsigned line, const char *function) {
  stop_with(STOP_ASSERTION, program_site(file, (int)line, function ? function : ""),
            "unexpected error %d", error);
}

INTERPOSE _Noreturn void __stack_chk_fail(void);
void __stack_chk_fail(void) {
  CHECK(fiber_current(), "stack smashing in the worker");
  stop_with(STOP_ABORT, NULL, "stack smashing detected (a local array was overrun)");
}
