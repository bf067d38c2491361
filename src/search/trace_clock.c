#include "search/trace_clock.h"
#include "access/store_buffer.h"
#include "access/vain.h"
#include "process/share.h"
#include "process/virtual_clock.h"
#include "thread/thread.h"

/* By itself a thread has seen `ns` pass when it had done so many operations and so many entries had come into its store
 * buffer. */
struct passed {
  uint32_t operations;
  uint64_t buffered;
  uint64_t ns;
};
typedef VEC(struct passed) passed_list;

static struct {
  const struct dpor *dpor;
  VEC(passed_list) threads; /* by number; in order */
} times;

static passed_list *list_of(int thread) {
  while (times.threads.length <= (size_t)thread)
    vec_push(&times.threads, ((passed_list){0}));
  return &times.threads.data[thread];
}

/* Does it precede operation number n of the thread (from 1), or the entry that left the buffer as number m? */
static bool is_before(const struct passed *p, uint32_t n, uint64_t m) {
  return p->operations < n || p->buffered < m;
}

/* What had passed for the thread before that operation or entry. */
static uint64_t passed_before(int thread, uint32_t n, uint64_t m) {
  const passed_list *list = list_of(thread);
  size_t low = 0, high = list->length;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (is_before(&list->data[middle], n, m))
      low = middle + 1;
    else
      high = middle;
  }
  return low ? list->data[low - 1].ns : 0;
}

static uint64_t pass(const struct thread *t, uint64_t ns) {
  passed_list *list = list_of(t->id);
  vain_leave(); /* a loop that looks at the clock does find something new each time */
  uint32_t newest = t->turn.newest;
  struct passed now = {
      .operations = newest ? times.dpor->events.data[newest - 1].number : 0,
      .buffered = t->store_buffer ? t->store_buffer->numbers : 0,
      .ns = (list->length ? vec_last(list).ns : 0) + ns,
  };
  vec_push(list, now);
  return now.ns;
}

/* How many operations of the process happen before what the thread with that turn does now. */
static uint32_t known_of(const struct thread_turn *turn, uint32_t process) {
  uint32_t own = turn->newest ? dpor_clock(times.dpor, turn->newest - 1, process) : 0;
  uint32_t news = turn->after ? dpor_clock(times.dpor, turn->after - 1, process) : 0;
  return own > news ? own : news;
}

static uint64_t time_of_current(uint64_t ns) {
  const struct thread *self = thread_current();
  if (thread_count() == 1) {
    clock_advance(ns);
    return clock_time();
  }
  uint64_t sum = clock_time() + pass(self, ns);
  for (int i = 0; i < thread_count(); i++) {
    uint32_t process = 2 * (uint32_t)i, buffer = process + 1;
    if (i != self->id)
      sum += passed_before(i, known_of(&self->turn, process), known_of(&self->turn, buffer));
  }
  return sum;
}

void trace_clock_begin(const struct dpor *d) {
  times.dpor = d;
  for (size_t i = 0; i < times.threads.length; i++)
    times.threads.data[i].length = 0;
  clock_of_thread = time_of_current;
}

void trace_clock_end(void) {
  clock_of_thread = NULL;
}

bool trace_clock_was_asked(void) {
  for (size_t i = 0; i < times.threads.length; i++)
    if (times.threads.data[i].length)
      return true;
  return false;
}

void trace_clock_share(void) {
  share_register(&times, sizeof times);
}
