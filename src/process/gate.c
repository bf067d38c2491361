#include "process/gate.h"
#include "abi/abi.h"
#include "event/window.h"
#include "process/caller.h"
#include "process/fault_internal.h"
#include "process/file_turn.h"
#include "process/files.h"
#include "process/files_seen.h"
#include "process/image.h"
#include "process/input.h"
#include "process/last_words.h"
#include "process/machine_state.h"
#include "process/mapping.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "process/virtual_clock.h"
#include <errno.h>
#include <linux/prctl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_USER_DISPATCH
#define SYS_USER_DISPATCH 2
#endif

/* clang-format off */
#define REFUSED(X) \
  X(fork) \
  X(vfork) \
  X(clone) X(clone3) X(execve) X(execveat) X(socket) X(socketpair) X(connect) X(bind) X(listen) \
      X(accept) X(accept4) X(ptrace) X(shmget) X(shmat) X(semget) X(msgget) X(mq_open) \
          X(timer_create) X(setitimer) X(alarm) X(timerfd_create) X(signalfd) X(signalfd4) \
              X(pause) X(rt_sigsuspend) X(unshare) X(setns) X(chroot) X(io_uring_setup) \
                  X(io_setup) X(userfaultfd) X(perf_event_open) X(bpf) X(seccomp) X(mount) \
                      X(umount2) X(reboot) X(sethostname) X(setdomainname) X(swapon) X(swapoff) \
                          X(acct) X(quotactl) X(pivot_root) X(kexec_load) X(init_module) \
                                  X(finit_module) X(delete_module) X(iopl) X(ioperm)
/* clang-format on */

static const char *refused_name(long number) {
  switch (number) {
#define X(name) \
  case SYS_##name: \
    return #name;
    REFUSED(X)
#undef X
  default:
    return NULL;
  }
}

bool gate_enabled;
volatile uint64_t gate_calls;
const char *(*gate_descriptor)(long number, const long *arguments);
uint64_t (*gate_signal_mask)(void);
bool (*gate_watched)(long number, const long *arguments, ucontext_t *context);

bool gate_enable(void) {
  gate_enabled = system_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
                             __executable_start, etext - __executable_start, &gate_state) == 0;
  return gate_enabled;
}

