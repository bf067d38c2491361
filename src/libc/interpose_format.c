/* printf and scanf where all memory is watched (libc/memory.h): texts and results among their arguments are looked at
 * and changed in steps.  So are those of tidemark_outcome. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* or headers define some of these themselves */
#endif
#include "access/outcome.h"
#include "access/schedule.h"
#include "libc/kept.h"
#include "libc/memory.h"
#include "libc/stream_lock.h"
#include "process/heap.h"
#include "process/scratch.h"
#include "process/stop.h"
#include "thread/entered.h"
#include "tidemark.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define OUTCOME_USUAL 4096

/* A conversion of printf or scanf: behind the flags and the numbers. */
struct conversion {
  int modifier; /* 'H' for hh, 'q' for ll, or the letter */
  int letter;
};

static struct conversion conversion_at(const char **format) {
  struct conversion c = {0};
  const char *p = *format;
  if (*p && strchr("hlLqjzt", *p)) {
    c.modifier = *p++;
    if (*p == c.modifier && (*p == 'h' || *p == 'l'))
      c.modifier = *p++ == 'h' ? 'H' : 'q';
  }
  c.letter = *p;
  *format = p + (*p != 0);
  return c;
}

static bool is_floating(int letter) {
  return letter && strchr("aAeEfFgG", letter);
}

/* The arguments that printf takes one by one; texts among them are looked at. */
static void look_at_arguments(const char *format, va_list list) {
  while ((format = strchr(format, '%'))) {
    size_t most = SIZE_MAX;
    format++;
    format += strspn(format, "-+ #0'I123456789");
    if (*format == '$')
      return; /* numbered ones come in any order */
    if (*format == '*') {
      (void)va_arg(list, int);
      format++;
    }
    if (*format == '.') {
      most = 0;
      if (*++format == '*') {
        int n = va_arg(list, int);
        most = n < 0 ? SIZE_MAX : (size_t)n;
        format++;
      } else
        for (; *format >= '0' && *format <= '9'; format++)
          most = most * 10 + (size_t)(*format - '0');
    }
    struct conversion c = conversion_at(&format);
    if (!c.letter)
      return;
    if (c.letter == '%' || c.letter == 'm')
      continue;
    if (is_floating(c.letter)) {
      if (c.modifier == 'L')
        (void)va_arg(list, long double);
      else
        (void)va_arg(list, double);
    } else if (c.letter == 's' && !c.modifier) {
      const char *text = va_arg(list, const char *);
      if (text)
        memory_look(text, most);
    } else
      (void)va_arg(list, long); /* an int takes the same room */
  }
}

static void look_at_copied_arguments(const char *format, va_list list) {
  va_list copy;
  va_copy(copy, list);
  look_at_arguments(format, copy);
  va_end(copy);
}

/* pre: it concerns others. */
static int print_to(char *to, size_t room, const char *format, va_list list) {
  va_list copy;
  look_at_copied_arguments(format, list);
  va_copy(copy, list);
  int length = REAL(vsnprintf)(NULL, 0, format, copy);
  va_end(copy);
  if (length < 0 || !room || (size_t)length >= SCRATCH_BYTES_MAX)
    return REAL(vsnprintf)(to, room, format, list);
  size_t kept = (size_t)length < room ? (size_t)length : room - 1;
  char *text = scratch_take((size_t)length + 1);
  REAL(vsnprintf)(text, (size_t)length + 1, format, list);
  text[kept] = 0;
  memory_give(to, text, kept + 1);
  scratch_give_back(text, (size_t)length + 1);
  return length;
}

INTERPOSE int vsnprintf(char *to, size_t room, const char *format, va_list list) {
  ENTERED();
  return MEMORY_CHANGES(to) ? print_to(to, room, format, list)
                            : REAL(vsnprintf)(to, room, format, list);
}

INTERPOSE int vsprintf(char *to, const char *format, va_list list) {
  ENTERED();
  return MEMORY_CHANGES(to) ? print_to(to, SIZE_MAX, format, list)
                            : REAL(vsprintf)(to, format, list);
}

INTERPOSE int snprintf(char *to, size_t room, const char *format, ...) {
  ENTERED();
  va_list list;
  va_start(list, format);
  int length = MEMORY_CHANGES(to) ? print_to(to, room, format, list)
                                  : REAL(vsnprintf)(to, room, format, list);
  va_end(list);
  return length;
}

