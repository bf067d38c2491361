#include "cli/fix_edit.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A statement: [begin, end) with its ';', what comes before it on the way from the last statement
 * (an unbraced if, for, else), and the place in it. */
struct statement {
  const char *source, *begin, *end, *at;
  bool unbraced; /* the body of an if, for, while, else or do */
  bool header;   /* not a statement, but the head of a block: end is behind its '{' */
};

static const char *position(const char *source, uint32_t line, uint32_t column) {
  const char *p = source;
  for (uint32_t n = 1; n < line && p; n++) {
    p = strchr(p, '\n');
    p = p ? p + 1 : NULL;
  }
  if (!p || column == 0 || strcspn(p, "\n") < column - 1)
    return NULL;
  return p + column - 1;
}

/* Behind a comment, a string or a character constant that begins at p; p itself if none does. */
static const char *skip_token(const char *p) {
  if (p[0] == '/' && p[1] == '/')
    return p + strcspn(p, "\n");
  if (p[0] == '/' && p[1] == '*') {
    const char *end = strstr(p + 2, "*/");
    return end ? end + 2 : p + strlen(p);
  }
  if (*p != '"' && *p != '\'')
    return p;
  char quote = *p++;
  while (*p && *p != quote && *p != '\n')
    p += *p == '\\' && p[1] ? 2 : 1;
  return *p == quote ? p + 1 : p;
}

static const char *skip_space(const char *p) {
  for (const char *next;; p = next) {
    p += strspn(p, " \t\n");
    next = *p == '#' ? p + strcspn(p, "\n") : p[0] == '/' ? skip_token(p) : p;
    if (next == p)
      return p;
  }
}

/* Behind the bracket that closes the one at p; NULL if there is none. */
static const char *skip_brackets(const char *p) {
  int depth = 0;
  while (*p) {
    const char *next = skip_token(p);
    if (next != p) {
      p = next;
      continue;
    }
    depth += strchr("([{", *p) != NULL;
    depth -= strchr(")]}", *p) != NULL;
    p++;
    if (depth == 0)
      return p;
  }
  return NULL;
}

static bool word_at(const char *p, const char *word) {
  size_t n = strlen(word);
  return strncmp(p, word, n) == 0 && !isalnum((unsigned char)p[n]) && p[n] != '_';
}

/* Behind an if (...), for (...), while (...), else, do or label at p; p itself if there is none. */
static const char *skip_head(const char *p, bool *unbraced) {
  static const char *const with_brackets[] = {"if", "for", "while", "switch", NULL};
  for (const char *const *w = with_brackets; *w; w++)
    if (word_at(p, *w)) {
      const char *open = skip_space(p + strlen(*w));
      const char *behind = *open == '(' ? skip_brackets(open) : NULL;
      *unbraced = true;
      return behind ? behind : p;
    }
  if (word_at(p, "else") || word_at(p, "do")) {
    *unbraced = true;
    return p + (word_at(p, "else") ? 4 : 2);
  }
  const char *q = p;
  if (word_at(p, "case"))
    q = p + strcspn(p, ":;{}");
  else
    while (isalnum((unsigned char)*q) || *q == '_')
      q++;
  q = skip_space(q);
  return q > p && *q == ':' && q[1] != ':' ? q + 1 : p;
}

/* Where statements begin is known from the start of the file only: strings and comments cannot be
 * recognised backwards. */
static const char *statement_before(const char *source, const char *at) {
  const char *begin = source;
  int depth = 0; /* of round and square brackets */
  for (const char *p = source; p < at && *p;) {
    const char *next = *p == '#' ? p + strcspn(p, "\n") : skip_token(p);
    if (next != p) {
      p = next;
      continue;
    }
    depth += *p == '(' || *p == '[';
    depth -= *p == ')' || *p == ']';
    if (depth <= 0 && strchr(";{}", *p))
      begin = p + 1, depth = 0;
    p++;
  }
  return begin;
}

static bool find_statement(const char *source, const char *at, struct statement *s) {
  *s = (struct statement){.source = source, .at = at};
  const char *p = skip_space(statement_before(source, at));
  for (const char *next; p <= at; p = skip_space(next)) {
    bool head = false;
    next = skip_head(p, &head);
    if (next == p)
      break;
    if (next > at) { /* in the condition of an if: what follows is its block */
      p = skip_space(next);
      s->header = *p == '{';
      s->end = p + 1;
      s->begin = p;
      return s->header;
    }
    s->unbraced |= head;
  }
  s->begin = p;
  for (p = s->begin; *p && *p != ';';) {
    const char *next = skip_token(p);
    if (next == p && strchr("([{", *p))
      next = skip_brackets(p);
    if (!next || (next == p && strchr(")}", *p)))
      return false;
    p = next > p ? next : p + 1;
  }
  s->end = p + 1;
  return *p == ';' && s->begin <= at && at < s->end;
}

/* ---- what is stored to ---- */

struct target {
  struct str address, size;
};

static void append_trimmed(struct str *out, const char *begin, const char *end) {
  while (begin < end && isspace((unsigned char)*begin))
    begin++;
  while (end > begin && isspace((unsigned char)end[-1]))
    end--;
  str_append_bytes(out, begin, (size_t)(end - begin));
}

