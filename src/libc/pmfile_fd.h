/* Descriptors of files in persistent memory.
 *
 * To the kernel such a descriptor is an empty file that nobody else knows, one for each file; which file
 * it stands for, and the file position, is kept here.
 * World memory: it goes back with the program. */
#ifndef LIBC_PMFILE_FD_H
#define LIBC_PMFILE_FD_H

#include "libc/pmfile.h"
#include <stdbool.h>
#include <stdio.h> /* layers: ok, FILE */
#include <sys/stat.h>
#include <sys/types.h>

/* pre: on a fiber.  open() of a path under --pm-path, or of a shared-memory object: a descriptor or
 * -1 with errno.  False: some other path. */
bool pmfile_fd_open(const char *path, int flags, int *fd);

/* The same for fopen.  A stream has no descriptor that fileno could tell, unless nothing fails. */
bool pmfile_stream_open(const char *path, const char *mode, FILE **stream);

int pmfile_fd_open_name(struct pmname *n, int flags);

/* Where a path that starts at an open directory leads; NULL: nowhere that has a name. */
const char *pmfile_fd_below(int directory, const char *path, char out[PATH_MAX]);

/* Where nothing fails (plain_file.h) descriptors are the kernel's, with the contents, until these are memory.  shared: the
 * file, which is memory from now on; NULL: it is none.  opened: a descriptor was; is what it leads to memory?  Of a
 * file that has a path: memory: what holds its contents, or NULL; into_memory: from now on; bytes, resize: of a
 * descriptor's. */
struct pmfile *pmfile_fd_shared(int fd);
void pmfile_fd_opened(int fd, int flags);
struct pmfile *pmfile_fd_memory(struct pmfile *f);
struct pmfile *pmfile_fd_into_memory(struct pmfile *f);
size_t pmfile_fd_bytes(struct pmfile *f);
bool pmfile_fd_resize(struct pmfile *f, size_t bytes);
/* As fstat and stat do, for whom both must be the same file; false: a descriptor of some other one. */
bool pmfile_fd_describe(int fd, struct stat *st);
bool pmfile_fd_describe_file(struct pmfile *f, struct stat *st);
#define PMFILE_TIME 1700000000 /* when the clock of every execution starts */

struct pmfile *pmfile_fd_file(int fd);      /* NULL: none of a file there */
struct pmname *pmfile_fd_directory(int fd); /* NULL: none of a directory there */
off_t *pmfile_fd_position(int fd);          /* shared by copies of a descriptor */
bool pmfile_fd_appends(int fd);             /* O_APPEND */
bool pmfile_fd_allows(int fd, bool write);  /* was it opened for that? */
void pmfile_fd_close_range(int first, int last);
void pmfile_fd_dup(int from, int to); /* whatever from is, to is now the same */

void pmdir_init(void);     /* before world_seal */
void pmfile_fd_init(void); /* before world_seal: mmap and its relatives ask here first */

#endif