INTERPOSE int sprintf(char *to, const char *format, ...) { /* layers: ok, the program's */
  ENTERED();
  va_list list;
  va_start(list, format);
  int length =
      MEMORY_CHANGES(to) ? print_to(to, SIZE_MAX, format, list) : REAL(vsprintf)(to, format, list);
  va_end(list);
  return length;
}

static int print_new(char **to, const char *format, va_list list) {
  char *text = NULL;
  look_at_copied_arguments(format, list);
  int length = REAL(vasprintf)(&text, format, list);
  if (length >= 0)
    memory_give(to, &text, sizeof text);
  return length;
}

INTERPOSE int vasprintf(char **to, const char *format, va_list list) {
  ENTERED();
  return MEMORY_CONCERNS() ? print_new(to, format, list) : REAL(vasprintf)(to, format, list);
}

INTERPOSE int asprintf(char **to, const char *format, ...) {
  ENTERED();
  va_list list;
  va_start(list, format);
  int length = MEMORY_CONCERNS() ? print_new(to, format, list) : REAL(vasprintf)(to, format, list);
  va_end(list);
  return length;
}

static void look_and_pass(const char *format, va_list list, FILE *file) {
  look_at_copied_arguments(format, list);
  stream_lock_pass(file);
}

INTERPOSE int vfprintf(FILE *file, const char *format, va_list list) {
  ENTERED();
  if (MEMORY_CONCERNS())
    look_and_pass(format, list, file);
  return REAL(vfprintf)(file, format, list);
}

INTERPOSE int vprintf(const char *format, va_list list) {
  ENTERED();
  if (MEMORY_CONCERNS())
    look_and_pass(format, list, stdout);
  return REAL(vprintf)(format, list);
}

INTERPOSE int fprintf(FILE *file, const char *format, ...) { /* layers: ok, the program's */
  ENTERED();
  va_list list;
  va_start(list, format);
  if (MEMORY_CONCERNS())
    look_and_pass(format, list, file);
  int length = REAL(vfprintf)(file, format, list);
  va_end(list);
  return length;
}

INTERPOSE int printf(const char *format, ...) { /* layers: ok, the program's */
  ENTERED();
  va_list list;
  va_start(list, format);
  if (MEMORY_CONCERNS())
    look_and_pass(format, list, stdout);
  int length = REAL(vprintf)(format, list);
  va_end(list);
  return length;
}

/* ---- what a compiler makes of them that checks the size of buffers (_FORTIFY_SOURCE) ---- */

INTERPOSE int __vsnprintf_chk(char *to, size_t room, int flag, size_t size, const char *format,
                              va_list list);
INTERPOSE int __snprintf_chk(char *to, size_t room, int flag, size_t size, const char *format, ...);
INTERPOSE int __vsprintf_chk(char *to, int flag, size_t size, const char *format, va_list list);
INTERPOSE int __sprintf_chk(char *to, int flag, size_t size, const char *format, ...);
INTERPOSE int __vasprintf_chk(char **to, int flag, const char *format, va_list list);
INTERPOSE int __asprintf_chk(char **to, int flag, const char *format, ...);
INTERPOSE int __vfprintf_chk(FILE *file, int flag, const char *format, va_list list);
INTERPOSE int __fprintf_chk(FILE *file, int flag, const char *format, ...);
INTERPOSE int __vprintf_chk(int flag, const char *format, va_list list);
INTERPOSE int __printf_chk(int flag, const char *format, ...);

/* What does not fit is libc's to complain about. */
static int print_to_size(char *to, int flag, size_t size, const char *format, va_list list) {
  va_list copy;
  va_copy(copy, list);
  int length = REAL(vsnprintf)(NULL, 0, format, copy);
  va_end(copy);
  if (length < 0 || (size_t)length >= size)
    return REAL(__vsprintf_chk)(to, flag, size, format, list);
  return print_to(to, SIZE_MAX, format, list);
}

/* The length, where `list` has the arguments; who has called us is asked here, so this is no function. */
#define CHECKED_SNPRINTF() \
  (MEMORY_CHANGES(to) && room <= size ? print_to(to, room, format, list) \
                                      : REAL(__vsnprintf_chk)(to, room, flag, size, format, list))
