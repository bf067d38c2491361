#include "event/event.h"

const char *event_kind_text(int kind) {
  static const char *const texts[] = {
#define EVENT(name, text) text,
#include "event/event.def"
#undef EVENT
  };
  return kind >= 0 && kind < EVENT_KINDS ? texts[kind] : "unknown";
}

const char *event_flush_text(uint32_t kind) {
  static const char *const texts[] = {
      [ABI_CLFLUSH] = "clflush", [ABI_CLFLUSHOPT] = "clflushopt", [ABI_CLWB] = "clwb"};
  return texts[kind];
}

const char *event_fence_text(uint32_t kind) {
  static const char *const texts[] = {[ABI_MFENCE] = "mfence",
                                      [ABI_SFENCE] = "sfence",
                                      [ABI_LFENCE] = "lfence",
                                      [EVENT_FENCE_RMW] = "a locked instruction"};
  return texts[kind];
}

const char *event_cause_text(uint64_t cause) {
  if (cause >= CAUSE_FENCE)
    return event_fence_text((uint32_t)(cause - CAUSE_FENCE));
  if (cause >= CAUSE_FLUSH)
    return event_flush_text((uint32_t)(cause - CAUSE_FLUSH));
  return cause == CAUSE_END ? "the end of the program" : "a store";
}
