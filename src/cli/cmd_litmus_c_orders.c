/* --minimise-orders: weaker orders as changes of the source, as far as its text is understood. */
#include "cli/cmd_litmus_c.h"
#include "cprog/c_source.h"
#include <ctype.h>
#include <string.h>

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static const char *word_end(const char *p) {
  while (is_word(*p))
    p++;
  return p;
}

/* The end of the brackets that open at or behind `from` (behind the closing one); NULL if they do
 * not close on this line. */
static const char *closing(const char *from) {
  const char *p = strchr(from, '(');
  int depth = 0;
  for (; p && *p; p++) {
    depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
    if (!depth)
      return p + 1;
  }
  return NULL;
}

/* The n-th memory_order_... among the arguments of a call, not among those of calls in these; NULL if
 * there is none. */
static const char *find_order(const char *from, const char *end, int n) {
  int depth = 0;
  for (const char *p = from; p < end; p++) {
    depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
    if (depth == 1 && !strncmp(p, "memory_order_", 13) && n-- == 0)
      return p;
  }
  return NULL;
}

static char *replaced(const char *line, const char *from, const char *to, const char *with,
                      struct arena *a) {
  return arena_format(a, "%.*s%s%s", (int)(from - line), line, with, to);
}

/* The last character in front of `from` that is no blank, there or in lines above that are no `//`. */
static char before(const char *line, const char *from, struct place where, struct arena *a) {
  for (;;) {
    while (from > line)
      if (!isspace((unsigned char)*--from))
        return *from;
    where.line--;
    line = c_source_text(where, a);
    if (!line)
      return ';';
    const char *text = line + strspn(line, " \t");
    from = strncmp(text, "//", 2) ? line + strlen(line) : line;
  }
}

/* Without a fence.  Only where a statement surely begins does its semicolon go as well: it may be
 * all that an `if` has.  NULL if it is no call of a fence by its name (a macro may do more), or not
 * a statement. */
static char *without(const char *line, const char *from, struct place where, struct arena *a) {
  static const char *const names[] = {"atomic_thread_fence", "__atomic_thread_fence",
                                      "__sync_synchronize"};
  const char *name = from + (strncmp(from, "std::", 5) ? 0 : 5), *end = closing(from);
  size_t length = (size_t)(word_end(name) - name);
  bool fence = !strncmp(name, "smp_", 4);
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    fence = fence || (length == strlen(names[i]) && !strncmp(name, names[i], length));
  if (!fence || !end || name[length + strspn(name + length, " \t")] != '(')
    return NULL;
  end += strspn(end, " \t");
  char previous = before(line, from, where, a);
  if (*end != ';' || strchr(",(?=&|", previous))
    return NULL;
  return replaced(line, from, strchr(";{}", previous) ? end + 1 : end, "", a);
}

static bool is_method(const char *line, const char *start) {
  bool behind = (start > line && start[-1] == '.') ||
                (start > line + 1 && start[-2] == '-' && start[-1] == '>');
  static const char *const names[] = {"load",   "store", "exchange", "compare_exchange_",
                                      "fetch_", "test",  "clear"};
  for (unsigned i = 0; behind && i < sizeof names / sizeof *names; i++)
    if (!strncmp(start, names[i], strlen(names[i])))
      return true;
  return false;
}

/* A call of std::atomic that does not say its order. */
static char *add_order(const char *line, const char *name_end, const char *end,
                       const struct c_order_change *c, struct arena *a) {
  const char *first = name_end + strspn(name_end, " \t(");
  return replaced(line, end - 1, end - 1,
                  arena_format(a, "%sstd::%s", first < end - 1 ? ", " : "", c_order_name(c->to)),
                  a);
}

