#include "report/suppress.h"
#include "base/mem.h"
#include "report/file_text.h"
#include "report/utf8.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static void text_free(char *text) {
  if (text)
    mem_free(text, strlen(text) + 1);
}

static char *copy(const char *text, size_t n) {
  char *result = mem_alloc(n + 1);
  memcpy(result, text, n);
  return result;
}

/* ---- reading ---- */

#define IN ":in:"

static bool kind_exists(const char *pattern) {
  for (int k = 0; k < FINDING_KINDS; k++)
    if (fnmatch(pattern, finding_kind_text(k), 0) == 0)
      return true;
  return false;
}

static void list_kinds(struct str *out) {
  for (int k = 0; k < FINDING_KINDS; k++)
    str_format(out, "%s%s", k ? ", " : "", finding_kind_text(k));
}

/* "btree.c:41": the pattern ends at the last colon if a number or * follows; "ns::*" is a function.  *line: what it says,
 * 0: nothing, or nothing that can be one, and then *bad. */
static size_t pattern_length(const char *rest, uint32_t *line, bool *bad) {
  const char *colon = strrchr(rest, ':');
  *line = 0;
  *bad = false;
  if (!colon || colon == rest || colon[-1] == ':')
    return strlen(rest);
  if (strcmp(colon + 1, "*") == 0)
    return (size_t)(colon - rest);
  size_t digits = strspn(colon + 1, "0123456789");
  if (!digits || colon[1 + digits])
    return strlen(rest);
  unsigned long number = strtoul(colon + 1, NULL, 10);
  *bad = number == 0 || number > UINT32_MAX;
  *line = *bad ? 0 : (uint32_t)number;
  return (size_t)(colon - rest);
}

/* line[0..n) without blanks around it, not empty and no comment. */
static bool parse_line(struct suppressions *s, const char *line, size_t n, int number,
                       struct str *error) {
  struct suppression x = {.text = copy(line, n), .number = number};
  const char *colon = strchr(x.text, ':');
  bool no_line = false;
  if (colon && colon[1]) {
    x.kind = copy(x.text, (size_t)(colon - x.text));
    x.callers = strncmp(colon, IN, strlen(IN)) == 0 && colon[strlen(IN)];
    colon += x.callers ? strlen(IN) - 1 : 0;
    x.pattern = copy(colon + 1, pattern_length(colon + 1, &x.line, &no_line));
  }
  vec_push(&s->list, x);
  if (!x.kind)
    str_format(error, "%s:%d: '%s' is neither kind:file:line nor kind:function", s->path, number,
               x.text);
  else if (no_line)
    str_format(error, "%s:%d: '%s' names a line that no file has (for all lines: '*')", s->path,
               number, x.text);
  else if (!kind_exists(x.kind)) {
    str_format(error, "%s:%d: there is no kind of finding '%s' (there are: ", s->path, number,
               x.kind);
    list_kinds(error);
    str_append(error, ")");
  }
  return error->length == 0;
}

bool suppressions_parse(struct suppressions *s, const char *path, const char *text,
                        struct str *error) {
  s->path = mem_strdup(path);
  int number = 0;
  for (const char *line = text; *line;) {
    size_t n = strcspn(line, "\n"), whole = n + (line[n] == '\n');
    const char *begin = line + strspn(line, " \t");
    number++;
    line += whole;
    n = begin < line ? strcspn(begin, "\n") : 0;
    while (n && strchr(" \t\r", begin[n - 1]))
      n--;
    if (n && *begin != '#' && !parse_line(s, begin, n, number, error))
      return false;
  }
  return true;
}

bool suppressions_read(struct suppressions *s, const char *path, struct str *error) {
  struct str text = {0};
  bool ok = file_text_read(path, &text, error);
  if (ok && memchr(str_text(&text), 0, text.length)) {
    str_format(error, "%s: not a text file", path);
    ok = false;
  }
  ok = ok && suppressions_parse(s, path, str_text(&text), error);
  str_free(&text);
  return ok;
}

void suppressions_free(struct suppressions *s) {
  for (size_t i = 0; i < s->list.length; i++) {
    text_free(s->list.data[i].text);
    text_free(s->list.data[i].kind);
    text_free(s->list.data[i].pattern);
  }
  vec_free(&s->list);
  text_free(s->path);
  *s = (struct suppressions){0};
}

/* ---- matching ---- */

/* The name, or what follows any `separator` in it: folders, namespaces. */
static bool fits(const char *pattern, const char *name, const char *separator) {
  while (name) {
    if (fnmatch(pattern, name, 0) == 0)
      return true;
    const char *next = strstr(name, separator);
    name = next ? next + strlen(separator) : NULL;
  }
  return false;
}

