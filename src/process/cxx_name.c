#include "process/cxx_name.h"
#include "base/str.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct reader {
  const char *at;
  const char *part; /* the newest part of the name: a constructor is called like its class */
  size_t length;
};

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_small(char c) {
  return c >= 'a' && c <= 'z';
}

/* <length><name>.  Lengths are not longer than what is left, or this is no name of a compiler. */
static bool read_part(struct reader *r) {
  char *end;
  if (!is_digit(*r->at))
    return false;
  size_t n = strtoul(r->at, &end, 10);
  if (!n || n > strlen(end))
    return false;
  r->part = end;
  r->length = n;
  r->at = end + n;
  return true;
}

/* S_, T1_, A64_: up to the underscore. */
static bool skip_number(struct reader *r) {
  r->at++;
  while (is_digit(*r->at) || (*r->at >= 'A' && *r->at <= 'Z'))
    r->at++;
  return *r->at++ == '_';
}

/* S_ and S1_ stand for something before them, St for std, Sa and the like for names in it. */
static bool skip_substitution(struct reader *r) {
  if (!is_small(r->at[1]))
    return skip_number(r);
  r->at += 2;
  return true;
}

/* What stands between I and E, whose parts may end in an E as well.  Names in it are none of the function's. */
static bool skip_arguments(struct reader *r) {
  const struct reader before = *r;
  for (int depth = 0; *r->at;) {
    char c = *r->at;
    if (is_digit(c)) {
      if (!read_part(r))
        return false;
    } else if (c == 'L') { /* a value: its type and digits */
      const char *end = strchr(r->at, 'E');
      if (!end || !is_small(r->at[1]))
        return false;
      r->at = end + 1;
    } else if (c == 'X' || (c == 'D' && !strchr("pnasiu", r->at[1]))) {
      return false;                           /* an expression, a vector */
    } else if (c == 'T' && r->at[1] == 'n') { /* before the type of a value */
      r->at += 2;
    } else if (c == 'T' || c == 'A') {
      if (!skip_number(r))
        return false;
    } else if (c == 'S') {
      if (!skip_substitution(r))
        return false;
    } else {
      depth += strchr("INJF", c) != NULL;
      depth -= c == 'E';
      r->at += c == 'D' ? 2 : 1;
      if (!depth) {
        r->part = before.part;
        r->length = before.length;
        return true;
      }
    }
  }
  return false;
}

static void add(struct str *out, const char *prefix, const struct reader *r) {
  str_format(out, "%s%s%.*s", out->length ? "::" : "", prefix, (int)r->length, r->part);
}

/* One part of a nested name.  True: it was read, and what it says was added. */
static bool read_nested_part(struct reader *r, struct str *out) {
  const char *at = r->at;
  if (at[0] == 'I')
    return skip_arguments(r);
  if (at[0] == 'S' && at[1] == 't') {
    r->at += 2;
    str_append(out, "std");
    return true;
  }
  if ((at[0] == 'C' || at[0] == 'D') && is_digit(at[1]) && r->part) {
    r->at += 2;
    add(out, at[0] == 'D' ? "~" : "", r);
    return true;
  }
  if (at[0] == 'B') { /* a tag of the ABI */
    struct reader tag = {.at = at + 1};
    bool can = read_part(&tag);
    r->at = tag.at;
    return can;
  }
  r->at += at[0] == 'L';
  if (!read_part(r))
    return false;
  add(out, "", r);
  return true;
}

static bool read_name(struct reader *r, struct str *out) {
  if (*r->at != 'N') {
    if (r->at[0] == 'S' && r->at[1] == 't' && !read_nested_part(r, out))
      return false;
    return read_nested_part(r, out);
  }
  r->at++;
  r->at += strspn(r->at, "rVKRO");
  while (*r->at != 'E')
    if (!read_nested_part(r, out))
      return false;
  return true;
}

bool cxx_name(const char *mangled, struct str *out) {
  struct reader r = {.at = mangled + 2};
  struct str name = {0};
  bool can = strncmp(mangled, "_Z", 2) == 0 && read_name(&r, &name) && name.length;
  if (can)
    str_append(out, str_text(&name));
  str_free(&name);
  return can;
}

static void append_without_arguments(const char *pattern, struct str *out) {
  int depth = 0;
  for (const char *p = pattern; *p; p++) {
    depth += *p == '<';
    if (!depth)
      str_append_bytes(out, p, 1);
    depth -= *p == '>' && depth;
  }
}

bool cxx_name_fits(const char *pattern, const char *name) {
  struct str plain = {0};
  append_without_arguments(pattern, &plain);
  bool fits = fnmatch(str_text(&plain), name, 0) == 0;
  for (const char *p = name; !fits && (p = strstr(p, "::"));) {
    p += 2;
    fits = fnmatch(str_text(&plain), p, 0) == 0;
  }
  str_free(&plain);
  return fits;
}
