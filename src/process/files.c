#include "process/files.h"
#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/vec.h"
#include "process/file_turn.h"
#include "process/files_seen.h"
#include "process/gate.h"
#include "process/input.h"
#include "process/machine_state.h"
#include "process/world.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A descriptor of ours for an open file of the program's.  Checkpoints are many, and what is open
 * rarely changes between them: those that find the same file behind a number share it. */
struct copy {
  int fd, of; /* ours, the program's */
  unsigned users;
};

struct saved_file {
  struct copy *copy;
  off_t position; /* -1: it has none */
};

struct files_snapshot {
  VEC(struct saved_file) open;
  off_t input;            /* position of the standard input */
  struct copy *directory; /* NULL: as sealed */
};

/* Survives. */
static struct {
  int standard[3]; /* copies of 0, 1, 2; -1: was closed */
  int directory;
} sealed = {{-1, -1, -1}, -1};

#define CLOSE_ALWAYS 32
#define POLL_BLOCK 32
#define RANDOM_FILE_BYTES ((size_t)64 << 10)
static struct str random_path;

/* machine_shared_changes when no descriptor of the program's was open: as long as that is the
 * number, none is.  NEVER: nobody knows. */
#define NEVER UINT64_MAX
static uint64_t none_open_at = NEVER;

int files_high;
bool files_unseen = true;
bool files_standard_changed, files_directory_changed, files_written;
bool (*files_stands_in)(int fd);

#define PROGRAM_DESCRIPTORS 1000
int files_host_min = PROGRAM_DESCRIPTORS;

static struct copy *last_copies[PROGRAM_DESCRIPTORS]; /* of each number, or NULL */
static struct copy *last_directory;

void files_divide(unsigned long limit) {
  files_host_min = limit >= 2 * PROGRAM_DESCRIPTORS ? PROGRAM_DESCRIPTORS : (int)(limit / 2);
}

int files_to_host(int fd) {
  if (fd < 0 || fd >= FILES_HOST_MIN)
    return fd;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, FILES_HOST_MIN);
  if (moved < 0) { /* the soft limit may be lower */
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max < 65536 ? limit.rlim_max : 65536;
    setrlimit(RLIMIT_NOFILE, &limit);
    moved = fcntl(fd, F_DUPFD_CLOEXEC, FILES_HOST_MIN);
    REQUIRE(moved >= 0, "the limit on open files (ulimit -n, %lu) is too small for this search",
            (unsigned long)limit.rlim_cur);
  }
  syscall(SYS_close, fd);
  return moved;
}

static off_t position_of(int fd) {
  struct stat st;
  return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
}

static void make_random_file(void) {
  static uint64_t words[RANDOM_FILE_BYTES / 8];
  struct rng rng = {.state = 0x72616e646f6d};
  for (size_t i = 0; i < RANDOM_FILE_BYTES / 8; i++)
    words[i] = rng_next(&rng);
  int fd = files_to_host(memfd_create("random", MFD_CLOEXEC));
  REQUIRE(fd >= 0, "memfd_create is not allowed here: errno %d", errno);
  CHECK(write(fd, words, sizeof words) == sizeof words, "cannot make the random file");
  str_format(&random_path, "/proc/self/fd/%d", fd);
}

const char *files_random_path(void) {
  if (!random_path.length)
    make_random_file();
  return str_text(&random_path);
}

