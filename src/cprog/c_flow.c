/* Order of the blocks of a function, and its loops. */
#include "cprog/c_module.h"
#include <string.h>

struct flow {
  struct c_function *f;
  struct arena *arena;
  int n;
  int *state; /* 0 = not seen, 1 = on the way, 2 = done */
  int *post;  /* blocks in the order in which they were left */
  int count;
  int *position; /* in the final order, -1 = not reachable */
  int *idom;
};

static const struct c_instruction *last_of(const struct c_function *f, int block) {
  const struct c_block *b = &f->blocks.data[block];
  return b->count ? &f->code.data[b->first + b->count - 1] : NULL;
}

static int successors(const struct c_function *f, int block, const int **list) {
  const struct c_instruction *i = last_of(f, block);
  bool jumps = i && (i->op == CIR_BR || i->op == CIR_CBR || i->op == CIR_SWITCH);
  *list = jumps ? i->blocks.data : NULL;
  return jumps ? i->blocks.length : 0;
}

static void visit(struct flow *x, int root) {
  int *stack = arena_alloc(x->arena, (size_t)x->n * sizeof *stack);
  int *next = arena_alloc(x->arena, (size_t)x->n * sizeof *next);
  int depth = 0;
  stack[depth++] = root;
  x->state[root] = 1;
  while (depth) {
    int b = stack[depth - 1];
    const int *list;
    int count = successors(x->f, b, &list);
    if (next[b] == count) {
      x->state[b] = 2;
      x->post[x->count++] = b;
      depth--;
    } else {
      int s = list[next[b]++];
      if (!x->state[s]) {
        x->state[s] = 1;
        stack[depth++] = s;
      }
    }
  }
}

static int common(const struct flow *x, int a, int b) {
  while (a != b) {
    while (x->position[a] > x->position[b])
      a = x->idom[a];
    while (x->position[b] > x->position[a])
      b = x->idom[b];
  }
  return a;
}

static void dominators(struct flow *x) {
  for (int i = 0; i < x->n; i++)
    x->idom[i] = -1;
  x->idom[x->f->order.data[0]] = x->f->order.data[0];
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < x->f->order.length; i++) {
      int b = x->f->order.data[i];
      const int *list;
      int count = successors(x->f, b, &list);
      for (int s = 0; s < count && x->idom[b] >= 0; s++) {
        int t = list[s], d = x->idom[t] < 0 ? b : common(x, x->idom[t], b);
        if (t != x->f->order.data[0] && d != x->idom[t]) {
          x->idom[t] = d;
          changed = true;
        }
      }
    }
  }
}

static bool dominates(const struct flow *x, int a, int b) {
  while (x->position[b] > x->position[a])
    b = x->idom[b];
  return a == b;
}

/* The blocks from which `from` is reached without going through the header belong to its loop. */
static void fill_loop(struct flow *x, bool *in, int from, int header) {
  int *stack = arena_alloc(x->arena, (size_t)x->n * sizeof *stack);
  int depth = 0;
  in[header] = true;
  if (!in[from]) {
    in[from] = true;
    stack[depth++] = from;
  }
  while (depth) {
    int b = stack[--depth];
    for (int i = 0; i < x->f->order.length; i++) {
      int p = x->f->order.data[i];
      const int *list;
      int count = successors(x->f, p, &list);
      for (int s = 0; s < count && !in[p]; s++)
        if (list[s] == b) {
          in[p] = true;
          stack[depth++] = p;
        }
    }
  }
}

bool c_block_ends(const struct c_function *f, int block) {
  return last_of(f, block) && last_of(f, block)->op == CIR_UNREACHABLE;
}

static bool leads_out(const struct c_function *f, const bool *in, int block) {
  const int *list;
  int count = successors(f, block, &list);
  for (int s = 0; s < count; s++)
    if (!in[list[s]] && !c_block_ends(f, list[s]))
      return true;
  return last_of(f, block) && last_of(f, block)->op == CIR_RET;
}

/* Headers in order: outer loops come before inner ones, so the last loop that claims a block is the
 * innermost. */
static bool find_loops(struct flow *x, struct diag *d) {
  struct c_function *f = x->f;
  for (int i = 0; i < f->order.length; i++) {
    int header = f->order.data[i];
    bool *in = arena_alloc(x->arena, (size_t)x->n * sizeof *in), any = false;
    for (int j = i; j < f->order.length; j++) {
      int b = f->order.data[j];
      const int *list;
      int count = successors(f, b, &list);
      for (int s = 0; s < count; s++) {
        if (list[s] != header)
          continue;
        if (!dominates(x, header, b)) {
          diag_set(d, last_of(f, b)->place, "a jump into the middle of a loop");
          return false;
        }
        fill_loop(x, in, b, header);
        any = true;
      }
    }
    if (!any)
      continue;
    struct c_loop l = {header, f->blocks.data[header].loop, false};
    for (int b = 0; b < x->n; b++)
      l.has_exit = l.has_exit || (in[b] && leads_out(f, in, b));
    list_push(x->arena, &f->loops, l);
    for (int b = 0; b < x->n; b++)
      if (in[b])
        f->blocks.data[b].loop = f->loops.length - 1;
  }
  return true;
}

bool c_flow_analyse(struct c_function *f, struct arena *a, struct diag *d) {
  struct flow x = {.f = f, .arena = a, .n = f->blocks.length};
  size_t bytes = (size_t)x.n * sizeof(int);
  x.state = arena_alloc(a, bytes);
  x.post = arena_alloc(a, bytes);
  x.position = arena_alloc(a, bytes);
  x.idom = arena_alloc(a, bytes);
  visit(&x, 0);
  memset(x.position, -1, bytes);
  for (int i = x.count - 1; i >= 0; i--) {
    x.position[x.post[i]] = f->order.length;
    list_push(a, &f->order, x.post[i]);
  }
  dominators(&x);
  return find_loops(&x, d);
}

bool c_loop_contains(const struct c_function *f, int loop, int block) {
  for (int l = f->blocks.data[block].loop; l >= 0; l = f->loops.data[l].parent)
    if (l == loop)
      return true;
  return false;
}

/* ---- ends of loops ---- */

/* Does the way from that block come to the other one, without a choice? */
static bool comes_to(const struct c_function *f, int from, int to) {
  for (int n = 0; n < f->blocks.length && from != to; n++) {
    const struct c_instruction *last = last_of(f, from);
    if (!last || last->op != CIR_BR)
      return false;
    from = last->blocks.data[0];
  }
  return from == to;
}

/* Do all ways out of the loop come to that block? */
static bool is_end_of(const struct c_function *f, int loop, int block) {
  for (int n = 0; n < f->blocks.length; n++) {
    const struct c_instruction *last = c_loop_contains(f, loop, n) ? last_of(f, n) : NULL;
    if (last && last->op == CIR_RET)
      return false;
    bool leads = last && (last->op == CIR_BR || last->op == CIR_CBR || last->op == CIR_SWITCH);
    for (int k = 0; leads && k < last->blocks.length; k++)
      if (!c_loop_contains(f, loop, last->blocks.data[k]) &&
          !comes_to(f, last->blocks.data[k], block))
        return false;
  }
  return f->loops.data[loop].has_exit;
}

int c_loop_end(const struct c_function *f, int loop) {
  for (int n = 0; n < f->order.length; n++)
    if (!c_loop_contains(f, loop, f->order.data[n]) && is_end_of(f, loop, f->order.data[n]))
      return f->order.data[n];
  return -1;
}
