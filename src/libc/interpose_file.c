/* Descriptors: which of them the program may have changed, and what must not reach the worker's. */
#include "base/str.h"
#include "event/window.h"
#include "libc/file_locks.h"
#include "libc/net.h"
#include "libc/plain_file.h"
#include "libc/pmfile_fd.h"
#include "process/caller.h"
#include "process/file_turn.h"
#include "process/files.h"
#include "process/files_seen.h"
#include "process/input.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "thread/channel.h"
#include "thread/entered.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A descriptor of the worker, as far as the program is concerned, is not open. */
static bool hidden(int fd) {
  if (fd >= FILES_HOST_MIN) {
    errno = EBADF;
    return true;
  }
  files_standard_changed |= fd < 3;
  return false;
}

/* The numbers from FILES_HOST_MIN on are ours: for the program there are no more. */
static int opened(int fd) {
  if (fd >= FILES_HOST_MIN && fiber_current()) {
    system_call(SYS_close, fd);
    errno = EMFILE;
    return -1;
  }
  files_high = fd > files_high ? fd : files_high;
  return fd;
}

/* Where something fails a real file knows nothing of that: it has what the last run has left, whatever that was. */
static void remark_real_file(const char *path, int fd, int flags) {
  static bool told;
  struct stat st;
  bool changes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
  if (told || plain_files || !changes || !fiber_current() || !stop_remark ||
      system_call(SYS_fstat, fd, &st) != 0 || !S_ISREG(st.st_mode))
    return;
  told = true;
  struct str text = {0};
  str_format(&text,
             "the program changes '%s', which is outside of --pm-path: all executions share the "
             "real file, and what they read there does not depend on the failure",
             path);
  stop_remark(str_text(&text));
  str_free(&text);
}

static FILE *opened_file(FILE *file, const char *path, const char *mode) {
  if (!file)
    return NULL;
  int flags = mode[0] == 'r' && !strchr(mode, '+') ? O_RDONLY : O_RDWR;
  files_note_flags(flags);
  remark_real_file(path, opened(fileno(file)), flags);
  return file;
}

/* The program takes another way to its standard input. */
static void want_input(bool concerned) {
  if (concerned && fiber_current() && !input_want())
    stop_refuse(INPUT_TOO_LARGE);
}

/* `from` was duplicated as `to`, or that failed (-1). */
static int duplicated(int from, int to) {
  want_input(from == 0);
  to = opened(to);
  if (to >= 0 && fiber_current()) {
    file_lock_dup(from, to);
    pmfile_fd_dup(from, to);
    net_dup(from, to);
    channel_dup(from, to);
  }
  return to;
}

INTERPOSE int dup(int fd) {
  return duplicated(fd, (int)system_call_errno(SYS_dup, fd));
}

INTERPOSE int close(int fd) {
  if (CALLED_BY_PROGRAM() && hidden(fd))
    return -1;
  if (fiber_current()) {
    file_lock_close(fd, fd, file_locks_name);
    pmfile_fd_close_range(fd, fd);
    net_close_range(fd, fd);
    channel_close_begin(fd, fd);
  }
  int failed = (int)system_call_errno(SYS_close, fd);
  if (fiber_current())
    channel_close_end(fd, fd);
  return failed;
}

/* dup2 and dup3 close what was there. */
static void replace(int from, int to) {
  if (!fiber_current() || from == to || system_call(SYS_fcntl, from, F_GETFD) < 0)
    return;
  file_lock_close(to, to, file_locks_name);
  if (channel_of(to))
    close(to);
}

INTERPOSE int dup2(int from, int to) {
  if (CALLED_BY_PROGRAM() && (hidden(from) || hidden(to)))
    return -1;
  replace(from, to);
  return duplicated(from, (int)system_call_errno(SYS_dup2, from, to));
}

INTERPOSE int dup3(int from, int to, int flags) {
  if (CALLED_BY_PROGRAM() && (hidden(from) || hidden(to)))
    return -1;
  replace(from, to);
  return duplicated(from, (int)system_call_errno(SYS_dup3, from, to, flags));
}

/* fcntl as the program calls it. */
static int control(int fd, int command, void *argument) {
  if (fd >= FILES_HOST_MIN) {
    errno = EBADF;
    return -1;
  }
  if (file_locks_concern(command))
    return file_locks_control(fd, command, argument);
  struct net_object *net = net_at(fd);
  if (net && command == F_SETFL) {
    net->waits = !((long)argument & O_NONBLOCK);
    return 0;
  }
  if (net && command == F_GETFL)
    return O_RDWR | (net->waits ? 0 : O_NONBLOCK);
  switch (command) {
  case F_DUPFD:
  case F_DUPFD_CLOEXEC:
    return duplicated(fd, (int)system_call_errno(SYS_fcntl, fd, command, argument));
  default:
    return (int)system_call_errno(SYS_fcntl, fd, command, argument);
  }
}

#define DEFINE_FCNTL(name) \
  INTERPOSE int name(int fd, int command, ...) { \
    ENTERED(); \
    va_list list; \
    va_start(list, command); \
    void *argument = va_arg(list, void *); \
    va_end(list); \
    return CALLED_BY_PROGRAM() ? control(fd, command, argument) \
                               : (int)system_call_errno(SYS_fcntl, fd, command, argument); \
  }
DEFINE_FCNTL(fcntl)
DEFINE_FCNTL(fcntl64)

