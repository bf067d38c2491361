#include "access/detour.h"
#include "abi/abi.h"
#include "access/space.h"
#include "base/check.h"
#include "event/window.h"
#include "process/layout.h"
#include "process/system_call.h"
#include "process/watchdog.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#define DETOURS 2048        /* a power of two; at most half of them are used */
#define INSTALLED_MAX 512   /* each may need a page */
#define INSTALLATIONS_MAX 4 /* of one instruction */
#define FAULTS_MIN 2
#define REGIONS_SHIFT 38 /* of addresses in regions the rest is the same */
#define RSP 4            /* its number; as an index: none */
#define JUMP_BYTES 5
#define JUMP 0xe9
#define FAR ((intptr_t)1 << 30) /* for jumps that can go anywhere */

/*      lea  -128(%rsp), %rsp       the red zone
 *      push %rcx
 *      push %rdx
 *      lea  (the operand), %rcx    which counts what is on the stack if it is relative to rsp
 *      mov  $38, %edx
 *      shrx %rdx, %rcx, %rcx       is it in a region?  Our own memory is not, as libc may use it
 *      lea  -0x40(%rcx), %rcx
 *      jrcxz 1f
 *      pop  %rdx
 *      pop  %rcx
 *      lea  128(%rsp), %rsp
 *      (the instruction)
 *      jmp  *next(%rip)
 *   1: pop  %rdx
 *      pop  %rcx
 *      push original(%rip)
 *      push original(%rip)         will be replaced by where to go on
 *      push function(%rip)
 *      jmp  *enter(%rip)
 *
 * None of it changes a flag. */
struct stub {
  uint8_t code[96];
  uintptr_t original, next, function, enter;
};

static struct {
  bool (*carry_out)(struct bypass_frame *f);
  bool keep_code;
  size_t count, installed;
  struct {
    uintptr_t base;
    size_t used;
  } pages[INSTALLED_MAX]; /* of stubs */
  size_t page_count;
} state;

static struct {
  uint64_t saved; /* the register that a copy borrows */
  uintptr_t enter, stored;
  _Alignas(64) uint8_t buffer[64]; /* for what a copy stores */
  struct detour detours[DETOURS];
} * area; /* NULL: not allowed here */

/* A tick that comes there knows nothing of the stack, nor whether our own code is below. */
static bool is_stub_or_copy(uintptr_t pc) {
  if (area && pc - (uintptr_t)area < sizeof *area)
    return true;
  for (size_t i = 0; i < state.page_count; i++)
    if (pc - state.pages[i].base < LAYOUT_PAGE)
      return true;
  return false;
}

void detour_init(bool (*carry_out)(struct bypass_frame *f),
                 bool (*stored)(struct bypass_frame *f)) {
  void *p = mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE | PROT_EXEC,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return;
  area = p;
  area->enter = (uintptr_t)bypass_enter;
  area->stored = (uintptr_t)stored;
  state.carry_out = carry_out;
  state.keep_code = !__builtin_cpu_supports("bmi2") /* shrx */ || window.wanted;
  watchdog_not_at = is_stub_or_copy;
}

void detour_keep_code(void) {
  state.keep_code = true;
}

/* ---- copies ---- */

/* An instruction whose operand is a variable, relative to its end. */
static uint8_t *put_relative(uint8_t *p, const uint8_t *opcode, size_t n, const void *operand) {
  int32_t distance = (int32_t)((const uint8_t *)operand - (p + n + 4));
  memcpy(p, opcode, n);
  memcpy(p + n, &distance, sizeof distance);
  return p + n + sizeof distance;
}
#define PUT(p, operand, ...) \
  put_relative(p, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), operand)

/* A store is followed by a call, as a copy of step.h is. */
static void make_copy(struct detour *d) {
  static const uint8_t lea[] = {0x48, 0x8d, 0x64, 0x24, 0x100 - BYPASS_RED_ZONE};
  uint8_t *p = d->elsewhere + reading_elsewhere(&d->reading, d->code, d->elsewhere);
  p = PUT(p, &area->saved, 0x48, 0x8b,
          d->reading.elsewhere_rdi ? 0x3d : 0x35); /* mov saved, %rsi */
  if (!d->reading.stores) {
    PUT(p, &d->next, 0xff, 0x25); /* jmp *next */
    return;
  }
  memcpy(p, lea, sizeof lea);
  p = PUT(p + sizeof lea, &d->original, 0xff, 0x35);
  p = PUT(p, &d->next, 0xff, 0x35);
  p = PUT(p, &area->stored, 0xff, 0x35);
  PUT(p, &area->enter, 0xff, 0x25);
}

static struct detour *find(uintptr_t instruction) {
  size_t i = instruction * 0x9e3779b97f4a7c15u >> 32 & (DETOURS - 1);
  while (area->detours[i].original && area->detours[i].original != instruction)
    i = (i + 1) & (DETOURS - 1);
  return &area->detours[i];
}

