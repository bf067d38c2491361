/* Executions as SVG: one column per thread, time downwards, the executions that justify the main one
 * below it.  Labels of arrows look for a free place along their arrow: no two overlap, and none lies
 * on a box. */
#include "axiom/picture.h"
#include <stdlib.h>
#include <string.h>

enum {
  ROW = 64,
  BOX_HEIGHT = 34,
  MARGIN = 30,
  HEAD = 70,
  BETWEEN = 96, /* columns */
  LETTER = 7,   /* monospace, 11 px, rounded up */
  LABEL_HEIGHT = 13
};

struct rectangle {
  int x, y, width, height;
};

struct drawing {
  const struct picture *p;
  struct str *out;
  int top, box_width;
  int *column, *row; /* by action */
  int rows, bends;
  LIST(struct rectangle) taken; /* boxes and labels */
};

static void escape(struct str *out, const char *text) {
  for (; *text; text++)
    if (*text == '<')
      str_append(out, "&lt;");
    else if (*text == '>')
      str_append(out, "&gt;");
    else if (*text == '&')
      str_append(out, "&amp;");
    else if (*text == '"')
      str_append(out, "&quot;");
    else
      str_append_char(out, *text);
}

static int text_width(const char *text) {
  return LETTER * (int)strlen(text);
}

/* ---- boxes -------------------------------------------------------------------------------- */

static int column_x(const struct drawing *d, int column) {
  return MARGIN + column * (d->box_width + BETWEEN);
}

static int centre_x(const struct drawing *d, int a) {
  return column_x(d, d->column[a]) + d->box_width / 2;
}

static int centre_y(const struct drawing *d, int a) {
  return d->top + HEAD + d->row[a] * ROW + BOX_HEIGHT / 2;
}

static void place_boxes(struct drawing *d) {
  const struct picture *p = d->p;
  const struct universe *u = p->w->universe;
  const int *stmt = p->w->executions[p->x].stmt;
  d->rows = 0;
  d->taken.length = 0;
  for (int a = 0; a < u->actions.length; a++) {
    d->column[a] = u->actions.data[a].thread;
    d->row[a] = 0;
    for (int b = 0; b < u->actions.length; b++)
      d->row[a] += picture_shows(p, b) && u->actions.data[b].thread == u->actions.data[a].thread &&
                   stmt[b] < stmt[a];
    if (!picture_shows(p, a))
      continue;
    if (d->row[a] >= d->rows)
      d->rows = d->row[a] + 1;
    struct rectangle box = {centre_x(d, a) - d->box_width / 2, centre_y(d, a) - BOX_HEIGHT / 2,
                            d->box_width, BOX_HEIGHT};
    list_push(p->arena, &d->taken, box);
  }
}

