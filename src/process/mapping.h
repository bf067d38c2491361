/* mmap and its relatives as the program calls them; who simulates persistent memory hooks in here.
 *
 * Each filter is asked first, on the fiber; true: answered, *result is what the call returns (the
 * filter sets errno). */
#ifndef PROCESS_MAPPING_H
#define PROCESS_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct mapping_request {
  void *address;
  size_t bytes;
  int protection, flags, fd;
  off_t offset;
};

extern bool (*mapping_filter)(struct mapping_request *request, void **result);
extern bool (*unmapping_filter)(void *address, size_t bytes, int *result);
extern bool (*protecting_filter)(void *address, size_t bytes, int protection, int *result);
extern bool (*remapping_filter)(void *address, size_t old, size_t bytes, void **result);
extern bool (*mapping_sync_filter)(void *address, size_t bytes, int flags, int *result); /* msync */

/* Mappings made inside libc, for gate.c. */
void mapping_note(void *address, size_t bytes);
void mapping_forget(void *address, size_t bytes);

/* The program changes the protection of these pages. */
void mapping_changed(void *address, size_t bytes, int protection);

/* Clear whole pages of the program, whatever they allow, which stays as it is. */
void mapping_zero(void *address, size_t bytes);

/* Called by world.c: undo protections, remove libc's mappings; a checkpoint keeps what there is. */
void mapping_reset(void);
void mapping_keep(void);
bool mapping_untouched(void); /* is everything as it was? */

#endif