#define CHECKED_SPRINTF() \
  (MEMORY_CHANGES(to) ? print_to_size(to, flag, size, format, list) \
                      : REAL(__vsprintf_chk)(to, flag, size, format, list))
#define CHECKED_ASPRINTF() \
  (MEMORY_CONCERNS() ? print_new(to, format, list) : REAL(__vasprintf_chk)(to, flag, format, list))
#define CHECKED_FPRINTF(file) \
  ((MEMORY_CONCERNS() ? look_and_pass(format, list, file) : (void)0), \
   REAL(__vfprintf_chk)(file, flag, format, list))

#define WITH_LIST(length_of) \
  ENTERED(); \
  va_list list; \
  va_start(list, format); \
  int length = length_of; \
  va_end(list); \
  return length

int __vsnprintf_chk(char *to, size_t room, int flag, size_t size, const char *format,
                    va_list list) {
  ENTERED();
  return CHECKED_SNPRINTF();
}

int __snprintf_chk(char *to, size_t room, int flag, size_t size, const char *format, ...) {
  WITH_LIST(CHECKED_SNPRINTF());
}

int __vsprintf_chk(char *to, int flag, size_t size, const char *format, va_list list) {
  ENTERED();
  return CHECKED_SPRINTF();
}

int __sprintf_chk(char *to, int flag, size_t size, const char *format, ...) {
  WITH_LIST(CHECKED_SPRINTF());
}

int __vasprintf_chk(char **to, int flag, const char *format, va_list list) {
  ENTERED();
  return CHECKED_ASPRINTF();
}

int __asprintf_chk(char **to, int flag, const char *format, ...) {
  WITH_LIST(CHECKED_ASPRINTF());
}

int __vfprintf_chk(FILE *file, int flag, const char *format, va_list list) {
  ENTERED();
  return CHECKED_FPRINTF(file);
}

int __fprintf_chk(FILE *file, int flag, const char *format, ...) {
  WITH_LIST(CHECKED_FPRINTF(file));
}

int __vprintf_chk(int flag, const char *format, va_list list) {
  ENTERED();
  return CHECKED_FPRINTF(stdout);
}

int __printf_chk(int flag, const char *format, ...) {
  WITH_LIST(CHECKED_FPRINTF(stdout));
}

/* ---- scanf ---- */

#define RESULTS_MAX 16

/* What scanf reads, and where it belongs; text: as long as it is then. */
struct scanned {
  char *to;
  size_t bytes; /* at most */
  bool text;
  void *copy;
};

static size_t scanned_bytes(const struct conversion *c) {
  switch (c->modifier) {
  case 'H':
    return 1;
  case 'h':
    return 2;
  case 'L':
    return is_floating(c->letter) ? sizeof(long double) : 8;
  case 0:
    return c->letter == 'p' ? 8 : 4;
  default:
    return 8;
  }
}

/* How many there are; -1: too many, or in a way that is not understood. */
static int find_results(const char *format, va_list list, size_t input, struct scanned *out) {
  int count = 0;
  while ((format = strchr(format, '%'))) {
    size_t width = 0;
    format++;
    bool dropped = *format == '*';
    format += dropped;
    for (; *format >= '0' && *format <= '9'; format++)
      width = width * 10 + (size_t)(*format - '0');
    if (*format == '$' || *format == 'm' || count == RESULTS_MAX)
      return -1;
    struct conversion c = conversion_at(&format);
    if (!c.letter)
      return -1;
    if (c.letter == '[') {
      format += *format == '^';
      format += *format == ']';
      format = strchr(format, ']');
      if (!format++)
        return -1;
    }
    if (c.letter == '%' || dropped)
      continue;
    bool text = c.letter == 's' || c.letter == '[';
    size_t most = width && width < input ? width : input;
    if (c.letter == 'n' || ((text || c.letter == 'c') && c.modifier) ||
        width >= SCRATCH_BYTES_MAX || (text && most >= SCRATCH_BYTES_MAX))
      return -1;
    out[count++] = (struct scanned){.to = va_arg(list, char *),
                                    .bytes = text              ? most + 1
                                             : c.letter == 'c' ? (width ? width : 1)
                                                               : scanned_bytes(&c),
                                    .text = text};
  }
  return count;
}

