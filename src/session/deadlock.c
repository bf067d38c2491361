#include "session/deadlock.h"
#include "access/stacks.h"
#include "base/hash.h"
#include "process/fiber.h"
#include "process/image.h"
#include "process/program.h"
#include "process/share.h"
#include "search/history.h"
#include "thread/thread.h"
#include <string.h>

#define WAITERS_MAX 8 /* that are shown */

struct waiter {
  int thread, owner; /* owner: of what it waits for; -1: nobody is */
  uintptr_t lock;
  struct event_frames frames;
};

static struct {
  int count;
  struct waiter all[WAITERS_MAX];
} waiters;

/* Whoever waits for the end of a thread only does so because that one waits, too. */
static bool waits_itself(const struct thread *t) {
  return t->state == THREAD_WAITING && t->waits_for;
}

/* The same in every worker: they need not load the program to the same address. */
static uint64_t add_address(uint64_t hash, uintptr_t address) {
  const char *path;
  uintptr_t offset;
  if (!image_resolve(address, &path, &offset))
    return hash_u64(hash, address);
  return hash_u64(hash_bytes(hash, path, strlen(path)), offset);
}

static uint64_t wait_number(const struct thread *t) {
  return add_address(add_address(1, (uintptr_t)t->waits_for), t->next.code);
}

static void note_waiter(const struct thread *t) {
  if (waiters.count == WAITERS_MAX)
    return;
  const struct thread *owner = sync_owner_of_awaited(t);
  struct waiter *w = &waiters.all[waiters.count++];
  w->thread = t->id;
  w->owner = owner ? owner->id : -1;
  w->lock = (uintptr_t)t->waits_for;
  program_frames_of(&t->fiber, &w->frames);
}

/* A deadlock is one at the same places, whoever waits there. */
int deadlock_locate(struct stop *why) {
  int first = -1;
  why->waits = 1;
  waiters.count = 0;
  for (int i = 0; i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    bool again = false;
    if (!waits_itself(t))
      continue;
    if (stacks_on)
      note_waiter(t);
    for (int k = 0; k < i; k++)
      again |= waits_itself(thread_by_id(k)) && wait_number(thread_by_id(k)) == wait_number(t);
    if (again)
      continue;
    why->waits += wait_number(t);
    first = first < 0 ? i : first;
  }
  if (first < 0)
    return thread_current()->id;
  if (first != thread_current()->id) {
    const struct fiber *waiter = &thread_by_id(first)->fiber;
    why->frame_count =
        fiber_backtrace(waiter, fiber_frame_pointer(waiter), why->frames, STOP_FRAMES_MAX);
    why->interrupted = false;
  }
  return first;
}

static void add_part(enum finding_role role, int thread, const struct event_frames *frames,
                     struct finding *f) {
  if (!frames || !frames->count)
    return;
  vec_push(&f->parts, ((struct finding_part){.role = role,
                                             .thread = thread,
                                             .place = program_place(NULL, frames->code[0], true)}));
  for (int i = 0; i < frames->count; i++)
    vec_push(&vec_last(&f->parts).stack, program_place(NULL, frames->code[i], true));
}

static bool takes(const struct operation *o, const struct waiter *w) {
  return o->kind == OPERATION_LOCK && o->thread == w->owner && o->address == w->lock &&
         o->lock != OPERATION_LOCK_RELEASE && o->lock != OPERATION_LOCK_LEAVE;
}

/* Where the owner has done something to the lock last, other than to wait for it. */
static const struct event_frames *where_taken(const struct history *h, const struct waiter *w) {
  for (size_t i = h->steps.length; i-- > 0 && w->owner != w->thread;)
    if (takes(&h->steps.data[i].operation, w))
      return stacks_of_event((uint32_t)i);
  return NULL;
}

static bool is_wait(const struct operation *o, uintptr_t condition) {
  return o->kind == OPERATION_LOCK && o->address == condition && o->also;
}

