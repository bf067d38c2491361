#include "access/store_buffer.h"
#include "process/world.h"

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

struct buffered *store_buffer_push(struct thread *t, const struct buffered *new) {
  struct store_buffer *b = t->store_buffer;
  if (!b)
    b = t->store_buffer = world_alloc(sizeof *b);
  if (b->length == b->capacity)
    grow(b);
  struct buffered *x = item(b, b->length++);
  *x = *new;
  x->number = ++b->numbers;
  return x;
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
