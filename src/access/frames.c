#include "access/frames.h"
#include "process/program.h"
#include "thread/thread.h"

static const struct thread *owner_of(uintptr_t address) {
  for (int i = 0; i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    if (address >= t->fiber.stack_low && address < t->fiber.stack_high)
      return t;
  }
  return NULL;
}

bool frames_look(const struct operation *o) {
  const struct thread *t = owner_of(o->address);
  if (!t || t->id == o->thread)
    return false;
  if (t->state == THREAD_DONE)
    return t->id != 0;
  return o->address <
         (fiber_current() == &t->fiber ? program_stack() : program_stack_of(&t->fiber));
}

void frames_stop(const struct operation *o) {
  const struct thread *t = owner_of(o->address);
  const char *what = operation_text(o);
  if (t->state == THREAD_DONE)
    stop_with(STOP_USE_AFTER_RETURN, o->site,
              "this %s uses a local variable of thread %d, which has ended", what, t->id);
  stop_with(STOP_USE_AFTER_RETURN, o->site,
            "this %s uses a local variable of a function of thread %d that has returned", what,
            t->id);
}