/* Is the code still that of which this was made? */
static bool is_current(const struct detour *d) {
  return d->installed || memcmp((const void *)d->original, d->code, d->reading.length) == 0;
}

struct detour *detour_of(uintptr_t instruction) {
  if (!area)
    return NULL;
  struct detour *d = find(instruction);
  if (d->original)
    return is_current(d) ? d : NULL;
  if (state.count >= DETOURS / 2 || !reading_decode((const uint8_t *)instruction, &d->reading))
    return NULL;
  d->original = instruction;
  d->next = instruction + d->reading.length;
  memcpy(d->code, (const void *)instruction, d->reading.length);
  d->sums = reading_sums((const uint8_t *)instruction);
  make_copy(d);
  state.count++;
  return d;
}

/* ---- jumps ---- */

/* Until the bytes are complete nobody may execute them: they may be memcpy's, which handlers of timers
 * use. */
static bool put_code(uintptr_t at, const void *bytes, size_t n) {
  static const uint64_t timers = 1ull << (SIGPROF - 1) | 1ull << (SIGALRM - 1);
  uint64_t before;
  uintptr_t page = at & ~(LAYOUT_PAGE - 1);
  if (mprotect((void *)page, LAYOUT_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
    return false;
  system_call(SYS_rt_sigprocmask, SIG_BLOCK, &timers, &before, sizeof timers);
  volatile uint8_t *to = (volatile uint8_t *)at;
  for (size_t i = 0; i < n; i++)
    to[i] = ((const uint8_t *)bytes)[i];
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, sizeof before);
  CHECK(mprotect((void *)page, LAYOUT_PAGE, PROT_READ | PROT_EXEC) == 0, "mprotect of code");
  return true;
}

static void take_out(struct detour *d);

/* Bytes at this address will change: no jump before it may count on them. */
static void release(uintptr_t at) {
  for (uintptr_t before = at - JUMP_BYTES + 1; before < at; before++) {
    struct detour *d = find(before);
    if (d->original && d->installed)
      take_out(d);
  }
}

static size_t replaced_bytes(const struct detour *d) {
  return d->reading.length < JUMP_BYTES ? d->reading.length : JUMP_BYTES;
}

static void take_out(struct detour *d) {
  release(d->original);
  d->installed = false;
  CHECK(put_code(d->original, d->code, replaced_bytes(d)), "mprotect of code");
  state.installed--;
}

/* A stub that starts in [low, high]; NULL: there is no room. */
static struct stub *stub_in_page(size_t page, uintptr_t low, uintptr_t high) {
  uintptr_t base = state.pages[page].base, at = base + state.pages[page].used;
  if (at < low)
    at = base + ((low - base + 15) & ~(uintptr_t)15);
  if (base > high || at > high || at + sizeof(struct stub) > base + LAYOUT_PAGE)
    return NULL;
  state.pages[page].used = at + sizeof(struct stub) - base;
  return (struct stub *)at;
}

/* Stubs begin at multiples of 16; the one that pc is in is the last that begins before it. */
static uintptr_t original_in_page(size_t page, uintptr_t pc) {
  for (uintptr_t at = pc & ~(uintptr_t)15; at >= state.pages[page].base; at -= 16) {
    const struct stub *s = (const struct stub *)at;
    if (s->enter == (uintptr_t)bypass_enter && pc - at < sizeof s->code)
      return s->original;
  }
  return pc;
}

static struct stub *new_stub(uintptr_t low, uintptr_t high) {
  for (size_t i = 0; i < state.page_count; i++) {
    struct stub *s = low < state.pages[i].base + LAYOUT_PAGE ? stub_in_page(i, low, high) : NULL;
    if (s)
      return s;
  }
  for (uintptr_t k = 0; k < 8 && state.page_count < INSTALLED_MAX; k++) {
    uintptr_t page = (low + (high - low) / 8 * k) & ~(LAYOUT_PAGE - 1);
    void *p = mmap((void *)page, LAYOUT_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)
      continue;
    if (p != (void *)page) {
      munmap(p, LAYOUT_PAGE);
      continue;
    }
    state.pages[state.page_count].base = page;
    struct stub *s = stub_in_page(state.page_count++, low, high);
    if (s)
      return s;
  }
  return NULL;
}

/* Where the jump at d can lead: its first bytes are free, the others are there already. */
static struct stub *stub_for(const struct detour *d) {
  uintptr_t end = d->original + JUMP_BYTES;
  size_t unbound = replaced_bytes(d) - 1;
  int32_t distance;
  if (unbound == 4) {
    struct stub *s = new_stub(end - FAR - FAR / 2, end - FAR);
    return s ? s : new_stub(end + FAR / 16, end + FAR + FAR / 2);
  }
  memcpy(&distance, (const uint8_t *)d->original + 1, sizeof distance);
  uint32_t mask = ((uint32_t)1 << (8 * unbound)) - 1;
  uintptr_t low = end + (uintptr_t)(intptr_t)(int32_t)((uint32_t)distance & ~mask);
  if (low - LAYOUT_KERNEL_BASE >= LAYOUT_KERNEL_END - LAYOUT_KERNEL_BASE - mask)
    return NULL;
  return new_stub(low, low + mask);
}

static uint8_t *put(uint8_t *p, const void *bytes, size_t n) {
  memcpy(p, bytes, n);
  return p + n;
}
#define PUT_CODE(p, ...) \
  put(p, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* lea (the operand), %rcx, in the form that can say everything. */
static uint8_t *put_address(uint8_t *p, const struct reading *r) {
  bool no_base = r->base < 0;
  int base = no_base ? 5 : r->base, index = r->index < 0 ? RSP : r->index;
  int32_t displacement = r->displacement + (r->base == RSP ? BYPASS_RED_ZONE + 16 : 0);
  p = PUT_CODE(p, (uint8_t)(0x48 | (index & 8) >> 2 | (base & 8) >> 3), 0x8d, no_base ? 0x0c : 0x8c,
               (uint8_t)(__builtin_ctz(r->scale) << 6 | (index & 7) << 3 | (base & 7)));
  return put(p, &displacement, sizeof displacement);
}

_Static_assert(SPACE_REGION_BYTES == (size_t)1 << REGIONS_SHIFT, "regions");

static void fill_stub(struct stub *s, const struct detour *d) {
  uint8_t *p = PUT_CODE(s->code, 0x48, 0x8d, 0x64, 0x24, 0x100 - BYPASS_RED_ZONE, 0x51, 0x52);
  p = put_address(p, &d->reading);
  p = PUT_CODE(p, 0xba, REGIONS_SHIFT, 0, 0, 0, 0xc4, 0xe2, 0xeb, 0xf7, 0xc9, 0x48, 0x8d, 0x49,
               0x100 - (ABI_WINDOW_BASE >> REGIONS_SHIFT), 0xe3, 0);
  uint8_t *to = p - 1; /* of the jump */
  p = PUT_CODE(p, 0x5a, 0x59, 0x48, 0x8d, 0xa4, 0x24, BYPASS_RED_ZONE, 0, 0, 0);
  p = put(p, d->code, d->reading.length);
  p = PUT(p, &s->next, 0xff, 0x25);
  *to = (uint8_t)(p - to - 1);
  p = PUT_CODE(p, 0x5a, 0x59);
  p = PUT(p, &s->original, 0xff, 0x35);
  p = PUT(p, &s->original, 0xff, 0x35);
  p = PUT(p, &s->function, 0xff, 0x35);
  PUT(p, &s->enter, 0xff, 0x25);
  s->original = d->original;
  s->next = d->next;
  s->function = (uintptr_t)state.carry_out;
  s->enter = (uintptr_t)bypass_enter;
}

uintptr_t detour_original(uintptr_t pc) {
  for (size_t i = 0; i < state.page_count; i++)
    if (pc - state.pages[i].base < LAYOUT_PAGE)
      return original_in_page(i, pc);
  return pc;
}

static void install(struct detour *d) {
  if (d->original % LAYOUT_PAGE > LAYOUT_PAGE - JUMP_BYTES)
    return; /* the next page may be of another kind */
  release(d->original);
  struct stub *s = stub_for(d);
  if (!s)
    return;
  fill_stub(s, d);
  uint8_t jump[JUMP_BYTES] = {JUMP};
  int32_t distance = (int32_t)((uintptr_t)s - (d->original + JUMP_BYTES));
  memcpy(jump + 1, &distance, sizeof distance);
  if (!put_code(d->original, jump, replaced_bytes(d))) {
    state.keep_code = true; /* not allowed here */
    return;
  }
  d->installed = true;
  state.installed++;
}

void detour_faulted(struct detour *d, bool allowed) {
  if (!allowed || d->installed || state.keep_code || state.installed >= INSTALLED_MAX ||
      ++d->faults < FAULTS_MIN || d->installations >= INSTALLATIONS_MAX || watchdog_will_stop())
    return;
  d->faults = 0;
  d->installations++;
  install(d);
}

/* ---- going on ---- */

void detour_read_at(struct detour *d, struct bypass_frame *f, uintptr_t address) {
  uint64_t *borrowed = d->reading.elsewhere_rdi ? &f->rdi : &f->rsi;
  area->saved = *borrowed;
  *borrowed = address;
  f->resume = (uintptr_t)d->elsewhere;
}

void detour_store(struct detour *d, struct bypass_frame *f) {
  detour_read_at(d, f, (uintptr_t)area->buffer);
}

const void *detour_stored(void) {
  return area->buffer;
}

void detour_give_up(struct detour *d, struct bypass_frame *f) {
  d->installations = INSTALLATIONS_MAX;
  if (d->installed)
    take_out(d);
  f->resume = d->original;
}
