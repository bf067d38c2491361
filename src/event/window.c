#include "event/window.h"

struct window window = {.base = ABI_WINDOW_BASE, .bytes = ABI_WINDOW_BYTES};

void window_move(uintptr_t address) {
  window.base = window_moved_base(address);
  window.bytes = WINDOW_MOVED_BYTES;
  window.wanted = address;
}