/* The line with one order changed; NULL if its text is not understood there. */
static char *rewrite(const char *line, const struct c_order_change *c, struct arena *a) {
  size_t at = (size_t)c->place.column - 1;
  if (at >= strlen(line))
    return NULL;
  const char *start = line + at, *end = closing(start);
  if (c->removed)
    return without(line, start, c->place, a);
  const char *space = !strncmp(start, "std::", 5) ? "std::" : "";
  start += strlen(space);
  const char *name_end = word_end(start);
  bool method = is_method(line, start);
  if (!end || (!method && strncmp(start, "atomic_", 7)))
    return NULL;
  bool cas = strstr(start, "compare_exchange") == start + (method ? 0 : 7);
  const char *order = find_order(start, end, 0), *second = cas ? find_order(start, end, 1) : NULL;
  if (order) {
    char *text = (char *)line;
    if (second)
      text = replaced(line, second, word_end(second), c_order_name(c->failure), a);
    return replaced(text, text + (order - line), text + (word_end(order) - line),
                    c_order_name(c->to), a);
  }
  if (method)
    return strstr(start, "memory_order") && strstr(start, "memory_order") < end
               ? NULL
               : add_order(line, name_end, end, c, a);
  if (name_end - start > 9 && !strncmp(name_end - 9, "_explicit", 9))
    return NULL; /* the order is there under another name */
  const char *more = cas ? arena_format(a, ", %s%s", space, c_order_name(c->failure)) : "";
  char *args = arena_format(a, "%.*s, %s%s%s)", (int)(end - 1 - name_end), name_end, space,
                            c_order_name(c->to), more);
  return replaced(line, start, end,
                  arena_format(a, "%.*s_explicit%s", (int)(name_end - start), start, args), a);
}

/* Changes of one line, from its end to its beginning, so that columns stay right.  *gone lines of
 * this file have been left out so far. */
static void print_line(const struct c_outcome *o, int first, int *gone, struct arena *a,
                       FILE *out) {
  const struct c_order_change *c = o->changes.data;
  struct place where = c[first].place;
  const char *old = c_source_text(where, a);
  char *new = arena_text(a, old ? old : "", old ? strlen(old) : 0);
  for (int column = 1 << 30;;) {
    int next = -1;
    for (int i = 0; i < o->changes.length; i++)
      if (c[i].place.line == where.line && !strcmp(c[i].place.file, where.file) &&
          c[i].place.column < column && (next < 0 || c[i].place.column > c[next].place.column))
        next = i;
    if (next < 0)
      break;
    char *changed = rewrite(new, &c[next], a);
    new = changed ? changed
                  : arena_format(a, "%s /* column %d: %s */", new, c[next].place.column,
                                 c[next].removed ? "not needed" : c_order_name(c[next].to));
    column = c[next].place.column;
  }
  if (!new[strspn(new, " \t")] && old &&*old)
    fprintf(out, "@@ -%d +%d,0 @@\n-%s\n", where.line, where.line - ++*gone, old);
  else
    fprintf(out, "@@ -%d +%d @@\n-%s\n+%s\n", where.line, where.line - *gone, old ? old : "", new);
}

static bool earlier(const struct c_outcome *o, int i) {
  for (int j = 0; j < i; j++)
    if (o->changes.data[j].place.line == o->changes.data[i].place.line &&
        !strcmp(o->changes.data[j].place.file, o->changes.data[i].place.file))
      return true;
  return false;
}

void litmus_c_print_orders(const struct c_outcome *o, FILE *out) {
  struct arena a = {0};
  fprintf(out, "Orders %d of the program can be weaker (%d tried)\n", o->changes.length, o->trials);
  const char *file = "";
  int gone = 0;
  for (int line = 0;;) { /* by file and line */
    int next = -1;
    for (int i = 0; i < o->changes.length; i++) {
      struct place p = o->changes.data[i].place;
      if (earlier(o, i) || (!strcmp(p.file, file) && p.line <= line) || strcmp(p.file, file) < 0)
        continue;
      struct place q = next < 0 ? p : o->changes.data[next].place;
      if (next < 0 || strcmp(p.file, q.file) < 0 || (!strcmp(p.file, q.file) && p.line < q.line))
        next = i;
    }
    if (next < 0)
      break;
    struct place p = o->changes.data[next].place;
    if (strcmp(file, p.file)) {
      fprintf(out, "--- %s\n+++ %s\n", p.file, p.file);
      gone = 0;
    }
    file = p.file;
    line = p.line;
    print_line(o, next, &gone, &a, out);
  }
  arena_release(&a);
}

json_t *litmus_c_json_orders(const struct c_outcome *o) {
  json_t *list = json_array();
  for (int i = 0; i < o->changes.length; i++) {
    const struct c_order_change *c = &o->changes.data[i];
    json_array_append_new(list, json_pack("{s:s, s:i, s:i, s:s, s:s}", "file", c->place.file,
                                          "line", c->place.line, "column", c->place.column, "from",
                                          c->is_fence ? "fence" : c_order_name(c->from), "to",
                                          c->removed ? "removed" : c_order_name(c->to)));
  }
  return list;
}