/* Argument number n of the call whose '(' is at p. */
static bool argument(const char *open, int n, struct str *out) {
  const char *begin = open + 1, *p = begin;
  for (; *p;) {
    const char *next = skip_token(p);
    if (next == p && strchr("([{", *p))
      next = skip_brackets(p);
    if (!next)
      return false;
    if (next > p) {
      p = next;
      continue;
    }
    if (*p == ',' || *p == ')') {
      if (n-- == 0) {
        append_trimmed(out, begin, p);
        return out->length > 0;
      }
      if (*p == ')')
        return false;
      begin = p + 1;
    }
    p++;
  }
  return false;
}

static bool target_of_call(const char *name, struct target *t) {
  const char *open = name;
  while (isalnum((unsigned char)*open) || *open == '_')
    open++;
  size_t length = (size_t)(open - name);
  open = skip_space(open);
  if (length == 0 || *open != '(' || !argument(open, 0, &t->address))
    return false;
  if (memmem(name, length, "mem", 3))
    return argument(open, 2, &t->size);
  if (strncmp(name, "strcpy", length) == 0 || strncmp(name, "strcat", length) == 0) {
    str_format(&t->size, "__builtin_strlen(%s) + 1", str_text(&t->address));
    return true;
  }
  if (!memmem(name, length, "atomic", 6) && *str_text(&t->address) != '&')
    return false; /* a macro, perhaps, whose argument is not an address */
  str_format(&t->size, "sizeof *(%s)", str_text(&t->address));
  return true;
}

static void target_of_lvalue(const char *begin, const char *end, struct target *t) {
  struct str lvalue = {0};
  append_trimmed(&lvalue, begin, end);
  str_format(&t->address, "&%s", str_text(&lvalue));
  str_format(&t->size, "sizeof(%s)", str_text(&lvalue));
  str_free(&lvalue);
}

/* The '=' of the statement that is not in brackets, the last one up to the place or else the first; NULL:
 * there is none.  begin: of what it stores to. */
static const char *assignment(const struct statement *s, const char **begin) {
  const char *found = NULL, *place = s->at;
  *begin = s->begin;
  while (*place && strchr("+-*/%&|^<>", *place))
    place++; /* to the end of "<<=" */
  for (const char *p = s->begin; p < s->end;) {
    const char *next = skip_token(p);
    if (next == p && strchr("([{", *p))
      next = skip_brackets(p);
    if (!next)
      return NULL;
    if (next > p) {
      p = next;
      continue;
    }
    bool assigns = *p == '=' && p[1] != '=' && p > s->begin && !strchr("=!", p[-1]);
    if (assigns && found && p > place)
      break;
    if (assigns && found)
      *begin = found + 1;
    if (assigns)
      found = p;
    if (*p == ',' && p < s->at)
      *begin = p + 1, found = NULL;
    p++;
  }
  return found;
}

/* a.b.store(...) of a std::atomic, with the place at the name of the member. */
static bool target_of_member_call(const struct statement *s, struct target *t) {
  const char *end = s->at;
  if (end - s->begin > 1 && end[-1] == '.')
    target_of_lvalue(s->begin, end - 1, t);
  else if (end - s->begin > 2 && end[-1] == '>' && end[-2] == '-') {
    append_trimmed(&t->address, s->begin, end - 2);
    str_format(&t->size, "sizeof *(%s)", str_text(&t->address));
  } else
    return false;
  return true;
}

static bool target_of_store(const struct statement *s, struct target *t) {
  const char *at = s->at;
  if (target_of_member_call(s, t))
    return true;
  if ((isalpha((unsigned char)*at) || *at == '_') && target_of_call(at, t))
    return true;
  const char *begin, *equals = assignment(s, &begin);
  if (equals) {
    const char *end = equals;
    while (end > begin && strchr("+-*/%&|^<>", end[-1]))
      end--;
    target_of_lvalue(begin, end, t);
    return true;
  }
  bool steps = (at[0] == '+' && at[1] == '+') || (at[0] == '-' && at[1] == '-');
  if (!steps)
    return false;
  if (at == s->begin)
    target_of_lvalue(at + 2, s->end - 1, t);
  else
    target_of_lvalue(s->begin, at, t);
  return true;
}

