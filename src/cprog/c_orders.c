#include "cprog/c_orders.h"
#include <string.h>

struct site {
  struct place place;
  const struct c_instruction *instruction;
  bool is_fence, is_barrier; /* a fence of C, or a function like smp_mb */
};

typedef LIST(struct site) site_list;

static bool is_barrier_call(const struct c_module *m, const struct c_instruction *i) {
  if (i->op != CIR_CALL || i->args.data[0].kind != OPERAND_FUNCTION)
    return false;
  int64_t f = i->args.data[0].number;
  return f < m->functions.length && !strncmp(m->functions.data[f].name, "tidemark_smp_", 13);
}

static struct site *known(const site_list *sites, struct place p) {
  for (int i = 0; i < sites->length; i++) {
    const struct place *q = &sites->data[i].place;
    if (q->line == p.line && q->column == p.column && !strcmp(q->file, p.file))
      return &sites->data[i];
  }
  return NULL;
}

/* Of several accesses at one place, the arguments of a macro among them, the one that it is about. */
static int rank(const struct c_instruction *i) {
  return i->op == CIR_CAS ? 3 : i->op == CIR_RMW ? 2 : i->op == CIR_STORE;
}

/* Of what is executed: nothing is known about functions that nobody calls. */
static void find_sites(const struct c_module *m, const struct c_program *c, struct arena *a,
                       bool fences, site_list *sites) {
  for (int f = 0; f < m->functions.length; f++)
    for (int n = 0; n < m->functions.data[f].code.length; n++) {
      const struct c_instruction *i = &m->functions.data[f].code.data[n];
      struct site s = {i->place, i, i->op == CIR_FENCE, is_barrier_call(m, i)};
      bool access = i->op == CIR_LOAD || i->op == CIR_STORE || i->op == CIR_RMW || i->op == CIR_CAS;
      bool wanted = fences ? s.is_fence || s.is_barrier : access && i->order > ORDER_RELAXED;
      wanted = wanted && c->reached[f][n];
      struct site *same = wanted && i->place.line ? known(sites, i->place) : NULL;
      if (same && !same->is_fence && rank(i) > rank(same->instruction))
        same->instruction = i;
      else if (wanted && i->place.line && !same)
        list_push(a, sites, s);
    }
}

/* The orders below the one that is written, weakest first. */
static int weaker(const struct site *s, enum cir_order *list) {
  enum cir_order written = s->instruction->order;
  enum cir_op op = s->instruction->op;
  int n = 0;
  if (s->is_barrier)
    return 0;
  for (int o = s->is_fence ? ORDER_ACQUIRE : ORDER_RELAXED; o < (int)written; o++) {
    bool fits = op == CIR_LOAD    ? o == ORDER_RELAXED || o == ORDER_ACQUIRE
                : op == CIR_STORE ? o == ORDER_RELAXED || o == ORDER_RELEASE
                                  : true;
    bool below = !(written == ORDER_RELEASE && o == ORDER_ACQUIRE);
    if (fits && below)
      list[n++] = (enum cir_order)o;
  }
  return n;
}

static bool verifies(const struct c_module *m, struct c_options o, const struct c_override *list,
                     int count, const struct model *model, const struct c_result *before, bool *ok,
                     struct diag *d) {
  struct arena scratch = {0};
  struct c_result r;
  o.overrides = list;
  o.override_count = count;
  *ok = c_check_module(m, &o, model, CORE_NONE, 0, &scratch, &r, d) != NULL;
  bool same = *ok && r.verdict == before->verdict && (!r.hang || before->hang);
  arena_release(&scratch);
  return same;
}

static enum cir_order failure_below(enum cir_order success, enum cir_order failure) {
  if (success == ORDER_SEQ_CST || failure <= ORDER_RELAXED)
    return failure;
  return success == ORDER_ACQUIRE || success == ORDER_ACQ_REL ? ORDER_ACQUIRE : ORDER_RELAXED;
}

bool c_minimise_orders(const struct c_module *m, const struct c_options *o,
                       const struct model *model, const struct c_result *before, struct arena *a,
                       c_order_changes *changes, int *trials, struct diag *d) {
  site_list sites = {0};
  find_sites(m, before->program, a, true, &sites);
  find_sites(m, before->program, a, false, &sites);
  struct c_override *list = arena_alloc(a, (size_t)(sites.length + 1) * sizeof *list);
  int count = 0;
  *trials = 0;
  for (int i = 0; i < sites.length; i++) {
    const struct site *s = &sites.data[i];
    enum cir_order orders[CIR_ORDERS];
    int n = weaker(s, orders), first = s->is_fence || s->is_barrier ? -1 : 0;
    for (int k = first; k < n; k++) {
      struct c_order_change c = {
          s->place, s->instruction->order, k < 0 ? ORDER_NA : orders[k], ORDER_RELAXED, first < 0,
          k < 0};
      c.failure = failure_below(c.to, s->instruction->failure);
      list[count] = (struct c_override){s->place, c.to, c.removed};
      bool ok;
      ++*trials;
      if (verifies(m, *o, list, count + 1, model, before, &ok, d)) {
        list_push(a, changes, c);
        count++;
        break;
      }
      if (!ok)
        return false;
    }
  }
  return true;
}
