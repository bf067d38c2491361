#include "axiom/scan.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 200, FILE_BYTES_MAX = 16 * 1024 * 1024 };

/* Longest first: the first that matches is the token. */
static const char *const puncts[] = {
    "<=>", "...", "/\\", "\\/", "=>", "==", "!=", "<>", "<=",  ">=", "<<",
    ">>",  "&&",  "||",  "->",  "..", "++", "^+", "^*", "^-1", NULL};

void scan_init(struct scan *s, const char *file, const char *text, size_t length, unsigned style,
               struct diag *d) {
  memset(s, 0, sizeof *s);
  s->file = file;
  bool marked =
      length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3); /* some editors say: this is UTF-8 */
  s->text = s->next = s->line_start = text + (marked ? 3 : 0);
  s->end = text + length;
  s->style = style;
  s->line = 1;
  s->diag = d;
}

static struct place place_at(const struct scan *s, const char *p) {
  return (struct place){s->file, s->line, (int)(p - s->line_start) + 1};
}

void scan_fail(struct scan *s, struct place where, const char *format, ...) {
  char message[sizeof s->diag->message];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  diag_set(s->diag, where, "%s", message);
  longjmp(s->fail, 1);
}

void scan_unexpected(struct scan *s, const char *what) {
  if (s->kind == TOK_END)
    scan_fail(s, s->place, "unexpected end of text, expected %s", what);
  if (s->kind == TOK_PUNCT && !isprint((unsigned char)*s->start))
    scan_fail(s, s->place, "unexpected byte 0x%02x, expected %s", (unsigned char)*s->start, what);
  int shown = s->length > 40 ? 40 : (int)s->length;
  scan_fail(s, s->place, "unexpected '%.*s', expected %s", shown, s->start, what);
}

static void newline(struct scan *s) {
  s->line++;
  s->line_start = s->next + 1;
}

static bool starts(const struct scan *s, const char *text) {
  size_t n = strlen(text);
  return (size_t)(s->end - s->next) >= n && !memcmp(s->next, text, n);
}

/* Comments of the (* kind nest, except for writers to whom "(*(y)" inside of one is text: if that
 * leaves the comment open, its first end is its end. */
static void skip_block(struct scan *s, const char *open, const char *close) {
  struct scan begin = *s;
  bool nests = open[0] == '(';
  int depth = 0;
  do {
    if (s->next >= s->end) {
      if (!nests)
        scan_fail(s, place_at(&begin, begin.next), "comment is never closed, expected '%s'", close);
      s->next = begin.next;
      s->line = begin.line;
      s->line_start = begin.line_start;
      nests = false;
      depth = 0;
    }
    if (starts(s, open) && (depth == 0 || nests)) {
      depth++;
      s->next += 2;
    } else if (starts(s, close)) {
      depth--;
      s->next += 2;
    } else {
      if (*s->next == '\n')
        newline(s);
      s->next++;
    }
  } while (depth > 0);
}

static void skip_blanks(struct scan *s) {
  while (s->next < s->end) {
    if (*s->next == '\n') {
      newline(s);
      s->next++;
    } else if (isspace((unsigned char)*s->next)) {
      s->next++;
    } else if ((s->style & SCAN_ML_COMMENTS) && starts(s, "(*")) {
      skip_block(s, "(*", "*)");
    } else if ((s->style & SCAN_C_COMMENTS) && starts(s, "/*")) {
      skip_block(s, "/*", "*/");
    } else if (((s->style & SCAN_C_COMMENTS) && starts(s, "//")) ||
               ((s->style & (SCAN_CAT_NAMES | SCAN_DOLLAR)) && *s->next == '#')) {
      while (s->next < s->end && *s->next != '\n')
        s->next++;
    } else {
      return;
    }
  }
}

static bool name_start(const struct scan *s, char c) {
  return isalpha((unsigned char)c) || c == '_' || ((s->style & SCAN_DOLLAR) && c == '%') ||
         ((s->style & SCAN_DOTS) && c == '.');
}

static bool name_part(const struct scan *s, const char *p) {
  if (isalnum((unsigned char)*p) || *p == '_' || (*p == '.' && (s->style & SCAN_DOTS)))
    return true;
  if (!(s->style & SCAN_CAT_NAMES) || p + 1 >= s->end)
    return *p == '\'' && (s->style & SCAN_CAT_NAMES);
  return (*p == '-' || *p == '.') && isalnum((unsigned char)p[1]);
}

