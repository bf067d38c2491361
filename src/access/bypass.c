#include "access/bypass.h"
#include "access/access.h"
#include "access/bypass_internal.h"
#include "access/detour.h"
#include "access/opcode.h"
#include "access/repeat.h"
#include "access/schedule.h"
#include "access/step.h"
#include "base/check.h"
#include "event/window.h"
#include "process/caller.h"
#include "process/fault.h"
#include "process/image.h"
#include "process/layout.h"
#include "process/program.h"
#include "process/share.h"
#include "process/stop.h"
#include <string.h>
#include <sys/mman.h>

#define ACCESS_BYTES \
  64 /* the widest access of one instruction, with the exceptions that opcode.h knows */
#define PAGE_FAULT_WRITE 2 /* of the processor's error code */
#define OPEN_MAX 32        /* a scatter of 16 elements */

/* The pages of the window that the instruction under way may touch.  Host memory: nothing is decided
 * and no other thread runs while there are any. */
static struct {
  int count;
  uintptr_t fault; /* address to be made accessible */
  bool write;      /* it would be written to */
  uintptr_t pages[OPEN_MAX];
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
    if (open_pages.pages[i] == page)
      return true;
  return false;
}

static void set_access(uintptr_t page, int protection) {
  CHECK(mprotect((void *)page, LAYOUT_PAGE, protection) == 0, "mprotect");
}

/* In ascending order: that in which the parts of a store are recorded. */
static void open_page(uintptr_t page) {
  CHECK(open_pages.count < OPEN_MAX, "an instruction that touches %d pages", OPEN_MAX + 1);
  int at = open_pages.count++;
  for (; at > 0 && open_pages.pages[at - 1] > page; at--)
    open_pages.pages[at] = open_pages.pages[at - 1];
  open_pages.pages[at] = page;
  set_access(page, PROT_READ | PROT_WRITE);
  memcpy((void *)page, space_alias(page), LAYOUT_PAGE);
}

static bool sums; /* host memory; world memory is put back while a load waits for its answer */

bool bypass_sums(void) {
  bool is = sums;
  sums = false;
  return is;
}

void bypass_reset(void) {
  sums = false;
  for (int i = 0; i < open_pages.count; i++)
    set_access(open_pages.pages[i], PROT_NONE);
  open_pages.count = 0;
  step_reset();
}

/* ---- on the thread's stack ---- */

/* What an instruction did to an aligned word: from the first to the last byte that changed, also if
 * some bytes in between keep their value. */
struct difference {
  uintptr_t address;
  size_t bytes;
  uint8_t after[8];
};

static struct difference difference_of_word(uintptr_t word) {
  const uint8_t *after = (const uint8_t *)word, *before = space_alias(word);
  size_t low = 0, high = 8;
  while (after[low] == before[low])
    low++;
  while (after[high - 1] == before[high - 1])
    high--;
  struct difference d = {.address = word + low, .bytes = high - low};
  memcpy(d.after, after + low, d.bytes);
  return d;
}

/* How many words differ from the cache view; they are written to `changes` unless it is NULL. */
static size_t list_differences(struct difference *changes) {
  size_t n = 0;
  for (int i = 0; i < open_pages.count; i++) {
    uintptr_t page = open_pages.pages[i];
    const uint64_t *after = (const uint64_t *)page, *before = space_alias(page);
    for (size_t w = 0; w < LAYOUT_PAGE / sizeof *after; w++)
      if (after[w] != before[w]) {
        if (changes)
          changes[n] = difference_of_word((uintptr_t)(after + w));
        n++;
      }
  }
  return n;
}

/* Record what the instruction changed.  That can be the end of this execution, or a place that
 * others go on from: the list is on the stack, and the pages are closed before. */
static void close_pages(void) {
  size_t n = list_differences(NULL);
  struct difference changes[n + 1];
  if (n)
    list_differences(changes);
  bypass_reset();
  for (size_t i = 0; i < n; i++)
    access_write(changes[i].address, changes[i].after, changes[i].bytes, ACCESS_ATOMIC, NULL);
}

static void make_known(uintptr_t address) {
  uint8_t bytes[ACCESS_BYTES];
  size_t n = sizeof bytes;
  while (n > 0 && !space_valid(address, n))
    n--;
  if (n)
    access_read(bytes, address, n, NULL);
}

