/* Executions for Graphviz. */
#include "axiom/picture.h"

static void quote(struct str *out, const char *text) {
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      str_append_char(out, '\\');
    str_append_char(out, *text);
  }
}

static void print_box(const struct picture *p, int action, struct str *out) {
  const char *sets = picture_sets(p, action);
  str_format(out, "    n%d_%d [label=\"", p->x, action);
  quote(out, picture_text(p, action));
  if (*sets) {
    str_append(out, "\\n{");
    quote(out, sets);
    str_append(out, "}");
  }
  str_format(out, "\", group=\"t%d_%d\"];\n", p->x, p->w->universe->actions.data[action].thread);
}

static void print_edge(const struct picture *p, const struct picture_edge *e, struct str *out) {
  bool down = !*e->label || p->w->universe->actions.data[e->from].thread ==
                                p->w->universe->actions.data[e->to].thread;
  str_format(out, "    n%d_%d -> n%d_%d [label=\"", p->x, e->from, p->x, e->to);
  quote(out, e->label);
  str_format(out, "\", color=\"%s\", fontcolor=\"%s\"%s%s];\n", e->colour, e->colour,
             down ? ", weight=9" : ", constraint=false", e->strong ? ", penwidth=2.5" : "");
}

static void print_execution(const struct picture *p, const char *test, struct str *out) {
  const char *memory = picture_memory(p);
  str_format(out, "  subgraph cluster_%d {\n    label=\"", p->x);
  quote(out, picture_title(p, test));
  if (*memory) {
    str_append(out, "\\n");
    quote(out, memory);
  }
  str_append(out, "\";\n");
  for (int a = 0; a < p->w->universe->actions.length; a++)
    if (picture_shows(p, a))
      print_box(p, a, out);
  for (int i = 0; i < p->edges.length; i++)
    print_edge(p, &p->edges.data[i], out);
  str_append(out, "  }\n");
}

void witness_print_dot(const struct witness *w, const char *title, const struct violations *broken,
                       struct str *out) {
  struct arena a = {0};
  str_append(out, "digraph \"");
  quote(out, title);
  str_append(out, "\" {\n  node [shape=box, fontname=\"monospace\"];\n");
  for (int x = 0; x <= w->k; x++) {
    struct picture p = picture_of(w, x, broken, &a);
    print_execution(&p, title, out);
  }
  str_append(out, "}\n");
  arena_release(&a);
}
