#include "analysis/fix.h"
#include "memory/line.h"

/* The thread's first step that happens after `lost`, or lost itself. */
static uint32_t first_after(const struct trace *trace, const struct clock *clock, uint32_t lost,
                            int thread) {
  const struct clock_time *from = &clock->times.data[lost];
  if (from->thread == thread)
    return lost;
  for (uint32_t i = lost + 1; i < trace->steps.length; i++) {
    const struct clock_time *t = &clock->times.data[i];
    if (t->level == from->level && t->thread == thread && clock_ordered(clock, lost, i))
      return i;
  }
  return TRACE_NONE;
}

/* The thread's newest step that happens before `survivor`, or survivor itself. */
static uint32_t last_before(const struct trace *trace, const struct clock *clock, uint32_t after,
                            uint32_t survivor, int thread) {
  const struct clock_time *to = &clock->times.data[survivor];
  if (to->thread == thread)
    return survivor;
  uint32_t tick = clock_component(clock, survivor, thread);
  for (uint32_t i = after; i < trace->steps.length; i++) {
    const struct clock_time *t = &clock->times.data[i];
    if (t->level == to->level && t->thread == thread && t->tick == tick)
      return i;
  }
  return TRACE_NONE;
}

/* A flush of the line in the window: it has not been completed, or the store would not be lost. */
static uint32_t flush_in(const struct trace *trace, const struct clock *clock, uint32_t lost,
                         const struct fix_window *w) {
  const struct event *store = trace_event(trace, lost);
  const struct clock_time *end = &clock->times.data[w->before];
  if (store->kind == EVENT_NT_STORE && w->primary)
    return lost;
  for (uint32_t i = w->after; i < trace->steps.length; i++) {
    const struct clock_time *t = &clock->times.data[i];
    const struct event *e = trace_event(trace, i);
    if (t->level == end->level && t->thread == w->thread && t->tick < end->tick &&
        e->kind == EVENT_FLUSH && LINE_OF(e->address) == LINE_OF(store->address))
      return i;
  }
  return TRACE_NONE;
}

static void add_window(const struct trace *trace, const struct clock *clock, uint32_t lost,
                       uint32_t survivor, int thread, fix_window_list *out) {
  struct fix_window w = {.thread = thread, .primary = clock->times.data[lost].thread == thread};
  w.after = first_after(trace, clock, lost, thread);
  if (w.after == TRACE_NONE)
    return;
  if (trace_event(trace, w.after)->machine != trace_event(trace, lost)->machine)
    return; /* a flush acts on the cache of its own machine */
  w.before = last_before(trace, clock, w.after, survivor, thread);
  if (w.before == TRACE_NONE || clock->times.data[w.before].tick <= clock->times.data[w.after].tick)
    return;
  w.flush = flush_in(trace, clock, lost, &w);
  vec_push(out, w);
}

bool fix_is_one_access(const struct trace *trace, const struct clock *clock, uint32_t lost,
                       uint32_t survivor) {
  const struct clock_time *from = &clock->times.data[lost], *to = &clock->times.data[survivor];
  if (from->thread != to->thread || from->level != to->level)
    return false;
  for (uint32_t i = 0; i < trace->steps.length; i++) {
    const struct clock_time *t = &clock->times.data[i];
    const struct event *e = trace_event(trace, i);
    if (t->level == from->level && t->thread == from->thread && t->tick > from->tick &&
        t->tick <= to->tick && e->kind != EVENT_ISSUE && !e->continued)
      return false;
  }
  return true;
}

void fix_windows(const struct trace *trace, const struct clock *clock, uint32_t lost,
                 uint32_t survivor, fix_window_list *out) {
  int own = clock->times.data[lost].thread;
  int threads = clock_threads(clock, clock->times.data[lost].level);
  out->length = 0;
  if (fix_is_one_access(trace, clock, lost, survivor))
    return;
  add_window(trace, clock, lost, survivor, own, out);
  for (int t = 0; t < threads; t++)
    if (t != own)
      add_window(trace, clock, lost, survivor, t, out);
}
