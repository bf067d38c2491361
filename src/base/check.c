#include "base/check.h"
#include "base/str.h"
#include <stdarg.h>
#include <unistd.h>

void (*check_on_failure)(const char *message);
void (*check_on_refusal)(const char *message);
void (*check_on_exhaustion)(void);
int check_fd = STDERR_FILENO;

/* A fixed buffer: the allocator may be what failed. */
struct line {
  char text[1024];
  size_t length;
};

static void line_add(struct line *l, const char *text) {
  while (*text && l->length < sizeof l->text - 2)
    l->text[l->length++] = *text++;
}

static void line_write(struct line *l) {
  l->text[l->length++] = '\n';
  ssize_t ignored = write(check_fd, l->text, l->length);
  (void)ignored;
}

void check_failed(const char *file, int line, const char *cond, const char *format, ...) {
  static int failing;
  struct line out = {.length = 0};
  char number[16];
  int n = sizeof number;
  number[--n] = 0;
  do
    number[--n] = (char)('0' + line % 10);
  while ((line /= 10) > 0);
  line_add(&out, "tidemark: internal error: ");
  line_add(&out, file);
  line_add(&out, ":");
  line_add(&out, number + n);
  line_add(&out, ": ");
  line_add(&out, cond);
  if (!failing++) {
    struct str text = {0};
    va_list args;
    va_start(args, format);
    str_format_v(&text, format, args);
    va_end(args);
    line_add(&out, ": ");
    line_add(&out, str_text(&text));
    if (check_on_failure)
      check_on_failure(out.text);
  }
  line_write(&out);
  _exit(EXIT_INTERNAL);
}

void check_refused(const char *format, ...) {
  struct str text = {0};
  va_list args;
  va_start(args, format);
  str_format_v(&text, format, args);
  va_end(args);
  if (check_on_refusal) {
    check_on_refusal(str_text(&text));
  } else {
    struct line out = {.length = 0};
    line_add(&out, "tidemark: ");
    line_add(&out, str_text(&text));
    line_write(&out);
  }
  _exit(EXIT_REFUSED);
}

void check_exhausted(void) {
  struct line out = {.length = 0};
  line_add(&out, "tidemark: not decided: out of memory");
  if (check_on_exhaustion)
    check_on_exhaustion();
  else
    line_write(&out);
  _exit(EXIT_EXHAUSTED);
}
