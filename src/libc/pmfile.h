/* Files in persistent memory: regions that have a path.
 *
 * Whether a file exists, and how large it is, survives a failure like any other persistent state
 * and may depend on where the failure came.  So it is kept in watched memory itself: each file has a
 * line in a directory region, changed by ordinary stores that are written back at once (file
 * systems on persistent memory make creation, truncation and removal durable before they return).
 *
 * A file that is there when the search starts keeps its contents as the initial state.  The real
 * file is never changed. */
#ifndef LIBC_PMFILE_H
#define LIBC_PMFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmfile;
#define PMFILES_MAX 1024

void pmfile_init(const char *globs); /* "a*:b*", from --pm-path */

/* Does the path name persistent memory? */
bool pmfile_matches(const char *path);

/* The file of that path, however it is spelt; NULL if there are too many.  Never fails for a path seen
 * before.  Shared-memory objects have a name space of their own. */
struct pmfile *pmfile_open(const char *path);
struct pmfile *pmfile_open_object(const char *name);
const char *pmfile_path(const struct pmfile *f);
struct pmfile *pmfile_of_entry(uintptr_t address); /* whose size and existence lie here; or NULL */
int pmfile_number(const struct pmfile *f);
struct pmfile *pmfile_by_number(int number); /* NULL: there is none */

bool pmfile_exists(struct pmfile *f);
size_t pmfile_bytes(struct pmfile *f);
bool pmfile_create(struct pmfile *f, size_t bytes); /* or change its size; false: no room */
void pmfile_remove(struct pmfile *f);

/* Its memory, at the same address in every execution; 0: no room. */
uintptr_t pmfile_map(struct pmfile *f, size_t bytes);
void pmfile_unmap(struct pmfile *f);

/* Read what the file holds from there on, zeros where it ends; false: no room. */
bool pmfile_copy(struct pmfile *f, size_t offset, void *to, size_t bytes);

void pmfile_share(void); /* register what a run changes, for --isolate */

#endif