/* The waiter's last step of that kind before `end` (a wait; something done to a lock); SIZE_MAX: there is none. */
static size_t own_step(const struct history *h, int thread, uintptr_t address, bool wait,
                       size_t end) {
  for (size_t i = end; i-- > 0;) {
    const struct operation *o = &h->steps.data[i].operation;
    if (o->kind == OPERATION_LOCK && o->thread == thread && o->address == address &&
        (o->also != 0) == wait)
      return i;
  }
  return SIZE_MAX;
}

/* Did somebody wait at the condition variable before that step? */
static bool is_heard(const struct history *h, uintptr_t condition, size_t signal) {
  for (size_t i = signal; i-- > 0;) {
    const struct operation *o = &h->steps.data[i].operation;
    bool last = is_wait(o, condition);
    for (size_t k = i + 1; last && k < signal; k++)
      last = h->steps.data[k].operation.thread != o->thread;
    if (last)
      return true;
  }
  return false;
}

static bool looks(const struct history *h, int thread, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    if (h->steps.data[i].operation.kind == OPERATION_READ &&
        h->steps.data[i].operation.thread == thread)
      return true;
  return false;
}

/* The last wake-up at the condition variable that nobody has heard, and that the waiter could not learn of: it came
 * between its lock of the mutex and its wait, or the waiter has looked at nothing in between.  SIZE_MAX: none. */
static size_t lost_signal(const struct history *h, const struct waiter *w) {
  size_t wait = own_step(h, w->thread, w->lock, true, h->steps.length);
  if (wait == SIZE_MAX)
    return SIZE_MAX;
  size_t lock = own_step(h, w->thread, h->steps.data[wait].operation.also, false, wait);
  bool blind = !looks(h, w->thread, lock == SIZE_MAX ? 0 : lock, wait);
  for (size_t i = wait; i-- > 0 && (blind || (lock != SIZE_MAX && i > lock));) {
    const struct operation *o = &h->steps.data[i].operation;
    if (o->kind == OPERATION_LOCK && o->address == w->lock && !o->also &&
        o->lock == OPERATION_LOCK_OTHER)
      return is_heard(h, w->lock, i) ? SIZE_MAX : i;
  }
  return SIZE_MAX;
}

static const struct waiter *waiter_of(int thread) {
  for (int i = 0; i < waiters.count; i++)
    if (waiters.all[i].thread == thread)
      return &waiters.all[i];
  return NULL;
}

/* Do threads wait in a circle, each for a lock of the next? */
static bool is_circle(const struct waiter *first) {
  const struct waiter *w = first;
  for (int i = 0; w && i < waiters.count; i++) {
    w = waiter_of(w->owner);
    if (w == first)
      return i > 0;
  }
  return false;
}

/* What was signalled while nobody waited is lost: whoever waits has to look first, under the mutex. */
static void add_signal(const struct history *h, const struct waiter *w, struct finding *f) {
  size_t signal = lost_signal(h, w);
  if (signal == SIZE_MAX)
    return;
  add_part(FINDING_ROLE_UNHEARD, h->steps.data[signal].operation.thread,
           stacks_of_event((uint32_t)signal), f);
  if (!f->fix)
    f->fix = mem_strdup("a wake-up is lost if nobody waits: change what the thread waits for under "
                        "the mutex, and let "
                        "it look at that under the mutex, in a loop around the wait");
}

void deadlock_describe(const struct history *h, struct finding *f) {
  if (!f->fix && strstr(f->message, THREAD_LEFT_LOCKED))
    f->fix = mem_strdup("nobody unlocks it after a failure: initialise it anew when the program "
                        "starts, or keep it outside of persistent memory");
  for (int i = 0; stacks_on && !f->fix && i < waiters.count; i++)
    if (is_circle(&waiters.all[i]))
      f->fix = mem_strdup("take these locks in the same order in every thread");
  for (int i = 0; stacks_on && i < waiters.count; i++) {
    const struct waiter *w = &waiters.all[i];
    if (w->thread != f->thread)
      add_part(FINDING_ROLE_WAITS, w->thread, &w->frames, f);
    if (w->owner >= 0)
      add_part(FINDING_ROLE_HOLDS, w->owner, where_taken(h, w), f);
    add_signal(h, w, f);
  }
}

void deadlock_share(void) {
  share_register(&waiters, sizeof waiters);
}
