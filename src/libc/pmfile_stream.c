/* Streams (FILE) on files in persistent memory: libc's, with our functions below. */
#include "libc/plain_file.h"
#include "libc/pmfile_fd.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* layers: ok, the program's streams */
#include <string.h>
#include <unistd.h>

static ssize_t read_some(void *fd, char *to, size_t n) {
  return read((int)(long)fd, to, n);
}

static ssize_t write_some(void *fd, const char *from, size_t n) {
  ssize_t done = write((int)(long)fd, from, n);
  return done < 0 ? 0 : done; /* what the library wants to see after an error */
}

static int move(void *fd, off64_t *offset, int whence) {
  off_t now = lseek((int)(long)fd, *offset, whence);
  *offset = now;
  return now < 0 ? -1 : 0;
}

static int finish(void *fd) {
  return close((int)(long)fd);
}

/* -1: not a mode. */
static int flags_of(const char *mode) {
  int both = strchr(mode, '+') ? O_RDWR : 0;
  int more = strchr(mode, 'x') ? O_EXCL : 0;
  switch (*mode) {
  case 'r':
    return both ? both : O_RDONLY;
  case 'w':
    return (both ? both : O_WRONLY) | O_CREAT | O_TRUNC | more;
  case 'a':
    return (both ? both : O_WRONLY) | O_CREAT | O_APPEND | more;
  default:
    return -1;
  }
}

bool pmfile_stream_open(const char *path, const char *mode, FILE **stream) {
  static const cookie_io_functions_t functions = {
      .read = read_some, .write = write_some, .seek = move, .close = finish};
  int flags = flags_of(mode), fd;
  bool ours = path && (flags > 0 ? pmname_takes(path) : pmname_matches(path));
  if (!ours)
    return false;
  *stream = NULL;
  if (flags < 0)
    errno = EINVAL;
  else if (pmfile_fd_open(path, flags, &fd) && fd >= 0)
    *stream = plain_files && !pmfile_fd_file(fd)                    /* layers: ok, see above */
                  ? fdopen(fd, mode)                                /* layers: ok, see above */
                  : fopencookie((void *)(long)fd, mode, functions); /* layers: ok, see above */
  return true;
}
