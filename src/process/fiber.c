#include "process/fiber.h"
#include "base/check.h"
#include "base/mem.h"
#include "process/fiber_internal.h"
#include "process/gate.h"
#include "process/layout.h"
#include "process/machine_state.h"
#include "process/object.h"
#include "process/world.h"
#include "process/world_internal.h"
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define TLS_BLOCKS_MAX 64

void fiber_swap(void **save_sp, void *load_sp);
void fiber_begin(void);

/* Survives: address space that was made accessible stays so. */
static struct {
  uintptr_t base; /* of the generation's stacks, 0: nothing is reserved yet */
  size_t class_bytes;
  uint32_t generations_reserved;      /* a bit for each */
  uint32_t accessible[FIBER_CLASSES]; /* slots whose usable part is mapped */
  int block_count;
  struct {
    void *address;
    size_t bytes;
  } blocks[TLS_BLOCKS_MAX];
  size_t native_bytes;
  unsigned char *native_initial;
  struct fiber_tls *host_tls;
} fixed;

/* Goes back with the program. */
static struct {
  uint32_t used[FIBER_CLASSES]; /* slots handed out at least once */
  uint32_t free[FIBER_CLASSES]; /* 1 + index of the first free slot */
} pool;

void (*fiber_slot_made)(uintptr_t low, uintptr_t high);

volatile char gate_state;
static struct fiber *current;
static struct fiber host;

static uintptr_t class_base(int class) {
  return fixed.base + (uintptr_t) class * fixed.class_bytes + FIBER_SKEW_BYTES;
}

static size_t class_stride(int class) {
  return FIBER_GUARD_BYTES + (FIBER_CLASS_MIN_BYTES << class);
}

size_t fiber_tls_bytes(void) {
  return (sizeof(struct fiber_tls) + fixed.native_bytes + 63) & ~(size_t)63;
}

static struct fiber_tls *slot_tls(int class, uint32_t index) {
  return (struct fiber_tls *)(class_base(class) + (index + 1) * class_stride(class) -
                              fiber_tls_bytes());
}

void fiber_range(int generation, uintptr_t *low, uintptr_t *high) {
  size_t bytes = FIBER_CLASSES * LAYOUT_LATER_STACK_CLASS_BYTES;
  *low = LAYOUT_LATER_STACK_BASE + (uintptr_t)(generation - 1) * bytes;
  if (generation == 0) {
    bytes = FIBER_CLASSES * LAYOUT_STACK_CLASS_BYTES;
    *low = LAYOUT_STACK_BASE;
  }
  *high = *low + bytes;
}

