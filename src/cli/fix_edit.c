#include "cli/fix_edit.h"
#include "base/mem.h"
#include "cli/fix_branches.h"
#include "cli/fix_expression.h"
#include "cli/fix_macro.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const not_understood = "the statement is not understood";

/* ---- what is flushed ---- */

struct target {
  struct str address, size;
  struct str again; /* the lvalue, to be read once more; of a call nothing */
  bool fills;       /* a call stores as much as its arguments say */
};

static void append_trimmed(struct str *out, const char *begin, const char *end) {
  fix_trim(&begin, &end);
  str_append_bytes(out, begin, (size_t)(end - begin));
}

/* Argument number n of the call whose '(' is at p. */
static bool argument(const char *open, int n, struct str *out) {
  const char *begin = open + 1, *p = begin;
  for (; *p;) {
    const char *next = fix_skip_token(p);
    if (next == p && strchr("([{", *p))
      next = fix_skip_brackets(p);
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

/* "IF p->x", where the first word can only be a macro. */
static bool has_two_words(const char *begin, const char *end) {
  for (const char *p = begin, *next; p < end; p = next) {
    next = fix_skip_group(p);
    if (!next)
      return false;
    if (next > p)
      continue;
    next = p + 1;
    const char *word = fix_skip_space(next);
    if (fix_in_name(*p) && word > next && word < end && fix_in_name(*word))
      return true;
  }
  return false;
}

static const char *target_of_lvalue(const char *begin, const char *end, struct target *t) {
  fix_trim(&begin, &end);
  if (has_two_words(begin, end))
    return not_understood;
  str_append_bytes(&t->again, begin, (size_t)(end - begin));
  const char *lvalue = str_text(&t->again);
  bool to_member = strstr(lvalue, "->*") || strstr(lvalue, ".*"); /* binds less than & */
  if (*lvalue == '*' && !to_member)
    str_append(&t->address, lvalue + 1);
  else
    str_format(&t->address, to_member ? "&(%s)" : "&%s", lvalue);
  str_format(&t->size, "sizeof(%s)", lvalue);
  return NULL;
}

/* Functions that fill their first argument: which one says how much, or 0 for a string, which says so itself. */
static const struct filler {
  const char *name; /* a part of the name */
  int size;
} fillers[] = {{"memcpy", 2},   {"memmove", 2}, {"memset", 2}, {"mempcpy", 2}, {"strncpy", 2},
               {"snprintf", 1}, {"fgets", 1},   {"bzero", 1},  {"strcpy", 0},  {"stpcpy", 0},
               {"strcat", 0},   {"strncat", 0}, {"sprintf", 0}};

static const struct filler *find_filler(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
    if (memmem(name, length, fillers[i].name, strlen(fillers[i].name)))
      return &fillers[i];
  return NULL;
}

static const char *target_of_macro(const char *source, const char *name, const char *end,
                                   struct target *t) {
  struct str lvalue = {0};
  bool known = fix_macro_lvalue(source, name, (size_t)(end - name), fix_skip_space(end), &lvalue);
  const char *text = str_text(&lvalue);
  const char *why =
      !known ? "the store is in a macro or a function whose argument is not an address"
      : fix_has_effects(text, text + lvalue.length) ? "its address would be evaluated twice"
                                                    : NULL;
  if (!why) {
    str_clear(&t->address);
    why = target_of_lvalue(text, text + lvalue.length, t);
    str_clear(&t->again);
  }
  str_free(&lvalue);
  return why;
}

/* Is the first argument of a function of that name the address of what it stores to? */
static bool stores_to_first(const char *name, size_t length) {
  bool vector = length > 3 && strncmp(name, "_mm", 3) == 0; /* _mm256_storeu_si256 */
  return memmem(name, length, "atomic", 6) || memmem(name, length, "__sync_", 7) ||
         (vector && (memmem(name, length, "_store", 6) || memmem(name, length, "_stream", 7)));
}

static const char *target_of_call(const char *source, const char *name, const char *end,
                                  struct target *t) {
  const char *open = fix_skip_space(end);
  size_t length = (size_t)(end - name);
  const struct filler *filler = find_filler(name, length);
  if (!argument(open, 0, &t->address) ||
      (filler && filler->size && !argument(open, filler->size, &t->size)))
    return not_understood;
  if (fix_has_effects(str_text(&t->address), str_text(&t->address) + t->address.length) ||
      (t->size.length && fix_has_effects(str_text(&t->size), str_text(&t->size) + t->size.length)))
    return "its address would be evaluated twice";
  if (filler && !filler->size)
    str_format(&t->size, "__builtin_strlen(%s) + 1", str_text(&t->address));
  t->fills = filler != NULL;
  if (filler)
    return NULL;
  if (stores_to_first(name, length)) {
    str_format(&t->size, "sizeof *(%s)", str_text(&t->address));
    return NULL;
  }
  struct str first = {0};
  str_append(&first, str_text(&t->address));
  const char *why = target_of_macro(source, name, end, t);
  if (why && *str_text(&first) == '&') { /* a macro of another file, or a function */
    str_clear(&t->address);
    str_append(&t->address, str_text(&first));
    str_format(&t->size, "sizeof *(%s)", str_text(&first));
    why = NULL;
  }
  str_free(&first);
  return why;
}

/* name: with its '.' or "->" behind it. */
static const char *target_of_method(const char *name, const char *end, struct target *t) {
  if (end[-1] == '.')
    return target_of_lvalue(name, end - 1, t);
  append_trimmed(&t->address, name, end - 2);
  str_format(&t->size, "sizeof *(%s)", str_text(&t->address));
  return NULL;
}

static const char *target_of_store(const char *source, const struct fix_expression *x,
                                   struct target *t) {
  if (x->form == FIX_CALL)
    return target_of_call(source, x->name, x->name_end, t);
  if (x->form == FIX_METHOD)
    return fix_has_effects(x->name, x->name_end) ? "its address would be evaluated twice"
                                                 : target_of_method(x->name, x->name_end, t);
  return target_of_lvalue(x->name, x->name_end, t);
}

/* a->b[i].c with the place in its last name. */
static const char *target_of_load(const struct fix_statement *s, struct target *t) {
  const char *begin = s->at, *end = s->at;
  while (fix_in_name(*end))
    end++;
  if (*fix_skip_space(end) == '(')
    return end > begin ? target_of_call(s->source, begin, end, t) : not_understood;
  if (end == begin)
    return not_understood;
  for (;;) {
    while (begin > s->source && fix_in_name(begin[-1]))
      begin--;
    if (begin > s->source && begin[-1] == '.')
      begin--;
    else if (begin > s->source + 1 && begin[-1] == '>' && begin[-2] == '-')
      begin -= 2;
    else
      break;
    if (begin > s->source && strchr(")]", begin[-1]))
      return not_understood; /* a call or an index: it might not give the same again */
  }
  return target_of_lvalue(begin, end, t);
}

/* ---- what is added ---- */

/* Statements with `separator` between them, or operands of a comma. */
static void put_additions(const struct fix_edit *e, const struct target *t, const char *function,
                          const char *separator, struct str *out) {
  const char *address = str_text(&t->address), *size = str_text(&t->size);
  bool statements = *separator != ',';
  const char *end = statements ? ";" : "";
  if (e->flush && function) {
    str_format(out, "%s(%s, %s)%s", function, address, size, end);
    return;
  }
  if (e->flush && e->copies) {
    bool lines = *separator == '\n';
    str_format(out, "%sfor (unsigned long line_ = (unsigned long)(%s) & -64ul;%s%s",
               statements ? "" : "({ ", address, statements ? separator : " ",
               lines ? "     " : "");
    str_format(
        out, "line_ < (unsigned long)(%s) + (%s); line_ += 64)%s%s_mm_clwb((void *)line_);%s",
        address, size, statements ? separator : " ", lines ? "  " : "", statements ? "" : " })");
  } else if (e->flush)
    str_format(out, "_mm_clwb((void *)%s)%s", address, end);
  if (e->flush && e->fence)
    str_append(out, separator);
  if (e->fence)
    str_format(out, "%s%s", e->full ? "__atomic_thread_fence(__ATOMIC_SEQ_CST)" : "_mm_sfence()",
               end);
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

enum { RANK_OPEN, RANK_INNER, RANK_ADDED, RANK_CLOSE };

void fix_change_add(fix_change_list *out, const char *source, struct fix_change c,
                    const char *text) {
  struct str ended = {0};
  const char *end = source + c.at + strcspn(source + c.at, "\n");
  bool returns = end > source && *end && end[-1] == '\r'; /* lines end with "\r\n" */
  str_append(&ended, "");
  for (; *text; text++) {
    if (*text == '\n' && returns)
      str_append_char(&ended, '\r');
    str_append_char(&ended, *text);
  }
  c.text = mem_strdup(str_text(&ended));
  str_free(&ended);
  vec_push(out, c);
}

static void add_change(fix_change_list *out, const char *source, const char *from, const char *to,
                       int rank, const char *text) {
  struct fix_change c = {
      .at = (size_t)(from - source), .length = (size_t)(to - from), .rank = rank};
  fix_change_add(out, source, c, text);
}

/* Something behind the statement and, if need be, braces around both. */
static void add_on_line(const struct fix_statement *s, bool braces, const char *addition,
                        fix_change_list *out) {
  struct str text = {0};
  bool apart = braces || isspace((unsigned char)*s->end) || !*s->end;
  str_format(&text, " %s%s", addition, apart ? "" : " ");
  if (braces)
    add_change(out, s->source, s->begin, s->begin, RANK_OPEN, "{ ");
  add_change(out, s->source, s->end, s->end, RANK_ADDED, str_text(&text));
  if (braces)
    add_change(out, s->source, s->end, s->end, RANK_CLOSE, " }");
  str_free(&text);
}

/* Does nothing but space or a comment follow on the line? */
static bool ends_line(const char *p) {
  p += strspn(p, " \t\r");
  if (p[0] == '/' && p[1] == '*') {
    const char *end = strstr(p, "*/");
    return end && end < p + strcspn(p, "\n") && ends_line(end + 2);
  }
  if (p[0] == '/' && p[1] == '/') { /* which may go on in the next line */
    p += strcspn(p, "\n");
    return p[-1] != '\\';
  }
  return *p == '\n' || !*p;
}

/* Behind the statement, or at the beginning of the block that its condition guards. */
static void add_behind(const struct fix_statement *s, const struct fix_edit *e,
                       const struct target *t, const char *function, fix_change_list *out) {
  struct str text = {0};
  const char *behind = s->head ? s->body : s->end;
  if (s->unbraced || !ends_line(behind)) {
    struct fix_statement here = *s;
    here.end = behind;
    put_additions(e, t, function, " ", &text);
    add_on_line(&here, s->unbraced, str_text(&text), out);
    str_free(&text);
    return;
  }
  const char *begin = line_begin(s->source, s->head ? behind - 1 : s->begin);
  size_t indent = strspn(begin, " \t");
  struct str separator = {0}, additions = {0};
  str_append_char(&separator, '\n');
  str_append_bytes(&separator, begin, indent);
  if (s->head)
    str_append(&separator, "  ");
  put_additions(e, t, function, str_text(&separator), &additions);
  str_append(&text, str_text(&separator) + 1);
  str_format(&text, "%s\n", str_text(&additions));
  const char *to = line_end(behind);
  add_change(out, s->source, to, to, RANK_ADDED, str_text(&text));
  str_free(&separator);
  str_free(&additions);
  str_free(&text);
}

/* The place is evaluated once, before the statement. */
static void add_pointer(const struct fix_statement *s, const struct fix_expression *x,
                        const struct fix_edit *e, const struct target *t, const char *function,
                        fix_change_list *out) {
  struct target kept = {0};
  struct str text = {0}, additions = {0};
  str_append(&kept.address, "at_");
  str_append(&kept.size, "sizeof *at_");
  str_format(&text, "{ __typeof__(%s) at_ = %s; ", str_text(&t->address), str_text(&t->address));
  add_change(out, s->source, s->begin, s->begin, RANK_OPEN, str_text(&text));
  add_change(out, s->source, x->name, x->name_end, RANK_ADDED,
             x->form == FIX_POSTFIX ? "(*at_)" : "*at_");
  put_additions(e, &kept, function, " ", &additions);
  str_clear(&text);
  str_format(&text, " %s }", str_text(&additions));
  add_change(out, s->source, s->end, s->end, RANK_ADDED, str_text(&text));
  str_free(&kept.address);
  str_free(&kept.size);
  str_free(&text);
  str_free(&additions);
}

/* Right behind the expression, within its statement.  Of several that end at one place the inner one comes
 * first. */
static void add_inside(const struct fix_statement *s, const struct fix_expression *x,
                       const struct fix_edit *e, const struct target *t, const char *function,
                       fix_change_list *out) {
  struct str text = {0}, additions = {0};
  int rank = -(int)(x->begin - s->source) - 1;
  /* The new value can be read again, unless other threads are the point of it all. */
  bool new_value = (x->form == FIX_ASSIGNMENT || x->form == FIX_PREFIX) && !e->full;
  if (!x->used || new_value) {
    put_additions(e, t, function, ", ", &additions);
    str_format(&text, ", %s", str_text(&additions));
    if (x->used) {
      add_change(out, s->source, x->begin, x->begin, RANK_INNER, "(");
      str_format(&text, ", %s)", str_text(&t->again));
    }
  } else {
    put_additions(e, t, function, " ", &additions);
    str_append(&text, "({ __typeof__(");
    append_trimmed(&text, x->begin, x->end);
    str_append(&text, ") was_ = ");
    add_change(out, s->source, x->begin, x->begin, RANK_INNER, str_text(&text));
    str_clear(&text);
    str_format(&text, "; %s was_; })", str_text(&additions));
  }
  add_change(out, s->source, x->end, x->end, rank, str_text(&text));
  str_free(&text);
  str_free(&additions);
}

/* What new returns is flushed: that is the object, wherever the memory comes from. */
static void add_to_new(const struct fix_statement *s, const struct fix_expression *x,
                       struct fix_edit *e, const char *function, fix_change_list *out) {
  struct target made = {0};
  struct str text = {0}, additions = {0};
  e->copies |= x->parts;
  str_append(&made.address, "at_");
  str_append(&made.size, "sizeof *at_");
  put_additions(e, &made, function, " ", &additions);
  str_format(&text, "; %s at_; })", str_text(&additions));
  add_change(out, s->source, x->begin, x->begin, RANK_INNER, "({ auto at_ = ");
  add_change(out, s->source, x->end, x->end, -(int)(x->begin - s->source) - 1, str_text(&text));
  str_free(&made.address);
  str_free(&made.size);
  str_free(&text);
  str_free(&additions);
}

static const char *add_to_store(const struct fix_statement *s, struct fix_edit *e, struct target *t,
                                const char *function, fix_change_list *out) {
  struct fix_expression x;
  bool found = fix_find_expression(s, &x);
  if (found && x.form == FIX_NEW && e->flush)
    return add_to_new(s, &x, e, function, out), NULL;
  if (!found)
    return e->flush || s->head || fix_word_at(s->begin, "return")
               ? not_understood
               : (add_behind(s, e, t, function, out), NULL);
  const char *why = e->flush ? target_of_store(s->source, &x, t) : NULL;
  struct fix_expression result;
  if (why && x.form == FIX_CALL &&
      fix_find_result(s, &result)) { /* a = f(b), which gives a struct */
    x = result;
    *t = (struct target){0};
    why = target_of_store(s->source, &x, t);
  }
  e->copies |= x.parts || t->fills;
  bool inside = x.used || x.listed;
  bool twice = e->flush && x.form < FIX_CALL && fix_has_effects(x.name, x.name_end);
  bool reads_again = x.used && !e->flush && x.form < FIX_CALL;
  if (reads_again)
    target_of_lvalue(x.name, x.name_end, t);
  if (why)
    return why;
  if (inside && (twice || (reads_again && fix_has_effects(x.name, x.name_end))))
    return "its address would be evaluated twice";
  if (inside)
    add_inside(s, &x, e, t, function, out);
  else if (twice)
    add_pointer(s, &x, e, t, function, out);
  else
    add_behind(s, e, t, function, out);
  return NULL;
}

static const char *add_to_load(const struct fix_statement *s, const struct fix_edit *e,
                               struct target *t, const char *function, fix_change_list *out) {
  const char *why = e->flush ? target_of_load(s, t) : NULL;
  if ((s->head && !s->body) || fix_word_at(s->begin, "return"))
    return not_understood; /* behind it is too late */
  if (!why)
    add_behind(s, e, t, function, out);
  return why;
}

/* Does the store that is to come later come before the body of the constructor does? */
static const char *comes_too_late(const char *source, const struct fix_edit *e,
                                  const struct fix_initialiser *i) {
  if (!e->traced)
    return "it is an initialiser, and where the program came from is not known";
  for (size_t n = 0; n < e->later.length; n++) {
    const char *p = fix_position(source, e->later.data[n].line, e->later.data[n].column);
    if (p && p >= i->name && p < i->body)
      return "the body of the constructor comes too late";
  }
  return NULL;
}

/* May it be a base class, which has no name in the object?  "base<int>(1)" and "ns::base(1)" are no members. */
static bool may_be_base(const struct fix_initialiser *i) {
  const char *behind = fix_skip_space(i->name_end);
  return i->name < i->name_end && (i->parts || *behind == '<' || strncmp(behind, "::", 2) == 0);
}

static void put_member(const struct fix_initialiser *i, struct str *out) {
  if (i->name == i->name_end) { /* the pointer to virtual functions */
    str_append(out, "this");
    return;
  }
  str_append(out, "&this->");
  str_append_bytes(out, i->name, (size_t)(i->name_end - i->name));
}

/* All that initialisers store to the same cache line is flushed together: a flush for each would be one too many.  The
 * object as a whole is if one of them may be a base class. */
static void target_of_initialisers(const char *source, struct fix_edit *e,
                                   const struct fix_initialiser *own, struct target *t) {
  struct fix_initialiser first = *own, last = *own, x;
  bool several = false, whole = e->copies || may_be_base(own);
  for (size_t n = 0; n < e->beside.length; n++) {
    const struct fix_beside *b = &e->beside.data[n];
    const char *at = fix_position(source, b->at.line, b->at.column);
    if (!at || !fix_find_initialiser(source, at, &x) || x.body != own->body)
      continue;
    whole |= b->copies || may_be_base(&x);
    if (b->near) {
      first = several ? first : x;
      last = x;
      several = true;
    }
  }
  several = first.name != last.name;
  whole |= several && last.name == last.name_end;
  e->copies = whole || several;
  if (whole) {
    str_append(&t->address, "this");
    str_append(&t->size, "sizeof *this");
    return;
  }
  put_member(&first, &t->address);
  if (several)
    str_format(&t->size, "(char *)(&this->%.*s + 1) - (char *)%s", (int)(last.name_end - last.name),
               last.name, str_text(&t->address));
  else if (first.name == first.name_end)
    str_append(&t->size, "sizeof(void *)");
  else
    str_format(&t->size, "sizeof(%s)", str_text(&t->address) + 1);
}

/* At the beginning of the body. */
static const char *add_to_body(const char *source, const char *at, const struct fix_edit *e,
                               struct target *t, const char *function, fix_change_list *out) {
  struct fix_initialiser i;
  if (!e->constructs || e->reads || !fix_find_initialiser(source, at, &i))
    return not_understood;
  const char *why = comes_too_late(source, e, &i);
  if (why)
    return why;
  struct fix_edit known = *e;
  target_of_initialisers(source, &known, &i, t);
  struct fix_statement s = {.source = source, .at = at, .begin = at, .head = at, .body = i.body};
  add_behind(&s, &known, t, function, out);
  return NULL;
}

/* With its lines, if it is alone there. */
static const char *remove_statement(const struct fix_statement *s, fix_change_list *out) {
  const char *from = line_begin(s->source, s->begin);
  if (s->head)
    return not_understood;
  if (s->unbraced)
    add_change(out, s->source, s->begin, s->end, RANK_ADDED, ";");
  else if (from + strspn(from, " \t") == s->begin && ends_line(s->end))
    add_change(out, s->source, from, line_end(s->end), RANK_ADDED, "");
  else
    add_change(out, s->source, s->begin, s->end + strspn(s->end, " \t"), RANK_ADDED, "");
  return NULL;
}

/* source: without what is not compiled. */
static const char *apply(const char *original, const char *source, const struct fix_edit *e,
                         const char *function, fix_change_list *out) {
  struct fix_statement s;
  struct fix_edit known = *e; /* and what the source says about it */
  struct target t = {0};
  const char *at = fix_position(source, e->line, e->column);
  const char *why = add_to_body(source, at, e, &t, function, out);
  bool found = why == not_understood && fix_find_statement(source, at, &s);
  if (found && memcmp(s.begin, original + (s.begin - source), (size_t)(s.end - s.begin)) != 0)
    why = "it has an #if in it";
  else if (found && e->calls && !fix_is_call(&s))
    why = not_understood;
  else if (found && fix_is_in_class(source, at))
    why = "it is the default of a member: flush it where the object is constructed";
  else if (found && !e->flush && !e->fence)
    why = remove_statement(&s, out);
  else if (found)
    why = e->reads ? add_to_load(&s, e, &t, function, out)
                   : add_to_store(&s, &known, &t, function, out);
  str_free(&t.address);
  str_free(&t.size);
  str_free(&t.again);
  return why;
}

const char *fix_edit_apply(const char *source, const struct fix_edit *e, const char *function,
                           fix_change_list *out) {
  const char *at = fix_position(source, e->line, e->column);
  if (!at)
    return not_understood;
  char *active = fix_active(source, at);
  const char *why = apply(source, active, e, function, out);
  mem_free(active, strlen(active) + 1);
  return why;
}

void fix_changes_free(fix_change_list *changes) {
  for (size_t i = 0; i < changes->length; i++)
    mem_free(changes->data[i].text, strlen(changes->data[i].text) + 1);
  vec_free(changes);
}
