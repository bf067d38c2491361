/* Stores in a header, in templates and in functions that are inlined. */
#ifndef FORMS_H
#define FORMS_H

#include <cstdint>

struct alignas(64) cell {
  uint64_t v;
  uint32_t low : 4, high : 28;
};

struct pair {
  uint64_t a, b;
};

template <typename T> struct alignas(64) box {
  T value;
  void set(const T &x) { value = x; }
  box &operator=(const T &x) {
    value = x;
    return *this;
  }
};

template <typename T, typename U> inline void assign(T *where, U what) { *where = static_cast<T>(what); }

struct node {
  uint64_t key;
  explicit node(uint64_t k) : key(k) {}
};

#endif
