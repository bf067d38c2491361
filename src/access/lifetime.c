#include "access/lifetime.h"
#include "access/ordinary.h"
#include "access/turn.h"
#include "access/waiting.h"
#include "base/hash.h"
#include "base/vec.h"
#include "process/program.h"
#include "process/share.h"
#include "process/world.h"
#include <string.h>

#define KEPT_BLOCKS 64 /* a thread's own blocks that are held back before they are used again */
#define SMALL_BYTES 32
#define KEPT_BYTES ((size_t)1 << 20)

struct lifetime_freed {
  uintptr_t block; /* 0: unused */
  size_t bytes;
  uintptr_t code;
  uint16_t thread;
  bool used_again;
  bool local; /* a thread-local variable: its thread has ended */
};

/* Blocks that only this thread has touched, oldest first.  World memory. */
struct kept_blocks {
  uintptr_t blocks[KEPT_BLOCKS];
  uint32_t first, end;
  size_t bytes;
};

/* --reuse: blocks that the thread has freed and others have touched, newest last.  World memory. */
struct given_back {
  uintptr_t blocks[KEPT_BLOCKS]; /* 0: handed out again */
  uint32_t end;
};

struct lifetime lifetime;
static VEC(struct lifetime_late) late; /* host memory */

void lifetime_init(void) {
  world_include(&lifetime, sizeof lifetime);
}

void lifetime_begin(void) {
  late.length = 0;
}

size_t lifetime_late_count(void) {
  return late.length;
}

void lifetime_back(size_t late_count) {
  late.length = late_count;
}

void lifetime_share(void) {
  share_register(&late, sizeof late);
}

uintptr_t lifetime_block(uintptr_t address) {
  size_t bytes;
  return heap_block_of(address, &bytes);
}

void lifetime_check_reach(enum operation_kind kind, uintptr_t address,
                          const struct abi_site *site) {
  if (heap_is_beyond(address))
    stop_at(STOP_SEGFAULT, address, site,
            "segmentation fault: %s address 0x%lx, behind the end of the heap",
            kind == OPERATION_READ ? "read of" : "write to", (unsigned long)address);
}

/* ---- freed blocks ---- */

/* The entry of the block, or the unused one where it belongs. */
static struct lifetime_freed *slot(uintptr_t block) {
  uint64_t at = hash_u64(0, block);
  while (lifetime.blocks[at & (lifetime.capacity - 1)].block &&
         lifetime.blocks[at & (lifetime.capacity - 1)].block != block)
    at++;
  return &lifetime.blocks[at & (lifetime.capacity - 1)];
}

static struct lifetime_freed *find(uintptr_t block) {
  if (!block || !lifetime.count)
    return NULL;
  struct lifetime_freed *f = slot(block);
  return f->block && !f->used_again ? f : NULL;
}

static void add(const struct lifetime_freed *new) {
  if (lifetime.count * 2 >= lifetime.capacity) {
    struct lifetime old = lifetime;
    lifetime.capacity = old.capacity ? old.capacity * 2 : 64;
    lifetime.blocks = world_alloc(lifetime.capacity * sizeof *lifetime.blocks);
    for (uint32_t i = 0; i < old.capacity; i++)
      if (old.blocks[i].block)
        *slot(old.blocks[i].block) = old.blocks[i];
  }
  struct lifetime_freed *f = slot(new->block);
  lifetime.count += !f->block;
  *f = *new;
}

/* ---- uses ---- */

static _Noreturn void stop_at_use(const struct operation *o, const struct lifetime_freed *f) {
  if (f->local)
    stop_with(STOP_USE_AFTER_RETURN, o->site,
              "this %s uses a thread-local variable of thread %d, which has ended",
              operation_text(o), f->thread);
  stop_freed(STOP_USE_AFTER_FREE, o->site, f->code, f->thread,
             "this %s is %lu byte%s into a heap block that thread %d has freed", operation_text(o),
             o->address - f->block, o->address - f->block == 1 ? "" : "s", f->thread);
}

/* Another thread touches what the search took for private: it has to start again. */
static void expect_others(const struct operation *o) {
  sharing_expect(&ordinary.sharing, o);
  ordinary.broken = true;
}

void lifetime_check_used(const struct operation *o, bool alone) {
  const struct lifetime_freed *f = find(o->block);
  if (!f)
    return;
  if (alone && f->thread != o->thread)
    expect_others(o);
  else
    stop_at_use(o, f);
}

void lifetime_used_alone(enum operation_kind kind, uintptr_t address, const struct abi_site *site) {
  const struct lifetime_freed *f = find(lifetime_block(address));
  if (f)
    stop_at_use(&(struct operation){.kind = (uint8_t)kind, .address = address, .site = site}, f);
}

void lifetime_buffered(const struct operation *o) {
  const struct lifetime_freed *f = find(o->block);
  if (f && f->thread == o->thread)
    stop_at_use(o, f);
}

