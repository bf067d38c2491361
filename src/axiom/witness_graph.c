/* Witnesses as pictures: Graphviz, and SVG drawn directly (one column per thread, time downwards).
 * Executions that justify the main one are drawn below it. */
#include "axiom/witness.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

enum { COLUMN = 190, ROW = 54, BOX_WIDTH = 150, BOX_HEIGHT = 28, MARGIN = 30, HEAD = 56 };

/* name, colour */
#define EDGE_KINDS(X) \
  X(PO, "po", "#666666") X(RF, "rf", "#c0392b") X(CO, "co", "#2c5aa0") X(FR, "fr", "#d68910")

enum edge_kind {
#define X(name, text, colour) EDGE_##name,
  EDGE_KINDS(X)
#undef X
      EDGE_KIND_COUNT
};

static const char *const edge_names[] = {
#define X(name, text, colour) text,
    EDGE_KINDS(X)
#undef X
};

static const char *const edge_colours[] = {
#define X(name, text, colour) colour,
    EDGE_KINDS(X)
#undef X
};

typedef void edge_visitor(void *context, enum edge_kind kind, int from, int to);

static bool runs(const struct witness *w, int x, int a) {
  return w->executions[x].stmt[a] >= 0;
}

/* The next action of the same thread in program order. */
static int successor(const struct witness *w, int x, int a) {
  int next = -1, *stmt = w->executions[x].stmt;
  for (int b = 0; b < w->universe->actions.length; b++)
    if (runs(w, x, b) &&
        w->universe->actions.data[b].thread == w->universe->actions.data[a].thread &&
        stmt[b] > stmt[a] && (next < 0 || stmt[b] < stmt[next]))
      next = b;
  return next;
}

static void visit_edges(const struct witness *w, int x, edge_visitor *visit, void *context) {
  int n = w->universe->actions.length;
  const struct witness_execution *e = &w->executions[x];
  unsigned char *co = NULL;
  if (e->co) {
    co = mem_alloc((size_t)(n * n) + 1);
    memcpy(co, e->co, (size_t)(n * n));
    witness_reduce(co, n);
  }
  for (int a = 0; a < n; a++) {
    if (!runs(w, x, a))
      continue;
    int next = w->universe->actions.data[a].thread ? successor(w, x, a) : -1;
    if (next >= 0)
      visit(context, EDGE_PO, a, next);
    if (e->source[a] >= 0)
      visit(context, EDGE_RF, e->source[a], a);
    for (int b = 0; co && b < n; b++) {
      if (co[a * n + b])
        visit(context, EDGE_CO, a, b);
      if (e->source[a] >= 0 && co[e->source[a] * n + b])
        visit(context, EDGE_FR, a, b);
    }
  }
  if (co)
    mem_free(co, (size_t)(n * n) + 1);
}

/* ---- Graphviz ----------------------------------------------------------------------------- */

struct dot {
  const struct witness *w;
  struct str *out;
  int x;
};

static void dot_edge(void *context, enum edge_kind kind, int from, int to) {
  struct dot *d = context;
  str_format(d->out, "    n%d_%d -> n%d_%d [label=\"%s\", color=\"%s\", fontcolor=\"%s\"%s];\n",
             d->x, from, d->x, to, edge_names[kind], edge_colours[kind], edge_colours[kind],
             kind == EDGE_PO ? ", weight=9" : ", constraint=false");
}

void witness_print_dot(const struct witness *w, const char *title, struct str *out) {
  struct arena a = {0};
  str_format(out, "digraph \"%s\" {\n  node [shape=box, fontname=\"monospace\"];\n", title);
  for (int x = 0; x <= w->k; x++) {
    str_format(out, "  subgraph cluster_%d {\n    label=\"%s\";\n", x,
               x ? arena_format(&a, "E%d", x) : title);
    for (int i = 0; i < w->universe->actions.length; i++)
      if (runs(w, x, i))
        str_format(out, "    n%d_%d [label=\"%s: %s\", group=\"t%d_%d\"];\n", x, i,
                   w->universe->actions.data[i].name, witness_action_text(w, x, i, &a), x,
                   w->universe->actions.data[i].thread);
    struct dot d = {w, out, x};
    visit_edges(w, x, dot_edge, &d);
    str_append(out, "  }\n");
  }
  str_append(out, "}\n");
  arena_release(&a);
}

/* ---- SVG ---------------------------------------------------------------------------------- */

struct svg {
  const struct witness *w;
  struct str *out;
  int x, top;
  int *column, *row; /* by action */
  int rows, bend;
};

static void place_actions(struct svg *s) {
  const struct universe *u = s->w->universe;
  s->rows = 0;
  for (int a = 0; a < u->actions.length; a++) {
    s->column[a] = u->actions.data[a].thread;
    s->row[a] = 0;
    for (int b = 0; b < u->actions.length; b++)
      s->row[a] += runs(s->w, s->x, b) && u->actions.data[b].thread == u->actions.data[a].thread &&
                   s->w->executions[s->x].stmt[b] < s->w->executions[s->x].stmt[a];
    if (runs(s->w, s->x, a) && s->row[a] >= s->rows)
      s->rows = s->row[a] + 1;
  }
}