static void draw_box(struct drawing *d, int a) {
  const char *sets = picture_sets(d->p, a);
  int x = centre_x(d, a), y = centre_y(d, a);
  str_format(d->out,
             "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"%s\" "
             "stroke=\"#333\"/>\n",
             x - d->box_width / 2, y - BOX_HEIGHT / 2, d->box_width, BOX_HEIGHT,
             *sets ? "#e3f2e1" : "#f7f7f7");
  str_format(d->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", x, y + (*sets ? -2 : 4));
  escape(d->out, picture_text(d->p, a));
  str_append(d->out, "</text>\n");
  if (*sets) {
    str_format(d->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"8\">", x,
               y + 11);
    escape(d->out, sets);
    str_append(d->out, "</text>\n");
  }
}

/* ---- arrows ------------------------------------------------------------------------------- */

struct curve { /* from 1 over c to 2 */
  int x1, y1, cx, cy, x2, y2;
};

static bool overlap(struct rectangle a, struct rectangle b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

static bool is_free(const struct drawing *d, struct rectangle r) {
  for (int i = 0; i < d->taken.length; i++)
    if (overlap(r, d->taken.data[i]))
      return false;
  return r.x >= 0;
}

/* Along the curve first, then further and further above and below it. */
static struct rectangle place_label(struct drawing *d, struct curve c, const char *label) {
  static const int hundredths[] = {50, 40, 60, 30, 70, 20, 80};
  struct rectangle r = {.width = text_width(label) + 4, .height = LABEL_HEIGHT};
  for (int away = 0; away < 400; away += LABEL_HEIGHT / 2)
    for (unsigned i = 0; i < sizeof hundredths / sizeof *hundredths; i++)
      for (int side = -1; side <= 1; side += 2) {
        int t = hundredths[i], u = 100 - t;
        r.x = (u * u * c.x1 + 2 * u * t * c.cx + t * t * c.x2) / 10000 - r.width / 2;
        r.y = (u * u * c.y1 + 2 * u * t * c.cy + t * t * c.y2) / 10000 - r.height / 2 + side * away;
        if (is_free(d, r)) {
          list_push(d->p->arena, &d->taken, r);
          return r;
        }
      }
  return r;
}

/* Arrows leave and enter boxes at their sides; those within a column swing out, unless they lead to
 * the next box. */
static struct curve curve_of(struct drawing *d, int from, int to) {
  struct curve c = {.x1 = centre_x(d, from),
                    .y1 = centre_y(d, from),
                    .x2 = centre_x(d, to),
                    .y2 = centre_y(d, to)};
  int half = d->box_width / 2;
  c.cy = (c.y1 + c.y2) / 2;
  if (c.x1 == c.x2 && d->row[to] == d->row[from] + 1) {
    c.y1 += BOX_HEIGHT / 2;
    c.y2 -= BOX_HEIGHT / 2;
    c.cx = c.x1;
  } else if (c.x1 == c.x2) {
    c.x1 += half;
    c.x2 += half;
    c.cx = c.x1 + 30 + 12 * (d->bends++ % 4);
  } else {
    int right = c.x1 < c.x2 ? 1 : -1;
    c.x1 += right * half;
    c.x2 -= right * half;
    c.cx = (c.x1 + c.x2) / 2;
    c.cy += 12 * (d->bends++ % 3) - 12;
  }
  return c;
}

static void draw_edge(struct drawing *d, const struct picture_edge *e) {
  struct curve c = curve_of(d, e->from, e->to);
  str_format(d->out,
             "<path d=\"M%d,%d Q%d,%d %d,%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" "
             "marker-end=\"url(#m%s)\"/>\n",
             c.x1, c.y1, c.cx, c.cy, c.x2, c.y2, e->colour, e->strong ? "2.5" : "1", e->colour + 1);
}

static void draw_label(struct drawing *d, const struct picture_edge *e, struct curve c) {
  struct rectangle r = place_label(d, c, e->label);
  str_format(d->out,
             "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"white\" "
             "fill-opacity=\"0.8\"/>\n",
             r.x, r.y, r.width, r.height);
  str_format(d->out, "<text class=\"edge\" x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"%s\"%s>",
             r.x + r.width / 2, r.y + LABEL_HEIGHT - 3, e->colour,
             e->strong ? " font-weight=\"bold\"" : "");
  escape(d->out, e->label);
  str_append(d->out, "</text>\n");
}

static void draw_execution(struct drawing *d, const char *title) {
  const struct picture *p = d->p;
  const struct universe *u = p->w->universe;
  str_format(d->out, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">", MARGIN, d->top + 20);
  escape(d->out, picture_title(p, title));
  str_format(d->out, "</text>\n<text x=\"%d\" y=\"%d\">", MARGIN, d->top + 36);
  escape(d->out, picture_memory(p));
  str_append(d->out, "</text>\n");
  for (int t = 0; t < u->program->threads.length; t++) {
    str_format(d->out, "<text x=\"%d\" y=\"%d\">", column_x(d, t), d->top + 58);
    escape(d->out, u->program->threads.data[t].name);
    str_append(d->out, "</text>\n");
  }
  place_boxes(d);
  for (int i = 0; i < p->edges.length; i++)
    draw_edge(d, &p->edges.data[i]);
  d->bends = 0; /* the same curves again */
  for (int i = 0; i < p->edges.length; i++) {
    struct curve c = curve_of(d, p->edges.data[i].from, p->edges.data[i].to);
    if (*p->edges.data[i].label)
      draw_label(d, &p->edges.data[i], c);
  }
  for (int a = 0; a < u->actions.length; a++)
    if (picture_shows(p, a))
      draw_box(d, a);
  for (int i = 0; i < d->taken.length; i++) { /* a label may have moved below the last box */
    int end = d->taken.data[i].y + d->taken.data[i].height - d->top - HEAD;
    while (end > d->rows * ROW)
      d->rows++;
  }
}

/* ---- the whole ---------------------------------------------------------------------------- */

static int widest_text(const struct picture *p) {
  int width = 0;
  for (int a = 0; a < p->w->universe->actions.length; a++) {
    int w = picture_shows(p, a) ? text_width(picture_text(p, a)) : 0;
    width = w > width ? w : width;
  }
  return width;
}

/* One arrow head for each colour that is used. */
static void draw_heads(const struct picture *pictures, int count, struct str *out) {
  LIST(const char *) seen = {0};
  for (int x = 0; x < count; x++)
    for (int i = 0; i < pictures[x].edges.length; i++) {
      const char *colour = pictures[x].edges.data[i].colour;
      int k = 0;
      while (k < seen.length && strcmp(seen.data[k], colour))
        k++;
      if (k < seen.length)
        continue;
      list_push(pictures[0].arena, &seen, colour);
      str_format(out,
                 "<marker id=\"m%s\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" "
                 "markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"9\" "
                 "orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"%s\"/></marker>\n",
                 colour + 1, colour);
    }
}

void witness_print_svg(const struct witness *w, const char *title, const struct violations *broken,
                       struct str *out) {
  struct arena a = {0};
  size_t bytes = (size_t)w->universe->actions.length * sizeof(int) + 1;
  struct str body = {0};
  struct drawing d = {
      .out = &body, .column = arena_alloc(&a, bytes), .row = arena_alloc(&a, bytes)};
  struct picture *pictures = arena_alloc(&a, (size_t)(w->k + 1) * sizeof *pictures);
  for (int x = 0; x <= w->k; x++) {
    pictures[x] = picture_of(w, x, broken, &a);
    int width = widest_text(&pictures[x]) + 16;
    d.box_width = width > d.box_width ? width : d.box_width;
  }
  for (int x = 0; x <= w->k; x++) {
    d.p = &pictures[x];
    draw_execution(&d, title);
    d.top += HEAD + d.rows * ROW + MARGIN;
  }
  str_format(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
             "font-family=\"monospace\" font-size=\"11\">\n",
             column_x(&d, w->universe->program->threads.length), d.top);
  str_append(out, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<defs>\n");
  draw_heads(pictures, w->k + 1, out);
  str_append(out, "</defs>\n");
  str_append(out, str_text(&body));
  str_append(out, "</svg>\n");
  str_free(&body);
  arena_release(&a);
}