static void make_operands_known(const struct bypass_frame *f, uintptr_t fault) {
  struct opcode o = opcode_read(f->instruction);
  uintptr_t page = fault & ~(LAYOUT_PAGE - 1);
  make_known(fault);
  if (opcode_is_comparison(&o)) { /* both operands may be on the page */
    make_known(f->rsi);
    make_known(f->rdi);
  }
  for (size_t i = 0; opcode_reads_widely(&o) && i < LAYOUT_PAGE; i += ACCESS_BYTES)
    make_known(page + i);
}

static bool in_libc(uintptr_t pc) {
  static const char *libc; /* host memory, like all paths */
  const char *path;
  uintptr_t offset;
  if (!libc && !image_resolve((uintptr_t)caller_real("fwrite"), &libc, &offset))
    return false;
  return image_resolve(pc, &path, &offset) && path == libc;
}

/* Loaded from a file: what a program writes there itself it may write again. */
static bool is_replaceable(uintptr_t pc) {
  const char *path;
  uintptr_t offset;
  return image_resolve(pc, &path, &offset);
}

/* Not inside libc, whose locks of streams and such take all threads for one; only in functions like
 * memcpy when others call them. */
static bool others_may_run(const struct bypass_frame *f) {
  if (!in_libc(f->instruction))
    return true;
  struct event_frames frames;
  if (schedule_explores())
    program_frames(&frames);
  return schedule_explores() && frames.count > 1 && !in_libc(frames.code[1]);
}

void bypass_begin(const struct bypass_frame *f, uintptr_t address, size_t bytes) {
  if (others_may_run(f))
    access_wait_for_turn(address, bytes);
  access_exclusive_begin();
}

/* Wait until it is the thread's turn.  Of an instruction that touches several places all that lies
 * between their pages counts as touched. */
static void wait_for_turn(const struct bypass_frame *f, const uintptr_t *pages, int count,
                          uintptr_t fault) {
  struct opcode o = opcode_read(f->instruction);
  uintptr_t low = fault, high = fault + ACCESS_BYTES;
  bool several = count > 1 || opcode_is_comparison(&o) || opcode_reads_widely(&o);
  for (int i = 0; several && i < count; i++) {
    low = pages[i] < low ? pages[i] : low;
    high = pages[i] + LAYOUT_PAGE > high ? pages[i] + LAYOUT_PAGE : high;
  }
  bypass_begin(f, low, high - low);
}

/* Also a further page, of an instruction under way: it may have changed something (a scatter). */
static bool open_for_step(struct bypass_frame *f) {
  uintptr_t fault = open_pages.fault, pages[OPEN_MAX + 1];
  int count = open_pages.count;
  memcpy(pages, open_pages.pages, sizeof open_pages.pages);
  pages[count++] = fault & ~(LAYOUT_PAGE - 1);
  close_pages();
  access_exclusive_end();
  wait_for_turn(f, pages, count, fault); /* until the step is over no other thread runs */
  make_operands_known(f, fault);
  for (int i = 0; i < count; i++)
    open_page(pages[i]);
  uintptr_t copy = step_copy(f->instruction);
  f->resume = copy ? copy : f->instruction;
  return !copy;
}

static bool close_after_step(struct bypass_frame *f) {
  (void)f;
  close_pages();
  access_exclusive_end();
  return false;
}

/* The fence that such code makes afterwards cannot be seen: a verdict without it would be wrong, and
 * so would one that assumes it. */
static _Noreturn void refuse_flush(uintptr_t instruction) {
  const char *path = "the program";
  uintptr_t offset;
  image_resolve(instruction, &path, &offset);
  stop_with(
      STOP_REFUSED, NULL,
      "%s: code that was not built with tidemark-cc flushes persistent memory, and its fences "
      "cannot be seen; build it with tidemark-cc",
      path);
}

static void read_from_alias(struct bypass_frame *f, struct detour *d, uintptr_t address) {
  uint8_t bytes[ACCESS_BYTES];
  access_check_protection(address, false, NULL);
  bypass_begin(f, address, d->reading.size);
  sums = d->sums;
  access_read(bytes, address, d->reading.size, NULL);
  sums = false;
  access_exclusive_end();
  detour_read_at(d, f, (uintptr_t)space_alias(address));
}

/* A store goes to a buffer first, then to its place. */
static void go_on_with(struct bypass_frame *f, struct detour *d, uintptr_t address) {
  if (d->reading.stores)
    detour_store(d, f);
  else
    read_from_alias(f, d, address);
}

