#include "cli/output_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_stdout(const struct output_file *f) {
  return strcmp(f->path, "-") == 0;
}

/* 'tidemark check --json ./prog' means something else than it says. */
static bool is_program(const char *path) {
  char magic[4] = {0};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool elf = fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic &&
             memcmp(magic, "\177ELF", sizeof magic) == 0;
  if (fd >= 0)
    close(fd);
  return elf;
}

bool output_file_open(struct output_file *f, const char *path, struct str *error) {
  *f = (struct output_file){.path = path, .fd = STDOUT_FILENO};
  if (!path || is_stdout(f))
    return true;
  f->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  f->created = f->fd >= 0;
  bool exists = f->fd < 0 && errno == EEXIST;
  struct stat st;
  if (exists && stat(path, &st) == 0 && S_ISREG(st.st_mode) && is_program(path)) {
    str_format(error, "%s is a program, and is not overwritten with a report", path);
    f->path = NULL;
    return false;
  }
  if (exists)
    f->fd = open(path, O_WRONLY | O_CLOEXEC);
  if (f->fd >= 0)
    return true;
  str_format(error, "cannot write %s: %s", path, strerror(errno));
  f->path = NULL;
  return false;
}

bool output_file_write(struct output_file *f, const struct str *text, struct str *error) {
  if (!f->path)
    return true;
  struct stat st;
  bool ok = true;
  if (!is_stdout(f) && fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode))
    ok = ftruncate(f->fd, 0) == 0;
  for (size_t at = 0; ok && at < text->length;) {
    ssize_t n = write(f->fd, text->data + at, text->length - at);
    if (n > 0)
      at += (size_t)n;
    else
      ok = n < 0 && errno == EINTR;
  }
  int why = errno;
  if (!is_stdout(f) && close(f->fd) != 0 && ok) {
    why = errno;
    ok = false;
  }
  if (!ok)
    str_format(error, "cannot write %s: %s", is_stdout(f) ? "the standard output" : f->path,
               strerror(why));
  f->path = NULL;
  return ok;
}

void output_file_abandon(struct output_file *f) {
  if (!f->path || is_stdout(f))
    return;
  close(f->fd);
  if (f->created)
    unlink(f->path);
  f->path = NULL;
}

bool output_flush(struct str *error) {
  bool before = ferror(stdout) != 0, now = fflush(stdout) != 0;
  if (before || now)
    str_format(error, "cannot write the standard output: %s", strerror(now ? errno : EIO));
  return !before && !now;
}
