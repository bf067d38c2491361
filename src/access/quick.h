/* Loads of what the execution knows already, where nobody wants to hear of them: most loads after a
 * failure.  For hooks, which do without calls then. */
#ifndef ACCESS_QUICK_H
#define ACCESS_QUICK_H

#include "access/access_internal.h"
#include "access/protection.h"
#include "base/mem.h"
#include "event/window.h"
#include "process/fault.h"

/* Are the bytes known, do they lie in one word within so much of the window, and may they be read? */
static inline bool quick_is_known(uintptr_t address, int size, size_t bytes) {
  size_t offset = address - window.base;
  if (offset >= bytes)
    return false;
  unsigned word = ((const unsigned char *)space_lines.known)[offset / 8];
  unsigned wanted = ((1u << size) - 1) << offset % 8;
  return (word & wanted) == wanted && space_files_are_mapped() && !protection_ranges;
}

/* A load, which counts as a step.  False: it is not as easy as that, and nothing has happened. */
static inline bool quick_load(uintptr_t address, int size) {
  if (!quick_is_known(address, size, access_run.quick_bytes) ||
      access_run.steps >= access_run.steps_noticed)
    return false;
  access_run.steps++;
  fault_progress++;
  mem_may_go_back();
  return true;
}

#endif
