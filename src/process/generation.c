#include "process/generation.h"
#include "base/check.h"
#include "process/fiber_internal.h"
#include "process/heap.h"

#define ADDRESS_BITS (((uint64_t)1 << 48) - 1)

static int current;

void generation_begin(int generation) {
  CHECK(generation < LAYOUT_GENERATIONS && !fiber_current(), "generation %d", generation);
  if (generation == current)
    return;
  heap_move(generation);
  fiber_move(generation);
  current = generation;
}

bool generation_is(int generation) {
  return generation == current;
}

static bool in_stacks(int generation, uintptr_t address) {
  uintptr_t low, high;
  fiber_range(generation, &low, &high);
  return address >= low && address < high;
}

bool generation_owns(int generation, uint64_t value) {
  value &= ADDRESS_BITS;
  return heap_spans(generation, value) || in_stacks(generation, value);
}

const char *generation_before(uintptr_t address) {
  if (heap_contains((const void *)address))
    return NULL;
  for (int g = 0; g < current; g++) {
    if (heap_spans(g, address))
      return "in the heap";
    if (in_stacks(g, address))
      return "on a stack";
  }
  return NULL;
}
