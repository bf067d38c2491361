/* pthread_once.  A routine that is left by an exception or pthread_exit has not run: whoever waits
 * for it, or comes later, tries again (std::call_once relies on it). */
#include "event/window.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <pthread.h>
#include <unwind.h>

#define CONTROL_DONE 2 /* in the bytes of the object, as glibc has it */

struct sync_once {
  struct sync_object base;
  struct thread *runner;
  struct sync_once *outer; /* the routine in which this one was called */
  bool done;
};

/* Calls the routine; unwinders that pass ask once_personality. */
void once_call(void (*routine)(void)) __attribute__((visibility("hidden")));
__attribute__((used)) _Unwind_Reason_Code
once_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                 struct _Unwind_Exception *e, struct _Unwind_Context *context)
    __attribute__((visibility("hidden")));

__asm__("        .text\n"
        "        .globl  once_call\n"
        "        .hidden once_call\n"
        "        .type   once_call, @function\n"
        "once_call:\n"
        "        .cfi_startproc\n"
        "        .cfi_personality 0x1b, once_personality\n"
        "        pushq   %rbp\n"
        "        .cfi_def_cfa_offset 16\n"
        "        .cfi_offset %rbp, -16\n"
        "        movq    %rsp, %rbp\n"
        "        .cfi_def_cfa_register %rbp\n"
        "        call    fiber_call\n"
        "        popq    %rbp\n"
        "        .cfi_def_cfa %rsp, 8\n"
        "        ret\n"
        "        .cfi_endproc\n"
        "        .size   once_call, .-once_call\n");

/* All that the routine stored is seen before. */
static void finish(struct sync_once *o, bool done) {
  thread_at_lock(o->base.address, OPERATION_LOCK_OTHER);
  thread_memory.order(EVENT_RELEASE, o->base.address, 0);
  thread_current()->once = o->outer;
  o->outer = NULL;
  o->runner = NULL;
  o->done = done;
  sync_write((void *)(uintptr_t)o->base.address, done ? CONTROL_DONE : 0, sizeof(int));
  sync_wake_all(&o->base.waiters);
}

_Unwind_Reason_Code once_personality(int version, _Unwind_Action actions,
                                     _Unwind_Exception_Class class, struct _Unwind_Exception *e,
                                     struct _Unwind_Context *context) {
  (void)version, (void)class, (void)e, (void)context;
  if (actions & _UA_CLEANUP_PHASE)
    finish(thread_current()->once, false);
  return _URC_CONTINUE_UNWIND;
}

const struct thread *sync_once_owner(const struct sync_object *o) {
  return ((const struct sync_once *)o)->runner;
}

static int once_on_host(pthread_once_t *control, void (*routine)(void)) {
  if (*control != CONTROL_DONE)
    routine();
  *control = CONTROL_DONE;
  return 0;
}

INTERPOSE int pthread_once(pthread_once_t *control, void (*routine)(void)) {
  if (sync_on_host())
    return once_on_host(control, routine);
  bool watched = window_has((uintptr_t)control);
  sync_enter(!watched && *control == CONTROL_DONE ? SYNC_PLAIN : SYNC_LOCKED, control);
  thread_memory.order(EVENT_ACQUIRE, control, 0);
  if (!watched && *control == CONTROL_DONE)
    return 0;
  struct sync_once *o = sync_get(control, SYNC_ONCE, sizeof *o);
  if (!watched)
    o->done = false;
  while (o->runner) {
    thread_wait_in(&o->base.waiters, control, "once", 0);
    thread_at(control, NULL, OPERATION_LOCK_OTHER);
  }
  if (o->done)
    return 0;
  o->runner = thread_current();
  o->outer = thread_current()->once;
  thread_current()->once = o;
  once_call(routine);
  finish(o, true);
  return 0;
}

INTERPOSE int __pthread_once(pthread_once_t *control, void (*routine)(void)) {
  return pthread_once(control, routine);
}
