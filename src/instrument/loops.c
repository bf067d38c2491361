#include "instrument/loops.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

/* Blocks are numbered by their place in the list, and found by their address. */
struct key {
  LLVMBasicBlockRef block;
  unsigned number;
};

static VEC(struct key) keys; /* of the function at hand, by address */

static int by_address(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const struct key *)a)->block,
            y = (uintptr_t)((const struct key *)b)->block;
  return (x > y) - (x < y);
}

unsigned loops_number(const struct loops *l, LLVMBasicBlockRef block) {
  (void)l;
  struct key wanted = {block, 0};
  const struct key *k = bsearch(&wanted, keys.data, keys.length, sizeof wanted, by_address);
  return k->number;
}

static void link_blocks(struct loops *l) {
  for (unsigned i = 0; i < l->blocks.length; i++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(l->blocks.data[i].block);
    unsigned n = end ? LLVMGetNumSuccessors(end) : 0;
    for (unsigned s = 0; s < n; s++) {
      unsigned to = loops_number(l, LLVMGetSuccessor(end, s));
      vec_push(&l->blocks.data[i].next, to);
      vec_push(&l->blocks.data[to].before, i);
    }
  }
}

/* Numbers blocks in reverse postorder; returns them in that order. */
static unsigned *order_blocks(struct loops *l, unsigned *count) {
  size_t n = l->blocks.length;
  struct frame {
    unsigned block;
    size_t next;
  } *stack = calloc(n + 1, sizeof *stack);
  unsigned *order = calloc(n + 1, sizeof *order), done = 0;
  bool *seen = calloc(n + 1, sizeof *seen);
  size_t depth = 0;
  stack[depth++] = (struct frame){0, 0};
  seen[0] = true;
  while (depth) {
    struct frame *f = &stack[depth - 1];
    struct loops_block *b = &l->blocks.data[f->block];
    if (f->next == b->next.length) {
      order[n - ++done] = f->block;
      depth--;
      continue;
    }
    unsigned to = b->next.data[f->next++];
    if (!seen[to]) {
      seen[to] = true;
      stack[depth++] = (struct frame){to, 0};
    }
  }
  memmove(order, order + n - done, done * sizeof *order);
  for (unsigned i = 0; i < done; i++)
    l->blocks.data[order[i]].order = i + 1;
  *count = done;
  free(stack);
  free(seen);
  return order;
}

static unsigned common(const struct loops *l, unsigned a, unsigned b) {
  while (a != b) {
    while (l->blocks.data[a].order > l->blocks.data[b].order)
      a = l->blocks.data[a].dominator;
    while (l->blocks.data[b].order > l->blocks.data[a].order)
      b = l->blocks.data[b].dominator;
  }
  return a;
}

#define NONE (~0u)

static void find_dominators(struct loops *l) {
  unsigned count;
  unsigned *order = order_blocks(l, &count);
  for (size_t i = 0; i < l->blocks.length; i++)
    l->blocks.data[i].dominator = NONE;
  l->blocks.data[0].dominator = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 1; i < count; i++) {
      struct loops_block *b = &l->blocks.data[order[i]];
      unsigned nearest = NONE;
      for (size_t p = 0; p < b->before.length; p++) {
        unsigned from = b->before.data[p];
        if (l->blocks.data[from].dominator != NONE)
          nearest = nearest == NONE ? from : common(l, nearest, from);
      }
      changed |= nearest != b->dominator;
      b->dominator = nearest;
    }
  }
  free(order);
}

bool loops_dominates(const struct loops *l, unsigned a, unsigned b) {
  while (l->blocks.data[b].order > l->blocks.data[a].order)
    b = l->blocks.data[b].dominator;
  return a == b;
}

static struct loop *loop_at(struct loops *l, unsigned header) {
  for (size_t i = 0; i < l->list.length; i++)
    if (l->list.data[i].header == header)
      return &l->list.data[i];
  struct loop new = {header, 1, calloc(l->blocks.length, sizeof(bool))};
  new.has[header] = true;
  vec_push(&l->list, new);
  return &vec_last(&l->list);
}

/* All from which the end of a round is reached without the header. */
static void add_round(struct loops *l, struct loop *in, unsigned end) {
  VEC(unsigned) todo = {0};
  vec_push(&todo, end);
  while (todo.length) {
    unsigned b = vec_pop(&todo);
    if (in->has[b] || !l->blocks.data[b].order)
      continue;
    in->has[b] = true;
    in->size++;
    for (size_t p = 0; p < l->blocks.data[b].before.length; p++)
      vec_push(&todo, l->blocks.data[b].before.data[p]);
  }
  vec_free(&todo);
}

static int by_size(const void *a, const void *b) {
  const struct loop *x = a, *y = b;
  return x->size != y->size ? (x->size > y->size) - (x->size < y->size)
                            : (x->header > y->header) - (x->header < y->header);
}

void loops_find(struct loops *l, LLVMValueRef function) {
  *l = (struct loops){0};
  keys.length = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    vec_push(&keys, ((struct key){b, (unsigned)l->blocks.length}));
    vec_push(&l->blocks, ((struct loops_block){.block = b}));
  }
  qsort(keys.data, keys.length, sizeof *keys.data, by_address);
  link_blocks(l);
  find_dominators(l);
  for (unsigned i = 0; i < l->blocks.length; i++)
    for (size_t s = 0; s < l->blocks.data[i].next.length; s++) {
      unsigned to = l->blocks.data[i].next.data[s];
      if (l->blocks.data[i].order && loops_dominates(l, to, i))
        add_round(l, loop_at(l, to), i);
    }
  if (l->list.length)
    qsort(l->list.data, l->list.length, sizeof *l->list.data, by_size);
}

void loops_free(struct loops *l) {
  for (size_t i = 0; i < l->blocks.length; i++) {
    vec_free(&l->blocks.data[i].next);
    vec_free(&l->blocks.data[i].before);
  }
  for (size_t i = 0; i < l->list.length; i++)
    free(l->list.data[i].has);
  vec_free(&l->blocks);
  vec_free(&l->list);
}
