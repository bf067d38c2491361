/* Events: what the program did to watched memory, as small records.  The vocabulary between the runtime (access/),
 * which records them, the searches, which replay them into memory/, the analyses and the reports.
 *
 * All events of a search live in one growing array and are named by their index.  event.def lists the kinds. */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include "abi/abi.h"
#include "base/vec.h"
#include <stdbool.h>

enum event_kind {
#define EVENT(name, text) EVENT_##name,
#include "event/event.def"
#undef EVENT
  EVENT_KINDS
};

#define EVENT_FENCE_RMW 3 /* beside enum abi_fence: a locked instruction or a lock operation */

/* What is about to happen at a failure point. */
enum event_cause {
  CAUSE_STORE,
  CAUSE_END,                     /* of the program */
  CAUSE_FLUSH,                   /* + enum abi_flush */
  CAUSE_FENCE = CAUSE_FLUSH + 8, /* + enum abi_fence, or EVENT_FENCE_RMW */
};

struct event {
  uint8_t kind; /* enum event_kind */
  uint8_t size; /* stores: bytes, at most 8 */
  bool joined;  /* stores: second half of a 16-byte atomic store */
  bool atomic;  /* stores: atomic in the source */
  uint16_t thread, machine;
  uint32_t detail; /* see event.def */
  bool release;    /* stores: atomic, and earlier stores may not be moved behind it */
  bool copied;    /* stores: a part of a copy (memcpy, memset, a struct), not a store of a scalar */
  bool continued; /* stores: not the first piece of its copy, or of a store across aligned words */
  uintptr_t address;
  uint64_t value;
  const struct abi_site *site; /* NULL: not instrumented code; code says where */
  uintptr_t code;              /* code address, when there is no site */
};

typedef VEC(struct event) event_list;

/* The number of the ISSUE event of a store, flush or fence that had to wait in a buffer, unique in its thread; 0: it
 * took effect at once. */
static inline uint32_t event_issue(const struct event *e) {
  if (e->kind == EVENT_STORE || e->kind == EVENT_NT_STORE)
    return e->detail;
  return e->kind == EVENT_FLUSH || e->kind == EVENT_FENCE ? (uint32_t)e->value : 0;
}

/* Where the program was: return addresses, innermost first. */
#define EVENT_FRAMES_MAX 12
struct event_frames {
  int count;
  uintptr_t code[EVENT_FRAMES_MAX];
};

typedef VEC(struct event_frames) event_frames_list;

const char *event_kind_text(int kind);
const char *event_cause_text(uint64_t cause); /* "clwb", "sfence", "the end of the program", ... */
const char *event_flush_text(uint32_t kind);  /* enum abi_flush */
const char *event_fence_text(uint32_t kind);  /* enum abi_fence or EVENT_FENCE_RMW */

#endif
