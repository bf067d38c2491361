/* Tokens of a text with positions, shared by the readers of tests and models.
 *
 * The scanner is always on one token (kind, start, length, place).  An error fills the diag and
 * jumps to `fail`, which the parser's entry point has set; nothing is returned through errors.
 * scan_enter/scan_leave bound the recursion of the parsers above. */
#ifndef AXIOM_SCAN_H
#define AXIOM_SCAN_H

#include "axiom/arena.h"
#include "axiom/diag.h"
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token { TOK_END, TOK_NAME, TOK_NUMBER, TOK_STRING, TOK_PUNCT };

enum scan_style {
  SCAN_ML_COMMENTS = 1, /* (* nested *) */
  SCAN_C_COMMENTS = 2,  /* // and slash-star */
  SCAN_CAT_NAMES = 4,   /* names may contain '-' and '.'; '#' starts a comment */
  SCAN_DOLLAR = 8,      /* assembler: names may start with '%'; '#' starts a comment */
  SCAN_DOTS = 16        /* assembler: names may contain '.' */
};

struct scan {
  const char *file, *text, *end, *next, *line_start;
  unsigned style;
  int line, depth;
  enum token kind;
  const char *start;
  size_t length;
  int64_t number; /* of a TOK_NUMBER */
  struct place place;
  struct diag *diag;
  jmp_buf fail;
};

void scan_init(struct scan *s, const char *file, const char *text, size_t length, unsigned style,
               struct diag *d);
void scan_advance(struct scan *s);
bool scan_is(const struct scan *s, const char *text); /* a name or punctuation, not a string */
bool scan_accept(struct scan *s, const char *text);
void scan_expect(struct scan *s, const char *text, const char *what);
char *scan_name(struct scan *s, struct arena *a, const char *what);
int64_t scan_number(struct scan *s, const char *what);

/* Going back to an earlier token of the same text. */
void scan_restore(struct scan *s, const struct scan *saved);

void scan_enter(struct scan *s);
void scan_leave(struct scan *s);

/* "unexpected 'xyz', expected WHAT" at the current token. */
_Noreturn void scan_unexpected(struct scan *s, const char *what);
_Noreturn void scan_fail(struct scan *s, struct place where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads a whole file; NULL and *d if it cannot be read or holds a NUL byte. */
char *scan_read_file(const char *path, struct arena *a, size_t *length, struct diag *d);

#endif
