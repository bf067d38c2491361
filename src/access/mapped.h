/* Which parts of files the running execution has mapped, and where the files end.
 *
 * A file is in one place, however often it is mapped: mappings of the same pages are counted, and the pages are
 * accessible while one of them is left.  What lies in a mapping but in no page of the file is a bus error.  Goes back
 * with the program. */
#ifndef ACCESS_MAPPED_H
#define ACCESS_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct region;

enum mapped_how {
  MAPPED_BY_PROGRAM,
  MAPPED_BY_KERNEL, /* for read, write and the like: the end of the file does not matter */
};

/* pre: the address is that of a page, inside the region. */
void mapped_add(const struct region *r, uintptr_t address, size_t bytes, enum mapped_how how);

/* One mapping of each of these pages is gone; false: there was none. */
bool mapped_remove(const struct region *r, uintptr_t address, size_t bytes);

/* That mapping of the kernel's is gone: several threads may have some. */
void mapped_leave(const struct region *r, uintptr_t address, size_t bytes);

/* The mapping that begins there is gone; false: there was none. */
bool mapped_remove_whole(const struct region *r, uintptr_t address);

bool mapped_any(const struct region *r);
bool mapped_covers(const struct region *r, uintptr_t address, size_t bytes);

/* The file has so many bytes, while it is mapped. */
void mapped_set_end(const struct region *r, size_t bytes);
size_t mapped_end(const struct region *r); /* in whole pages; SIZE_MAX: it has none */

enum mapped_state { MAPPED, MAPPED_NOT, MAPPED_BEYOND_END };
/* Of an address in a region; what is no file is always mapped. */
enum mapped_state mapped_at(uintptr_t address);

#endif
