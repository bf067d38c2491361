#include "runtime/bypass.h"
#include "base/check.h"
#include "runtime/access.h"
#include "runtime/fault.h"
#include "runtime/image.h"
#include "runtime/layout.h"
#include "runtime/schedule.h"
#include "runtime/share.h"
#include "runtime/step.h"
#include "runtime/stop.h"
#include <string.h>
#include <sys/mman.h>

#define ACCESS_BYTES 64 /* the widest access of one instruction */
#define OPEN_MAX 4
#define RED_ZONE 128

/* bypass_enter.S: calls the function on top of the stack with all registers saved, then comes to an
 * illegal instruction at bypass_leave. */
extern const char bypass_enter[] __attribute__((visibility("hidden")));
extern const char bypass_leave[] __attribute__((visibility("hidden")));

/* A page of the window that the instruction being stepped may touch. */
struct open_page {
  uintptr_t address;
  uint8_t before[LAYOUT_PAGE];
};

static struct {
  int count;
  uintptr_t fault; /* address to be made accessible */
  uintptr_t pc;    /* of the instruction */
  struct open_page pages[OPEN_MAX];
} open_pages;

/* Files whose code came here.  Host memory; paths live as long as the images. */
#define FOREIGN_MAX 16
static struct {
  int count;
  struct {
    const char *path;
    uint64_t accesses;
  } files[FOREIGN_MAX];
} foreign;

static void count_access(uintptr_t pc) {
  const char *path;
  uintptr_t offset;
  int i = 0;
  if (!image_resolve(pc, &path, &offset))
    return;
  while (i < foreign.count && foreign.files[i].path != path)
    i++;
  if (i == FOREIGN_MAX)
    return;
  foreign.count += i == foreign.count;
  foreign.files[i].path = path;
  foreign.files[i].accesses++;
}

const char *bypass_heaviest(uint64_t *accesses) {
  const char *path = NULL;
  *accesses = 0;
  for (int i = 0; i < foreign.count; i++)
    if (foreign.files[i].accesses > *accesses) {
      path = foreign.files[i].path;
      *accesses = foreign.files[i].accesses;
    }
  return path;
}

void bypass_share(void) {
  share_register(&foreign, sizeof foreign);
}

static bool is_open(uintptr_t page) {
  for (int i = 0; i < open_pages.count; i++)
    if (open_pages.pages[i].address == page)
      return true;
  return false;
}

static void set_access(uintptr_t page, int protection) {
  CHECK(mprotect((void *)page, LAYOUT_PAGE, protection) == 0, "mprotect");
}

void bypass_reset(void) {
  for (int i = 0; i < open_pages.count; i++)
    set_access(open_pages.pages[i].address, PROT_NONE);
  open_pages.count = 0;
  step_reset();
}

/* On the thread's stack: the instruction at the return address wants open_pages.fault. */
static void open_for_step(void) {
  uintptr_t address = open_pages.fault, page = address & ~(LAYOUT_PAGE - 1);
  uint8_t bytes[ACCESS_BYTES];
  size_t n = ACCESS_BYTES;
  count_access(open_pages.pc);
  while (n > 1 && !space_valid(address, n))
    n--;
  if (open_pages.count == 0 && schedule_explores()) /* it may load or store */
    schedule_point(OPERATION_WRITE, (void *)address, n, true, NULL);
  access_exclusive_begin(); /* until the step is over: other threads find the page closed */
  access_read(bytes, address, n, NULL);
  CHECK(open_pages.count < OPEN_MAX, "an instruction that touches %d pages", OPEN_MAX + 1);
  struct open_page *p = &open_pages.pages[open_pages.count++];
  p->address = page;
  set_access(page, PROT_READ | PROT_WRITE);
  memcpy((void *)page, space_alias(page), LAYOUT_PAGE);
  memcpy(p->before, (void *)page, LAYOUT_PAGE);
}

/* From the first to the last byte that changed: one instruction writes an aligned word at once,
 * also if some bytes in between keep their value. */
