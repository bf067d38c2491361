#include "access/standing.h"
#include "access/schedule.h"
#include "access/spin.h"
#include "access/store_buffer.h"
#include "access/vain.h"
#include "base/intern.h"
#include "base/str.h"
#include "process/heap.h"
#include "process/machine_state.h"
#include "thread/entered.h"

static void put(struct str *out, uint64_t n) {
  str_append_bytes(out, &n, sizeof n);
}

static void put_operation(const struct thread *t, struct str *out) {
  const struct operation *o = &t->next;
  put(out, (uint64_t)o->kind << 24 | (uint64_t)o->lock << 16 | (uint64_t)o->drained << 1 |
               (uint64_t)o->locked);
  put(out, o->address);
  put(out, o->size);
  put(out, o->also);
  put(out, (uintptr_t)o->site);
  put(out, o->code);
  put(out, t->compares);
  if (t->compares)
    str_append_bytes(out, t->expected, o->size);
  if (o->locked) /* it may be in a register that nobody saves */
    str_append_bytes(out, t->operand, sizeof t->operand);
}

/* Entries are named by how many came in after them, not by their numbers, which differ between executions. */
static void put_store_buffer(const struct thread *t, struct str *out, world_gap_list *gaps) {
  const struct store_buffer *b = t->store_buffer;
  put(out, b ? b->length : 0);
  if (!b)
    return;
  for (uint32_t i = 0; i < b->length; i++) {
    const struct buffered *x = &b->items[(b->first + i) % b->capacity];
    put(out, (uint64_t)x->kind << 32 | (uint32_t)x->detail);
    put(out, b->numbers - x->number);
    put(out, x->piece.address);
    put(out, (uint64_t)x->piece.size << 32 | (uint32_t)x->piece.flags);
    put(out, x->piece.value);
    put(out, (uint64_t)x->piece.half | (uint64_t)x->piece.joined << 1 |
                 (uint64_t)x->piece.copied << 2 | (uint64_t)x->piece.continued << 3);
    put(out, (uintptr_t)x->piece.site);
    put(out, x->code);
  }
  put(out, (uint64_t)b->fenced | (uint64_t)b->filled << 1);
  for (uint32_t i = 0; b->fenced && i < b->line_count; i++)
    put(out, b->lines[i]);
  world_add_gap(gaps, b->items, b->capacity * sizeof *b->items);
  world_add_gap(gaps, b->lines, b->line_capacity * sizeof *b->lines);
  world_add_gap(gaps, b, sizeof *b);
}

/* Without the positions up to which write-backs go: standing_each_pending has them. */
static void put_flush_buffer(const struct thread *t, struct str *out, world_gap_list *gaps) {
  const struct flush_buffer *b = t->flush_buffer;
  put(out, b ? b->length : 0);
  if (!b)
    return;
  for (uint32_t i = 0; i < b->length; i++) {
    const struct access_pending *x = &b->items[i];
    put(out, x->line->line.address);
    put(out, x->after ? 1 + t->store_buffer->numbers - x->after : 0);
    put(out, (uint64_t)x->kind);
    put(out, (uintptr_t)x->site);
    put(out, x->code);
  }
  put(out, b->waited);
  world_add_gap(gaps, b->items, b->capacity * sizeof *b->items);
  world_add_gap(gaps, b, sizeof *b);
}

static void add_gaps(struct thread *t, world_gap_list *gaps) {
  world_add_gap(gaps, &t->next, sizeof t->next);
  world_add_gap(gaps, &t->compares, sizeof t->compares);
  world_add_gap(gaps, t->expected, sizeof t->expected);
  world_add_gap(gaps, t->operand, sizeof t->operand);
  world_add_gap(gaps, &t->turn.waits, sizeof t->turn.waits); /* vain_put says so */
  world_add_gap(gaps, &t->turn.late, sizeof t->turn.late);
  world_add_gap(gaps, t->stand, sizeof t->stand);
  world_add_gap(gaps, &t->vain, sizeof t->vain); /* which of them came first */
  world_add_gap(gaps, &t->store_buffer, sizeof t->store_buffer);
  world_add_gap(gaps, &t->flush_buffer, sizeof t->flush_buffer);
}

/* The registers of a thread before a flush were saved; those of others are on its stack.  What lies below them are our
 * own frames, and left out. */
static void put_stand(const struct thread *t, struct str *out, world_gap_list *gaps) {
  uintptr_t sp = t->stand[ENTERED_STACK];
  put(out, sp);
  if (sp) {
    str_append_bytes(out, t->stand, sizeof t->stand);
    world_add_gap(gaps, (void *)t->fiber.stack_low, sp - t->fiber.stack_low);
  } else {
    put(out, (uintptr_t)t->fiber.stack_pointer);
  }
}

static bool put_thread(struct thread *t, struct intern *parts, uint32_t epoch, struct str *out,
                       world_gap_list *gaps) {
  put(out, t->state);
  if (t->state != THREAD_DONE) {
    if (t->state != THREAD_READY || !t->turn.announced)
      return false;
    put_operation(t, out);
    bool looks = vain_put(t, parts, epoch, out, gaps);
    put(out, looks);
    if (!looks)
      put_stand(t, out, gaps);
  }
  put_store_buffer(t, out, gaps);
  put_flush_buffer(t, out, gaps);
  add_gaps(t, gaps);
  return true;
}

bool standing_put(struct intern *parts, uint32_t epoch, struct str *out, world_gap_list *gaps) {
  static struct str bytes;
  if (access_doing.draining || access_doing.exclusive || !spin_add_gaps(gaps))
    return false;
  world_add_gap(gaps, &access_doing, sizeof access_doing);
  thread_add_turn_gaps(gaps);
  schedule_add_gaps(gaps);
  if (schedule.heaps) /* who goes on has his own */
    heap_add_gap(gaps);
  world_add_machine_gaps(gaps, 0, false);
  machine_state_add_gaps(gaps, 0); /* how often something was changed is no part of what it is */
  for (int i = 0; i < thread_count(); i++) {
    str_clear(&bytes);
    if (!put_thread(thread_by_id(i), parts, epoch, &bytes, gaps))
      return false;
    uint32_t number = intern(parts, str_text(&bytes), bytes.length);
    str_append_bytes(out, &number, sizeof number);
  }
  return true;
}

void standing_each_pending(void (*tell)(void *context, const struct space_line *l,
                                        uint32_t position),
                           void *context) {
  for (int i = 0; i < thread_count(); i++) {
    const struct flush_buffer *b = thread_by_id(i)->flush_buffer;
    for (uint32_t k = 0; b && k < b->length; k++)
      if (!b->items[k].after)
        tell(context, b->items[k].line, b->items[k].position);
  }
}
