#include "access/endless.h"
#include "base/str.h"
#include "process/program.h"
#include "process/stop.h"
#include "process/unwind.h"
#include "thread/thread.h"
#include <string.h>

static struct {
  int looks, thread;
  bool unclear;                     /* several threads, or a stack that is too deep */
  int count;                        /* calls that are the same in all steps, outermost first */
  uintptr_t calls[STOP_FRAMES_MAX]; /* and that of the last step behind them */
  uintptr_t place;                  /* the lowest address behind them */
} seen;

void endless_begin(void) {
  seen.looks = 0;
  seen.unclear = false;
}

/* The i-th of n frames, counted from outside. */
static uintptr_t outer(const uintptr_t *frames, int n, int i) {
  return frames[n - 1 - i];
}

static void keep_all(const uintptr_t *frames, int n) {
  seen.thread = thread_current()->id;
  seen.count = n - 1;
  for (int i = 0; i < n; i++)
    seen.calls[i] = outer(frames, n, i);
  seen.place = frames[0];
}

static void keep_common(const uintptr_t *frames, int n) {
  int same = 0;
  while (same < seen.count && same < n - 1 && seen.calls[same] == outer(frames, n, same))
    same++;
  if (same < seen.count) {
    seen.count = same;
    seen.place = seen.calls[same];
  }
  uintptr_t here = outer(frames, n, same);
  if (here < seen.place)
    seen.place = here;
}

void endless_look(void) {
  uintptr_t frames[STOP_FRAMES_MAX];
  int n = unwind_calls((uintptr_t)__builtin_frame_address(0), frames, STOP_FRAMES_MAX), own = 0;
  while (own < n && program_is_ours(frames[own]))
    own++;
  if (n == STOP_FRAMES_MAX || own == n || (seen.looks && seen.thread != thread_current()->id))
    seen.unclear = true;
  else if (seen.looks++ == 0)
    keep_all(frames + own, n - own);
  else
    keep_common(frames + own, n - own);
}

void endless_stop(uint64_t limit, const struct abi_site *site) {
  struct stop why = {.kind = STOP_HANG, .site = site};
  struct str text = {0};
  str_format(&text, "no end after %lu steps (if it is only long, raise --max-steps)",
             (unsigned long)limit);
  stop_set_message(&why, str_text(&text));
  str_free(&text);
  if (seen.looks && !seen.unclear) {
    why.site = NULL;
    why.frames[why.frame_count++] = seen.place;
    for (int i = seen.count - 1; i >= 0; i--)
      why.frames[why.frame_count++] = seen.calls[i];
  }
  stop_execution(&why);
}
