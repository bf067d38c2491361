#include "cli/fix_include.h"
#include "cli/fix_source.h"
#include <string.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* of UTF-8 */

struct directive {
  const char *line, *name, *rest; /* where its line begins; its name; what stands behind that */
};

static const char *skip_blanks(const char *p) {
  return p + strspn(p, " \t");
}

static const char *line_end(const char *p) {
  while (*p && *p != '\n')
    p += p[0] == '\\' && p[1] == '\n' ? 2 : 1;
  return *p ? p + 1 : p;
}

/* The first directive from p on, which is the beginning of a line. */
static bool next_directive(const char *p, struct directive *d) {
  bool begins = true; /* nothing but space stands before p in its line */
  for (d->line = p; *p;) {
    const char *next = fix_skip_token(p);
    if (next != p) {
      begins &= p[0] == '/';
      p = next;
    } else if (*p == '#' && begins) {
      d->name = skip_blanks(p + 1);
      d->rest = d->name + strcspn(d->name, " \t\n<\"/");
      return true;
    } else {
      begins = *p == '\n' || (begins && strchr(" \t", *p));
      if (*p++ == '\n')
        d->line = p;
    }
  }
  return false;
}

static bool is_named(const struct directive *d, const char *name) {
  size_t n = strlen(name);
  return (size_t)(d->rest - d->name) == n && strncmp(d->name, name, n) == 0;
}

static bool opens(const struct directive *d) {
  return is_named(d, "if") || is_named(d, "ifdef") || is_named(d, "ifndef");
}

/* Does b define what a asks for? */
static bool is_guard(const struct directive *a, const struct directive *b) {
  const char *x = skip_blanks(a->rest), *y = skip_blanks(b->rest);
  size_t n = strcspn(x, " \t\n/");
  return is_named(a, "ifndef") && is_named(b, "define") && n > 0 && strncmp(x, y, n) == 0 &&
         !fix_in_name(y[n]);
}

bool fix_includes(const char *source, const char *header, size_t *at) {
  struct directive d, next;
  int depth = 0;
  bool found = false, first = true;
  *at = strncmp(source, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0;
  for (const char *p = source + *at; next_directive(p, &d); first = false) {
    p = line_end(d.rest);
    if (first && next_directive(p, &next) && is_guard(&d, &next)) {
      p = line_end(next.rest);
      *at = (size_t)(p - source);
    } else if (first && is_named(&d, "pragma")) {
      *at = (size_t)(p - source);
    } else if (opens(&d)) {
      depth++;
    } else if (is_named(&d, "endif")) {
      depth--;
    } else if (is_named(&d, "include") && depth == 0) {
      const char *name = skip_blanks(d.rest);
      if (strncmp(name + 1, header, strlen(header)) == 0)
        return true;
      if (!found)
        *at = (size_t)(d.line - source);
      found = true;
    }
  }
  return false;
}
