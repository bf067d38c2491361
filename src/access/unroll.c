#include "access/unroll.h"
#include "access/tries.h"
#include "access/visits.h"
#include "process/program.h"
#include "thread/entered.h"

struct unroll unroll;

bool unroll_ends(struct thread *self) {
  const struct operation *o = &self->next;
  bool looks = o->kind == OPERATION_READ || (o->kind == OPERATION_WRITE && o->locked);
  bool calls = operation_chooses(o) || tries_is(o);
  if (!unroll.most || !(calls || (looks && o->site)))
    return false;
  uint32_t *count =
      calls ? visits_at(&self->turn.visited, o->code, program_stack())
            : visits_at(&self->turn.visited, (uintptr_t)o->site, entered[ENTERED_STACK]);
  if (*count < unroll.most) {
    ++*count;
    return false;
  }
  unroll.cut = true;
  return true;
}
