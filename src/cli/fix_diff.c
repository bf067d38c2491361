/* Changes of lines as a unified diff, and applied. */
#include "cli/fix_edit.h"
#include <stdlib.h>
#include <string.h>

#define CONTEXT 3

static int compare(const void *left, const void *right) {
  const struct fix_change *a = left, *b = right;
  if (a->at != b->at)
    return (a->at > b->at) - (a->at < b->at);
  return a->rank != b->rank ? a->rank - b->rank : strcmp(a->text, b->text);
}

/* In order; of equal ones only the first is kept, and of a piece that is gone nothing else is said. */
static void put_in_order(fix_change_list *changes) {
  size_t kept = 0;
  if (changes->length)
    qsort(changes->data, changes->length, sizeof *changes->data, compare);
  for (size_t i = 0; i < changes->length; i++) {
    struct fix_change *c = &changes->data[i], *last = kept ? &changes->data[kept - 1] : NULL;
    bool again =
        last && last->at == c->at && last->length == c->length && strcmp(last->text, c->text) == 0;
    if (again || (last && c->at < last->at + last->length))
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

/* The source from one offset to another with changes [first, end), which lie in between. */
static void apply(const char *source, size_t from, size_t to, const fix_change_list *changes,
                  size_t first, size_t end, struct str *out) {
  for (size_t i = first; i < end; i++) {
    const struct fix_change *c = &changes->data[i];
    str_append_bytes(out, source + from, c->at - from);
    str_append(out, c->text);
    from = c->at + c->length;
  }
  str_append_bytes(out, source + from, to - from);
}

void fix_patched(const char *source, fix_change_list *changes, struct str *out) {
  put_in_order(changes);
  apply(source, 0, strlen(source), changes, 0, changes->length, out);
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

/* Whole lines [from, to) of the source, perhaps none, and the changes in them. */
struct block {
  size_t from, to, first, end;
};

typedef VEC(struct block) block_list;

static bool begins_line(const char *source, size_t at) {
  return at == 0 || source[at - 1] == '\n';
}

/* What a change touches. */
static struct block touched(const char *source, const struct fix_change *c) {
  struct block b = {.from = c->at, .to = c->at + c->length};
  size_t n = strlen(c->text);
  bool whole = begins_line(source, b.from) && begins_line(source, b.to) &&
               (n == 0 || c->text[n - 1] == '\n');
  while (!whole && !begins_line(source, b.from))
    b.from--;
  if (!whole)
    b.to = (size_t)(next_line(source + b.to) - source);
  return b;
}

static void find_blocks(const char *source, const fix_change_list *changes, block_list *out) {
  for (size_t i = 0; i < changes->length; i++) {
    struct block b = touched(source, &changes->data[i]),
                 *last = out->length ? &vec_last(out) : NULL;
    b.first = i;
    b.end = i + 1;
    if (last && b.from < last->to) {
      last->to = b.to > last->to ? b.to : last->to;
      last->end = b.end;
    } else
      vec_push(out, b);
  }
}

static uint32_t lines_before(const char *source, size_t at) {
  uint32_t n = 0;
  for (size_t i = 0; i < at; i++)
    n += source[i] == '\n';
  return n;
}

/* Lines [from, to) of the source, counted from 0. */
static void put_range(struct str *out, char mark, const char *source, uint32_t from, uint32_t to) {
  struct str text = {0};
  const char *p = source;
  for (uint32_t l = 0; l < from; l++)
    p = next_line(p);
  const char *end = p;
  for (uint32_t l = from; l < to; l++)
    end = next_line(end);
  str_append(&text, "");
  str_append_bytes(&text, p, (size_t)(end - p));
  put_lines(out, mark, str_text(&text));
  str_free(&text);
}

/* Blocks [first, end) of which each is near the next one. */
static void put_hunk(const char *source, const fix_change_list *changes, const block_list *blocks,
                     size_t first, size_t end, long *shift, struct str *out) {
  uint32_t total = count_lines(source), begin = lines_before(source, blocks->data[first].from);
  uint32_t from = begin > CONTEXT ? begin - CONTEXT : 0, at = from;
  struct str body = {0}, text = {0};
  long added = 0, removed = 0;
  for (size_t i = first; i < end; i++) {
    const struct block *b = &blocks->data[i];
    uint32_t line = lines_before(source, b->from), behind = line;
    for (const char *p = source + b->from; p < source + b->to; p = next_line(p))
      behind++;
    put_range(&body, ' ', source, at, line);
    put_range(&body, '-', source, line, behind);
    str_clear(&text);
    str_append(&text, "");
    apply(source, b->from, b->to, changes, b->first, b->end, &text);
    put_lines(&body, '+', str_text(&text));
    removed += behind - line;
    added += count_lines(str_text(&text));
    at = behind;
  }
  uint32_t to = at + CONTEXT < total ? at + CONTEXT : total;
  put_range(&body, ' ', source, at, to);
  long old_lines = to - from;
  str_format(out, "@@ -%u,%ld +%ld,%ld @@\n", from + 1, old_lines, (long)from + 1 + *shift,
             old_lines - removed + added);
  str_append(out, str_text(&body));
  *shift += added - removed;
  str_free(&body);
  str_free(&text);
}

void fix_diff(const char *source, const char *name, fix_change_list *changes, struct str *out) {
  long shift = 0;
  block_list blocks = {0};
  put_in_order(changes);
  if (!changes->length)
    return;
  find_blocks(source, changes, &blocks);
  bool absolute = name[0] == '/';
  const char *end = strchr(name, ' ') ? "\t" : ""; /* patch(1) takes a name up to there */
  str_format(out, "--- %s%s%s\n+++ %s%s%s\n", absolute ? "" : "a/", name, end, absolute ? "" : "b/",
             name, end);
  for (size_t first = 0, end; first < blocks.length; first = end) {
    for (end = first + 1; end < blocks.length; end++)
      if (lines_before(source, blocks.data[end].from) >
          lines_before(source, blocks.data[end - 1].to) + 2 * CONTEXT)
        break;
    put_hunk(source, changes, &blocks, first, end, &shift, out);
  }
  vec_free(&blocks);
}
