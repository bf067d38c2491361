#include "cli/fix_macro.h"
#include "base/vec.h"
#include "cli/fix_source.h"
#include <ctype.h>
#include <string.h>

struct piece {
  const char *begin, *end;
};

typedef VEC(struct piece) piece_list;

struct macro {
  const char *open; /* the '(' of its parameters */
  struct piece body;
};

static const char *skip_blanks(const char *p) {
  return p + strspn(p, " \t");
}

/* Behind its last line. */
static const char *directive_end(const char *p) {
  for (;; p++) {
    p += strcspn(p, "\n");
    if (!*p || !(p[-1] == '\\' || (p[-1] == '\r' && p[-2] == '\\')))
      return p;
  }
}

/* At p, the beginning of a line: "#define NAME(", with no space before the bracket.  NULL: it is not. */
static const char *definition_at(const char *p, const char *name, size_t length) {
  p = skip_blanks(p);
  if (*p != '#')
    return NULL;
  p = skip_blanks(p + 1);
  if (!fix_word_at(p, "define"))
    return NULL;
  p = skip_blanks(p + strlen("define"));
  return strncmp(p, name, length) == 0 && p[length] == '(' ? p + length : NULL;
}

static bool find_macro(const char *source, const char *name, size_t length, struct macro *out) {
  int found = 0;
  for (const char *p = source; *p; p += *p == '\n') {
    const char *open = definition_at(p, name, length), *close;
    p = directive_end(p);
    if (!open)
      continue;
    close = fix_skip_brackets(open);
    if (!close || close > p || found++)
      return false;
    *out = (struct macro){open, {close, p}};
  }
  return found == 1;
}

/* What stands between the commas of the brackets at `open`. */
static bool split(const char *open, piece_list *out) {
  const char *begin = open + 1;
  for (const char *p = begin; *p;) {
    const char *next = fix_skip_token(p);
    if (next == p && strchr("([{", *p))
      next = fix_skip_brackets(p);
    if (!next)
      return false;
    if (next == p && (*p == ',' || *p == ')')) {
      struct piece x = {begin, p};
      fix_trim(&x.begin, &x.end);
      vec_push(out, x);
      begin = p + 1;
      if (*p == ')')
        return true;
    }
    p = next > p ? next : p + 1;
  }
  return false;
}

/* What the only assignment of the body, or a++, stores to. */
static bool assigned(struct piece body, struct piece *out) {
  struct piece x = {body.begin, NULL};
  VEC(const char *) outer = {0}; /* where what is around the brackets begins */
  bool several = false;
  for (const char *p = body.begin; p < body.end;) {
    const char *next = fix_skip_token(p);
    if (next > p) {
      p = next;
      continue;
    }
    if (*p == '(' || *p == '[') {
      vec_push(&outer, x.begin);
      x.begin = p + 1;
    } else if ((*p == ')' || *p == ']') && outer.length) {
      x.begin = vec_pop(&outer);
    } else if (strchr("{};,?:", *p) || (*p == '\\' && (p[1] == '\n' || p[1] == '\r'))) {
      x.begin = p + 1;
    } else if (*p == '=' && p[1] != '=' && !strchr("=!<>", p[-1])) {
      several |= x.end != NULL;
      x.end = p;
      *out = x;
    } else if ((p[0] == '+' && p[1] == '+') || (p[0] == '-' && p[1] == '-')) {
      several |= x.end != NULL || fix_trim_end(x.begin, p) == x.begin; /* "++a" */
      x.end = p++;
      *out = x;
    }
    p++;
  }
  vec_free(&outer);
  return x.end && !several;
}

/* Not a declaration ("long a"), nor an operator that does more than assign, nor pasted names. */
static bool is_lvalue(struct piece *x) {
  fix_trim(&x->begin, &x->end);
  if (x->begin == x->end || strchr("+-*/%&|^", x->end[-1]))
    return false;
  for (const char *p = x->begin; p < x->end; p++)
    if (*p == '#' || *p == '\\' || isspace((unsigned char)*p))
      return false;
  return true;
}

static void substitute(struct piece x, const piece_list *parameters, const piece_list *arguments,
                       struct str *out) {
  for (const char *p = x.begin, *end; p < x.end; p = end) {
    for (end = p; end < x.end && fix_in_name(*end); end++)
      ;
    struct piece word = {p, end};
    for (size_t i = 0; i < parameters->length && end > p; i++) {
      const struct piece *y = &parameters->data[i];
      if (y->end - y->begin == end - p && strncmp(y->begin, p, (size_t)(end - p)) == 0)
        word = arguments->data[i];
    }
    end += end == p;
    if (word.begin == p)
      word.end = end;
    str_append_bytes(out, word.begin, (size_t)(word.end - word.begin));
  }
}

bool fix_macro_lvalue(const char *source, const char *name, size_t length, const char *open,
                      struct str *out) {
  struct macro m;
  struct piece x;
  piece_list parameters = {0}, arguments = {0};
  bool known = find_macro(source, name, length, &m) && split(m.open, &parameters) &&
               split(open, &arguments) && parameters.length == arguments.length &&
               assigned(m.body, &x) && is_lvalue(&x);
  if (known)
    substitute(x, &parameters, &arguments, out);
  vec_free(&parameters);
  vec_free(&arguments);
  return known;
}
