#include "access/repeat.h"
#include "abi/abi.h"
#include "access/access.h"
#include "access/opcode.h"
#include "event/window.h"
#include <string.h>

#define DIRECTION_FLAG 0x400
#define PART_BYTES ((size_t)64 << 10) /* of a copy at a time, for the sake of its buffer */
#define BYTES_MAX ((size_t)1 << 48)   /* more than there are addresses: it ends in a fault before */

static size_t min(size_t a, size_t b) {
  return a < b ? a : b;
}

static void move(uintptr_t to, uintptr_t from, size_t n) {
  __tidemark_memmove((void *)to, (const void *)from, n, NULL);
}

static void move_up(uintptr_t to, uintptr_t from, size_t n, size_t size) {
  size_t ahead = to - from; /* < n: it reads what it has written */
  for (size_t done = 0, part; done < n; done += part) {
    part = min(n - done, PART_BYTES - (to + done) % PART_BYTES);
    if (ahead > 0 && ahead < n)
      part = min(n - done, ahead < size ? size : ahead - ahead % size);
    move(to + done, from + done, part);
  }
}

static void fill_up(uintptr_t to, const void *element, size_t n, size_t size) {
  uint8_t block[LINE_BYTES + 8];
  for (size_t i = 0; i < sizeof block; i += size)
    memcpy(block + i, element, size);
  for (size_t done = 0, part; done < n; done += part) {
    part = min(n - done, LINE_BYTES - (to + done) % LINE_BYTES);
    access_write(to + done, block + done % size, part, ACCESS_PLAIN, NULL);
  }
}

static void run_down(const struct bypass_frame *f, bool moves, size_t n, size_t size) {
  for (size_t done = 0; done < n; done += size)
    if (moves)
      move(f->rdi - done, f->rsi - done, size);
    else
      access_write(f->rdi - done, &f->rax, size, ACCESS_PLAIN, NULL);
}

/* Wait until it is the thread's turn; what lies between the operands counts as touched. */
static void wait_for_turn(const struct bypass_frame *f, bool moves, size_t n, size_t size) {
  uintptr_t before = f->flags & DIRECTION_FLAG ? n - size : 0;
  uintptr_t to = f->rdi - before, from = f->rsi - before;
  bool loads = moves && window_has(f->rsi), stores = window_has(f->rdi);
  uintptr_t low = !loads ? to : !stores ? from : min(to, from);
  uintptr_t high = !loads ? to : !stores ? from : to + from - low;
  bypass_begin(f, low, high - low + n);
}

bool repeat_carry_out(struct bypass_frame *f) {
  struct opcode o = opcode_read(f->instruction);
  bool moves = (*o.code & 0xfe) == 0xa4, fills = (*o.code & 0xfe) == 0xaa;
  bool watched = window_has(f->rdi) || (moves && window_has(f->rsi));
  if (!(moves || fills) || o.repeat != 0xf3 || o.short_address || o.segment || !watched)
    return false;
  size_t size = (size_t)opcode_string_size(&o);
  size_t n = f->rcx < BYTES_MAX / size ? f->rcx * size : BYTES_MAX;
  bool down = f->flags & DIRECTION_FLAG;
  wait_for_turn(f, moves, n, size);
  if (down)
    run_down(f, moves, n, size);
  else if (moves)
    move_up(f->rdi, f->rsi, n, size);
  else
    fill_up(f->rdi, &f->rax, n, size);
  access_exclusive_end();
  f->rcx = 0;
  f->rdi += down ? -n : n;
  f->rsi += !moves ? 0 : down ? -n : n;
  f->resume = (uintptr_t)(o.code + 1);
  return true;
}
