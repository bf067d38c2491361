#include "cli/fix_source.h"
#include "base/vec.h"
#include <ctype.h>
#include <string.h>

/* ---- tokens ---- */

const char *fix_position(const char *source, uint32_t line, uint32_t column) {
  const char *p = source;
  for (uint32_t n = 1; n < line && p; n++) {
    p = strchr(p, '\n');
    p = p ? p + 1 : NULL;
  }
  if (!p || column == 0 || strcspn(p, "\n") < column - 1)
    return NULL;
  return p + column - 1;
}

const char *fix_line_end(const char *p) {
  for (;; p++) {
    const char *end = p + strcspn(p, "\n"), *last = end > p && end[-1] == '\r' ? end - 1 : end;
    if (!*end || last == p || last[-1] != '\\')
      return end;
    p = end;
  }
}

/* Behind 1'000'000; p itself if the number has no such marks. */
static const char *skip_separated(const char *p) {
  const char *end = p;
  bool separated = false;
  for (; fix_in_name(*end) || (*end == '\'' && fix_in_name(end[1])); end++)
    separated |= *end == '\'';
  return separated ? end : p;
}

/* Behind R"name(...)name". */
static const char *skip_raw(const char *p) {
  const char *name = p + 2, *open = name + strcspn(name, "( )\\\t\n\"");
  if (*open != '(')
    return p;
  for (const char *end = strchr(open, ')'); end; end = strchr(end + 1, ')'))
    if (strncmp(end + 1, name, (size_t)(open - name)) == 0 && end[1 + open - name] == '"')
      return end + 2 + (open - name);
  return p + strlen(p);
}

