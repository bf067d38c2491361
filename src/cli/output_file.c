#include "cli/output_file.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_stdout(const struct output_file *f) {
  return strcmp(f->path, "-") == 0;
}

bool output_file_open(struct output_file *f, const char *path, struct str *error) {
  *f = (struct output_file){.path = path, .fd = STDOUT_FILENO};
  if (!path || is_stdout(f))
    return true;
  f->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  f->created = f->fd >= 0;
  if (f->fd < 0 && errno == EEXIST)
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