/* a->b[i].c with the place in its last name. */
static bool target_of_load(const struct statement *s, struct target *t) {
  const char *begin = s->at, *end = s->at;
  while (isalnum((unsigned char)*end) || *end == '_')
    end++;
  if (end == begin)
    return target_of_call(begin, t);
  if (*skip_space(end) == '(')
    return target_of_call(begin, t);
  for (;;) {
    while (begin > s->source && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
      begin--;
    if (begin > s->source && begin[-1] == '.')
      begin--;
    else if (begin > s->source + 1 && begin[-1] == '>' && begin[-2] == '-')
      begin -= 2;
    else
      break;
    if (begin > s->source && strchr(")]", begin[-1]))
      return false; /* a call or an index: it might not give the same again */
  }
  target_of_lvalue(begin, end, t);
  return true;
}

/* ---- what is added ---- */

static void put_additions(const struct fix_edit *e, const struct target *t, const char *function,
                          const char *separator, struct str *out) {
  const char *address = str_text(&t->address), *size = str_text(&t->size);
  if (e->flush && function) {
    str_format(out, "%s(%s, %s);", function, address, size);
    return;
  }
  if (e->flush && e->copies)
    str_format(out,
               "for (unsigned long line_ = (unsigned long)(%s) & -64ul;%s     line_ < (unsigned "
               "long)(%s) + (%s); line_ += 64)%s  _mm_clwb((void *)line_);",
               address, separator, address, size, separator);
  else if (e->flush)
    str_format(out, "_mm_clwb((void *)%s);", address);
  if (e->flush && e->fence)
    str_append(out, separator);
  if (e->fence)
    str_append(out, e->full ? "__atomic_thread_fence(__ATOMIC_SEQ_CST);" : "_mm_sfence();");
}

static const char *line_begin(const char *source, const char *at) {
  while (at > source && at[-1] != '\n')
    at--;
  return at;
}

static const char *line_end(const char *at) {
  at += strcspn(at, "\n");
  return *at ? at + 1 : at;
}

enum { RANK_OPEN, RANK_ADDED, RANK_CLOSE };

static void add_change(fix_change_list *out, const char *source, const char *from, const char *to,
                       int rank, const char *text) {
  struct fix_change c = {.at = (size_t)(from - source),
                         .length = (size_t)(to - from),
                         .rank = rank,
                         .text = mem_strdup(text)};
  vec_push(out, c);
}

/* Something behind the statement and, if need be, braces around both. */
static void add_on_line(const struct statement *s, const char *addition, fix_change_list *out) {
  struct str text = {0};
  str_format(&text, " %s", addition);
  if (s->unbraced)
    add_change(out, s->source, s->begin, s->begin, RANK_OPEN, "{ ");
  add_change(out, s->source, s->end, s->end, RANK_ADDED, str_text(&text));
  if (s->unbraced)
    add_change(out, s->source, s->end, s->end, RANK_CLOSE, " }");
  str_free(&text);
}

/* Does nothing but space or a comment follow on the line? */
static bool ends_line(const char *p) {
  p += strspn(p, " \t");
  if (p[0] == '/' && p[1] == '*') {
    const char *end = strstr(p, "*/");
    return end && end < p + strcspn(p, "\n") && ends_line(end + 2);
  }
  return *p == '\n' || !*p || (p[0] == '/' && p[1] == '/');
}

static void add_behind(const struct statement *s, const struct fix_edit *e, const struct target *t,
                       const char *function, fix_change_list *out) {
  struct str text = {0};
  if (s->unbraced || !ends_line(s->end)) {
    put_additions(e, t, function, " ", &text);
    add_on_line(s, str_text(&text), out);
    str_free(&text);
    return;
  }
  const char *begin = line_begin(s->source, s->header ? s->end - 1 : s->begin);
  size_t indent = strspn(begin, " \t");
  struct str separator = {0}, additions = {0};
  str_append_char(&separator, '\n');
  str_append_bytes(&separator, begin, indent);
  if (s->header)
    str_append(&separator, "  ");
  put_additions(e, t, function, str_text(&separator), &additions);
  str_append(&text, str_text(&separator) + 1);
  str_format(&text, "%s\n", str_text(&additions));
  const char *to = line_end(s->end);
  add_change(out, s->source, to, to, RANK_ADDED, str_text(&text));
  str_free(&separator);
  str_free(&additions);
  str_free(&text);
}

/* With its lines, if it is alone there. */
static bool remove_statement(const struct statement *s, fix_change_list *out) {
  const char *from = line_begin(s->source, s->begin);
  if (s->header)
    return false;
  if (s->unbraced)
    add_change(out, s->source, s->begin, s->end, RANK_ADDED, ";");
  else if (from + strspn(from, " \t") == s->begin && ends_line(s->end))
    add_change(out, s->source, from, line_end(s->end), RANK_ADDED, "");
  else
    add_change(out, s->source, s->begin, s->end + strspn(s->end, " \t"), RANK_ADDED, "");
  return true;
}

bool fix_edit_apply(const char *source, const struct fix_edit *e, const char *function,
                    fix_change_list *out) {
  struct statement s;
  struct target t = {0};
  const char *at = position(source, e->line, e->column);
  if (!at || !find_statement(source, at, &s))
    return false;
  if (!e->flush && !e->fence)
    return remove_statement(&s, out);
  if ((s.header && !e->reads) || word_at(s.begin, "return"))
    return false; /* behind it is too late */
  bool known = !e->flush || (e->reads ? target_of_load(&s, &t) : target_of_store(&s, &t));
  if (known)
    add_behind(&s, e, &t, function, out);
  str_free(&t.address);
  str_free(&t.size);
  return known;
}

void fix_changes_free(fix_change_list *changes) {
  for (size_t i = 0; i < changes->length; i++)
    mem_free(changes->data[i].text, strlen(changes->data[i].text) + 1);
  vec_free(changes);
}
