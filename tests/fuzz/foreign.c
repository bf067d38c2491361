/* Loads and stores of the interpreters: part of them, or (pm_random.py --foreign) built without hooks. */
#include <stdint.h>
#include <stdlib.h>

#ifndef FOREIGN
#define ACCESS static
#else
#define ACCESS
typedef uint16_t __attribute__((aligned(1))) any16;
typedef uint32_t __attribute__((aligned(1))) any32;
typedef uint64_t __attribute__((aligned(1))) any64;
void store(void *p, unsigned size, uint64_t value);
uint64_t load(const void *p, unsigned size);
#endif

ACCESS void store(void *p, unsigned size, uint64_t value) {
  switch (size) {
  case 1: *(volatile uint8_t *)p = (uint8_t)value; break;
  case 2: *(volatile any16 *)p = (uint16_t)value; break;
  case 4: *(volatile any32 *)p = (uint32_t)value; break;
  case 8: *(volatile any64 *)p = value; break;
  default: abort();
  }
}

ACCESS uint64_t load(const void *p, unsigned size) {
  switch (size) {
  case 1: return *(const volatile uint8_t *)p;
  case 2: return *(const volatile any16 *)p;
  case 4: return *(const volatile any32 *)p;
  case 8: return *(const volatile any64 *)p;
  default: abort();
  }
}
