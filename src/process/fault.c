#include "process/fault.h"
#include "abi/abi.h"
#include "base/check.h"
#include "event/window.h"
#include "process/caller.h"
#include "process/fault_internal.h"
#include "process/fiber.h"
#include "process/gate.h"
#include "process/generation.h"
#include "process/host.h"
#include "process/last_words.h"
#include "process/layout.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "process/unwind.h"
#include "process/watchdog.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIGNAL_STACK_BYTES ((size_t)256 << 10)
#define PAGE_FAULT_WRITE 2
#define PAGE_FAULT_FETCH 16
#define EFLAGS_TRAP_DIRECTION_ALIGN (0x100 | 0x400 | 0x40000)

bool (*fault_filter)(siginfo_t *info, ucontext_t *context);
bool (*fault_program_handles)(int sig);
volatile uint64_t fault_progress;

static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};

static bool left; /* the handler under way goes to the host */

/* Formatting without an allocator: a handler may have interrupted it. */
static void add_text(char *to, const char *text) {
  size_t n = strlen(to), m = strlen(text);
  if (n + m >= STOP_MESSAGE_MAX)
    m = STOP_MESSAGE_MAX - 1 - n;
  memcpy(to + n, text, m);
  to[n + m] = 0;
}

static void add_hex(char *to, uintptr_t value) {
  char digits[19] = "0x";
  int shift = 60, n = 2;
  while (shift > 0 && !(value >> shift))
    shift -= 4;
  for (; shift >= 0; shift -= 4)
    digits[n++] = "0123456789abcdef"[value >> shift & 15];
  digits[n] = 0;
  add_text(to, digits);
}

static const char *signal_text(int sig, int code) {
  switch (sig) {
  case SIGSEGV:
    return "segmentation fault";
  case SIGBUS:
    return "bus error (SIGBUS)";
  case SIGFPE:
    return code == FPE_INTDIV ? "integer division by zero (SIGFPE)"
                              : "arithmetic exception (SIGFPE)";
  case SIGILL:
    return "illegal instruction (SIGILL): __builtin_trap, code that must not be reached (as behind "
           "a missing return), or an instruction this processor lacks";
  case SIGTRAP:
    return "trap (SIGTRAP)";
  case SIGABRT:
    return "abort (SIGABRT)";
  case SIGSYS:
    return "bad system call (SIGSYS)";
  default:
    return "fatal signal";
  }
}

static void die_on_host(int sig, siginfo_t *info, ucontext_t *u) {
  char line[STOP_MESSAGE_MAX] = "tidemark: internal error: ";
  add_text(line, signal_text(sig, info->si_code));
  add_text(line, ", address ");
  add_hex(line, (uintptr_t)info->si_addr);
  add_text(line, ", code ");
  add_hex(line, (uintptr_t)u->uc_mcontext.gregs[REG_RIP] - (uintptr_t)__executable_start);
  if (check_on_failure)
    check_on_failure(line);
  add_text(line, "\n");
  system_call(SYS_write, check_fd, line, strlen(line));
  system_call(SYS_exit_group, EXIT_INTERNAL);
}

static void describe_segfault(struct stop *s, const siginfo_t *info, const ucontext_t *u) {
  uintptr_t sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
  long error = u->uc_mcontext.gregs[REG_ERR];
  s->address = (uintptr_t)info->si_addr;
  if (info->si_code == SI_USER || info->si_code == SI_TKILL) {
    add_text(s->message, " raised by the program");
    return;
  }
  if (info->si_code == SI_KERNEL) {
    add_text(s->message, ": access to an address that is not canonical");
    return;
  }
  if (fiber_guards(s->address) || fiber_guards(sp)) {
    strcpy(s->message, "stack overflow"); /* layers: ok, constant text */
    return;
  }
  if (window_has(s->address))
    s->kind = STOP_ILLEGAL_ACCESS;
  const char *what = error & PAGE_FAULT_FETCH   ? ": execution of address "
                     : error & PAGE_FAULT_WRITE ? ": write to address "
                                                : ": read of address ";
  if (s->kind == STOP_ILLEGAL_ACCESS)
    strcpy(s->message, "illegal access"); /* layers: ok, constant text */
  add_text(s->message, what);
  add_hex(s->message, s->address);
  if (s->address < LAYOUT_PAGE)
    add_text(s->message, " (null pointer)");
  const char *before = generation_before(s->address);
  if (before) {
    s->stale = true;
    add_text(s->message, ", which was ");
    add_text(s->message, before);
    add_text(s->message, GENERATION_ADVICE);
  }
}

