/* A bump allocator whose contents die together.
 *
 * Everything that belongs to one test (program, circuit, relations) or to one model (syntax tree)
 * lives in one arena and is released at once, so no error path has to free anything.  LIST is a
 * growing array inside an arena; its old storage is simply abandoned when it grows. */
#ifndef AXIOM_ARENA_H
#define AXIOM_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_block;

struct arena {
  struct arena_block *blocks; /* newest first */
};

void *arena_alloc(struct arena *a, size_t bytes); /* zeroed */
void *arena_grow(struct arena *a, const void *old, size_t old_bytes, size_t new_bytes);
char *arena_text(struct arena *a, const char *start, size_t length);
char *arena_format(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_format_v(struct arena *a, const char *format, va_list args);
void arena_release(struct arena *a);

#define LIST(type) \
  struct { \
    type *data; \
    int length, capacity; \
  }

#define list_push(arena, list, item) \
  do { \
    if ((list)->length == (list)->capacity) { \
      int capacity_ = (list)->capacity ? (list)->capacity * 2 : 8; \
      (list)->data = \
          arena_grow(arena, (list)->data, (size_t)(list)->length * sizeof *(list)->data, \
                     (size_t)capacity_ * sizeof *(list)->data); \
      (list)->capacity = capacity_; \
    } \
    (list)->data[(list)->length++] = (item); \
  } while (0)

#endif