const char *fix_skip_token(const char *p) {
  if (p[0] == 'R' && p[1] == '"')
    return skip_raw(p);
  if (isdigit((unsigned char)*p))
    return skip_separated(p);
  p += strncmp(p, "u8'", 3) == 0 ? 2 : 0;
  if (p[0] == '/' && p[1] == '/')
    return fix_line_end(p);
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

const char *fix_skip_space(const char *p) {
  for (const char *next;; p = next) {
    p += strspn(p, " \t\r\n");
    next = *p == '#' ? fix_line_end(p) : p[0] == '/' ? fix_skip_token(p) : p;
    if (next == p)
      return p;
  }
}

const char *fix_skip_brackets(const char *p) {
  int depth = 0;
  while (*p) {
    const char *next = fix_skip_token(p);
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

bool fix_in_name(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

bool fix_word_at(const char *p, const char *word) {
  size_t n = strlen(word);
  return strncmp(p, word, n) == 0 && !fix_in_name(p[n]);
}

const char *fix_skip_group(const char *p) {
  const char *next = fix_skip_token(p);
  return next == p && *p && strchr("([{", *p) ? fix_skip_brackets(p) : next;
}

const char *fix_trim_end(const char *begin, const char *end) {
  while (end > begin && isspace((unsigned char)end[-1]))
    end--;
  return end;
}

void fix_trim(const char **begin, const char **end) {
  while (*begin < *end && isspace((unsigned char)**begin))
    ++*begin;
  *end = fix_trim_end(*begin, *end);
}

/* ---- statements ---- */

/* Words that may stand before a bracket and then before a name, without being a macro. */
static bool is_word_of_c(const char *p) {
  static const char *const words[] = {
      "return",   "throw",    "co_return", "co_yield",    "co_await",      "new",
      "delete",   "sizeof",   "alignof",   "typeof",      "__typeof__",    "decltype",
      "alignas",  "_Alignas", "goto",      "__attribute", "static",        "const",
      "__typeof", "auto",     "operator",  "_Atomic",     "__attribute__", NULL};
  for (const char *const *w = words; *w; w++)
    if (fix_word_at(p, *w))
      return true;
  return false;
}

/* Behind FOREACH(...), which a statement follows; p itself if there is no such macro. */
static const char *skip_macro(const char *p) {
  const char *q = p;
  while (fix_in_name(*q))
    q++;
  const char *open = fix_skip_space(q);
  const char *behind = q > p && *open == '(' && !is_word_of_c(p) ? fix_skip_brackets(open) : NULL;
  return behind && fix_in_name(*fix_skip_space(behind)) ? behind : p;
}

/* Behind an if (...), for (...), while (...), else, do, label or [[attribute]] at p; p itself if there is none.  open: the
 * bracket. */
static const char *skip_head(const char *p, bool *unbraced, const char **open) {
  static const char *const with_brackets[] = {"if", "for", "while", "switch", NULL};
  *open = NULL;
  for (const char *const *w = with_brackets; *w; w++)
    if (fix_word_at(p, *w)) {
      const char *bracket = fix_skip_space(p + strlen(*w));
      if (fix_word_at(bracket, "constexpr"))
        bracket = fix_skip_space(bracket + strlen("constexpr"));
      const char *behind = *bracket == '(' ? fix_skip_brackets(bracket) : NULL;
      *unbraced = true;
      *open = bracket;
      return behind ? behind : p;
    }
  if (fix_word_at(p, "else") || fix_word_at(p, "do")) {
    *unbraced = true;
    return p + (fix_word_at(p, "else") ? 4 : 2);
  }
  bool attribute = fix_word_at(p, "__attribute__") || fix_word_at(p, "__attribute");
  if (attribute || (p[0] == '[' && p[1] == '[')) { /* nothing begins with them that stores */
    const char *behind = fix_skip_brackets(attribute ? p + strcspn(p, "(;{") : p);
    return behind ? behind : p;
  }
  const char *q = skip_macro(p);
  if (q > p) {
    *unbraced = true;
    return q;
  }
  if (fix_word_at(p, "case"))
    q = p + strcspn(p, ":;{}");
  else
    while (fix_in_name(*q))
      q++;
  q = fix_skip_space(q);
  return q > p && *q == ':' && q[1] != ':' ? q + 1 : p;
}

/* A '{', and what was before it. */
struct outer {
  const char *begin;
  int depth;
  const char *open; /* the '{' itself */
};

/* Where statements begin is known from the start of the file only: strings and comments cannot be
 * recognised backwards.  block: the '{' around it, or NULL. */
static const char *statement_before(const char *source, const char *at, struct outer *block) {
  VEC(struct outer) blocks = {0};
  struct outer now = {.begin = source}; /* depth: of round and square brackets */
  for (const char *p = source; p < at && *p;) {
    const char *next = *p == '#' ? fix_line_end(p) : fix_skip_token(p);
    if (next != p) {
      p = next;
      continue;
    }
    now.depth += *p == '(' || *p == '[';
    now.depth -= *p == ')' || *p == ']';
    if (*p == '{') {
      now.open = p;
      vec_push(&blocks, now);
      now = (struct outer){.begin = p + 1};
    } else if (*p == '}' && blocks.length) {
      struct outer last = vec_last(&blocks);
      blocks.length--;
      now = last.depth > 0 ? last
                           : (struct outer){.begin = p + 1}; /* within brackets it ends nothing */
    } else if (*p == ';' && now.depth <= 0) {
      now = (struct outer){.begin = p + 1};
    }
    p++;
  }
  if (block)
    *block = blocks.length ? vec_last(&blocks) : (struct outer){0};
  vec_free(&blocks);
  return now.begin;
}

/* In the brackets [open, close) of a head. */
static bool find_in_head(const char *open, const char *close, bool loop, struct fix_statement *s) {
  const char *body = fix_skip_space(close);
  s->head = open;
  s->body = *body == '{' ? body + 1 : NULL;
  s->begin = open + 1;
  s->condition = !loop;
  for (const char *p = s->begin; p < close - 1;) {
    const char *next = fix_skip_group(p);
    if (!next)
      return false;
    if (*p == ';' && loop && p < s->at)
      s->begin = p + 1, s->condition = !s->condition;
    if (*p == ';' && loop && p >= s->at) {
      s->end = p;
      return true;
    }
    p = next > p ? next : p + 1;
  }
  s->end = close - 1;
  return true;
}

bool fix_find_statement(const char *source, const char *at, struct fix_statement *s) {
  *s = (struct fix_statement){.source = source, .at = at};
  const char *p = fix_skip_space(statement_before(source, at, NULL)), *open;
  for (const char *next; p <= at; p = fix_skip_space(next)) {
    bool head = false;
    next = skip_head(p, &head, &open);
    if (next == p)
      break;
    if (next > at)
      return open && find_in_head(open, next, fix_word_at(p, "for"), s);
    s->unbraced |= head;
  }
  s->begin = p;
  for (p = s->begin; *p && *p != ';';) {
    const char *next = fix_skip_group(p);
    if (!next || (next == p && strchr(")}", *p)))
      return false;
    p = next > p ? next : p + 1;
  }
  s->end = p + 1;
  return *p == ';' && s->begin <= at && at < s->end;
}

/* Is that '{' the beginning of a function, by what stands before it? */
static bool begins_function(const struct outer *block) {
  bool unbraced = false;
  const char *open, *end = block->open, *begin;
  if (!end)
    return false;
  begin = fix_skip_space(block->begin);
  end = fix_trim_end(begin, end);
  return end > begin && end[-1] == ')' && skip_head(begin, &unbraced, &open) == begin;
}

/* Behind "template <...>", which need not be there. */
static const char *skip_template(const char *p) {
  if (!fix_word_at(p, "template"))
    return p;
  int depth = 0;
  for (p += strcspn(p, "<{;"); *p; p++) {
    depth += (*p == '<') - (*p == '>');
    if (depth == 0)
      return fix_skip_space(p + 1);
  }
  return p;
}

bool fix_is_in_class(const char *source, const char *at) {
  struct outer block;
  statement_before(source, at, &block);
  if (!block.open)
    return false;
  const char *p = skip_template(fix_skip_space(block.begin));
  if (!fix_word_at(p, "struct") && !fix_word_at(p, "class") && !fix_word_at(p, "union"))
    return false;
  for (const char *word = p; p < block.open;
       p++) { /* struct alignas(64) a { or struct a *f(int b) { */
    if (fix_in_name(*p) && !(p > word && fix_in_name(p[-1])))
      word = p;
    if (*p == '(' && !fix_word_at(word, "alignas") && !fix_word_at(word, "__attribute__"))
      return false;
    if (*p == '(')
      p = fix_skip_brackets(p) - 1;
  }
  return true;
}

bool fix_is_all_of_function(const char *source, const char *const *places, size_t count) {
  struct outer block;
  statement_before(source, places[0], &block);
  if (!begins_function(&block))
    return false;
  for (const char *p = fix_skip_space(block.open + 1); *p != '}';) {
    struct fix_statement s;
    bool has = false;
    if (!*p || !fix_find_statement(source, p, &s) || s.head || s.unbraced)
      return false;
    for (size_t i = 0; i < count; i++)
      has |= s.begin <= places[i] && places[i] < s.end;
    if (!has)
      return false;
    p = fix_skip_space(s.end);
  }
  return true;
}

/* ---- constructors ---- */

/* Behind "a(1)", "b{2}", "base<int>(x)" or "rest(x)..."; NULL: that is no initialiser. */
static const char *skip_initialiser(const char *p) {
  const char *begin = p;
  while (fix_in_name(*p) || strncmp(p, "::", 2) == 0)
    p += *p == ':' ? 2 : 1;
  if (p > begin && *p == '<')
    p += strcspn(p, ">;") + 1;
  p = p > begin ? fix_skip_space(p) : p;
  p = p > begin && (*p == '(' || *p == '{') ? fix_skip_brackets(p) : NULL;
  if (p && strncmp(p, "...", 3) == 0)
    p += 3;
  return p;
}

/* Is it behind the ':' or a ',' of a list? */
static bool is_in_list(const char *source, const char *at) {
  const char *end = fix_trim_end(source, at);
  return end > source + 1 && (end[-1] == ',' || (end[-1] == ':' && end[-2] != ':'));
}

/* The name in "a{" or "base<int>{", if it is in a list; otherwise NULL.  open: its '{'. */
static const char *initialised_name(const char *source, const char *open) {
  const char *p = fix_trim_end(source, open);
  int depth = 0;
  while (p > source && (depth || p[-1] == '>') && !strchr(";{}", p[-1])) {
    p--;
    depth += (*p == '>') - (*p == '<');
  }
  const char *end = p = fix_trim_end(source, p);
  while (p > source && (fix_in_name(p[-1]) || (p > source + 1 && p[-1] == ':' && p[-2] == ':')))
    p -= p[-1] == ':' ? 2 : 1;
  return p < end && is_in_list(source, p) ? p : NULL;
}

bool fix_find_initialiser(const char *source, const char *at, struct fix_initialiser *i) {
  const char *name = *at == '{' ? initialised_name(source, at) : NULL;
  at = name ? name : at;
  *i = (struct fix_initialiser){.name = at, .name_end = at, .body = at + 1, .parts = name != NULL};
  if (*at == '{')
    return true;
  while (fix_in_name(*i->name_end))
    i->name_end++;
  if (i->name_end == at || !is_in_list(source, at))
    return false;
  const char *p = at;
  while ((p = skip_initialiser(p)) && *(p = fix_skip_space(p)) == ',')
    p = fix_skip_space(p + 1);
  i->body = p && *p == '{' ? p + 1 : NULL;
  return i->body != NULL;
}
