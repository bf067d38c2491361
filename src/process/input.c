#include "process/input.h"
#include "base/str.h"
#include "process/fault.h"
#include "process/files.h"
#include "process/machine_state.h"
#include "process/system_call.h"
#include "process/world.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES_MAX ((off_t)1 << 30)
#define BLOCK_BYTES ((size_t)64 << 10)
#define POLL_MS 100

/* Survives. */
static struct {
  struct job_input *shared;
  int source, kept; /* where the bytes come from and where they are */
} input = {.source = -1, .kept = -1};

/* Of the machines that do not run.  Goes back with the program. */
static off_t positions[MACHINE_STATE_MAX];

static bool put_in_place(const char *path) {
  int fd = open(path, O_RDONLY); /* later executions read it too: the program may not write to it */
  if (fd < 0)
    return false;
  dup2(fd, STDIN_FILENO);
  if (fd != STDIN_FILENO)
    close(fd);
  return true;
}

bool input_open(struct job_input *shared, const char *path, int kept, struct str *error) {
  if (kept < 0)
    return put_in_place("/dev/null");
  int source = *path ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
  if (source < 0 && *path) {
    str_format(error, "--stdin: cannot read %s: %s", path, strerror(errno));
    return false;
  }
  input.shared = shared;
  input.source = files_to_host(source);
  input.kept = files_to_host(kept);
  struct str name = {0};
  str_format(&name, "/proc/self/fd/%d", input.kept);
  bool done = put_in_place(str_text(&name));
  str_free(&name);
  if (done)
    return true;
  str_format(error, "cannot prepare the standard input (is /proc mounted?): %s", strerror(errno));
  return false;
}

/* A pipe may be silent for long; that is not the program's fault (watchdog.h). */
static long next_block(void *to, off_t at) {
  for (;;) {
    if (at >= 0)
      return system_call(SYS_pread64, input.source, to, BLOCK_BYTES, at);
    struct pollfd p = {.fd = input.source, .events = POLLIN};
    if (system_call(SYS_poll, &p, 1, POLL_MS) == 1) {
      long n = system_call(SYS_read, input.source, to, BLOCK_BYTES);
      if (n != -EINTR && n != -EAGAIN)
        return n;
    }
    fault_progress++;
  }
}

static bool is_terminal(int fd) {
  char settings[128];
  return system_call(SYS_ioctl, fd, TCGETS, settings) == 0;
}

/* What an earlier worker has read from a pipe before it died is there already; a file is read without
 * moving the position that others may rely on. */
static bool fill(void) {
  static char block[BLOCK_BYTES];
  struct stat st;
  bool file = system_call(SYS_fstat, input.source, &st) == 0 && S_ISREG(st.st_mode);
  off_t from = file ? system_call(SYS_lseek, input.source, 0, SEEK_CUR) : -1;
  off_t done = file || system_call(SYS_fstat, input.kept, &st) ? 0 : st.st_size;
  for (long n; (n = next_block(block, file ? from + done : -1)) > 0; done += n)
    if (done + n > BYTES_MAX || system_call(SYS_pwrite64, input.kept, block, n, done) != n)
      return false;
  return true;
}

bool input_wanted(void) {
  return input.shared && input.shared->wanted;
}

/* Only one worker at a time; one that dies lets go. */
static void lock(short type) {
  struct flock all = {.l_type = type, .l_whence = SEEK_SET};
  for (long n;
       (n = system_call(SYS_fcntl, input.kept, F_SETLK, &all)) == -EAGAIN || n == -EACCES;) {
    system_call(SYS_poll, NULL, 0, POLL_MS / 10);
    fault_progress++;
  }
}

static bool take(void) {
  if (input.shared->wanted)
    return true;
  input.shared->terminal = input.source >= 0 && is_terminal(input.source);
  if (input.source >= 0 && !input.shared->terminal && !fill())
    return false;
  input.shared->wanted = true;
  return true;
}

bool input_want(void) {
  if (!input.shared || input.shared->wanted)
    return true;
  lock(F_WRLCK);
  bool taken = take();
  lock(F_UNLCK);
  return taken;
}

/* ---- what looks at it ---- */

bool input_is_path(const char *path) {
  return path && (!strcmp(path, "/dev/stdin") || !strcmp(path, "/dev/fd/0") ||
                  !strcmp(path, "/proc/self/fd/0"));
}

static bool polls_input(const struct pollfd *p, unsigned long count) {
  for (unsigned long i = 0; i < count; i++)
    if (p[i].fd == STDIN_FILENO)
      return true;
  return false;
}

bool input_concerns(long number, const long *a) {
  switch (number) {
  case SYS_read:
  case SYS_readv:
  case SYS_pread64:
  case SYS_preadv:
  case SYS_preadv2:
  case SYS_lseek:
  case SYS_fstat:
  case SYS_dup:
  case SYS_dup2:
  case SYS_dup3:
  case SYS_splice:
  case SYS_tee:
  case SYS_copy_file_range:
    return a[0] == STDIN_FILENO;
  case SYS_fcntl:
    return a[0] == STDIN_FILENO && (a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC);
  case SYS_ioctl:
    return a[0] == STDIN_FILENO && a[1] == FIONREAD;
  case SYS_newfstatat:
  case SYS_statx:
    return (a[0] == STDIN_FILENO && a[1] && !*(const char *)a[1]) ||
           input_is_path((const char *)a[1]);
  case SYS_open:
  case SYS_stat:
    return input_is_path((const char *)a[0]);
  case SYS_openat:
    return input_is_path((const char *)a[1]);
  case SYS_mmap:
    return a[4] == STDIN_FILENO && !(a[3] & MAP_ANONYMOUS);
  case SYS_sendfile:
    return a[1] == STDIN_FILENO;
  case SYS_epoll_ctl:
    return a[2] == STDIN_FILENO;
  case SYS_select:
  case SYS_pselect6:
    return a[0] > 0 && a[1] && *(const unsigned long *)a[1] & 1;
  case SYS_poll:
  case SYS_ppoll:
    return polls_input((const struct pollfd *)a[0], (unsigned long)a[1]);
  default:
    return false;
  }
}

/* ---- positions ---- */

void input_seal(void) {
  world_include(positions, sizeof positions);
}

void input_reset(void) {
  if (input_wanted())
    system_call(SYS_lseek, STDIN_FILENO, 0, SEEK_SET);
}

/* The program may have put another file there. */
static bool is_in_place(void) {
  struct stat here, kept;
  return system_call(SYS_fstat, STDIN_FILENO, &here) == 0 &&
         system_call(SYS_fstat, input.kept, &kept) == 0 && here.st_ino == kept.st_ino &&
         here.st_dev == kept.st_dev;
}

void input_switch_machine(int from, int to) {
  if (!input_wanted() || !is_in_place())
    return;
  positions[from] = system_call(SYS_lseek, STDIN_FILENO, 0, SEEK_CUR);
  system_call(SYS_lseek, STDIN_FILENO, positions[to], SEEK_SET);
}