/* "btree.c:4?" */
static bool fits_line(const char *pattern, const struct place *p) {
  struct str text = {0};
  str_format(&text, "%s:%u", p->file, p->line);
  bool fit = strchr(pattern, ':') && fits(pattern, str_text(&text), "/");
  str_free(&text);
  return fit;
}

static bool fits_place(const struct suppression *s, const struct place *p) {
  if (s->line)
    return p->line == s->line && p->file && fits(s->pattern, p->file, "/");
  if (!place_known(p))
    return fnmatch(s->pattern, "", 0) == 0;
  return (p->function && fits(s->pattern, p->function, "::")) ||
         (p->file && (fits(s->pattern, p->file, "/") || fits_line(s->pattern, p))) ||
         (!p->file && p->object && fits(s->pattern, p->object, "/"));
}

static bool fits_stack(const struct suppression *s, const place_list *stack) {
  for (size_t i = 0; i < stack->length; i++)
    if (fits_place(s, &stack->data[i]))
      return true;
  return false;
}

/* Is it about that part?  The later store that survives may be anybody's, and so may whoever reads that one. */
static bool concerns(const struct finding *f, const struct finding_part *part) {
  bool of_survivor = part->role == FINDING_ROLE_SURVIVED ||
                     (part->role == FINDING_ROLE_READ && f->kind == FINDING_ROBUSTNESS);
  return !of_survivor && place_known(&part->place);
}

static bool fits_callers(const struct suppression *s, const struct finding *f) {
  if (fits_stack(s, &f->stack))
    return true;
  for (size_t i = 0; i < f->parts.length; i++)
    if (concerns(f, &f->parts.data[i]) &&
        (fits_place(s, &f->parts.data[i].place) || fits_stack(s, &f->parts.data[i].stack)))
      return true;
  return false;
}

static bool is_silenced_by(const struct suppression *s, const struct finding *f) {
  return fnmatch(s->kind, finding_kind_text(f->kind), 0) == 0 &&
         (fits_place(s, finding_place(f)) || (s->callers && fits_callers(s, f)));
}

struct suppression *suppressions_find(struct suppressions *s, const struct finding *f) {
  for (size_t i = 0; i < s->list.length; i++)
    if (is_silenced_by(&s->list.data[i], f))
      return &s->list.data[i];
  return NULL;
}

/* ---- writing ---- */

static void append_literal(struct str *out, const char *text) {
  for (; *text; text++) {
    if (strchr("*?[\\", *text))
      str_append_char(out, '\\');
    str_append_char(out, *text);
  }
}

static void append_comment(struct str *out, const struct finding *f) {
  struct str headline = {0};
  finding_headline(f, &headline);
  for (size_t i = 0; i < headline.length; i++)
    if ((unsigned char)headline.data[i] < 0x20)
      headline.data[i] = ' ';
  str_append(out, "# ");
  utf8_append(out, str_text(&headline), headline.length);
  if (finding_place(f)->function)
    str_format(out, " in %s", finding_place(f)->function);
  str_append(out, "\n");
  str_free(&headline);
}

/* The line that silences it, without its end; nothing if it has no place. */
static void append_line(struct str *out, const struct finding *f) {
  const struct place *p = finding_place(f);
  if (!place_known(p))
    return;
  str_format(out, "%s:", finding_kind_text(f->kind));
  append_literal(out, p->file ? p->file : p->function ? p->function : path_basename(p->object));
  if (p->file && p->line)
    str_format(out, ":%u", p->line);
}

static bool has_line(const struct str *text, const struct str *line) {
  const char *p = str_text(text);
  while (*p) {
    size_t n = strcspn(p, "\n");
    if (n == line->length && strncmp(p, line->data, n) == 0)
      return true;
    p += n + (p[n] == '\n');
  }
  return false;
}

static void append_finding(struct str *out, const struct finding *f) {
  struct str line = {0};
  append_line(&line, f);
  if (line.length && has_line(out, &line)) {
    str_free(&line);
    return; /* another one at the same place */
  }
  append_comment(out, f);
  if (line.length)
    str_format(out, "%s\n", str_text(&line));
  else
    str_format(out, "# It has no place; this would silence every one like it: %s:*\n",
               finding_kind_text(f->kind));
  str_free(&line);
}

void report_suppressions(const struct report *r, struct str *out) {
  const struct results *x = r->results;
  const struct suppressions *old = r->suppressions;
  for (size_t i = 0; old && i < old->list.length; i++)
    if (old->list.data[i].used || !x->complete)
      str_format(out, "%s\n", old->list.data[i].text);
  for (size_t i = 0; i < x->findings.length; i++)
    append_finding(out, &x->findings.data[i]);
}
