/* Reading directories in persistent memory: what is in them when they are opened. */
#include "libc/pmfile_fd.h"
#include "process/caller.h"
#include "process/fiber.h"
#include "process/heap.h"
#include "process/world.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What opendir gives for such a directory.  Never the library's: those are not in the list. */
struct listing {
  struct listing *next;
  int fd;
  struct pmname *directory;
  size_t count, at; /* the first two are "." and ".." */
  struct dirent entry;
  struct pmname *names[];
};

static struct { struct listing *first; } open_listings;

static struct listing *ours(DIR *stream) {
  for (struct listing *l = fiber_current() ? open_listings.first : NULL; l; l = l->next)
    if (l == (struct listing *)stream)
      return l;
  return NULL;
}

static struct listing *list(int fd, struct pmname *directory) {
  struct pmname *names[PMNAMES_MAX];
  size_t count = pmname_list(directory, names);
  struct listing *l = world_alloc(sizeof *l + count * sizeof *names);
  *l = (struct listing){
      .next = open_listings.first, .fd = fd, .directory = directory, .count = count + 2};
  memcpy(l->names, names, count * sizeof *names);
  return open_listings.first = l;
}

INTERPOSE DIR *opendir(const char *path) {
  int fd;
  if (!fiber_current() || !pmname_lists(path))
    return REAL(opendir)(path);
  if (!pmfile_fd_open(path, O_RDONLY | O_DIRECTORY, &fd) || fd < 0)
    return NULL;
  return (DIR *)list(fd, pmfile_fd_directory(fd));
}

INTERPOSE DIR *fdopendir(int fd) {
  struct pmname *directory = fiber_current() ? pmfile_fd_directory(fd) : NULL;
  return directory ? (DIR *)list(fd, directory) : REAL(fdopendir)(fd);
}

INTERPOSE int closedir(DIR *stream) {
  struct listing *l = ours(stream);
  if (!l)
    return REAL(closedir)(stream);
  struct listing **at = &open_listings.first;
  while (*at != l)
    at = &(*at)->next;
  *at = l->next;
  return close(l->fd);
}

INTERPOSE struct dirent *readdir(DIR *stream) {
  struct listing *l = ours(stream);
  if (!l)
    return REAL(readdir)(stream);
  if (l->at == l->count)
    return NULL;
  struct pmname *n = l->at < 2 ? l->directory : l->names[l->at - 2];
  const char *name = l->at == 0 ? "." : l->at == 1 ? ".." : pmname_last_part(n);
  struct dirent *e = &l->entry;
  e->d_ino = (ino_t)pmname_number(n) + 2;
  e->d_off = (off_t)++l->at;
  e->d_reclen = sizeof *e;
  e->d_type = l->at <= 2 || pmname_kind(n) == PMNAME_DIRECTORY ? DT_DIR : DT_REG;
  strncpy(e->d_name, name, sizeof e->d_name - 1);
  return e;
}

INTERPOSE struct dirent64 *readdir64(DIR *stream) {
  return (struct dirent64 *)readdir(stream);
}

INTERPOSE void rewinddir(DIR *stream) {
  struct listing *l = ours(stream);
  if (l)
    l->at = 0;
  else
    REAL(rewinddir)(stream);
}

INTERPOSE long telldir(DIR *stream) {
  struct listing *l = ours(stream);
  return l ? (long)l->at : REAL(telldir)(stream);
}

INTERPOSE void seekdir(DIR *stream, long at) {
  struct listing *l = ours(stream);
  if (l)
    l->at = at < 0 || (size_t)at > l->count ? l->count : (size_t)at;
  else
    REAL(seekdir)(stream, at);
}

INTERPOSE int dirfd(DIR *stream) {
  struct listing *l = ours(stream);
  return l ? l->fd : REAL(dirfd)(stream);
}

/* scandir asks the library's own functions. */
typedef int filter_function(const struct dirent *entry);
typedef int order_function(const struct dirent **left, const struct dirent **right);

INTERPOSE int scandir(const char *path, struct dirent ***out, filter_function *wanted,
                      order_function *order) {
  if (!fiber_current() || !pmname_lists(path))
    return REAL(scandir)(path, out, wanted, order);
  DIR *stream = opendir(path);
  if (!stream)
    return -1;
  size_t count = 0;
  struct dirent **all = heap_alloc(((struct listing *)stream)->count * sizeof *all);
  for (struct dirent *e; all && (e = readdir(stream));)
    if (!wanted || wanted(e)) {
      all[count] = heap_alloc(sizeof *e);
      *all[count++] = *e;
    }
  closedir(stream);
  if (!all)
    return -1;
  if (order)
    qsort(all, count, sizeof *all, (int (*)(const void *, const void *))order);
  *out = all;
  return (int)count;
}

INTERPOSE int scandir64(const char *path, struct dirent64 ***out,
                        int (*wanted)(const struct dirent64 *),
                        int (*order)(const struct dirent64 **, const struct dirent64 **)) {
  return scandir(path, (struct dirent ***)out, (filter_function *)wanted, (order_function *)order);
}

void pmdir_init(void) {
  world_include(&open_listings, sizeof open_listings);
}