static int centre_x(const struct svg *s, int a) {
  return MARGIN + s->column[a] * COLUMN + BOX_WIDTH / 2;
}

static int centre_y(const struct svg *s, int a) {
  return s->top + HEAD + s->row[a] * ROW + BOX_HEIGHT / 2;
}

/* Edges leave and enter boxes at their sides; those within a column swing out. */
static void svg_edge(void *context, enum edge_kind kind, int from, int to) {
  struct svg *s = context;
  int x1 = centre_x(s, from), y1 = centre_y(s, from), x2 = centre_x(s, to), y2 = centre_y(s, to);
  int half = BOX_WIDTH / 2, cx, cy = (y1 + y2) / 2;
  if (kind == EDGE_PO) {
    y1 += BOX_HEIGHT / 2;
    y2 -= BOX_HEIGHT / 2;
    cx = x1;
  } else if (x1 == x2) {
    x1 += half;
    x2 += half;
    cx = x1 + 26 + 8 * (s->bend++ % 4);
  } else {
    bool rightwards = x1 < x2;
    x1 += rightwards ? half : -half;
    x2 += rightwards ? -half : half;
    cx = (x1 + x2) / 2;
    cy += 10 * (s->bend++ % 3) - 10;
  }
  str_format(
      s->out,
      "<path d=\"M%d,%d Q%d,%d %d,%d\" fill=\"none\" stroke=\"%s\" marker-end=\"url(#%s)\"/>\n", x1,
      y1, cx, cy, x2, y2, edge_colours[kind], edge_names[kind]);
  if (kind != EDGE_PO)
    str_format(s->out, "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", (x1 + 2 * cx + x2) / 4,
               (y1 + 2 * cy + y2) / 4 - 3, edge_colours[kind], edge_names[kind]);
}

static void svg_escape(struct str *out, const char *text) {
  for (; *text; text++)
    if (*text == '<')
      str_append(out, "&lt;");
    else if (*text == '&')
      str_append(out, "&amp;");
    else
      str_append_char(out, *text);
}

static void svg_execution(struct svg *s, const char *title, struct arena *arena) {
  const struct universe *u = s->w->universe;
  str_format(s->out, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">", MARGIN, s->top + 20);
  svg_escape(s->out, title);
  str_append(s->out, "</text>\n");
  for (int t = 0; t < u->program->threads.length; t++) {
    str_format(s->out, "<text x=\"%d\" y=\"%d\">", MARGIN + t * COLUMN, s->top + 44);
    svg_escape(s->out, u->program->threads.data[t].name);
    str_append(s->out, "</text>\n");
  }
  visit_edges(s->w, s->x, svg_edge, s);
  for (int a = 0; a < u->actions.length; a++) {
    if (!runs(s->w, s->x, a))
      continue;
    str_format(s->out,
               "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"#f7f7f7\" "
               "stroke=\"#333\"/>\n",
               centre_x(s, a) - BOX_WIDTH / 2, centre_y(s, a) - BOX_HEIGHT / 2, BOX_WIDTH,
               BOX_HEIGHT);
    str_format(s->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s: ", centre_x(s, a),
               centre_y(s, a) + 4, u->actions.data[a].name);
    svg_escape(s->out, witness_action_text(s->w, s->x, a, arena));
    str_append(s->out, "</text>\n");
  }
}

void witness_print_svg(const struct witness *w, const char *title, struct str *out) {
  struct arena a = {0};
  size_t bytes = (size_t)w->universe->actions.length * sizeof(int) + 1;
  struct str body = {0};
  struct svg s = {
      .w = w, .out = &body, .column = arena_alloc(&a, bytes), .row = arena_alloc(&a, bytes)};
  for (int x = 0; x <= w->k; x++) {
    s.x = x;
    place_actions(&s);
    svg_execution(&s, x ? arena_format(&a, "E%d", x) : title, &a);
    s.top += HEAD + s.rows * ROW + MARGIN;
  }
  str_format(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
             "font-family=\"monospace\" font-size=\"11\">\n",
             2 * MARGIN + w->universe->program->threads.length * COLUMN, s.top);
  str_append(out, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<defs>\n");
  for (int k = 0; k < EDGE_KIND_COUNT; k++)
    str_format(out,
               "<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" "
               "markerHeight=\"7\" orient=\"auto\">"
               "<path d=\"M0,0 L8,4 L0,8 z\" fill=\"%s\"/></marker>\n",
               edge_names[k], edge_colours[k]);
  str_append(out, "</defs>\n");
  str_append(out, str_text(&body));
  str_append(out, "</svg>\n");
  str_free(&body);
  arena_release(&a);
}
