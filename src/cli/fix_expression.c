#include "cli/fix_expression.h"
#include <string.h>

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
    const char *next = fix_skip_group(p);
    if (!next)
      return NULL;
    if (next == p && (strchr(",;)]}", *p) || (*p == ':' && p[1] != ':' && questions-- == 0)))
      break;
    questions += *p == '?';
    p = next > p ? next : p + (strncmp(p, "::", 2) == 0 ? 2 : 1);
  }
  return p;
}

static const char *trim_begin(const char *begin, const char *end) {
  const char *p = fix_skip_space(begin);
  return p < end ? p : end;
}

static bool whole_assignment(const struct fix_statement *s, const char *begin, const char *at,
                             struct fix_expression *e) {
  e->form = FIX_ASSIGNMENT;
  e->begin = e->name = trim_begin(begin, at);
  e->name_end = fix_trim_end(e->name, at);
  e->end = value_end(at + assigns(at), s->end);
  if (e->end)
    e->end = fix_trim_end(at, e->end);
  e->parts |= e->end && e->end[-1] == '}';
  return e->end && e->name_end > e->name;
}

static bool whole_step(const struct operand *o, const char *at, struct fix_expression *e) {
  const char *name = trim_begin(o->close, at), *end = fix_trim_end(name, at);
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
  const char *link = fix_trim_end(object, at);
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
  before.at = fix_trim_end(s->begin, o->begin) - 1;
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
  const char *end = fix_trim_end(s->begin, o->equals), *word = end;
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

/* Behind a type in "new (p) unsigned long[3]", "new a::b<int>{1}"; p itself: there is none. */
static const char *skip_type(const char *p) {
  const char *end = p;
  for (;;) {
    while (fix_in_name(*p) || *p == '*' || strncmp(p, "::", 2) == 0)
      p += *p == ':' ? 2 : 1;
    if (*p == '[' && !(p = fix_skip_brackets(p)))
      return end;
    if (*p == '<') {
      int depth = 0;
      do
        depth += (*p == '<') - (*p == '>');
      while (*++p && depth && !strchr(";{", *p));
    }
    end = p;
    const char *next = fix_skip_space(p);
    if (next == p ? strncmp(p, "::", 2) != 0 : !fix_in_name(*next))
      return end;
    p = next;
  }
}

/* A new with the place at it or at its type. */
static bool whole_new(const struct fix_statement *s, struct fix_expression *e) {
  bool found = false;
  for (const char *p = s->begin, *next; p <= s->at; p = next > p ? next : p + 1) {
    next = fix_skip_token(p);
    if (!fix_word_at(p, "new") || (p > s->begin && fix_in_name(p[-1])))
      continue;
    const char *type = fix_skip_space(p + strlen("new"));
    if (*type == '(')
      type = fix_skip_brackets(type);
    type = type ? fix_skip_space(type) : "";
    const char *end = fix_in_name(*type) || *type == ':' ? skip_type(type) : type;
    const char *behind = fix_skip_space(end);
    if (end == type || (s->at != p && (s->at < type || s->at > behind)))
      continue;
    if (*behind == '(' || *behind == '{')
      end = fix_skip_brackets(behind);
    if (p - s->begin >= 2 && strncmp(p - 2, "::", 2) == 0)
      p -= 2;
    *e = (struct fix_expression){FIX_NEW, p, end, p, end, true, false, *behind != '('};
    found = end != NULL;
    next = type;
  }
  return found;
}

bool fix_find_expression(const struct fix_statement *s, struct fix_expression *e) {
  struct operand o = operand_before(s);
  const char *at = s->at;
  if (whole_new(s, e))
    return true;
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

bool fix_is_call(const struct fix_statement *s) {
  const char *p = s->begin;
  while (fix_in_name(*p) || *p == '.' || *p == ':' || strncmp(p, "->", 2) == 0)
    p += *p == '-' ? 2 : 1;
  const char *open = fix_skip_space(p);
  const char *close = p > s->begin && *open == '(' ? fix_skip_brackets(open) : NULL;
  return close && *fix_skip_space(close) == ';' && !fix_has_effects(open + 1, close - 1);
}