static void lex_number(struct scan *s) {
  uint64_t value = 0, base = 10;
  const char *p = s->next;
  if (s->end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') &&
      isxdigit((unsigned char)p[2])) {
    base = 16;
    p += 2;
  }
  for (; p < s->end && isalnum((unsigned char)*p); p++) {
    int digit = isdigit((unsigned char)*p) ? *p - '0' : tolower((unsigned char)*p) - 'a' + 10;
    if (digit < 0 || (uint64_t)digit >= base)
      scan_fail(s, s->place, "'%.*s' is not a number", (int)(p - s->next) + 1, s->next);
    if (value > (UINT64_MAX - (uint64_t)digit) / base)
      scan_fail(s, s->place, "the number does not fit 64 bits");
    value = value * base + (uint64_t)digit;
  }
  s->kind = TOK_NUMBER;
  s->number = (int64_t)value;
  s->next = p;
}

static void lex_string(struct scan *s) {
  const char *p = s->next + 1;
  while (p < s->end && *p != '"' && *p != '\n')
    p++;
  if (p >= s->end || *p != '"')
    scan_fail(s, s->place, "string is never closed, expected '\"'");
  s->kind = TOK_STRING;
  s->next = p + 1;
}

static void lex_punct(struct scan *s) {
  s->kind = TOK_PUNCT;
  for (int i = 0; puncts[i]; i++)
    if (starts(s, puncts[i])) {
      s->next += strlen(puncts[i]);
      return;
    }
  s->next++;
}

void scan_advance(struct scan *s) {
  skip_blanks(s);
  s->start = s->next;
  s->place = place_at(s, s->next);
  if (s->next >= s->end) {
    s->kind = TOK_END;
  } else if (name_start(s, *s->next)) {
    s->kind = TOK_NAME;
    do
      s->next++;
    while (s->next < s->end && name_part(s, s->next));
  } else if (isdigit((unsigned char)*s->next)) {
    lex_number(s);
  } else if (*s->next == '"') {
    lex_string(s);
  } else {
    lex_punct(s);
  }
  s->length = (size_t)(s->next - s->start);
}

bool scan_is(const struct scan *s, const char *text) {
  return (s->kind == TOK_NAME || s->kind == TOK_PUNCT) && s->length == strlen(text) &&
         !memcmp(s->start, text, s->length);
}

bool scan_accept(struct scan *s, const char *text) {
  if (!scan_is(s, text))
    return false;
  scan_advance(s);
  return true;
}

void scan_expect(struct scan *s, const char *text, const char *what) {
  if (!scan_accept(s, text))
    scan_unexpected(s, what);
}

char *scan_name(struct scan *s, struct arena *a, const char *what) {
  if (s->kind != TOK_NAME)
    scan_unexpected(s, what);
  char *name = arena_text(a, s->start, s->length);
  scan_advance(s);
  return name;
}

int64_t scan_number(struct scan *s, const char *what) {
  bool minus = scan_accept(s, "-");
  if (s->kind != TOK_NUMBER)
    scan_unexpected(s, what);
  uint64_t n = (uint64_t)s->number;
  scan_advance(s);
  return (int64_t)(minus ? 0 - n : n);
}

void scan_restore(struct scan *s, const struct scan *saved) {
  s->next = saved->next;
  s->line_start = saved->line_start;
  s->line = saved->line;
  s->kind = saved->kind;
  s->start = saved->start;
  s->length = saved->length;
  s->number = saved->number;
  s->place = saved->place;
}

void scan_enter(struct scan *s) {
  if (++s->depth > DEPTH_MAX)
    scan_fail(s, s->place, "nested more than %d deep", DEPTH_MAX);
}

void scan_leave(struct scan *s) {
  s->depth--;
}

char *scan_read_file(const char *path, struct arena *a, size_t *length, struct diag *d) {
  struct place nowhere = {path, 0, 0};
  FILE *f = fopen(path, "rb");
  if (!f) {
    diag_set(d, nowhere, "cannot open: %s", strerror(errno));
    return NULL;
  }
  size_t used = 0, size = 4096;
  char *text = arena_alloc(a, size);
  size_t n;
  while ((n = fread(text + used, 1, size - used - 1, f)) > 0) {
    used += n;
    if (used + 1 == size) {
      text = arena_grow(a, text, used, size * 2);
      size *= 2;
    }
    if (used > FILE_BYTES_MAX)
      break;
  }
  const char *trouble = ferror(f) ? strerror(errno) : used > FILE_BYTES_MAX ? "too large" : NULL;
  fclose(f);
  if (!trouble && memchr(text, 0, used))
    trouble = "holds a NUL byte, expected text";
  if (trouble) {
    diag_set(d, nowhere, "cannot read: %s", trouble);
    return NULL;
  }
  text[used] = 0;
  *length = used;
  return text;
}
