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

/* The end of a line that may go on in the next one: of a directive or a comment. */
static const char *line_end(const char *p) {
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
    return line_end(p);
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
    next = *p == '#' ? line_end(p) : p[0] == '/' ? fix_skip_token(p) : p;
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

/* Behind a comment, a string or brackets at p; p itself if there are none; NULL: they do not end. */
static const char *skip_group(const char *p) {
  const char *next = fix_skip_token(p);
  return next == p && *p && strchr("([{", *p) ? fix_skip_brackets(p) : next;
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
  if (p[0] == '[' && p[1] == '[') { /* [[likely]]: nothing begins with it that stores */
    const char *behind = fix_skip_brackets(p);
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
    const char *next = *p == '#' ? line_end(p) : fix_skip_token(p);
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
    const char *next = skip_group(p);
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
    const char *next = skip_group(p);
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
  while (end > begin && isspace((unsigned char)end[-1]))
    end--;
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

bool fix_is_call(const struct fix_statement *s) {
  const char *p = s->begin;
  while (fix_in_name(*p) || *p == '.' || *p == ':' || strncmp(p, "->", 2) == 0)
    p += *p == '-' ? 2 : 1;
  const char *open = fix_skip_space(p);
  const char *close = p > s->begin && *open == '(' ? fix_skip_brackets(open) : NULL;
  return close && *fix_skip_space(close) == ';' && !fix_has_effects(open + 1, close - 1);
}

/* ---- expressions ---- */

/* How long is the operator at p that assigns, or 0? */
static int assigns(const char *p) {
  int n = strncmp(p, "<<=", 3) == 0 || strncmp(p, ">>=", 3) == 0 ? 2 : *p && strchr("+-*/%&|^", *p);
  return p[n] == '=' && p[n + 1] != '=' ? n + 1 : 0;
}

static bool steps(const char *p) {
  return (p[0] == '+' && p[1] == '+') || (p[0] == '-' && p[1] == '-');
}

/* The operator at p, which is neither in a name nor links names: how long it is, or 0. */
static int operator_at(const char *p) {
  static const char *const longer[] = {"<=", ">=", "==", "!=", "&&", "||", "<<", ">>", NULL};
  if (strncmp(p, "->", 2) == 0 || strncmp(p, "::", 2) == 0 || steps(p))
    return 0;
  if (assigns(p))
    return assigns(p);
  for (const char *const *o = longer; *o; o++)
    if (strncmp(p, *o, 2) == 0)
      return 2;
  return *p && strchr("+-*/%&|^<>!~?:,=", *p) != NULL;
}

/* What lies between two operators, on the way to the place. */
struct operand {
  const char *begin;  /* of what an operator that assigns at the place would store to */
  const char *close;  /* behind any operator */
  const char *equals; /* begin is behind this one, and nothing else uses the value; or NULL */
  bool used, listed;
  bool needed; /* what comes last in a list is */
};

/* Behind the <...> of a cast, or p itself. */
static const char *skip_cast(const char *p, const char *begin) {
  bool cast = *p == '<' && p - begin > 5 && strncmp(p - 5, "_cast", 5) == 0;
  const char *end = cast ? strchr(p, '>') : NULL;
  return end ? end + 1 : p;
}

static struct operand operand_before(const struct fix_statement *s) {
  struct operand o = {
      .begin = s->begin, .close = s->begin, .used = s->condition, .needed = s->condition};
  for (const char *p = s->begin; p < s->at;) {
    const char *next = fix_skip_token(p);
    if (next == p)
      next = skip_cast(p, s->begin);
    if (next == p && strchr("([{", *p)) {
      next = fix_skip_brackets(p);
      if (!next || next > s->at) /* the place is inside */
        next = p + 1,
        o = (struct operand){.begin = next, .close = next, .used = true, .needed = true};
    }
    if (next > p) {
      p = next;
      continue;
    }
    int length = operator_at(p);
    bool word = fix_in_name(*p) && (p == s->begin || !fix_in_name(p[-1]));
    if (strncmp(p, "->", 2) == 0 || strncmp(p, "::", 2) == 0 || steps(p)) {
      p += 2;
      continue;
    }
    if (word &&
        (fix_word_at(p, "return") || fix_word_at(p, "co_return") || fix_word_at(p, "throw")))
      length = (int)strcspn(p, " \t\n("), o.begin = p + length, o.used = o.needed = true;
    else if (*p == ',')
      o.begin = p + 1, o.used = o.needed, o.equals = NULL, o.listed = true;
    else if (assigns(p) || *p == '?' || *p == ':' || strncmp(p, "&&", 2) == 0 ||
             strncmp(p, "||", 2) == 0)
      o.equals = *p == '=' && !o.used ? p : NULL, o.begin = p + length, o.used = true;
    if (length > 0)
      o.close = p + length;
    p += length > 0 ? length : 1;
  }
  return o;
}

/* Behind "a", "a->b", "a[i].b(c)", "std::f" at p; p itself if no name is there. */
static const char *skip_names(const char *p) {
  const char *begin = p;
  while (*p == '*' || *p == '&')
    p++;
  for (const char *next; *p; p = next) {
    if (fix_in_name(*p) || (*p == '.' && fix_in_name(p[1])))
      next = p + 1;
    else if (strncmp(p, "->", 2) == 0 || strncmp(p, "::", 2) == 0)
      next = p + 2;
    else if (*p == '[' || *p == '(')
      next = fix_skip_brackets(p);
    else
      break;
    if (!next)
      return begin;
  }
  return p;
}

/* Where the assignment of what begins at p ends. */
static const char *value_end(const char *p, const char *limit) {
  for (int questions = 0; p < limit;) {
    const char *next = skip_group(p);
    if (!next)
      return NULL;
    if (next == p && (strchr(",;)]}", *p) || (*p == ':' && p[1] != ':' && questions-- == 0)))
      break;
    questions += *p == '?';
    p = next > p ? next : p + (strncmp(p, "::", 2) == 0 ? 2 : 1);
  }
  return p;
}

static const char *trim_end(const char *begin, const char *end) {
  while (end > begin && isspace((unsigned char)end[-1]))
    end--;
  return end;
}

static const char *trim_begin(const char *begin, const char *end) {
  const char *p = fix_skip_space(begin);
  return p < end ? p : end;
}

static bool whole_assignment(const struct fix_statement *s, const char *begin, const char *at,
                             struct fix_expression *e) {
  e->form = FIX_ASSIGNMENT;
  e->begin = e->name = trim_begin(begin, at);
  e->name_end = trim_end(e->name, at);
  e->end = value_end(at + assigns(at), s->end);
  if (e->end)
    e->end = trim_end(at, e->end);
  e->parts |= e->end && e->end[-1] == '}';
  return e->end && e->name_end > e->name;
}

static bool whole_step(const struct operand *o, const char *at, struct fix_expression *e) {
  const char *name = trim_begin(o->close, at), *end = trim_end(name, at);
  if (end > name && (fix_in_name(end[-1]) || strchr(")]", end[-1]))) {
    while (*name == '(' && fix_skip_brackets(name) < end && fix_in_name(*fix_skip_brackets(name)))
      name = fix_skip_brackets(name); /* a cast */
    *e = (struct fix_expression){FIX_POSTFIX, name, at + 2, name, end, o->used, o->listed, false};
    return true;
  }
  name = fix_skip_space(at + 2);
  end = skip_names(name);
  *e = (struct fix_expression){FIX_PREFIX, at, end, name, end, o->used, o->listed, false};
  return end > name;
}

/* "f(", "std::f(" or "a.f(" with the place at a name. */
static bool whole_call(const struct operand *o, const char *at, struct fix_expression *e) {
  const char *name = at, *end, *object = trim_begin(o->close, at);
  for (end = at; fix_in_name(*end) || (strncmp(end, "::", 2) == 0 && (end += 1)); end++)
    ;
  const char *open = fix_skip_space(end), *behind = *open == '(' ? fix_skip_brackets(open) : NULL;
  if (end == at || !behind)
    return false;
  *e = (struct fix_expression){FIX_CALL, name, behind, name, end, o->used, o->listed, false};
  const char *link = trim_end(object, at);
  if (link > object && (link[-1] == '.' || (link - object > 1 && link[-1] == '>')))
    e->form = FIX_METHOD, e->begin = e->name = object, e->name_end = link;
  return true;
}

/* ... = here */
static bool assignment_before(const struct fix_statement *s, const struct operand *o,
                              struct fix_expression *e) {
  if (o->begin <= s->begin || o->close != o->begin)
    return false;
  struct fix_statement before = *s;
  before.at = trim_end(s->begin, o->begin) - 1;
  struct operand left = operand_before(&before);
  e->used = left.used, e->listed = left.listed, e->parts = true;
  return *before.at == '=' && whole_assignment(s, left.begin, before.at, e);
}

/* The operators of a std::atomic are at what they are applied to; a copy may be anywhere in its assignment. */
static bool whole_operand(const struct fix_statement *s, const struct operand *o,
                          struct fix_expression *e) {
  const char *end = fix_skip_space(skip_names(s->at));
  if (end > s->at && assigns(end))
    return whole_assignment(s, s->at, end, e);
  if (end > s->at && steps(end)) {
    *e =
        (struct fix_expression){FIX_POSTFIX, s->at, end + 2, s->at, end, o->used, o->listed, false};
    return true;
  }
  return assignment_before(s, o, e);
}

/* Is it just assigned to something that it does not mention? */
static bool is_only_kept(const struct fix_statement *s, const struct operand *o,
                         const struct fix_expression *e) {
  if (!o->equals || e->form < FIX_CALL || fix_skip_space(o->begin) != e->begin)
    return false;
  const char *end = trim_end(s->begin, o->equals), *word = end;
  while (word > s->begin && fix_in_name(word[-1]))
    word--;
  for (const char *p = e->begin; p < e->end && word < end; p++)
    if (strncmp(p, word, (size_t)(end - word)) == 0)
      return false;
  return word < end;
}

/* By what comes behind it. */
static bool find_use(const struct fix_statement *s, const struct operand *o,
                     struct fix_expression *e) {
  const char *rest = fix_skip_space(e->end);
  e->used &= !is_only_kept(s, o, e);
  e->listed |= *rest == ',' || s->head;
  e->used |= rest < s->end && !strchr(",;", *rest);
  e->used |= e->form != FIX_ASSIGNMENT && o->close > o->begin; /* by an operator */
  return true;
}

bool fix_find_expression(const struct fix_statement *s, struct fix_expression *e) {
  struct operand o = operand_before(s);
  const char *at = s->at;
  *e = (struct fix_expression){.used = o.used, .listed = o.listed};
  bool found = assigns(at) ? whole_assignment(s, o.begin, at, e)
               : steps(at) ? whole_step(&o, at, e)
                           : whole_call(&o, at, e) || whole_operand(s, &o, e);
  return found && find_use(s, &o, e);
}

bool fix_find_result(const struct fix_statement *s, struct fix_expression *e) {
  struct operand o = operand_before(s);
  *e = (struct fix_expression){0};
  return fix_skip_space(o.begin) == s->at && assignment_before(s, &o, e) && find_use(s, &o, e);
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
  const char *end = trim_end(source, at);
  return end > source + 1 && (end[-1] == ',' || (end[-1] == ':' && end[-2] != ':'));
}

bool fix_find_initialiser(const char *source, const char *at, struct fix_initialiser *i) {
  *i = (struct fix_initialiser){.name = at, .name_end = at, .body = at + 1};
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

bool fix_has_effects(const char *begin, const char *end) {
  for (const char *p = begin; p < end;) {
    const char *next = fix_skip_token(p);
    if (next > p) {
      p = next;
      continue;
    }
    if (steps(p) || (assigns(p) && p > begin && !strchr("=!<>", p[-1])))
      return true;
    const char *open = p;
    while (open < end && fix_in_name(*open))
      open++;
    if (open > p && open < end && *open == '(' && !fix_word_at(p, "sizeof"))
      return true;
    p = open > p ? open : p + 1;
  }
  return false;
}
