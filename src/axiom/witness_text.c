/* Witnesses as text: one block per execution, actions by thread, then the orders. */
#include "axiom/witness.h"
#include "base/mem.h"
#include <stdio.h>
#include <string.h>

static void print_actions(const struct witness *w, int x, struct str *out, struct arena *a) {
  const struct universe *u = w->universe;
  const struct program *p = u->program;
  for (int t = 0; t < p->threads.length; t++) {
    const char *gap = "";
    str_format(out, "    %-6s ", p->threads.data[t].name);
    for (int i = 0; i < u->actions.length; i++)
      if (u->actions.data[i].thread == t && w->executions[x].stmt[i] >= 0) {
        str_format(out, "%s%s::%s", gap, u->actions.data[i].name, witness_action_text(w, x, i, a));
        gap = ", ";
      }
    str_append(out, "\n");
  }
}

static void print_rf(const struct witness *w, int x, const char *suffix, struct str *out) {
  const struct universe *u = w->universe;
  const char *gap = "";
  str_format(out, "  W%s = {", suffix);
  for (int r = 0; r < u->actions.length; r++)
    if (w->executions[x].source[r] >= 0) {
      str_format(out, "%s<%s,%s>", gap, u->actions.data[r].name,
                 u->actions.data[w->executions[x].source[r]].name);
      gap = ", ";
    }
  str_append(out, "}\n");
}

static void print_order(const struct witness *w, const char *name, const unsigned char *bits,
                        struct str *out) {
  const struct universe *u = w->universe;
  int n = u->actions.length;
  unsigned char *r = mem_alloc((size_t)(n * n) + 1);
  memcpy(r, bits, (size_t)(n * n));
  witness_reduce(r, n);
  const char *gap = "";
  str_format(out, "  %s = {", name);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (r[i * n + j]) {
        str_format(out, "%s<%s,%s>", gap, u->actions.data[i].name, u->actions.data[j].name);
        gap = ", ";
      }
  str_append(out, "}\n");
  mem_free(r, (size_t)(n * n) + 1);
}

static void print_set(const struct witness *w, const char *name, const unsigned char *bits,
                      struct str *out) {
  const struct universe *u = w->universe;
  const char *gap = "";
  str_format(out, "  %s = {", name);
  for (int i = 0; i < u->actions.length; i++)
    if (bits[i]) {
      str_format(out, "%s%s", gap, u->actions.data[i].name);
      gap = ", ";
    }
  str_append(out, "}\n");
}

static void print_relations(const struct witness *w, int x, struct str *out, struct arena *a) {
  for (int i = 0; i < w->relations.length; i++) {
    const struct witness_relation *r = &w->relations.data[i];
    if (r->execution != x)
      continue;
    const char *name = r->name;
    if (x > 0)
      name = arena_format(a, "%s%d", r->name, x);
    else if (r->is_family)
      name = arena_format(a, "%s[%d]", r->name, r->index);
    if (r->is_set)
      print_set(w, name, r->bits, out);
    else
      print_order(w, name, r->bits, out);
  }
}

static void print_execution(const struct witness *w, int x, struct str *out, struct arena *a) {
  const char *suffix = x ? arena_format(a, "%d", x) : "";
  str_format(out, "  A%s = {\n", suffix);
  print_actions(w, x, out, a);
  str_append(out, "  }\n");
  print_rf(w, x, suffix, out);
  if (w->executions[x].co)
    print_order(w, arena_format(a, "co%s", suffix), w->executions[x].co, out);
  print_relations(w, x, out, a);
}

void witness_print_text(const struct witness *w, struct str *out) {
  struct arena a = {0};
  str_append(out, "Witness\n");
  for (int x = 1; x <= w->k; x++) {
    str_format(out, " E%d\n", x);
    print_execution(w, x, out, &a);
  }
  if (w->k)
    str_append(out, " E\n");
  print_execution(w, 0, out, &a);
  print_relations(w, -1, out, &a);
  arena_release(&a);
}
