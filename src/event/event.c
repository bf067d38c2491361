#include "event/event.h"

const char *event_kind_text(int kind) {
  static const char *const texts[] = {
#define EVENT(name, text) text,
#include "event/event.def"
#undef EVENT
  };
  return kind >= 0 && kind < EVENT_KINDS ? texts[kind] : "unknown";
}
