/* Memory that the program has given to a function of libc, which does something to it in its place. */
#ifndef LIBC_MEMORY_H
#define LIBC_MEMORY_H

#include "access/ordinary.h"
#include "process/caller.h"
#include <stddef.h>

/* Is all memory watched, and could another thread notice? */
#define MEMORY_CONCERNS() (CALLED_BY_PROGRAM() && ordinary_concerns())

/* The same for a function that changes this memory, or a stream.  Where it is not watched, that is no step, but the
 * thread is no longer where it was (access/vain.h).  NULL: it changes nothing. */
#define MEMORY_CHANGES(to) (CALLED_BY_PROGRAM() && (ordinary_concerns() || memory_changes(to)))

bool memory_changes(const void *to); /* notes that, and returns false */

/* pre: on a fiber.  Steps of the thread, where the memory is watched. */
void memory_give(void *to, const void *from, size_t bytes);
void memory_take(void *to, const void *from, size_t bytes);

/* Look at a text, or the first bytes of it. */
void memory_look(const char *text, size_t most);

/* What strtok_r does. */
char *memory_next_word(char *text, const char *between, char **rest);

#endif
