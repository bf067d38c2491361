/* pthread_exit, and the end of a thread that was cancelled: destructors of C++ objects and pthread_cleanup_push handlers run on the way out.
 *
 * C++ (and C with -fexceptions) is unwound by the unwinder that the program has loaded, if it has
 * one.  Plain C registers a jump buffer per handler; control jumps there when the unwinder has
 * passed the frames below, the handler runs and calls __pthread_unwind_next. */
#include "process/world.h"
#include "thread/sync_internal.h"
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <unwind.h>

/* A pthread_cleanup_push of plain C lies in the frame that called it; __pad[0] is the next outer. */
static struct {
  bool looked_up; /* survives: the unwinder stays loaded */
  __typeof__(&_Unwind_ForcedUnwind) forced_unwind;
  __typeof__(&_Unwind_GetCFA) get_cfa;
} unwinder;

static void find_unwinder(void) {
  void *library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
  unwinder.looked_up = true;
  if (!library)
    return;
  unwinder.get_cfa = (__typeof__(unwinder.get_cfa))dlsym(library, "_Unwind_GetCFA");
  unwinder.forced_unwind =
      (__typeof__(unwinder.forced_unwind))dlsym(library, "_Unwind_ForcedUnwind");
}

static _Noreturn void enter_handler(__pthread_unwind_buf_t *b) {
  longjmp((struct __jmp_buf_tag *)(void *)b->__cancel_jmp_buf, 1);
}

static _Noreturn void leave_thread(struct thread *self) {
  if (self->cleanup)
    enter_handler(self->cleanup);
  thread_exit(self->result);
}

/* Called for each frame before its own clean-up; the CFA is that of the frame below. */
static _Unwind_Reason_Code at_frame(int version, _Unwind_Action actions,
                                    _Unwind_Exception_Class class, struct _Unwind_Exception *e,
                                    struct _Unwind_Context *context, void *argument) {
  struct thread *self = argument;
  (void)version, (void)class, (void)e;
  if (actions & _UA_END_OF_STACK)
    leave_thread(self);
  if (self->cleanup && (uintptr_t)self->cleanup < unwinder.get_cfa(context))
    enter_handler(self->cleanup);
  return _URC_NO_REASON;
}

static void swallowed(_Unwind_Reason_Code reason, struct _Unwind_Exception *e) {
  (void)reason, (void)e;
  stop_with(STOP_ABORT, NULL,
            "the end of the thread (pthread_exit, pthread_cancel) was caught by catch (...) and "
            "not thrown again");
}

static _Noreturn void unwind(struct thread *self) {
  if (!unwinder.looked_up)
    find_unwinder();
  if (unwinder.forced_unwind) {
    struct _Unwind_Exception *e = world_alloc(sizeof *e); /* outlives the frames */
    e->exception_cleanup = swallowed;
    unwinder.forced_unwind(e, at_frame, self);
  }
  leave_thread(self);
}

void sync_unwind(void *result) {
  struct thread *self = thread_current();
  self->result = result;
  unwind(self);
}

INTERPOSE _Noreturn void pthread_exit(void *result) {
  thread_current()->cancel.off = true;
  sync_unwind(result);
}

INTERPOSE void __pthread_register_cancel(__pthread_unwind_buf_t *b) {
  struct thread *self = thread_current();
  b->__pad[0] = self->cleanup;
  self->cleanup = b;
}

INTERPOSE void __pthread_unregister_cancel(__pthread_unwind_buf_t *b) {
  thread_current()->cleanup = b->__pad[0];
}

INTERPOSE void __pthread_register_cancel_defer(__pthread_unwind_buf_t *b) {
  __pthread_register_cancel(b);
}

INTERPOSE void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *b) {
  __pthread_unregister_cancel(b);
}

INTERPOSE _Noreturn void __pthread_unwind_next(__pthread_unwind_buf_t *b) {
  struct thread *self = thread_current();
  self->cleanup = b->__pad[0];
  unwind(self);
}
