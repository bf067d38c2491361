/* Files in persistent memory: regions with a size that survives failures.  Which path names which of
 * them: pmname.h.
 *
 * A file that is there when the search starts keeps its contents as the initial state.  The real
 * file is never changed. */
#ifndef LIBC_PMFILE_H
#define LIBC_PMFILE_H

#include "libc/pmname.h"

/* The file of the next name: its size is kept at that address of watched memory, and what is there when
 * the search starts is the answer. */
enum pmname_kind pmfile_register(const char *path, const char *key, uintptr_t size_at,
                                 uint64_t *bytes);

/* How the keys of files begin whose contents are memory, where nothing fails (plain_file.h). */
#define PMFILE_IN_MEMORY "file:"

struct pmfile *pmfile_by_number(int number); /* NULL: there is none */
int pmfile_number(const struct pmfile *f);
const char *pmfile_path(const struct pmfile *f); /* the first that it had */

const uint8_t *pmfile_image(const struct pmfile *f,
                            size_t *bytes); /* when the search started, or NULL */

size_t pmfile_bytes(struct pmfile *f);
size_t pmfile_bytes_to_map(struct pmfile *f);       /* of all of it; devices have some size */
bool pmfile_resize(struct pmfile *f, size_t bytes); /* durably; false: no room */
bool pmfile_alone_begin(struct pmfile *f);          /* of its size, as pmname_alone_begin */

/* A file without contents gets that size, which is not durable before it is written back. */
bool pmfile_begin_anew(struct pmfile *f, size_t bytes); /* false: no room */
void pmfile_write_back_size(struct pmfile *f);

/* Map a part of it for the program, at the same address in every execution; 0: no room. */
uintptr_t pmfile_map(struct pmfile *f, size_t offset, size_t bytes);

/* Its memory, for what is done in place of the kernel; 0: no room. */
uintptr_t pmfile_enter(struct pmfile *f, size_t bytes);
void pmfile_leave(struct pmfile *f, size_t bytes); /* as many as it was entered for */

/* Read what the file holds from there on, zeros where it ends; false: no room. */
bool pmfile_copy(struct pmfile *f, size_t offset, void *to, size_t bytes);

void pmfile_share(void); /* register what a run changes, for --isolate */

#endif
