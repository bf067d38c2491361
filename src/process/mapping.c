#include "process/mapping.h"
#include "process/layout.h"
#include "process/system_call.h"
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define NOTED_MAX 4096

bool (*mapping_filter)(struct mapping_request *request, void **result);
bool (*unmapping_filter)(void *address, size_t bytes, int *result);
bool (*protecting_filter)(void *address, size_t bytes, int protection, int *result);
bool (*remapping_filter)(void *address, size_t old, size_t bytes, void **result);
bool (*mapping_sync_filter)(void *address, size_t bytes, int flags, int *result);

/* Protections changed by this execution: kernel state, undone by mapping_reset.  Host memory. */
static struct {
  uintptr_t low, high; /* everything changed lies in between */
} changed = {UINTPTR_MAX, 0};

/* Of these, what is not open for reading and writing.  More than fit: nobody knows. */
#define CLOSED_MAX 256
static struct range {
  uintptr_t low, high;
  int protection;
} closed[CLOSED_MAX];
static int closed_count;

static void close_range(uintptr_t low, uintptr_t high, int protection) {
  if (low < high && closed_count <= CLOSED_MAX && closed_count++ < CLOSED_MAX)
    closed[closed_count - 1] = (struct range){low, high, protection};
}

static void open_range(uintptr_t low, uintptr_t high) {
  int count = closed_count < CLOSED_MAX ? closed_count : CLOSED_MAX;
  for (int i = count; i-- > 0;) {
    struct range r = closed[i];
    if (r.high <= low || high <= r.low || closed_count > CLOSED_MAX)
      continue;
    closed[i] = closed[--closed_count];
    close_range(r.low, low < r.high ? low : r.high, r.protection);
    close_range(high > r.low ? high : r.low, r.high, r.protection);
  }
}

void mapping_changed(void *address, size_t bytes, int protection) {
  uintptr_t low = (uintptr_t)address, high = low + bytes;
  const int open = PROT_READ | PROT_WRITE;
  changed.low = low < changed.low ? low : changed.low;
  changed.high = high > changed.high ? high : changed.high;
  open_range(low, high);
  if ((protection & open) != open || protection & PROT_EXEC)
    close_range(low, high, protection);
}

void mapping_zero(void *address, size_t bytes) {
  uintptr_t low = (uintptr_t)address, high = low + bytes;
  int count = closed_count < CLOSED_MAX ? closed_count : CLOSED_MAX;
  if (closed_count)
    system_call(SYS_mprotect, address, bytes, PROT_READ | PROT_WRITE);
  memset(address, 0, bytes);
  for (int i = 0; i < count; i++) {
    uintptr_t from = closed[i].low > low ? closed[i].low : low;
    uintptr_t to = closed[i].high < high ? closed[i].high : high;
    if (from < to)
      system_call(SYS_mprotect, from, to - from, closed[i].protection);
  }
}

/* Host memory: kernel state does not go back by itself. */
static struct {
  void *address;
  size_t bytes;
} noted[NOTED_MAX];
static int noted_count;

void mapping_note(void *address, size_t bytes) {
  if (noted_count == NOTED_MAX)
    return; /* it stays: a leak, and bounded by the kernel */
  noted[noted_count].address = address;
  noted[noted_count++].bytes = bytes;
}

void mapping_forget(void *address, size_t bytes) {
  for (int i = 0; i < noted_count; i++)
    if (noted[i].address == address && noted[i].bytes == bytes) {
      noted[i] = noted[--noted_count];
      return;
    }
}

void mapping_keep(void) {
  noted_count = 0;
}

bool mapping_untouched(void) {
  return noted_count == 0 && closed_count == 0;
}

void mapping_reset(void) {
  while (noted_count > 0) {
    noted_count--;
    system_call(SYS_munmap, noted[noted_count].address, noted[noted_count].bytes);
  }
  if (changed.low >= changed.high)
    return;
  system_call(SYS_mprotect, changed.low,
              (changed.high - changed.low + LAYOUT_PAGE - 1) & ~(LAYOUT_PAGE - 1),
              PROT_READ | PROT_WRITE);
  changed.low = UINTPTR_MAX;
  changed.high = 0;
  closed_count = 0;
}
