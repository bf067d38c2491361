#include "report/field.h"
#include "base/str.h"
#include "report/report.h"
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

/* Does "this->" end before `at`? */
static bool is_this(const char *text, size_t at) {
  at = skip_spaces(text, at);
  return at >= 6 && strncmp(text + at - 6, "this->", 6) == 0 && (at == 6 || !in_name(text[at - 7]));
}

struct field_name {
  char text[NAME_MAX_BYTES];
  bool member; /* "p->next"; otherwise it can only be a field of *this */
  bool own;    /* of *this, whether it says so or not */
};

/* The name that ends before `end`, perhaps with an index behind it; at: where it begins.  What a name
 * points to is not meant by it. */
static bool name_before(const char *text, size_t end, struct field_name *out, size_t *at) {
  size_t p = skip_spaces(text, skip_index(text, skip_spaces(text, end)));
  size_t last = p;
  while (p > 0 && in_name(text[p - 1]))
    p--;
  if (last == p || last - p >= NAME_MAX_BYTES)
    return false;
  memcpy(out->text, text + p, last - p);
  out->text[last - p] = 0;
  out->member = is_member(text, p);
  out->own = !out->member || is_this(text, p);
  *at = p;
  size_t before = skip_spaces(text, p);
  return out->member || before == 0 || !strchr("*>:", text[before - 1]);
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

/* a.b.store(...) of a std::atomic: what it is called for. */
static bool name_of_object(const char *text, size_t method, struct field_name *out) {
  size_t at = skip_spaces(text, method);
  return name_before(text, at - (text[at - 1] == '.' ? 1 : 2), out, &at);
}

/* A store is at its operator, a load at the name that is read, or, of an array, where all of it begins. */
static bool name_at(const char *text, size_t length, uint32_t column, struct field_name *out) {
  size_t at = column ? column - 1 : length, begin;
  if (at >= length)
    return false;
  size_t end = name_end(text, length, at);
  bool known = name_before(text, end, out, &begin);
  if (known && out->member)
    return end < length && text[end] == '(' ? name_of_object(text, begin, out) : true;
  size_t first = end;
  for (size_t next; end > at && (next = skip_link(text, length, end)) != end;)
    end = next;
  return end == first ? known : name_before(text, end, out, &begin);
}

/* "list<int>" of "store::list<int>::add": whose member the function is; false: nothing can be told. */
static bool class_of(const char *function, char *name) {
  const char *last = NULL, *before = function;
  int depth = 0; /* in the arguments of a template, "(anonymous namespace)" */
  for (const char *p = function; p && *p; p++) {
    depth += strchr("<(", *p) ? 1 : strchr(">)", *p) ? -1 : 0;
    if (depth == 0 && *p == ' ' && !last)
      before = p + 1; /* that was the return type */
    if (depth > 0 || p[0] != ':' || p[1] != ':')
      continue;
    before = last ? last : before;
    last = p + 2;
  }
  size_t n = last ? (size_t)(last - 2 - before) : 0;
  if (n == 0 || n >= NAME_MAX_BYTES)
    return false;
  memcpy(name, before, n);
  name[n] = 0;
  return true;
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
  struct field_name name;
  char class[NAME_MAX_BYTES];
  size_t length = 0;
  if (!p->place.file || p->copied || p->field || !(is_store(p) || is_load(p)))
    return;
  const char *text = sources_line(sources, p->place.file, p->place.line, &length);
  if (!text || !name_at(text, length, p->place.column, &name))
    return;
  bool in_class = name.own && class_of(p->place.function, class);
  if (!in_class && !name.member)
    return;
  struct symbols_field field = {0};
  bool own = in_class && symbols_field(symbols, object, class, name.text, p->size, &field);
  if (!own && !symbols_field(symbols, object, NULL, name.text, p->size, &field))
    return; /* otherwise of a base class, if not of what stands before it */
  struct str out = {0};
  str_append(&out, name.text);
  if (field.owner) {
    str_append(&out, " of ");
    function_text(field.owner, &out);
  }
  p->field = mem_strdup(str_text(&out));
  p->type = field.type;
  p->bit_field = field.bits;
  p->array = field.array;
  if (field.owner)
    mem_free(field.owner, strlen(field.owner) + 1);
  str_free(&out);
}

/* Is the type atomic already?  Its namespace is not always there. */
static bool is_atomic_type(const char *type) {
  return strncmp(type, "std::atomic<", 12) == 0 || strncmp(type, "atomic<", 7) == 0 ||
         strncmp(type, "atomic_", 7) == 0 || strncmp(type, "_Atomic", 7) == 0;
}

/* A constructor of the C++ library's atomics. */
static bool initialises_atomic(const struct finding_part *p) {
  const char *function = p->stack.length ? p->stack.data[0].function : p->place.function;
  return function && (strncmp(function, "std::atomic<", 12) == 0 ||
                      strncmp(function, "std::__atomic_base<", 19) == 0);
}

static void replace_fix(struct finding *f, const struct str *text) {
  mem_free(f->fix, strlen(f->fix) + 1);
  f->fix = mem_strdup(str_text(text));
}

/* Nothing is to be declared: what is atomic was initialised. */
static void advise_to_store(struct finding *f, const struct finding_part *torn) {
  struct str text = {0};
  str_format(
      &text,
      "to initialise an atomic variable%s%s%s is not an atomic store: store to it afterwards, "
      "with store(..., memory_order_release) or atomic_store_explicit, which costs nothing "
      "on x86, or persist it before the recovery can come to it",
      torn->field ? " (" : "", torn->field ? torn->field : "", torn->field ? ")" : "");
  replace_fix(f, &text);
  str_free(&text);
}

/* The declaration to change. */
static void name_type(struct finding *f, const struct finding_part *torn) {
  struct str text = {0};
  if (torn->bit_field)
    str_format(
        &text,
        "%s is a bit-field, which cannot be atomic: keep its bits in one variable of an atomic "
        "type and store all of it with atomic_store_explicit(..., memory_order_release)",
        torn->field);
  else
    str_format(
        &text,
        "make it atomic: declare %s%s as _Atomic(%s) (C++: std::atomic<%s>) and store it with "
        "atomic_store_explicit(..., memory_order_release), which costs nothing on x86",
        torn->array ? "the elements of " : "", torn->field, torn->type, torn->type);
  replace_fix(f, &text);
  str_free(&text);
}

static bool same_bytes(const struct finding_part *a, const struct finding_part *b) {
  return a->size == b->size && a->region_offset == b->region_offset && a->region && b->region &&
         strcmp(a->region, b->region) == 0;
}

/* A store in a macro or a helper is known by the load of the same bytes. */
static void name_by_load(struct finding_part *store, const struct finding *f) {
  for (size_t i = 0; i < f->parts.length && !store->field; i++) {
    const struct finding_part *load = &f->parts.data[i];
    if (!is_load(load) || !load->field || !same_bytes(store, load))
      continue;
    store->field = mem_strdup(load->field);
    store->type = load->type ? mem_strdup(load->type) : NULL;
    store->bit_field = load->bit_field;
    store->array = load->array;
  }
}

void fields_name(struct finding *f, struct sources *sources, struct symbols *symbols,
                 const char *object) {
  if (!object)
    return;
  for (size_t i = 0; i < f->parts.length; i++)
    name_part(&f->parts.data[i], sources, symbols, object);
  for (size_t i = 0; i < f->parts.length; i++) {
    struct finding_part *p = &f->parts.data[i];
    if (is_store(p) && !p->copied)
      name_by_load(p, f);
    if (p->role != FINDING_ROLE_TORN || !f->fix)
      continue;
    if (initialises_atomic(p) || (p->type && is_atomic_type(p->type)))
      advise_to_store(f, p);
    else if (p->type)
      name_type(f, p);
  }
}
