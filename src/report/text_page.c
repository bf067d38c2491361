#include "report/text_page.h"
#include "report/source.h"
#include "report/utf8.h"
#include <stdarg.h>
#include <string.h>

static const char *const ink_codes[] = {
    [INK_ERROR] = "1;31", [INK_WARNING] = "1;33", [INK_NOTE] = "1;36", [INK_HELP] = "1;32",
    [INK_GOOD] = "1;32",  [INK_GUTTER] = "1;34",  [INK_STRONG] = "1",  [INK_DIM] = "2"};

void page_put_safe(struct page *p, const char *text, size_t n, bool lines) {
  uint32_t c;
  for (size_t i = 0, length; i < n; i += length) {
    length = utf8_decode(text + i, n - i, &c);
    if (c == '\t')
      str_append(p->out, "    ");
    else if (utf8_is_control(c) && !(lines && c == '\n'))
      str_append_char(p->out, '?');
    else
      utf8_append(p->out, text + i, length);
  }
}

static void put_formatted(struct page *p, const char *format, va_list args) {
  struct str text = {0};
  str_format_v(&text, format, args);
  page_put_safe(p, str_text(&text), text.length, true);
  str_free(&text);
}

void page_paint(struct page *p, enum ink ink, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (p->style->color)
    str_format(p->out, "\033[%sm", ink_codes[ink]);
  put_formatted(p, format, args);
  if (p->style->color)
    str_append(p->out, "\033[0m");
  va_end(args);
}

void page_put(struct page *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  put_formatted(p, format, args);
  va_end(args);
}

/* ---- source excerpts ---- */

void page_in_function(const struct place *at, struct str *out) {
  if (!at->function)
    return;
  str_append(out, "in ");
  function_text(at->function, out);
}

void page_begin_line(struct page *p) {
  page_paint(p, INK_GUTTER, "%*s |", p->gutter, "");
}

/* Columns that page_put_safe uses for text[0..n). */
static int width_of(const char *text, size_t n) {
  int width = 0;
  uint32_t c;
  for (size_t i = 0; i < n; width += c == '\t' ? 4 : 1)
    i += utf8_decode(text + i, n - i, &c);
  return width;
}

/* Byte at which this column of safe text begins. */
static size_t byte_of_column(const struct str *text, int column) {
  size_t i = 0;
  uint32_t c;
  for (; column > 0 && i < text->length; column--)
    i += utf8_decode(text->data + i, text->length - i, &c);
  return i;
}

#define DOTS 3 /* "..." stands for what is left out */
#define EXCERPT_MIN 24

/* The line, or the part of it around the mark if it is wider than the page.  need: columns from the mark
 * on that what stands below takes.  Returns the column at which the part begins. */
static int put_line_part(struct page *p, const char *line, size_t length, int mark, int need) {
  int columns = width_of(line, length), room = p->style->width - p->gutter - 3, from = 0;
  struct str safe = {0};
  struct page inner = *p;
  inner.out = &safe;
  page_put_safe(&inner, line, length, false);
  room = room < EXCERPT_MIN ? EXCERPT_MIN : room;
  if (p->style->width == 0 || columns <= room) {
    str_append_bytes(p->out, safe.data, safe.length);
  } else {
    from = mark + need - room;
    if (from > mark - 2 * DOTS)
      from = mark - 2 * DOTS;
    from = from < 0 ? 0 : from;
    bool more = from + room < columns;
    size_t first = byte_of_column(&safe, from ? from + DOTS : 0);
    size_t end = byte_of_column(&safe, more ? from + room - DOTS : columns);
    str_append(p->out, from ? "..." : "");
    str_append_bytes(p->out, safe.data + first, end - first);
    str_append(p->out, more ? "..." : "");
  }
  str_free(&safe);
  return from;
}

static void put_source_line(struct page *p, const struct place *at, enum ink ink,
                            const char *label) {
  size_t length;
  const char *line = sources_line(p->report->sources, at->file, at->line, &length);
  if (!line) {
    if (*label) {
      page_paint(p, INK_GUTTER, "%*s =", p->gutter, "");
      page_put(p, " %s\n", label);
    }
    return;
  }
  size_t column = at->column && at->column <= length ? at->column : 0;
  if (!column) /* not known: the first word */
    while (column < length && (line[column] == ' ' || line[column] == '\t'))
      column++;
  else
    column--;
  size_t word = at->column ? source_word_length(line, length, at->column) : 1;
  int mark = width_of(line, column);
  page_begin_line(p);
  page_put(p, "\n");
  page_paint(p, INK_GUTTER, "%*u |", p->gutter, at->line);
  page_put(p, " ");
  mark -= put_line_part(p, line, length, mark, (int)word + 1 + width_of(label, strlen(label)));
  page_put(p, "\n");
  page_begin_line(p);
  page_put(p, " %*s", mark, "");
  struct str carets = {0};
  for (size_t i = 0; i < word; i++)
    str_append_char(&carets, '^');
  page_paint(p, ink, "%s%s%s", str_text(&carets), *label ? " " : "", label);
  str_free(&carets);
  page_put(p, "\n");
}

void page_put_excerpt(struct page *p, const struct place *at, enum ink ink, const char *label) {
  struct str where = {0};
  struct place shown = place_from_directory(p->report->run, at);
  place_text(&shown, true, &where);
  page_paint(p, INK_GUTTER, "%*s-->", p->gutter, "");
  page_put(p, " %s\n", str_text(&where));
  str_free(&where);
  put_source_line(p, at, ink, label);
}