static void leave(struct stop *s, ucontext_t *u) {
  if (!s->frame_count) {
    s->frame_count = unwind_interrupted(u, s->frames, STOP_FRAMES_MAX);
    s->interrupted = true;
  }
  if (s->kind == STOP_ABORT || s->kind == STOP_FINISHED)
    last_words_note(s);
  if (stop_observer)
    stop_observer(s);
  host_record(s);
  uintptr_t pc, sp;
  host_landing(&pc, &sp);
  u->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
  u->uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
  u->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)EFLAGS_TRAP_DIRECTION_ALIGN;
  sigemptyset(&u->uc_sigmask); /* it may have interrupted another handler */
  gate_state = GATE_OPEN;
  left = true;
}

void fault_stop(struct stop *s, ucontext_t *u) {
  leave(s, u);
}

void fault_refuse(const char *what, ucontext_t *u) {
  static struct stop s;
  memset(&s, 0, sizeof s);
  s.kind = STOP_REFUSED;
  add_text(s.message, what);
  add_text(s.message, " is not supported in a checked program");
  leave(&s, u);
}

void fault_finish(int status, ucontext_t *u) {
  static struct stop s;
  memset(&s, 0, sizeof s);
  s.kind = STOP_FINISHED;
  s.status = status & 0xff;
  leave(&s, u);
}

static void handle_fault(int sig, siginfo_t *info, ucontext_t *u) {
  if (sig == SIGSYS && gate_handle(info, u))
    return;
  if (sig == SIGSEGV && watchdog_trapped(u))
    return;
  if (fault_filter && fault_filter(info, u))
    return;
  if (!fiber_current()) {
    die_on_host(sig, info, u);
    return;
  }
  static struct stop s;
  memset(&s, 0, sizeof s);
  s.status = sig;
  s.kind = sig == SIGSEGV ? STOP_SEGFAULT : sig == SIGABRT ? STOP_ABORT : STOP_FATAL_SIGNAL;
  s.by_library = sig == SIGABRT;
  add_text(s.message, signal_text(sig, info->si_code));
  if (sig == SIGSEGV)
    describe_segfault(&s, info, u);
  if (fault_program_handles && fault_program_handles(sig))
    add_text(s.message, "; the program's handler is not called");
  leave(&s, u);
}

/* Handlers pass the gate; the interrupted code finds it as it was, unless it is left for good. */
static void on_fault(int sig, siginfo_t *info, void *context) {
  char gate = gate_state;
  int saved_errno = errno;
  gate_state = GATE_OPEN;
  left = false;
  handle_fault(sig, info, context);
  if (!left) {
    gate_state = gate;
    errno = saved_errno;
  }
}

/* libc's sigaction has handlers return through libc's text, which the gate would catch. */
struct kernel_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  void (*restorer)(void);
  uint64_t mask;
};

#define SA_RESTORER 0x04000000ul
#define MASK_OF(sig) (1ull << ((sig)-1))

void fault_restorer(void) __asm__("__restore_rt"); /* the name by which debuggers know it */

static void install(int sig, void (*handler)(int, siginfo_t *, void *), unsigned long flags,
                    uint64_t mask) {
  struct kernel_action action = {
      .handler = handler,
      .flags = flags | SA_SIGINFO | SA_ONSTACK | SA_RESTORER,
      .restorer = fault_restorer,
      .mask = mask,
  };
  long failed = system_call(SYS_rt_sigaction, sig, &action, 0, sizeof action.mask);
  CHECK(!failed, "rt_sigaction of %d: %ld", sig, failed);
}

void fault_install(void) {
  void *stack =
      mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(stack != MAP_FAILED, "no memory for the signal stack"
                               " (ulimit -v, or vm.overcommit_memory)");
  stack_t alternative = {.ss_sp = stack, .ss_size = SIGNAL_STACK_BYTES};
  CHECK(!sigaltstack(&alternative, NULL), "sigaltstack: errno %d", errno);
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
    /* A system call in the gate may block: the watchdog must get through. */
    bool gate = caught[i] == SIGSYS;
    install(caught[i], on_fault, 0, gate ? 0 : MASK_OF(SIGPROF) | MASK_OF(SIGALRM));
  }
  signal(SIGPIPE, SIG_IGN);
}

void fault_on_tick(void (*handler)(int, siginfo_t *, void *)) {
  uint64_t mask = MASK_OF(SIGPROF) | MASK_OF(SIGALRM);
  install(SIGPROF, handler, SA_RESTART, mask);
  install(SIGALRM, handler, SA_RESTART, mask);
}