/* With the copies for arguments. */
static int scan_into(const struct scanned *results, int count, const char *text, FILE *file,
                     const char *format) {
  void *to[RESULTS_MAX] = {0};
  for (int i = 0; i < count; i++)
    to[i] = results[i].copy;
#define COPIES \
  to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7], to[8], to[9], to[10], to[11], to[12], \
      to[13], to[14], to[15]
  return text ? REAL(sscanf)(text, format, COPIES) : REAL(fscanf)(file, format, COPIES);
#undef COPIES
}

/* Into copies, and from there step by step.  text: NULL if it comes from the file. */
static int scan(const char *text, FILE *file, const char *format, va_list list) {
  struct scanned results[RESULTS_MAX];
  va_list copy;
  if (text)
    memory_look(text, SIZE_MAX);
  else
    kept_reads_stream(file);
  va_copy(copy, list);
  int count = find_results(format, copy, text ? strlen(text) : SIZE_MAX, results);
  va_end(copy);
  if (count < 0)
    return text ? REAL(vsscanf)(text, format, list) : REAL(vfscanf)(file, format, list);
  for (int i = 0; i < count; i++) {
    results[i].copy = scratch_take(results[i].bytes);
    if (!results[i].text) /* %5c leaves some as they are if there are fewer */
      memcpy(results[i].copy, results[i].to, results[i].bytes);
  }
  int got = scan_into(results, count, text, file, format);
  for (int i = 0; i < count; i++) {
    const struct scanned *r = &results[i];
    if (i < got)
      memory_give(r->to, r->copy, r->text ? strlen(r->copy) + 1 : r->bytes);
    scratch_give_back(r->copy, r->bytes);
  }
  return got;
}

static int scan_unwatched(const char *text, const char *format, va_list list) {
  struct scanned results[RESULTS_MAX];
  va_list copy;
  va_copy(copy, list);
  int count = find_results(format, copy, SCRATCH_BYTES_MAX - 1, results);
  va_end(copy);
  if (count < 0)
    memory_changes(format); /* something */
  for (int i = 0; i < count; i++)
    memory_changes(results[i].to);
  return REAL(vsscanf)(text, format, list);
}

/* The headers call it __isoc99_sscanf, those of old C sscanf. */
#define DEFINE_SCANF(name) \
  INTERPOSE int name(const char *text, const char *format, ...) { \
    ENTERED(); \
    va_list list; \
    va_start(list, format); \
    int got = \
        MEMORY_CONCERNS() ? scan(text, NULL, format, list) : scan_unwatched(text, format, list); \
    va_end(list); \
    return got; \
  }
INTERPOSE int old_sscanf(const char *text, const char *format, ...) __asm__("sscanf");
DEFINE_SCANF(sscanf)
DEFINE_SCANF(old_sscanf)

#define DEFINE_FILE_SCANF(name, file_of, ...) \
  INTERPOSE int name(__VA_ARGS__) { \
    ENTERED(); \
    va_list list; \
    va_start(list, format); \
    int got = MEMORY_CHANGES(file_of) ? scan(NULL, file_of, format, list) \
                                      : REAL(vfscanf)(file_of, format, list); \
    va_end(list); \
    return got; \
  }
DEFINE_FILE_SCANF(fscanf, file, FILE *file, const char *format, ...)
DEFINE_FILE_SCANF(scanf, stdin, const char *format, ...)

/* ---- <tidemark.h> ---- */

static void say_outcome(const char *text) {
  if (schedule_explores()) /* the order of outcomes shows in the report */
    schedule_point(OPERATION_LOCK, (void *)(uintptr_t)outcome_say, 1, false, NULL);
  outcome_say(text);
}

/* A long one is kept in the program's memory: formatting may stop at a load in doubt. */
INTERPOSE void tidemark_outcome(const char *format, ...) {
  ENTERED();
  char text[OUTCOME_USUAL];
  va_list args, again;
  va_start(args, format);
  if (MEMORY_CONCERNS())
    look_at_copied_arguments(format, args);
  va_copy(again, args);
  int n = REAL(vsnprintf)(text, sizeof text, format, args);
  va_end(args);
  if (n < (int)sizeof text) {
    say_outcome(text);
  } else {
    char *longer = heap_alloc((size_t)n + 1);
    if (!longer)
      stop_refuse("an outcome for which there is no memory");
    REAL(vsnprintf)(longer, (size_t)n + 1, format, again);
    say_outcome(longer);
    heap_free(longer);
  }
  va_end(again);
}
