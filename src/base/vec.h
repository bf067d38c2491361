/* A growing array of any type: VEC(int) numbers = {0}; vec_push(&numbers, 7); numbers.data[0].
 *
 * Elements move when the array grows: keep indices, not pointers. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/mem.h"
#include <stddef.h>

#define VEC(type) \
  struct { \
    type *data; \
    size_t length, capacity; \
  }

#define vec_reserve(v, n) \
  do { \
    size_t want_ = (n); \
    if (want_ > (v)->capacity) { \
      size_t cap_ = (v)->capacity ? (v)->capacity * 2 : 8; \
      if (cap_ < want_) \
        cap_ = want_; \
      (v)->data = \
          mem_resize((v)->data, (v)->capacity * sizeof *(v)->data, cap_ * sizeof *(v)->data); \
      (v)->capacity = cap_; \
    } \
  } while (0)

#define vec_push(v, item) \
  do { \
    if ((v)->length == (v)->capacity) \
      vec_reserve(v, (v)->length + 1); \
    (v)->data[(v)->length++] = (item); \
  } while (0)

#define vec_pop(v) ((v)->data[--(v)->length])
#define vec_last(v) ((v)->data[(v)->length - 1])

#define vec_free(v) \
  do { \
    mem_free((v)->data, (v)->capacity * sizeof *(v)->data); \
    (v)->data = NULL; \
    (v)->length = (v)->capacity = 0; \
  } while (0)

#endif
