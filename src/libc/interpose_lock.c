/* Locks of files, as the program asks for them. */
#include "libc/file_locks.h"
#include "libc/pmfile_fd.h"
#include "process/caller.h"
#include "process/system_call.h"
#include "process/virtual_clock.h"
#include "thread/entered.h"
#include "thread/file_lock.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(int error) {
  errno = error;
  return -1;
}

bool file_locks_name(int fd, struct file_name *out) {
  const struct pmfile *file = pmfile_fd_file(fd);
  const struct pmname *directory = pmfile_fd_directory(fd);
  struct stat s;
  if (file || directory) {
    out->device = UINT64_MAX - (directory != NULL);
    out->number = (uint64_t)(file ? pmfile_number(file) : pmname_number(directory));
    return true;
  }
  if (system_call(SYS_fstat, fd, &s) < 0)
    return false;
  *out = (struct file_name){s.st_dev, s.st_ino};
  return true;
}

static off_t position_in(int fd, int whence) {
  struct pmfile *file = pmfile_fd_file(fd);
  struct stat s;
  if (whence == SEEK_SET)
    return 0;
  if (whence == SEEK_CUR)
    return file ? *pmfile_fd_position(fd) : (off_t)system_call(SYS_lseek, fd, 0, SEEK_CUR);
  return file ? (off_t)pmfile_bytes(file) : system_call(SYS_fstat, fd, &s) == 0 ? s.st_size : 0;
}

/* False: there is no such range. */
static bool range_of(int fd, const struct flock *l, struct file_lock *out) {
  off_t first = position_in(fd, l->l_whence) + l->l_start;
  off_t last = l->l_len > 0 ? first + l->l_len - 1 : l->l_len < 0 ? first - 1 : INT64_MAX;
  if (l->l_len < 0)
    first += l->l_len;
  if (l->l_whence < SEEK_SET || l->l_whence > SEEK_END || first < 0 || last < first)
    return false;
  out->first = (uint64_t)first;
  out->last = (uint64_t)last;
  return true;
}

static bool is_allowed(int fd, int type) {
  int access = (int)system_call(SYS_fcntl, fd, F_GETFL) & O_ACCMODE;
  return type == F_UNLCK || access == O_RDWR || access == (type == F_RDLCK ? O_RDONLY : O_WRONLY);
}

static void tell(struct flock *l, const struct file_lock *held) {
  l->l_type = (short)held->type;
  l->l_whence = SEEK_SET;
  l->l_start = (off_t)held->first;
  l->l_len = held->last == INT64_MAX ? 0 : (off_t)(held->last - held->first + 1);
  l->l_pid = held->kind == FILE_LOCK_PROCESS ? VIRTUAL_PROCESS + held->machine : -1;
}

bool file_locks_concern(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_GETLK ||
         command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
}

int file_locks_control(int fd, int command, struct flock *l) {
  bool open = command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
  struct file_lock wanted = {.kind = open ? FILE_LOCK_DESCRIPTION : FILE_LOCK_PROCESS,
                             .type = l->l_type};
  bool known = l->l_type == F_RDLCK || l->l_type == F_WRLCK || l->l_type == F_UNLCK;
  bool looks = command == F_GETLK || command == F_OFD_GETLK;
  if (!file_locks_name(fd, &wanted.file))
    return fail(EBADF);
  if (!known || !range_of(fd, l, &wanted) || (open && l->l_pid))
    return fail(EINVAL);
  if (!looks && !is_allowed(fd, wanted.type))
    return fail(EBADF);
  if (!looks) {
    int error = file_lock_set(fd, wanted, command == F_SETLKW || command == F_OFD_SETLKW);
    return error ? fail(error) : 0;
  }
  if (file_lock_look(fd, &wanted))
    tell(l, &wanted);
  else
    l->l_type = F_UNLCK;
  return 0;
}

INTERPOSE int flock(int fd, int operation) {
  ENTERED();
  if (!fiber_current())
    return (int)system_call_errno(SYS_flock, fd, operation);
  int lock = operation & ~LOCK_NB;
  struct file_lock wanted = {.kind = FILE_LOCK_WHOLE, .last = INT64_MAX};
  if (!file_locks_name(fd, &wanted.file))
    return fail(EBADF);
  if (lock != LOCK_SH && lock != LOCK_EX && lock != LOCK_UN)
    return fail(EINVAL);
  wanted.type = lock == LOCK_SH ? F_RDLCK : lock == LOCK_EX ? F_WRLCK : F_UNLCK;
  int error = file_lock_set(fd, wanted, !(operation & LOCK_NB));
  return error ? fail(error) : 0;
}

INTERPOSE int lockf(int fd, int command, off_t bytes) {
  ENTERED();
  if (!fiber_current())
    return REAL(lockf)(fd, command, bytes);
  struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = bytes};
  switch (command) {
  case F_ULOCK:
    l.l_type = F_UNLCK;
    return file_locks_control(fd, F_SETLK, &l);
  case F_LOCK:
    return file_locks_control(fd, F_SETLKW, &l);
  case F_TLOCK:
    return file_locks_control(fd, F_SETLK, &l);
  case F_TEST:
    if (file_locks_control(fd, F_GETLK, &l))
      return -1;
    return l.l_type == F_UNLCK ? 0 : fail(EACCES);
  default:
    return fail(EINVAL);
  }
}

INTERPOSE int lockf64(int fd, int command, off_t bytes) {
  return lockf(fd, command, bytes);
}
