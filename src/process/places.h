/* Where the program wants its files.
 *
 * Programs that keep pointers in persistent memory map their file at an address of their own choice.
 * A file that lies elsewhere cannot be moved, as regions and the window have their places for as long
 * as the process lives.  So the wish is written down on the status page, this worker ends, and the
 * next one begins with it.  So does the wish to see what happens to ordinary memory: it costs, and code that
 * has begun does not look again whether it is watched. */
#ifndef PROCESS_PLACES_H
#define PROCESS_PLACES_H

#include "finding/job.h"

#define PLACES_WHERE \
  "addresses are given out where nothing else is, to files within 64 GiB of each other, each " \
  "with " \
  "gigabytes of its own (docs/semantics.md)"

void places_init(struct job_status *status);

/* Where the window has to be for these places; 0: where it is. */
uintptr_t places_window(const struct job_place *table);

uintptr_t places_of(const char *path); /* 0: anywhere */

/* Let the next worker begin with that wish.  Returns if it cannot be fulfilled. */
void places_ask(const char *path, uintptr_t address);

/* Likewise with all memory watched, unless it is (image_watch). */
void places_watch_all(void);

#endif
