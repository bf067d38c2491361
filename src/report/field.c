#include "report/field.h"
#include "base/str.h"
#include <ctype.h>
#include <string.h>

#define NAME_MAX_BYTES 128

static bool in_name(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* Back over spaces that end before `at`. */
static size_t skip_spaces(const char *text, size_t at) {
  while (at > 0 && isspace((unsigned char)text[at - 1]))
    at--;
  return at;
}

/* Back over one [...] that ends before `at`, or `at` itself; 0: it does not begin on this line. */
static size_t skip_index(const char *text, size_t at) {
  if (at == 0 || text[at - 1] != ']')
    return at;
  int depth = 0;
  while (at > 0) {
    at--;
    depth += (text[at] == ']') - (text[at] == '[');
    if (depth == 0)
      return at;
  }
  return 0;
}

static bool is_member(const char *text, size_t at) {
  at = skip_spaces(text, at);
  return (at > 0 && text[at - 1] == '.') || (at > 1 && text[at - 1] == '>' && text[at - 2] == '-');
}

/* "p->next" for a name that ends before `end`: is it a member?  Then its name. */
static bool member_before(const char *text, size_t end, char *name) {
  size_t at = skip_index(text, skip_spaces(text, end));
  at = skip_spaces(text, at);
  size_t last = at;
  while (at > 0 && in_name(text[at - 1]))
    at--;
  if (last == at || last - at >= NAME_MAX_BYTES || !is_member(text, at))
    return false;
  memcpy(name, text + at, last - at);
  name[last - at] = 0;
  return true;
}

static size_t name_end(const char *text, size_t length, size_t at) {
  while (at < length && in_name(text[at]))
    at++;
  return at;
}

/* Behind "->name", ".name" or "[...]" at `at`, or `at` itself. */
static size_t skip_link(const char *text, size_t length, size_t at) {
  if (at + 1 < length && text[at] == '-' && text[at + 1] == '>')
    return name_end(text, length, at + 2);
  if (at < length && text[at] == '.')
    return name_end(text, length, at + 1);
  if (at >= length || text[at] != '[')
    return at;
  int depth = 0;
  for (size_t i = at; i < length; i++) {
    depth += (text[i] == '[') - (text[i] == ']');
    if (depth == 0)
      return i + 1;
  }
  return at;
}

/* A store is at its operator, a load at the name that is read, or, of an array, where all of it begins. */
static bool member_at(const char *text, size_t length, uint32_t column, char *name) {
  size_t at = column ? column - 1 : length;
  if (at >= length)
    return false;
  size_t end = name_end(text, length, at);
  if (member_before(text, end, name))
    return true;
  for (size_t next; end > at && (next = skip_link(text, length, end)) != end;)
    end = next;
  return member_before(text, end, name);
}

static bool is_store(const struct finding_part *p) {
  return p->role == FINDING_ROLE_LOST || p->role == FINDING_ROLE_SURVIVED ||
         p->role == FINDING_ROLE_TORN;
}

static bool is_load(const struct finding_part *p) {
  return p->role == FINDING_ROLE_MISSED || p->role == FINDING_ROLE_READ;
}

static void name_part(struct finding_part *p, struct sources *sources, struct symbols *symbols,
                      const char *object) {
  char name[NAME_MAX_BYTES];
  size_t length = 0;
  if (!p->place.file || p->copied || p->field || !(is_store(p) || is_load(p)))
    return;
  const char *text = sources_line(sources, p->place.file, p->place.line, &length);
  if (!text || !member_at(text, length, p->place.column, name))
    return;
  struct symbols_field field = {0};
  if (!symbols_field(symbols, object, name, p->size, &field))
    return;
  struct str out = {0};
  str_append(&out, name);
  if (field.owner)
    str_format(&out, " of %s", field.owner);
  p->field = mem_strdup(str_text(&out));
  p->type = field.type;
  if (field.owner)
    mem_free(field.owner, strlen(field.owner) + 1);
  str_free(&out);
}

/* The declaration to change. */
static void name_type(struct finding *f, const struct finding_part *torn) {
  struct str text = {0};
  str_format(&text,
             "make it atomic: declare %s as _Atomic(%s) (C++: std::atomic<%s>) and store it with "
             "atomic_store_explicit(..., memory_order_release), which costs nothing on x86",
             torn->field, torn->type, torn->type);
  mem_free(f->fix, strlen(f->fix) + 1);
  f->fix = mem_strdup(str_text(&text));
  str_free(&text);
}

void fields_name(struct finding *f, struct sources *sources, struct symbols *symbols,
                 const char *object) {
  if (!object)
    return;
  for (size_t i = 0; i < f->parts.length; i++) {
    struct finding_part *p = &f->parts.data[i];
    name_part(p, sources, symbols, object);
    if (p->role == FINDING_ROLE_TORN && p->type && f->fix)
      name_type(f, p);
  }
}
