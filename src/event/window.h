/* Where watched memory lies: regions, which are what the models are about.
 *
 * The window is at ABI_WINDOW_BASE, unless the program insists on having its files at other
 * addresses: then a worker starts whose window is there (window_move). */
#ifndef EVENT_WINDOW_H
#define EVENT_WINDOW_H

#include "abi/abi.h"
#include <stdbool.h>

struct window {
  uintptr_t base;
  size_t bytes;
  uintptr_t wanted; /* an address that made it move; 0: it has not */
};
extern struct window window;

static inline bool window_has(uintptr_t address) {
  return address - window.base < window.bytes;
}

/* A window elsewhere is smaller, so that there is room for it between libraries.  The first pages of
 * all belong to nobody. */
#define WINDOW_MOVED_BYTES ((size_t)64 << 30)
#define WINDOW_LOWEST ((uintptr_t)1 << 16)
static inline uintptr_t window_moved_base(uintptr_t address) {
  uintptr_t base = address & ~(uintptr_t)(WINDOW_MOVED_BYTES - 1);
  return base ? base : WINDOW_LOWEST;
}

void window_move(uintptr_t address); /* to where the address is; before anything is in it */

#endif
