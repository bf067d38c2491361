/* Changes of lines as a unified diff, and applied. */
#include "cli/fix_edit.h"
#include <stdlib.h>
#include <string.h>

#define CONTEXT 3

static int compare(const void *left, const void *right) {
  const struct fix_change *a = left, *b = right;
  return a->line != b->line ? (a->line > b->line) - (a->line < b->line) : b->replaced - a->replaced;
}

/* In order; of equal ones and of two replacements of a line only the first is kept. */
static void put_in_order(fix_change_list *changes) {
  size_t kept = 0;
  if (changes->length)
    qsort(changes->data, changes->length, sizeof *changes->data, compare);
  for (size_t i = 0; i < changes->length; i++) {
    struct fix_change *c = &changes->data[i], *last = kept ? &changes->data[kept - 1] : NULL;
    bool again = last && last->line == c->line &&
                 ((last->replaced && c->replaced) || strcmp(last->text, c->text) == 0);
    if (again)
      mem_free(c->text, strlen(c->text) + 1);
    else
      changes->data[kept++] = *c;
  }
  changes->length = kept;
}

static const char *next_line(const char *p) {
  p += strcspn(p, "\n");
  return *p ? p + 1 : p;
}

static uint32_t count_lines(const char *text) {
  uint32_t n = 0;
  for (; *text; text = next_line(text))
    n++;
  return n;
}

void fix_patched(const char *source, fix_change_list *changes, struct str *out) {
  put_in_order(changes);
  size_t next = 0;
  uint32_t line = 0;
  for (const char *p = source; *p || next < changes->length;) {
    const struct fix_change *c = next < changes->length ? &changes->data[next] : NULL;
    if (c && c->line == line) {
      str_append(out, c->text);
      next++;
      continue;
    }
    if (!*p)
      break;
    const char *end = next_line(p);
    line++;
    if (!(c && c->line == line && c->replaced))
      str_append_bytes(out, p, (size_t)(end - p));
    p = end;
  }
}

static void put_lines(struct str *out, char mark, const char *text) {
  for (const char *end; *text; text = end) {
    end = next_line(text);
    str_append_char(out, mark);
    str_append_bytes(out, text, (size_t)(end - text));
    if (end[-1] != '\n')
      str_append(out, "\n\\ No newline at end of file\n");
  }
}

static void put_one(struct str *out, char mark, const char *line) {
  struct str text = {0};
  str_append_bytes(&text, line, (size_t)(next_line(line) - line));
  put_lines(out, mark, str_text(&text));
  str_free(&text);
}

/* Changes [first, end) of which each is near the next one. */
static void put_hunk(const char *source, const fix_change_list *changes, size_t first, size_t end,
                     long *shift, struct str *out) {
  uint32_t total = count_lines(source);
  uint32_t from = changes->data[first].line > CONTEXT ? changes->data[first].line - CONTEXT : 1;
  uint32_t to = changes->data[end - 1].line + CONTEXT;
  struct str body = {0};
  long added = 0, removed = 0;
  if (to > total)
    to = total;
  const char *p = source;
  for (uint32_t l = 1; l < from; l++)
    p = next_line(p);
  size_t next = first;
  if (changes->data[next].line == 0) { /* before the first line */
    put_lines(&body, '+', changes->data[next].text);
    added += count_lines(changes->data[next++].text);
  }
  for (uint32_t l = from; l <= to; l++, p = next_line(p)) {
    bool replaced = next < end && changes->data[next].line == l && changes->data[next].replaced;
    put_one(&body, replaced ? '-' : ' ', p);
    removed += replaced;
    for (; next < end && changes->data[next].line == l; next++) {
      put_lines(&body, '+', changes->data[next].text);
      added += count_lines(changes->data[next].text);
    }
  }
  long old_lines = to - from + 1;
  str_format(out, "@@ -%u,%ld +%ld,%ld @@\n", from, old_lines, (long)from + *shift,
             old_lines - removed + added);
  str_append(out, str_text(&body));
  *shift += added - removed;
  str_free(&body);
}

void fix_diff(const char *source, const char *name, fix_change_list *changes, struct str *out) {
  long shift = 0;
  put_in_order(changes);
  if (!changes->length)
    return;
  bool absolute = name[0] == '/';
  str_format(out, "--- %s%s\n+++ %s%s\n", absolute ? "" : "a/", name, absolute ? "" : "b/", name);
  for (size_t first = 0, end; first < changes->length; first = end) {
    for (end = first + 1; end < changes->length; end++)
      if (changes->data[end].line > changes->data[end - 1].line + 2 * CONTEXT)
        break;
    put_hunk(source, changes, first, end, &shift, out);
  }
}
