#include "event/event.h"

const char *event_kind_text(int kind) {
  static const char *const texts[] = {
#define EVENT(name, text) text,
#include "event/event.def"
#undef EVENT
  };
  return kind >= 0 && kind < EVENT_KINDS ? texts[kind] : "unknown";
}

const char *event_cause_text(uint64_t cause) {
  static const char *const flushes[] = {"clflush", "clflushopt", "clwb"};
  static const char *const fences[] = {"mfence", "sfence", "lfence", "a locked instruction"};
  if (cause >= CAUSE_FENCE)
    return fences[cause - CAUSE_FENCE];
  if (cause >= CAUSE_FLUSH)
    return flushes[cause - CAUSE_FLUSH];
  return cause == CAUSE_END ? "the end of the program" : "a store";
}