INTERPOSE int close_range(unsigned first, unsigned last, int flags) {
  if (CALLED_BY_PROGRAM()) {
    files_standard_changed |= first < 3;
    if (last >= (unsigned)FILES_HOST_MIN)
      last = (unsigned)FILES_HOST_MIN - 1;
    if (first > last)
      return 0;
    if (!(flags & CLOSE_RANGE_CLOEXEC)) {
      file_lock_close((int)first, (int)last, file_locks_name);
      pmfile_fd_close_range((int)first, (int)last);
      net_close_range((int)first, (int)last);
      channel_close_begin((int)first, (int)last);
    }
  }
  int failed = (int)system_call_errno(SYS_close_range, first, last, flags);
  if (CALLED_BY_PROGRAM() && !(flags & CLOSE_RANGE_CLOEXEC))
    channel_close_end((int)first, (int)last);
  return failed;
}

INTERPOSE void closefrom(int first) {
  if (!CALLED_BY_PROGRAM()) {
    REAL(closefrom)(first);
    return;
  }
  files_standard_changed = true;
  file_lock_close(first < 0 ? 0 : first, FILES_HOST_MIN - 1, file_locks_name);
  pmfile_fd_close_range(first < 0 ? 0 : first, FILES_HOST_MIN - 1);
  net_close_range(first < 0 ? 0 : first, FILES_HOST_MIN - 1);
  channel_close_begin(first < 0 ? 0 : first, FILES_HOST_MIN - 1);
  system_call_errno(SYS_close_range, first < 0 ? 0 : first, FILES_HOST_MIN - 1, 0);
  channel_close_end(first < 0 ? 0 : first, FILES_HOST_MIN - 1);
}

INTERPOSE int fclose(FILE *file) {
  if (CALLED_BY_PROGRAM() &&
      (file == stdin || file == stdout || file == stderr || fileno(file) < 3))
    files_standard_changed = true;
  if (CALLED_BY_PROGRAM() && fileno(file) >= 0)
    file_lock_close(fileno(file), fileno(file), file_locks_name);
  return REAL(fclose)(file);
}

INTERPOSE int fcloseall(void) {
  files_standard_changed = true;
  return REAL(fcloseall)();
}

INTERPOSE FILE *freopen(const char *path, const char *mode, FILE *file) {
  files_standard_changed = true;
  return REAL(freopen)(path, mode, file);
}

INTERPOSE int chdir(const char *path) {
  files_directory_changed = true;
  return (int)system_call_errno(SYS_chdir, path);
}

INTERPOSE int fchdir(int fd) {
  files_directory_changed = true;
  return (int)system_call_errno(SYS_fchdir, fd);
}

/* Random devices answer the same numbers in every execution. */
static bool is_random_device(const char *path) {
  return path && (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random"));
}

static int open_path(int directory, const char *path, int flags, mode_t mode) {
  int fd;
  char full[PATH_MAX], copy[PATH_MAX];
  if (fiber_current() && window_has((uintptr_t)path)) /* where the kernel cannot see it */
    path = strncpy(memset(copy, 0, sizeof copy), path, sizeof copy - 1);
  const char *named = fiber_current() ? pmfile_fd_below(directory, path, full) : NULL;
  if (named && pmfile_fd_open(named, flags, &fd))
    return fd;
  if (fiber_current() && is_random_device(path))
    path = files_random_path();
  want_input(input_is_path(path));
  files_note_flags(flags);
  if (fiber_current())
    file_turn_open(path, flags);
  fd = opened((int)system_call_errno(SYS_openat, directory, path, flags, mode));
  if (fiber_current())
    pmfile_fd_opened(fd, flags);
  remark_real_file(path, fd, flags);
  return fd;
}

#define WITH_MODE(flags, mode) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list args; \
    va_start(args, flags); \
    mode = va_arg(args, mode_t); \
    va_end(args); \
  }

INTERPOSE int open(const char *path, int flags, ...) {
  WITH_MODE(flags, mode)
  return open_path(AT_FDCWD, path, flags, mode);
}

INTERPOSE int open64(const char *path, int flags, ...) {
  WITH_MODE(flags, mode)
  return open_path(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

INTERPOSE int openat(int directory, const char *path, int flags, ...) {
  WITH_MODE(flags, mode)
  return open_path(directory, path, flags, mode);
}

INTERPOSE int openat64(int directory, const char *path, int flags, ...) {
  WITH_MODE(flags, mode)
  return open_path(directory, path, flags | O_LARGEFILE, mode);
}

INTERPOSE int creat(const char *path, mode_t mode) {
  return open_path(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

INTERPOSE int creat64(const char *path, mode_t mode) {
  return open_path(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_LARGEFILE, mode);
}

INTERPOSE FILE *fopen(const char *path, const char *mode) { /* layers: ok, the program's fopen */
  FILE *stream;
  if (fiber_current() && pmfile_stream_open(path, mode, &stream))
    return stream;
  bool random = fiber_current() && is_random_device(path);
  return opened_file(REAL(fopen)(random ? files_random_path() : path, mode), path, mode);
}

INTERPOSE FILE *fopen64(const char *path, const char *mode) {
  FILE *stream;
  if (fiber_current() && pmfile_stream_open(path, mode, &stream))
    return stream;
  bool random = fiber_current() && is_random_device(path);
  return opened_file(REAL(fopen64)(random ? files_random_path() : path, mode), path, mode);
}

/* glibc writes to a copy of the descriptor, which nobody takes for the standard error (process/last_words.h). */
INTERPOSE void perror(const char *what) {
  const char *name = what ? what : "", *colon = *name ? ": " : "";
  if (fiber_current())
    fprintf(stderr, "%s%s%m\n", name, colon); /* layers: ok, the program's */
  else
    REAL(perror)(what);
}