/* Without a look at what was there: bytes in doubt that are overwritten make no difference. */
static bool write_stored(struct bypass_frame *f) {
  const struct reading *r = &detour_of(f->instruction)->reading;
  uintptr_t address = reading_address(r, f);
  uint8_t bytes[ACCESS_BYTES];
  memcpy(bytes, detour_stored(), r->size); /* others may use it when they run */
  access_check_protection(address, true, NULL);
  bypass_begin(f, address, r->size);
  access_write(address, bytes, r->size, ACCESS_ATOMIC, NULL);
  access_exclusive_end();
  return false;
}

/* Is all that it reads or writes in a region, and what it faulted at part of it? */
static bool touches_region(const struct detour *d, uintptr_t address, uintptr_t fault) {
  return fault - address < d->reading.size && space_valid(address, d->reading.size);
}

/* f->instruction wants open_pages.fault. */
static bool carry_out(struct bypass_frame *f) {
  uintptr_t fault = open_pages.fault;
  sums = false;
  access_check_protection(fault, open_pages.write, NULL);
  struct detour *d = open_pages.count ? NULL : detour_of(f->instruction);
  count_access(f->instruction);
  if (d && touches_region(d, reading_address(&d->reading, f), fault)) {
    detour_faulted(d, is_replaceable(f->instruction));
    go_on_with(f, d, reading_address(&d->reading, f));
    return false;
  }
  if (d && d->installed) { /* it begins outside of all regions */
    detour_give_up(d, f);
    return false;
  }
  struct opcode o = opcode_read(f->instruction);
  if (opcode_is_flush(&o)) /* they fault like loads */
    refuse_flush(f->instruction);
  return !repeat_carry_out(f) && open_for_step(f);
}

/* The same without a fault: f->instruction has been replaced by a jump. */
static bool carry_out_detour(struct bypass_frame *f) {
  struct detour *d = detour_of(f->instruction);
  uintptr_t address = reading_address(&d->reading, f);
  if (!touches_region(d, address, address))
    detour_give_up(d, f);
  else
    go_on_with(f, d, address);
  return false;
}

/* ---- in the signal handler ---- */

void bypass_call(ucontext_t *c, bool (*fn)(struct bypass_frame *f), uintptr_t instruction) {
  uintptr_t *sp = (uintptr_t *)((uintptr_t)c->uc_mcontext.gregs[REG_RSP] - BYPASS_RED_ZONE);
  *--sp = instruction;
  *--sp = (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
  *--sp = (uintptr_t)fn;
  c->uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
  c->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)bypass_enter;
}

/* Back from such a call: the thread's next instruction is the one to step. */
static void return_from_call(ucontext_t *c) {
  const struct bypass_frame *f =
      (void *)((uintptr_t)c->uc_mcontext.gregs[REG_RSP] - offsetof(struct bypass_frame, function));
  c->uc_mcontext.gregs[REG_RIP] = (greg_t)f->resume;
  c->uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)(f + 1);
  step_begin(c);
}

/* Is this return address above a call that was made for such an access?  Then the interrupted code is
 * next on the stack, but only unwind tables know where. */
static bool is_stub(uintptr_t pc) {
  return pc > (uintptr_t)bypass_enter && pc < (uintptr_t)bypass_leave;
}

bool bypass_filter(siginfo_t *info, ucontext_t *c) {
  uintptr_t pc = (uintptr_t)c->uc_mcontext.gregs[REG_RIP], stepped;
  if (info->si_signo == SIGILL && pc == (uintptr_t)bypass_leave) {
    return_from_call(c);
    return true;
  }
  c->uc_mcontext.gregs[REG_RIP] = (greg_t)detour_original(step_original(pc));
  enum step_end end = step_signal(info, c, &stepped);
  if (end == STEP_DONE)
    bypass_call(c, close_after_step, stepped);
  if (end != STEP_OTHER_SIGNAL)
    return true;
  uintptr_t address = (uintptr_t)info->si_addr;
  if (info->si_signo != SIGSEGV || !window_has(address) || !space_region_at(address) ||
      is_open(address & ~(LAYOUT_PAGE - 1))) {
    bypass_reset(); /* the instruction will not end */
    return false;
  }
  open_pages.fault = address;
  open_pages.write = c->uc_mcontext.gregs[REG_ERR] & PAGE_FAULT_WRITE;
  bypass_call(c, carry_out, (uintptr_t)c->uc_mcontext.gregs[REG_RIP]);
  return true;
}

void bypass_init(void) {
  fault_filter = bypass_filter;
  program_is_stub = is_stub;
  step_init(close_after_step);
  detour_init(carry_out_detour, write_stored);
}