static void record_word(const struct open_page *p, size_t word, const uint8_t *after) {
  size_t low = 0, high = 8;
  if (memcmp(p->before + word, after + word, 8) == 0)
    return;
  while (after[word + low] == p->before[word + low])
    low++;
  while (after[word + high - 1] == p->before[word + high - 1])
    high--;
  access_write(p->address + word + low, after + word + low, high - low, ACCESS_PLAIN, NULL);
}

/* On the thread's stack: the instruction has run. */
static void close_after_step(void) {
  for (int i = 0; i < open_pages.count; i++) {
    struct open_page *p = &open_pages.pages[i];
    uint8_t after[LAYOUT_PAGE];
    memcpy(after, (void *)p->address, LAYOUT_PAGE);
    set_access(p->address, PROT_NONE);
    for (size_t word = 0; word < LAYOUT_PAGE; word += 8)
      record_word(p, word, after);
  }
  open_pages.count = 0;
  access_exclusive_end();
}

/* clflush, clflushopt or clwb: they fault like loads. */
static bool is_flush(const uint8_t *code) {
  static const char prefixes[] = "\x26\x2e\x36\x3e\x64\x65\x66\x67";
  bool has_66 = false;
  for (; memchr(prefixes, *code, sizeof prefixes - 1) || (*code & 0xf0) == 0x40; code++)
    has_66 |= *code == 0x66;
  if (code[0] != 0x0f || code[1] != 0xae || code[2] >> 6 == 3)
    return false;
  int operation = code[2] >> 3 & 7;
  return operation == 7 || (has_66 && operation == 6);
}

/* On the thread's stack.  The fence that such code makes afterwards cannot be seen: a verdict
 * without it would be wrong, and so would one that assumes it. */
static void refuse_flush(void) {
  const char *path = "the program";
  uintptr_t offset;
  image_resolve(open_pages.pc, &path, &offset);
  stop_with(
      STOP_REFUSED, NULL,
      "%s: code that was not built with tidemark-cc flushes persistent memory, and its fences "
      "cannot be seen; build it with tidemark-cc",
      path);
}

/* Make the thread call fn, on account of an instruction, when the handler returns, then go on where it
 * was. */
static void call_on_thread(ucontext_t *c, void (*fn)(void), uintptr_t instruction) {
  uintptr_t *sp = (uintptr_t *)((uintptr_t)c->uc_mcontext.gregs[REG_RSP] - RED_ZONE);
  *--sp = instruction;
  *--sp = (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
  *--sp = (uintptr_t)fn;
  c->uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
  c->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)bypass_enter;
}

/* Back from such a call.  If pages are open the thread's next instruction is the one to step. */
static void return_from_call(ucontext_t *c) {
  const uintptr_t *sp = (const uintptr_t *)c->uc_mcontext.gregs[REG_RSP];
  c->uc_mcontext.gregs[REG_RIP] = (greg_t)sp[1];
  c->uc_mcontext.gregs[REG_RSP] = (greg_t)((uintptr_t)(sp + 3) + RED_ZONE);
  if (open_pages.count)
    step_begin(c);
}

bool bypass_is_caller(uintptr_t pc) {
  return pc > (uintptr_t)bypass_enter && pc < (uintptr_t)bypass_leave;
}

bool bypass_filter(siginfo_t *info, ucontext_t *c) {
  if (info->si_signo == SIGILL) {
    if ((uintptr_t)c->uc_mcontext.gregs[REG_RIP] != (uintptr_t)bypass_leave)
      return false;
    return_from_call(c);
    return true;
  }
  uintptr_t stepped;
  enum step_end end = step_signal(info, c, &stepped);
  if (end == STEP_DONE)
    call_on_thread(c, close_after_step, stepped);
  if (end != STEP_OTHER_SIGNAL)
    return true;
  uintptr_t address = (uintptr_t)info->si_addr;
  if (info->si_signo != SIGSEGV || !abi_watched(address) || !space_region_at(address) ||
      is_open(address & ~(LAYOUT_PAGE - 1)))
    return false;
  open_pages.fault = address;
  open_pages.pc = (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
  call_on_thread(c, is_flush((const uint8_t *)open_pages.pc) ? refuse_flush : open_for_step,
                 open_pages.pc);
  return true;
}

void bypass_init(void) {
  fault_filter = bypass_filter;
}
