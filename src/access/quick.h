/* The fast path of load hooks: loads of bytes that the execution knows already, and that nobody has to be told of.
 * Most loads after a failure are of that kind.  Inline, without calls. */
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
  return (word & wanted) == wanted && space_files_are_mapped() && !protection_hidden;
}

/* Count the load as a step.  False: the load needs the slow path (access_load), and nothing has happened. */
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