void files_seal(void) {
  syscall(SYS_close_range, 3, FILES_HOST_MIN - 1, 0);
  for (int i = 0; i < 3; i++) {
    int copy = dup(i);
    sealed.standard[i] = copy < 0 ? -1 : files_to_host(copy);
  }
  sealed.directory = files_to_host(open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static void restore_standard(void) {
  for (int i = 0; i < 3; i++)
    if (sealed.standard[i] >= 0)
      syscall(SYS_dup2, sealed.standard[i], i);
    else
      syscall(SYS_close, i);
}

/* The kernel looks at every number in the range, so the usual case is kept short.  Where a file was
 * opened inside libc beyond it, nobody told us: look everywhere now and then, seldom if the gate has seen all calls. */
static void close_opened(void) {
  static unsigned calls;
  bool all = files_high >= CLOSE_ALWAYS || calls++ % (files_unseen ? 64 : 1024) == 0;
  if (all || files_high >= 3 || files_unseen)
    syscall(SYS_close_range, 3, all ? FILES_HOST_MIN - 1 : CLOSE_ALWAYS - 1, 0);
  files_high = 0;
  files_unseen = !gate_enabled;
}

static void close_files(void) {
  close_opened();
  if (files_standard_changed)
    restore_standard();
  if (files_directory_changed)
    CHECK(syscall(SYS_fchdir, sealed.directory) == 0, "fchdir: errno %d", errno);
  files_standard_changed = files_directory_changed = files_written = false;
}

void files_reset(void) {
  file_turn_end();
  close_files();
  none_open_at = machine_shared_changes;
  input_reset();
}

bool files_untouched(void) {
  return gate_enabled && !files_unseen && files_high < 3 && !files_standard_changed &&
         !files_directory_changed && !files_written && !input_wanted();
}

/* Where the kernel does not tell they are different. */
static bool same_file(int a, int b) {
  long pid = syscall(SYS_getpid);
  return syscall(SYS_kcmp, pid, pid, KCMP_FILE, a, b) == 0;
}

/* A file of persistent memory that was opened twice: what it is, and where somebody reads, the world knows. */
static bool stand_for_the_same(int a, int b) {
  struct stat x, y;
  return files_stands_in && files_stands_in(a) && fstat(a, &x) == 0 && fstat(b, &y) == 0 &&
         x.st_dev == y.st_dev && x.st_ino == y.st_ino && fcntl(a, F_GETFL) == fcntl(b, F_GETFL);
}

/* NULL: it is not open. */
static struct copy *copy_of(int fd) {
  const struct copy *last = last_copies[fd];
  if (last && (same_file(fd, last->fd) || stand_for_the_same(fd, last->fd)))
    return last_copies[fd];
  int copy = files_to_host(dup(fd));
  REQUIRE(copy >= 0 || errno == EBADF,
          "the limit on open files (ulimit -n) is too small for this search: errno %d", errno);
  if (copy < 0)
    return NULL;
  struct copy *c = mem_alloc(sizeof *c);
  *c = (struct copy){.fd = copy, .of = fd};
  last_copies[fd] = c;
  return c;
}

static void drop_copy(struct copy *c) {
  if (--c->users)
    return;
  syscall(SYS_close, c->fd);
  if (c->of >= 0 && last_copies[c->of] == c)
    last_copies[c->of] = NULL;
  if (last_directory == c)
    last_directory = NULL;
  mem_free(c, sizeof *c);
}

static void save_file(struct files_snapshot *s, int fd) {
  struct copy *c = copy_of(fd);
  if (!c)
    return;
  c->users++;
  vec_push(&s->open, ((struct saved_file){c, position_of(fd)}));
}

static bool is_current_directory(int fd) {
  struct stat x, y;
  return stat(".", &x) == 0 && fstat(fd, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* NULL: the one that it was at first, by whatever way. */
static struct copy *copy_of_directory(void) {
  if (!files_directory_changed || is_current_directory(sealed.directory))
    return NULL;
  if (!last_directory || !is_current_directory(last_directory->fd)) {
    last_directory = mem_alloc(sizeof *last_directory);
    *last_directory =
        (struct copy){.fd = files_to_host(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)), .of = -1};
  }
  last_directory->users++;
  return last_directory;
}

/* Descriptors are given lowest first: a block of them without an open one is the end, unless dup2
 * chose a higher number. */
struct files_snapshot *files_save(void) {
  struct files_snapshot *s = mem_alloc(sizeof *s);
  s->directory = copy_of_directory();
  if (files_standard_changed)
    for (int fd = 0; fd < 3; fd++)
      save_file(s, fd);
  else if (input_wanted())
    s->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
  bool more = none_open_at != machine_shared_changes;
  for (int first = 3; more && first < FILES_HOST_MIN; first += POLL_BLOCK) {
    struct pollfd probe[POLL_BLOCK];
    for (int i = 0; i < POLL_BLOCK; i++)
      probe[i] = (struct pollfd){.fd = first + i < FILES_HOST_MIN ? first + i : -1};
    poll(probe, POLL_BLOCK, 0);
    more = first + POLL_BLOCK <= files_high;
    for (int i = 0; i < POLL_BLOCK; i++)
      if (probe[i].fd >= 0 && !(probe[i].revents & POLLNVAL)) {
        save_file(s, probe[i].fd);
        more = true;
      }
  }
  none_open_at = s->open.length ? NEVER : machine_shared_changes;
  return s;
}

void files_note_flags(int flags) {
  files_written |= (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
}

static void put_identity(struct str *out, int fd) {
  struct stat st;
  CHECK(fstat(fd, &st) == 0, "fstat: errno %d", errno);
  str_append_bytes(out, &st.st_dev, sizeof st.st_dev);
  str_append_bytes(out, &st.st_ino, sizeof st.st_ino);
}

bool files_put(const struct files_snapshot *s, struct str *out) {
  if (files_written || files_standard_changed || input_wanted())
    return false;
  str_format(out, "%d ", s->directory != NULL);
  if (s->directory)
    put_identity(out, s->directory->fd);
  for (size_t i = 0; i < s->open.length; i++) {
    const struct copy *c = s->open.data[i].copy;
    if (!files_stands_in || !files_stands_in(c->of))
      return false;
    str_format(out, "%d %d ", c->of, fcntl(c->fd, F_GETFL));
    put_identity(out, c->fd);
  }
  return true;
}

void files_restore(const struct files_snapshot *s) {
  file_turn_end();
  close_files();
  if (input_wanted())
    lseek(STDIN_FILENO, s->input, SEEK_SET);
  none_open_at = s->open.length ? NEVER : machine_shared_changes;
  for (size_t i = 0; i < s->open.length; i++) {
    const struct saved_file *f = &s->open.data[i];
    int fd = f->copy->of;
    syscall(SYS_dup2, f->copy->fd, fd);
    last_copies[fd] = f->copy;
    if (f->position >= 0 && fd != 1 && fd != 2)
      lseek(fd, f->position, SEEK_SET);
    files_standard_changed |= fd < 3;
    files_high = fd > files_high ? fd : files_high;
  }
  if (s->directory) {
    CHECK(syscall(SYS_fchdir, s->directory->fd) == 0, "fchdir: errno %d", errno);
    files_directory_changed = true;
  }
}

void files_drop(struct files_snapshot *s) {
  if (!s)
    return;
  for (size_t i = 0; i < s->open.length; i++)
    drop_copy(s->open.data[i].copy);
  if (s->directory)
    drop_copy(s->directory);
  vec_free(&s->open);
  mem_free(s, sizeof *s);
}
