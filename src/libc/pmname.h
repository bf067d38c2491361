/* What is where in persistent memory: the paths that --pm-path covers, and what they name.
 *
 * Whether something is at a path survives a failure like any other persistent state and may depend
 * on where the failure came.  So it is kept in watched memory itself: each path has a line in a region
 * of their own, changed by ordinary stores that are written back at once (file systems on persistent
 * memory make creation, removal and renaming durable before they return).  A rename changes two lines
 * and happens or does not: what it is about to do is written down first, and done again after a
 * failure.
 *
 * Directories exist if they were made, if they are there when the search starts, or if something is
 * in them: a program may count on one that whoever checks it need not have. */
#ifndef LIBC_PMNAME_H
#define LIBC_PMNAME_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmfile;
struct pmname;
#define PMNAMES_MAX 1024

enum pmname_kind { PMNAME_NOTHING, PMNAME_FILE, PMNAME_DIRECTORY };

void pmname_init(const char *globs); /* "a*:b*", from --pm-path */

/* Does the path name persistent memory?  Where nothing fails (plain_file.h): or something that was changed? */
bool pmname_matches(const char *path);
bool pmname_takes(const char *path); /* or will, because it is changed now */
bool pmname_lists(const char *path); /* or a folder with such a path in it */

/* Absolute, without empty, "." and ".." parts.  False: too long. */
bool pmname_canonical(const char *path, char out[PATH_MAX]);

/* The name of that path, however it is spelt; NULL if there are too many.  Never fails for a path seen
 * before.  Shared-memory objects have a name space of their own. */
struct pmname *pmname_at(const char *path);
struct pmname *pmname_object(const char *name);
const char *pmname_path(const struct pmname *n);
int pmname_number(const struct pmname *n);
struct pmname *pmname_by_number(int number); /* NULL: there is none */

/* Does this address hold what is where?  If so, of which path; NULL: of a rename under way. */
bool pmname_is_entry(uintptr_t address, const char **path);

enum pmname_kind pmname_kind(struct pmname *n);
struct pmfile *pmname_file(struct pmname *n); /* that it names, or will once it is created */

/* What follows about the name is one step of the system's for all others (access_alone_begin). */
bool pmname_alone_begin(struct pmname *n);
bool pmname_create(struct pmname *n, size_t bytes); /* a file, or its size; false: no room */
void pmname_make_directory(struct pmname *n);
void pmname_remove(struct pmname *n); /* a file or an empty directory */

/* As rename does; 0 or an error number.  What is in a directory stays where it is. */
enum pmname_rename { PMNAME_REPLACE, PMNAME_KEEP, PMNAME_EXCHANGE }; /* what is there already */
int pmname_rename(struct pmname *from, struct pmname *to, enum pmname_rename how);

/* What is in a directory, in order; how many there are. */
size_t pmname_list(struct pmname *directory, struct pmname *out[PMNAMES_MAX]);
bool pmname_is_empty(struct pmname *directory);
const char *pmname_last_part(const struct pmname *n);

void pmname_share(void); /* register what a run changes, for --isolate */

#endif
