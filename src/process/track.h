/* Which pages were written: userfaultfd asynchronous write protection and PAGEMAP_SCAN.
 *
 * A page is "written" from its first store after it was protected; pages that never were protected
 * count as written once they exist.  Needs Linux 6.7 and the right to use userfaultfd; where that
 * is missing track_start says no and world.c copies everything in use. */
#ifndef PROCESS_TRACK_H
#define PROCESS_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct track_range {
  uintptr_t low, high;
};

bool track_start(void);

/* Follow [low, high), page-aligned and mapped; false if the kernel will not.  On a fiber, too. */
bool track_add(uintptr_t low, uintptr_t high);
void track_protect(uintptr_t low, uintptr_t high);

/* The written ranges of what is followed inside [low, high), in ascending order, at most max (> 0) of them, and where
 * to go on in *next (== high when all were seen). */
size_t track_scan(uintptr_t low, uintptr_t high, struct track_range *out, size_t max,
                  uintptr_t *next);

#endif
