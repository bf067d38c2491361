/* The text of a deadlock report: who waits for what, and who holds it. */
#include "base/str.h"
#include "thread/sync_internal.h"
#include <string.h>

static const struct thread *owner_of(const struct sync_object *o) {
  switch (o->kind) {
  case SYNC_MUTEX:
    return sync_mutex_owner(o);
  case SYNC_RWLOCK:
    return sync_rwlock_owner(o);
  case SYNC_SPIN:
    return sync_spin_owner(o);
  case SYNC_ONCE:
    return sync_once_owner(o);
  default:
    return NULL;
  }
}

const struct thread *sync_owner_of_awaited(const struct thread *t) {
  return t->queue && t->queue->object ? owner_of(t->queue->object) : NULL;
}

static void name_thread(struct str *s, const struct thread *t, bool machines) {
  str_format(s, "thread %d", t->id);
  if (machines)
    str_format(s, " of machine %d", t->machine);
  if (t->name[0])
    str_format(s, " (%s)", t->name);
}

static void describe(struct str *s, const struct thread *t, bool machines) {
  name_thread(s, t, machines);
  str_format(s, " waits for %s", t->waits_what);
  if (t->waits_for)
    str_format(s, " at 0x%lx", (unsigned long)(uintptr_t)t->waits_for);
  for (int i = 0; i < thread_count(); i++)
    if (thread_by_id(i)->joiner == t->id) {
      str_append_char(s, ' ');
      name_thread(s, thread_by_id(i), machines);
    }
  const struct thread *owner = sync_owner_of_awaited(t);
  if (!owner)
    return;
  str_append(s, ", held by ");
  if (owner == t)
    str_append(s, "itself");
  else
    name_thread(s, owner, machines);
  if (owner->state == THREAD_DONE)
    str_append(s, ", which has ended");
}

void sync_describe_deadlock(char *text, size_t bytes) {
  struct str s = {0};
  bool machines = false;
  for (int i = 0; i < thread_count(); i++)
    machines = machines || thread_by_id(i)->machine != 0;
  str_append(&s, "every thread waits: ");
  const char *separator = "";
  for (int i = 0; i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    if (t->state != THREAD_WAITING)
      continue;
    str_append(&s, separator);
    describe(&s, t, machines);
    separator = "; ";
  }
  size_t n = s.length < bytes - 1 ? s.length : bytes - 1;
  memcpy(text, str_text(&s), n);
  text[n] = 0;
  if (s.length > n && n > 3)
    memcpy(text + n - 3, "...", 3);
  str_free(&s);
}

void sync_report_deadlock(void) {
  struct stop why = {.kind = STOP_DEADLOCK};
  sync_describe_deadlock(why.message, sizeof why.message);
  stop_execution(&why);
}