static long pass(long number, const long *a) {
  return system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* A mapping made inside libc goes away with the execution; the dynamic linker's stay. */
static long map(const long *a, uintptr_t pc) {
  long p = pass(SYS_mmap, a);
  if (p > 0 && !caller_in_loader(pc))
    mapping_note((void *)p, (size_t)a[1]);
  return p;
}

static long with_descriptor(long number, const long *a) {
  if (a[0] >= FILES_HOST_MIN)
    return -EBADF;
  files_standard_changed |= a[0] < 3 || (number != SYS_close && a[1] < 3);
  return pass(number, a);
}

static long opened(long number, const long *a) {
  long fd = pass(number, a);
  if (fd >= FILES_HOST_MIN) {
    system_call(SYS_close, fd);
    return -EMFILE;
  }
  files_high = fd > files_high ? (int)fd : files_high;
  if (number != SYS_dup)
    files_note_flags((int)a[number == SYS_openat ? 2 : 1]);
  return fd;
}

static long sleep_for(const struct timespec *t) {
  clock_advance((uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec);
  return 0;
}

/* The process's mask and handlers are the worker's.  Of the program's mask libc asks for itself (sigsetjmp). */
static long ignored_signal_call(long number, const long *a) {
  void *old = (void *)(number == SYS_sigaltstack ? a[1] : a[2]);
  if (old)
    memset(old, 0, number == SYS_rt_sigprocmask ? 8 : number == SYS_sigaltstack ? 24 : 32);
  if (old && number == SYS_rt_sigprocmask && gate_signal_mask && fiber_current())
    *(uint64_t *)old = gate_signal_mask();
  return 0;
}

/* Output is the machine's own business, and looking changes nothing. */
static bool changes_shared(long number, const long *a) {
  bool output = number == SYS_write || number == SYS_writev;
  bool looks = number == SYS_fstat || number == SYS_newfstatat || number == SYS_ioctl;
  return !looks && !(output && (a[0] == 1 || a[0] == 2));
}

/* libc looks for helpers of its own (nscd, from getpwuid and the like) and does without.  What the
 * program wants from a socket it asks for by name. */
static bool asks_for_helper(long number, const long *a, uintptr_t pc) {
  return number == SYS_socket && a[0] == AF_UNIX && !image_contains(pc);
}

static long answer(long number, const long *a, uintptr_t pc) {
  switch (number) {
  case SYS_mmap:
    return map(a, pc);
  case SYS_munmap:
    mapping_forget((void *)a[0], (size_t)a[1]);
    return pass(number, a);
  case SYS_brk:
    return system_call(SYS_brk, 0);
  case SYS_rt_sigprocmask:
  case SYS_rt_sigaction:
  case SYS_sigaltstack:
    return ignored_signal_call(number, a);
  case SYS_close:
  case SYS_dup2:
  case SYS_dup3:
    return with_descriptor(number, a);
  case SYS_open:
  case SYS_openat:
  case SYS_dup:
    return opened(number, a);
  case SYS_chdir:
  case SYS_fchdir:
    files_directory_changed = true;
    return pass(number, a);
  case SYS_clock_settime: /* to a time that only the program knows; as for anybody but root */
  case SYS_settimeofday:
  case SYS_adjtimex:
  case SYS_clock_adjtime:
    return -EPERM;
  case SYS_nanosleep:
    return sleep_for((const struct timespec *)a[0]);
  case SYS_clock_nanosleep:
    return a[1] & TIMER_ABSTIME ? 0 : sleep_for((const struct timespec *)a[2]);
  default:
    return pass(number, a);
  }
}

static long carry_out(long number, const long *a, uintptr_t pc) {
  if (fiber_current())
    file_turn_call(number, a);
  if (changes_shared(number, a)) {
    machine_changed_shared();
    files_unseen = true;
  }
  return answer(number, a, pc);
}

long gate_call(long number, const long *a, uintptr_t pc) {
  if (input_concerns(number, a) && !input_want())
    stop_refuse(INPUT_TOO_LARGE);
  return carry_out(number, a, pc);
}

/* So many bytes were written: they can be read. */
static void listen_to(long number, const long *a, long written, const ucontext_t *u) {
  bool writes = number == SYS_write || number == SYS_writev;
  bool said = a[0] == STDOUT_FILENO || a[0] == STDERR_FILENO;
  if (!writes || !said || written <= 0 || !fiber_current())
    return;
  struct iovec whole = {(void *)a[1], (size_t)written};
  const struct iovec *parts = number == SYS_write ? &whole : (const struct iovec *)a[1];
  for (size_t left = (size_t)written, n; left; left -= n, parts++) {
    n = parts->iov_len < left ? parts->iov_len : left;
    if (!window_has((uintptr_t)parts->iov_base))
      last_words_said((int)a[0], parts->iov_base, n, u);
  }
}

bool gate_handle(siginfo_t *info, ucontext_t *u) {
  if (info->si_code != SYS_USER_DISPATCH)
    return false;
  gate_calls++;
  greg_t *r = u->uc_mcontext.gregs;
  long number = info->si_syscall;
  long a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
  uintptr_t pc = (uintptr_t)r[REG_RIP];
  const char *name = refused_name(number);
  if (!name && gate_descriptor)
    name = gate_descriptor(number, a);
  if (asks_for_helper(number, a, pc)) {
    r[REG_RAX] = -EAFNOSUPPORT;
  } else if (name) {
    fault_refuse(name, u);
  } else if (number == SYS_exit_group || number == SYS_exit) {
    fault_finish((int)a[0], u);
  } else if (fiber_current() && gate_watched && gate_watched(number, a, u)) {
    return true; /* before anybody looks at what its arguments point to */
  } else if (input_concerns(number, a) && !input_want()) {
    fault_refuse(INPUT_TOO_LARGE, u);
  } else {
    r[REG_RAX] = carry_out(number, a, pc);
    listen_to(number, a, r[REG_RAX], u);
  }
  return true;
}