static void reserve(int generation) {
  uintptr_t high;
  fiber_range(generation, &fixed.base, &high);
  size_t bytes = high - fixed.base;
  fixed.class_bytes = bytes / FIBER_CLASSES;
  if (fixed.generations_reserved >> generation & 1)
    return;
  fixed.generations_reserved |= 1u << generation;
  void *p = mmap((void *)fixed.base, bytes, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  REQUIRE(p == (void *)fixed.base, "no address space for stacks"
                                   " (ulimit -v, or vm.overcommit_memory)");
  madvise(p, bytes, MADV_NOHUGEPAGE);
}

void fiber_move(int generation) {
  for (int class = 0; class < FIBER_CLASSES; class ++) {
    size_t bytes = fixed.accessible[class] * class_stride(class);
    if (bytes)
      CHECK(!mprotect((void *)class_base(class), bytes, PROT_NONE), "mprotect: errno %d", errno);
    fixed.accessible[class] = 0;
  }
  reserve(generation);
}

static void open_slot(int class) {
  uint32_t index = fixed.accessible[class]++;
  uintptr_t top = class_base(class) + (index + 1) * class_stride(class);
  size_t bytes = FIBER_CLASS_MIN_BYTES << class;
  int failed = mprotect((void *)(top - bytes), bytes, PROT_READ | PROT_WRITE);
  CHECK(!failed, "mprotect of a stack: errno %d", errno);
  if (fiber_slot_made)
    fiber_slot_made(top - bytes, top);
}

void fiber_open_slots(uintptr_t address) {
  if (!fixed.base || address < fixed.base + FIBER_SKEW_BYTES)
    return;
  uintptr_t class = (address - fixed.base - FIBER_SKEW_BYTES) / fixed.class_bytes;
  if (class >= FIBER_CLASSES)
    return;
  uintptr_t index = (address - class_base((int)class)) / class_stride((int)class);
  while (fixed.accessible[class] <= index)
    open_slot((int)class);
}

static struct fiber_tls *take_slot(int class, int slot) {
  machine_changed_shared();
  if (slot < 0 && pool.free[class]) {
    struct fiber_tls *t = slot_tls(class, pool.free[class] - 1);
    pool.free[class] = t->next_free;
    return t;
  }
  uint32_t index = slot < 0 ? pool.used[class] : (uint32_t)slot;
  uintptr_t top = class_base(class) + (index + 1) * class_stride(class);
  CHECK(top <= class_base(class + 1) - FIBER_SKEW_BYTES, "too many threads (%u)", index);
  if (index >= pool.used[class])
    pool.used[class] = index + 1;
  while (index >= fixed.accessible[class])
    open_slot(class);
  return slot_tls(class, index);
}

static int class_for(size_t stack_bytes) {
  int class = 0;
  while (class < FIBER_CLASSES - 1 && (FIBER_CLASS_MIN_BYTES << class) < stack_bytes)
    class ++;
  return class;
}

bool fiber_has_room(size_t stack_bytes, int slot) {
  int class = class_for(stack_bytes);
  uint32_t index = slot < 0 ? pool.used[class] : (uint32_t)slot;
  uintptr_t top = class_base(class) + (index + 1) * class_stride(class);
  return !fixed.base || (slot < 0 && pool.free[class]) ||
         top <= class_base(class + 1) - FIBER_SKEW_BYTES;
}

/* How the current fiber rounds, and which exceptions trap: a new thread has that from its creator. */
static uint64_t control_words(void) {
  uint32_t vector;
  uint16_t x87;
  __asm__("stmxcsr %0" : "=m"(vector));
  __asm__("fnstcw %0" : "=m"(x87));
  const uint32_t raised = 0x3f;
  return (vector & ~raised) | (uint64_t)x87 << 32;
}

void fiber_create_in(struct fiber *f, size_t stack_bytes, int slot, void (*entry)(void *),
                     void *argument) {
  if (!fixed.base)
    reserve(0);
  int class = class_for(stack_bytes);
  struct fiber_tls *t = take_slot(class, slot);
  memset(t, 0, sizeof *t);
  t->owner = f;
  t->image = current ? ((struct fiber_tls *)current->native_tls)->image : NULL;
  t->slot_class = (uint32_t) class;
  if (fixed.native_bytes)
    memcpy(t->native, fixed.native_initial, fixed.native_bytes);
  f->native_tls = t;
  f->stack_high = (uintptr_t)t;
  f->stack_low = (uintptr_t)t + fiber_tls_bytes() - (FIBER_CLASS_MIN_BYTES << class);
  f->entry = entry;
  f->argument = argument;
  /* What fiber_swap pops: control words, r15 r14 r13 r12 rbx rbp, return address. */
  uint64_t *frame = (uint64_t *)f->stack_high - 10;
  memset(frame, 0, 10 * sizeof *frame);
  frame[0] = current ? control_words() : 0x1f80 | (uint64_t)0x37f << 32;
  frame[3] = (uint64_t)argument;
  frame[4] = (uint64_t)entry;
  frame[7] = (uint64_t)fiber_begin;
  f->stack_pointer = frame;
}

void fiber_create(struct fiber *f, size_t stack_bytes, void (*entry)(void *), void *argument) {
  fiber_create_in(f, stack_bytes, -1, entry, argument);
}

/* In order: the next one to be taken is the first that nobody has, whoever had which before. */
void fiber_destroy(struct fiber *f) {
  struct fiber_tls *t = f->native_tls;
  CHECK(f != current && t->owner == f, "destroying a fiber that runs or is gone");
  machine_changed_shared();
  int class = (int)t->slot_class;
  uint32_t slot = 1 + (uint32_t)(((uintptr_t)t - class_base(class)) / class_stride(class));
  uint32_t *at = &pool.free[class];
  while (*at && *at < slot)
    at = &slot_tls(class, *at - 1)->next_free;
  t->owner = NULL;
  t->next_free = *at;
  *at = slot;
  f->native_tls = NULL;
}

static void swap_tls(struct fiber_tls *from, const struct fiber_tls *to) {
  unsigned char *save = from->native;
  const unsigned char *load = to->native;
  for (int i = 0; i < fixed.block_count; i++) {
    size_t n = fixed.blocks[i].bytes;
    memcpy(save, fixed.blocks[i].address, n);
    memcpy(fixed.blocks[i].address, load, n);
    save += n;
    load += n;
  }
}

struct fiber_tls *fiber_tls_current(void) {
  return current ? current->native_tls : fixed.host_tls;
}

bool fiber_tls_is_native(uintptr_t address) {
  for (int i = 0; i < fixed.block_count; i++)
    if (address - (uintptr_t)fixed.blocks[i].address < fixed.blocks[i].bytes)
      return true;
  return false;
}

void fiber_switch(struct fiber *to) {
  struct fiber *from = current ? current : &host;
  struct fiber *next = to ? to : &host;
  if (from == next)
    return;
  if (fixed.block_count)
    swap_tls(current ? current->native_tls : fixed.host_tls, to ? to->native_tls : fixed.host_tls);
  current = to;
  gate_state = to ? GATE_CLOSED : GATE_OPEN;
  fiber_swap(&from->stack_pointer, next->stack_pointer);
}

void fiber_abandon(void) {
  void *dead_sp;
  if (fixed.block_count)
    swap_tls(current->native_tls, fixed.host_tls);
  current = NULL;
  gate_state = GATE_OPEN;
  fiber_swap(&dead_sp, host.stack_pointer);
  __builtin_unreachable();
}

struct fiber *fiber_current(void) {
  return current;
}

struct fiber *fiber_host(void) {
  return &host;
}

bool fiber_guards(uintptr_t address) {
  if (!fixed.base || address < fixed.base + FIBER_SKEW_BYTES)
    return false;
  uintptr_t class = (address - fixed.base - FIBER_SKEW_BYTES) / fixed.class_bytes;
  if (class >= FIBER_CLASSES)
    return false;
  return (address - class_base((int)class)) % class_stride((int)class) < FIBER_GUARD_BYTES;
}

bool fiber_has_frame(const struct fiber *f, uintptr_t fp) {
  return fp >= f->stack_low && fp <= f->stack_high - 16 && fp % 8 == 0;
}

int fiber_backtrace(const struct fiber *f, uintptr_t fp, uintptr_t *pcs, int max) {
  int n = 0;
  while (n < max && fiber_has_frame(f, fp)) {
    const uintptr_t *frame = (const uintptr_t *)fp;
    if (!frame[1])
      break;
    pcs[n++] = frame[1];
    if (frame[0] <= fp)
      break;
    fp = frame[0];
  }
  return n;
}

uintptr_t fiber_frame_pointer(const struct fiber *f) {
  return ((const uintptr_t *)f->stack_pointer)[6]; /* as fiber_swap saves it */
}

void fiber_class_range(int class, uintptr_t *low, uintptr_t *high) {
  *low = class_base(class);
  *high = *low + pool.used[class] * class_stride(class);
}

void fiber_each_slot(void (*fn)(void *context, uintptr_t low, uintptr_t high, uintptr_t sp),
                     void *context) {
  for (int class = 0; class < FIBER_CLASSES; class ++)
    for (uint32_t i = 0; i < pool.used[class]; i++) {
      struct fiber_tls *t = slot_tls(class, i);
      uintptr_t high = (uintptr_t)t + fiber_tls_bytes();
      fn(context, high - (FIBER_CLASS_MIN_BYTES << class), high,
         t->owner ? (uintptr_t)t->owner->stack_pointer : 0);
    }
}

void fiber_add_gaps(world_gap_list *gaps) {
  world_add_gap(gaps, &pool, sizeof pool);
}

static void add_block(void *context, const struct object *o) {
  (void)context;
  if (!o->tls_bytes || o->kind == OBJECT_HOST || o->kind == OBJECT_LOADER)
    return;
  CHECK(fixed.block_count < TLS_BLOCKS_MAX, "too many libraries with thread-local data");
  fixed.blocks[fixed.block_count].address = o->tls_block;
  fixed.blocks[fixed.block_count++].bytes = o->tls_bytes;
  fixed.native_bytes += o->tls_bytes;
}

void fiber_seal(void) {
  if (!fixed.base)
    reserve(0);
  object_each(add_block, NULL);
  /* A message kept for dlerror would be owned by the host and by every fiber. */
  dlerror();
  dlerror();
  errno = 0;
  fixed.native_initial = mem_alloc(fixed.native_bytes + 1);
  fixed.host_tls = mem_alloc(fiber_tls_bytes());
  unsigned char *to = fixed.native_initial;
  for (int i = 0; i < fixed.block_count; i++) {
    memcpy(to, fixed.blocks[i].address, fixed.blocks[i].bytes);
    to += fixed.blocks[i].bytes;
  }
  world_include(&pool, sizeof pool);
}
