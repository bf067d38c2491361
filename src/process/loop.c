#include "process/loop.h"
#include "process/image.h"
#include "process/unwind.h"
#include <string.h>

#define JUMPS_MAX 4096 /* bytes of a function that are looked through */

void loop_clear(struct loop_samples *l) {
  l->next = 0;
}

void loop_add(struct loop_samples *l, int thread, const uintptr_t *pcs, int count, bool exact) {
  struct loop_sample s = {.thread = thread};
  for (int i = count - 1; i >= 0; i--) {
    uintptr_t code = pcs[i] - !(exact && i == 0);
    if (!image_is_own_code(code))
      continue;
    if (s.count == LOOP_FRAMES) /* the inner ones say more */
      memmove(s.code, s.code + 1, (size_t)--s.count * sizeof *s.code);
    s.code[s.count++] = code;
  }
  if (s.count)
    l->samples[l->next++ % LOOP_SAMPLES] = s;
}

static unsigned sample_count(const struct loop_samples *l) {
  return l->next < LOOP_SAMPLES ? l->next : LOOP_SAMPLES;
}

/* Threads may wait for each other in turn: the one that was seen most often, of these the first. */
static int busiest_thread(const struct loop_samples *l) {
  int best = -1;
  unsigned most = 0;
  for (unsigned i = 0; i < sample_count(l); i++) {
    int thread = l->samples[i].thread;
    unsigned seen = 0;
    for (unsigned k = 0; k < sample_count(l); k++)
      seen += l->samples[k].thread == thread;
    if (seen > most || (seen == most && thread < best)) {
      most = seen;
      best = thread;
    }
  }
  return best;
}

/* How many outer frames the thread's samples have in common; one of each is left. */
static int common_depth(const struct loop_samples *l, int thread) {
  const struct loop_sample *first = NULL;
  int depth = 0;
  for (unsigned i = 0; i < sample_count(l); i++) {
    const struct loop_sample *s = &l->samples[i];
    if (s->thread != thread)
      continue;
    if (!first) {
      first = s;
      depth = s->count - 1;
    }
    int n = 0;
    while (n < depth && n < s->count - 1 && s->code[n] == first->code[n])
      n++;
    depth = n;
  }
  return depth;
}

struct extent {
  const struct loop_sample *lowest;
  uintptr_t low, high;
};

static struct extent extent_at(const struct loop_samples *l, int thread, int depth) {
  struct extent e = {0};
  for (unsigned i = 0; i < sample_count(l); i++) {
    const struct loop_sample *s = &l->samples[i];
    if (s->thread != thread)
      continue;
    uintptr_t code = s->code[depth];
    if (!e.lowest || code < e.low) {
      e.lowest = s;
      e.low = code;
    }
    e.high = code > e.high ? code : e.high;
  }
  return e;
}

static bool jumps_to(const uint8_t *p, uintptr_t *target) {
  bool conditional = p[0] == 0x0f && (p[1] & 0xf0) == 0x80;
  if (p[0] == 0xeb || (p[0] & 0xf0) == 0x70) {
    *target = (uintptr_t)p + 2 + (uintptr_t)(intptr_t)(int8_t)p[1];
    return true;
  }
  if (p[0] != 0xe9 && !conditional)
    return false;
  int32_t distance;
  memcpy(&distance, p + 1 + conditional, sizeof distance);
  *target = (uintptr_t)p + 5 + conditional + (uintptr_t)(intptr_t)distance;
  return true;
}

/* Is there what could be a jump from behind these places to before them?  It is not known where
 * instructions begin, so there may seem to be one where there is none. */
static bool may_jump_back(const struct extent *e) {
  size_t bytes;
  uintptr_t begin = unwind_function_bytes(e->low + 1, &bytes), target;
  if (!begin || bytes > JUMPS_MAX)
    return true;
  for (uintptr_t at = e->high; at + 6 <= begin + bytes; at++)
    if (jumps_to((const uint8_t *)at, &target) && target >= begin && target <= e->low)
      return true;
  return false;
}

bool loop_find(const struct loop_samples *l, struct stop *s) {
  if (!l->next)
    return false;
  int thread = busiest_thread(l), depth = common_depth(l, thread), at = depth;
  while (at > 0) {
    struct extent e = extent_at(l, thread, at);
    if (may_jump_back(&e))
      break;
    at--;
  }
  struct extent e = extent_at(l, thread, at);
  if (!may_jump_back(&e))
    e = extent_at(l, thread, at = depth); /* a recursion, perhaps */
  s->loop_low = e.low;
  s->loop_high = e.high;
  s->site = NULL;
  s->interrupted = true;
  s->frame_count = 0;
  for (int i = at; i >= 0 && s->frame_count < STOP_FRAMES_MAX; i--)
    s->frames[s->frame_count++] = e.lowest->code[i] + (i < at);
  return true;
}
