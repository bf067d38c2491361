#include "libc/plain_file.h"
#include "access/ordinary.h"
#include "process/heap.h"
#include "process/world.h"
#include <string.h>

#define CAPACITY_MIN ((size_t)64 << 20) /* a file may grow, and cannot move */

struct file_memory {
  uintptr_t at; /* 0: none yet */
  size_t bytes;
};

bool plain_files;
static struct file_memory *memories; /* by number; world memory */
static int count;

void plain_file_init(int files) {
  plain_files = true;
  memories = world_alloc((size_t)files * sizeof *memories);
  count = files;
}

uintptr_t plain_file_memory(int number, size_t bytes) {
  struct file_memory *m = &memories[number];
  if (m->at)
    return bytes <= m->bytes ? m->at : 0;
  size_t wanted = bytes > CAPACITY_MIN ? bytes : CAPACITY_MIN;
  m->at = (uintptr_t)heap_alloc_pages(wanted);
  m->bytes = m->at ? wanted : 0;
  return m->at;
}

bool plain_file_has(uintptr_t address) {
  for (int i = 0; plain_files && i < count; i++)
    if (address - memories[i].at < memories[i].bytes)
      return true;
  return false;
}

/* The largest power of two that is aligned there and not more than is left. */
static int step_at(uintptr_t at, size_t left) {
  int n = 8;
  while (at % (unsigned)n || left < (size_t)n)
    n /= 2;
  return n;
}

void plain_file_read(void *to, uintptr_t from, size_t bytes) {
  for (int n; bytes; to = (char *)to + n, from += (unsigned)n, bytes -= (unsigned)n) {
    n = step_at(from, bytes);
    uint64_t value = ordinary_load(from, n, ORDINARY_BY_KERNEL, NULL);
    memcpy(to, &value, (size_t)n);
  }
}

void plain_file_write(uintptr_t to, const void *from, size_t bytes) {
  for (int n; bytes; from = (const char *)from + n, to += (unsigned)n, bytes -= (unsigned)n) {
    uint64_t value = 0;
    n = step_at(to, bytes);
    memcpy(&value, from, (size_t)n);
    ordinary_locked(to, n, ORDINARY_BY_KERNEL, OPERATION_CHANGE_ALWAYS, 0, value, NULL);
  }
}
