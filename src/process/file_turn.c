#include "process/file_turn.h"
#include "base/str.h"
#include "process/files.h"
#include "process/share.h"
#include "process/system_call.h"
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

static int lock_fd = -1;
static int held; /* LOCK_SH, LOCK_EX or 0 */

void file_turn_init(int fd) {
  struct str path = {0};
  if (fd < 0)
    return;
  str_format(&path, "/proc/self/fd/%d", fd); /* a description of its own: locks belong to those */
  int own = open(str_text(&path), O_RDWR | O_CLOEXEC);
  str_free(&path);
  lock_fd = own < 0 ? -1 : files_to_host(own);
  share_register(&held, sizeof held);
}

static void take(int how) {
  if (lock_fd < 0 || held == LOCK_EX || held == how)
    return;
  while (system_call(SYS_flock, lock_fd, how) == -EINTR)
    ;
  held = how;
}

/* What the kernel shows there is nobody's file. */
static bool is_real(const char *path) {
  return strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/", 6) != 0 &&
         strncmp(path, "/sys/", 5) != 0;
}

void file_turn_open(const char *path, int flags) {
  bool changes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
  if (path && is_real(path))
    take(changes ? LOCK_EX : LOCK_SH);
}

void file_turn_call(long number, const long *a) {
  switch (number) {
  case SYS_open:
    file_turn_open((const char *)a[0], (int)a[1]);
    break;
  case SYS_openat:
    file_turn_open((const char *)a[1], (int)a[2]);
    break;
  case SYS_creat:
  case SYS_unlink:
  case SYS_unlinkat:
  case SYS_rename:
  case SYS_renameat:
  case SYS_renameat2:
  case SYS_mkdir:
  case SYS_mkdirat:
  case SYS_rmdir:
  case SYS_link:
  case SYS_linkat:
  case SYS_symlink:
  case SYS_symlinkat:
  case SYS_truncate:
  case SYS_chmod:
  case SYS_fchmodat:
  case SYS_utimensat:
    take(LOCK_EX);
    break;
  case SYS_stat:
  case SYS_lstat:
  case SYS_newfstatat:
  case SYS_statx:
  case SYS_access:
  case SYS_faccessat:
  case SYS_faccessat2:
  case SYS_readlink:
  case SYS_readlinkat:
    take(LOCK_SH);
    break;
  default:
    break;
  }
}

void file_turn_end(void) {
  if (held)
    system_call(SYS_flock, lock_fd, LOCK_UN);
  held = 0;
}
