/* Functions as values: their addresses, and which ones a call through a pointer may reach. */
#include "cprog/c_memory.h"

static const int64_t FUNCTION_FIRST = 0x7f0000000000;

int64_t c_function_address(int function) {
  return FUNCTION_FIRST + (int64_t)function * 16;
}

int c_function_at(const struct c_module *m, int64_t address) {
  int64_t n = (address - FUNCTION_FIRST) / 16;
  return address >= FUNCTION_FIRST && n < m->functions.length ? (int)n : -1;
}

struct callees {
  unsigned char *functions; /* by number: it may be called */
  unsigned char *seen;      /* by expression; NULL as long as none is needed */
};

static bool find_read_functions(struct c_exec *x, int stmt, struct callees *c) {
  const struct c_values *v = c_read_values(x, stmt);
  for (int i = 0; v && i < v->count; i++)
    if (c_function_at(x->module, v->data[i]) >= 0)
      c->functions[c_function_at(x->module, v->data[i])] = 1;
  for (int i = 0; v && i < v->functions.length; i++)
    c->functions[v->functions.data[i]] = 1;
  return v != NULL;
}

/* Marks the functions that an expression may be the address of; false if that is not known.  What
 * nothing determines is the address of none: whoever calls it goes wrong. */
static bool find_functions(struct c_exec *x, int e, struct callees *c) {
  const struct expr *f = &x->p->exprs.data[e];
  if (f->kind == EXPR_CONST) {
    if (c_function_at(x->module, f->value) >= 0)
      c->functions[c_function_at(x->module, f->value)] = 1;
    return true;
  }
  if (!c->seen)
    c->seen = arena_alloc(x->arena, (size_t)x->p->exprs.length + 1);
  if (c->seen[e])
    return true;
  c->seen[e] = 1;
  if (f->kind == EXPR_READ)
    return find_read_functions(x, (int)f->value, c);
  bool all = true;
  for (int i = f->kind == EXPR_ITE; i < expr_arity(f->kind); i++)
    all = find_functions(x, f->arg[i], c) && all;
  return all;
}

const unsigned char *c_find_callees(struct c_exec *x, int pointer, bool *all) {
  struct callees c = {.functions = arena_alloc(x->arena, (size_t)x->module->functions.length + 1)};
  *all = find_functions(x, pointer, &c);
  return c.functions;
}
