#include "access/store_buffer.h"
#include "process/world.h"
#include <string.h>

static struct buffered *item(const struct store_buffer *b, uint32_t n) {
  return &b->items[(b->first + n) % b->capacity];
}

static void grow(struct store_buffer *b) {
  uint32_t capacity = b->capacity ? b->capacity * 2 : 16;
  struct buffered *items = world_alloc(capacity * sizeof *items);
  for (uint32_t i = 0; i < b->length; i++)
    items[i] = *item(b, i);
  b->items = items;
  b->capacity = capacity;
  b->first = 0;
}

static void note_line(struct store_buffer *b, const struct buffered *x) {
  uintptr_t line = LINE_OF(x->piece.address);
  if (x->kind == BUFFERED_FENCE) {
    if (b->filled)
      b->fence_place = x->place;
    b->fenced = true;
    b->filled = false;
    b->line_count = 0;
    return;
  }
  b->filled = true;
  if (!b->fenced || (b->line_count && b->lines[b->line_count - 1] == line))
    return;
  WORLD_ROOM(b->lines, b->line_count, b->line_capacity);
  b->lines[b->line_count++] = line;
}

struct buffered *store_buffer_push(struct thread *t, const struct buffered *new) {
  struct store_buffer *b = t->store_buffer;
  if (!b) {
    b = t->store_buffer = world_alloc(sizeof *b);
    b->fence_place = ACCESS_NO_PLACE;
  }
  if (b->length == b->capacity)
    grow(b);
  struct buffered *x = item(b, b->length++);
  *x = *new;
  x->number = ++b->numbers;
  x->issued = t->turn.after ? t->turn.after : t->turn.newest;
  note_line(b, x);
  return x;
}

void store_buffer_settled(struct thread *t) {
  if (!t->store_buffer)
    return;
  t->store_buffer->fenced = t->store_buffer->filled = false;
  t->store_buffer->fence_place = ACCESS_NO_PLACE;
}

bool store_buffer_behind_fence(const struct thread *t, uintptr_t line) {
  const struct store_buffer *b = t->store_buffer;
  if (!b || !b->fenced)
    return false;
  for (uint32_t i = 0; i < b->line_count; i++)
    if (b->lines[i] == line)
      return false;
  return true;
}

const struct buffered *store_buffer_oldest(const struct thread *t) {
  return store_buffer_empty(t) ? NULL : item(t->store_buffer, 0);
}

struct buffered store_buffer_pop(struct thread *t) {
  struct store_buffer *b = t->store_buffer;
  struct buffered x = *item(b, 0);
  b->first = (b->first + 1) % b->capacity;
  b->length--;
  return x;
}

void store_buffer_lose(struct thread *t) {
  if (t->store_buffer)
    t->store_buffer->length = 0;
}

uint8_t store_buffer_forward(const struct thread *t, uintptr_t address, int size, uint64_t *value) {
  uint8_t covered = 0;
  uint32_t length = t->store_buffer ? t->store_buffer->length : 0;
  for (uint32_t n = 0; n < length; n++) { /* newer ones overwrite what older ones gave */
    const struct buffered *x = item(t->store_buffer, n);
    if (x->kind != BUFFERED_STORE)
      continue;
    for (int i = 0; i < size; i++) {
      uintptr_t at = address + (uintptr_t)i - x->piece.address;
      if (at >= (uintptr_t)x->piece.size)
        continue;
      uint64_t byte = x->piece.value >> (at * 8) & 0xff;
      *value = (*value & ~((uint64_t)0xff << (i * 8))) | byte << (i * 8);
      covered |= (uint8_t)(1 << i);
    }
  }
  return covered;
}

const struct buffered *store_buffer_before_flush(const struct thread *t, uintptr_t line) {
  uint32_t length = t->store_buffer ? t->store_buffer->length : 0;
  for (uint32_t n = length; n-- > 0;) {
    const struct buffered *x = item(t->store_buffer, n);
    if (x->kind == BUFFERED_FENCE || LINE_OF(x->piece.address) == line)
      return x;
  }
  return NULL;
}
