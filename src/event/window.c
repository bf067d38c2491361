#include "event/window.h"

struct window window = {.base = ABI_WINDOW_BASE, .bytes = ABI_WINDOW_BYTES};

void window_move(uintptr_t address) {
  window.base = WINDOW_MOVED_BASE(address);
  window.bytes = WINDOW_MOVED_BYTES;
  window.wanted = address;
}