void lifetime_drained(const struct operation *o) {
  const struct lifetime_freed *f = find(o->block);
  if (!f || f->thread == o->thread || f->local)
    return;
  struct operation freed = {.kind = OPERATION_FREE,
                            .thread = f->thread,
                            .size = (uint32_t)f->bytes,
                            .address = f->block,
                            .code = f->code};
  vec_push(&late, ((struct lifetime_late){*o, freed}));
}

const struct lifetime_late *lifetime_late(size_t n) {
  return n < late.length ? &late.data[n] : NULL;
}

/* ---- giving back ---- */

static void stop_if_freed(const struct operation *o, const char *function) {
  const struct lifetime_freed *f = find(o->address);
  if (f)
    stop_freed(STOP_ABORT, NULL, f->code, f->thread,
               "%s of a block that was freed before, by thread %d: %p", function, f->thread,
               (void *)o->address);
}

/* Hold the block back; the thread's oldest one is really freed. */
static void keep(struct thread *self, const struct operation *o) {
  struct kept_blocks *k = self->turn.kept;
  if (!k)
    k = self->turn.kept = world_alloc(sizeof *k);
  while (k->end > k->first &&
         (k->end - k->first == KEPT_BLOCKS || k->bytes + o->size > KEPT_BYTES)) {
    struct lifetime_freed *f = slot(k->blocks[k->first++ % KEPT_BLOCKS]);
    k->bytes -= f->bytes;
    f->used_again = true;
    heap_free((void *)f->block);
  }
  k->blocks[k->end++ % KEPT_BLOCKS] = o->address;
  k->bytes += o->size;
}

static void give_back(struct thread *self, uintptr_t block) {
  if (!ordinary.reuse)
    return;
  if (!self->turn.given_back)
    self->turn.given_back = world_alloc(sizeof *self->turn.given_back);
  self->turn.given_back->blocks[self->turn.given_back->end++ % KEPT_BLOCKS] = block;
}

/* Allocators keep blocks by size; here a block fits if half of it is used, or if it is a small one. */
static bool fits(uintptr_t block, size_t bytes) {
  size_t room = block ? slot(block)->bytes : 0;
  return bytes <= room && (bytes > room / 2 || room <= SMALL_BYTES);
}

void *lifetime_again(size_t bytes) {
  struct given_back *g =
      ordinary.reuse && ordinary_concerns() ? thread_current()->turn.given_back : NULL;
  for (uint32_t n = 1; g && n <= KEPT_BLOCKS && n <= g->end; n++) {
    uintptr_t *block = &g->blocks[(g->end - n) % KEPT_BLOCKS], found = *block;
    if (!fits(found, bytes))
      continue;
    *block = 0;
    slot(found)->used_again = true;
    return (void *)found;
  }
  return NULL;
}

static enum heap_status give_up(void *p, bool local, const char *function, bool quietly) {
  struct thread *self = thread_current();
  size_t bytes;
  enum heap_status status = heap_block_bytes(p, &bytes);
  if (status != HEAP_OK || heap_block_of((uintptr_t)p, &bytes) != (uintptr_t)p)
    return status; /* none, or one from before the program's start */
  struct operation o = {.kind = OPERATION_FREE,
                        .thread = (uint16_t)self->id,
                        .order = local ? OPERATION_BY_KERNEL : 0, /* nobody has written that */
                        .size = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
                        .address = (uintptr_t)p,
                        .block = (uintptr_t)p,
                        .code = program_caller()};
  enum sharing_answer answer =
      ordinary_concerns() ? sharing_give_back(&ordinary.sharing, &o) : SHARING_PRIVATE;
  bool alone = answer == SHARING_PRIVATE;
  ordinary.broken |= answer == SHARING_BROKEN;
  const struct lifetime_freed *before = find(o.address);
  if (alone && before && before->thread != o.thread) {
    struct operation line = o; /* one of the block's is enough */
    line.size = 1;
    expect_others(&line);
  }
  if (!alone && !quietly) {
    waiting_leave();
    turn_take(&o);
    turn_note(&o);
  }
  stop_if_freed(&o, function);
  add(&(struct lifetime_freed){o.address, o.size, o.code, o.thread, false, local});
  if (ordinary.reuse && !ordinary_concerns()) {
    slot(o.address)->used_again = true;
    return heap_free(p);
  }
  if (alone && heap_is_own(p))
    keep(self, &o);
  else
    give_back(self, o.address);
  return HEAP_OK;
}

enum heap_status lifetime_free(void *p, const char *function, bool quietly) {
  return give_up(p, false, function, quietly);
}

/* Those of the main thread stay where they are, as its stack does. */
void lifetime_end_local(void *p) {
  if (ordinary_runs() && thread_current()->id)
    give_up(p, true, "the end of a thread", false);
  else
    heap_free(p);
}
