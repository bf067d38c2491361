/* Functions of libc that read or change memory which the program gives them, other than those that have hooks (strcpy,
 * memcpy, ...).  Where all memory is watched (--model=sc, tso), what they do to it are steps of the thread that calls
 * them; the function itself works on memory of its own. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* or headers define some of these themselves */
#endif
#include "access/ordinary.h"
#include "access/schedule.h"
#include "access/vain.h"
#include "event/window.h"
#include "libc/kept.h"
#include "libc/memory.h"
#include "libc/stream_lock.h"
#include "process/caller.h"
#include "process/scratch.h"
#include "thread/entered.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool memory_changes(const void *to) {
  if (to && vain_begun)
    schedule_leave_round((uintptr_t)to);
  return false;
}

void memory_give(void *to, const void *from, size_t bytes) {
  access_give(to, from, bytes);
}

void memory_take(void *to, const void *from, size_t bytes) {
  if (ordinary_concerns() || window_has((uintptr_t)from))
    access_read(to, (uintptr_t)from, bytes, NULL);
  else
    memcpy(to, from, bytes);
}

void memory_look(const char *text, size_t most) {
  char one = 1;
  for (size_t i = 0; i < most && one; i++)
    access_read(&one, (uintptr_t)text + i, 1, NULL);
}

static bool fits(size_t size, size_t count) {
  return count && size && size <= SCRATCH_BYTES_MAX / count;
}

/* ---- streams ---- */

/* pre: it concerns others. */
static size_t read_items(void *to, size_t size, size_t count, FILE *file) {
  kept_reads_stream(file);
  void *copy = scratch_take(size * count);
  size_t got = REAL(fread)(copy, size, count, file);
  memory_give(to, copy, got * size);
  scratch_give_back(copy, size * count);
  return got;
}

INTERPOSE size_t fread(void *to, size_t size, size_t count, FILE *file) {
  ENTERED();
  return MEMORY_CHANGES(file) && fits(size, count) ? read_items(to, size, count, file)
                                                   : REAL(fread)(to, size, count, file);
}

/* Programs built with _FORTIFY_SOURCE: what does not fit is libc's to complain about. */
INTERPOSE size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *file);
size_t __fread_chk(void *to, size_t room, size_t size, size_t count, FILE *file) {
  ENTERED();
  return MEMORY_CHANGES(file) && fits(size, count) && size * count <= room
             ? read_items(to, size, count, file)
             : REAL(__fread_chk)(to, room, size, count, file);
}

INTERPOSE size_t fwrite(const void *from, size_t size, size_t count, FILE *file) {
  ENTERED();
  if (!MEMORY_CONCERNS() || !fits(size, count))
    return REAL(fwrite)(from, size, count, file);
  void *copy = scratch_take(size * count);
  memory_take(copy, from, size * count);
  stream_lock_pass(file);
  size_t done = REAL(fwrite)(copy, size, count, file);
  scratch_give_back(copy, size * count);
  return done;
}

/* pre: it concerns others. */
static char *read_text(char *to, int size, FILE *file) {
  kept_reads_stream(file);
  char *copy = scratch_take((size_t)size);
  size_t n = 0;
  int c = 0;
  while (n < (size_t)size - 1 && c != '\n' && (c = REAL(fgetc)(file)) != EOF)
    copy[n++] = (char)c;
  copy[n] = 0;
  if (n)
    memory_give(to, copy, n + 1);
  scratch_give_back(copy, (size_t)size);
  return n ? to : NULL;
}

static bool has_room(int size) {
  return size >= 2 && fits(1, (size_t)size);
}

INTERPOSE char *fgets(char *to, int size, FILE *file) {
  ENTERED();
  return MEMORY_CHANGES(file) && has_room(size) ? read_text(to, size, file)
                                                : REAL(fgets)(to, size, file);
}

INTERPOSE char *__fgets_chk(char *to, size_t room, int size, FILE *file);
char *__fgets_chk(char *to, size_t room, int size, FILE *file) {
  ENTERED();
  return MEMORY_CHANGES(file) && has_room(size) && (size_t)size <= room
             ? read_text(to, size, file)
             : REAL(__fgets_chk)(to, room, size, file);
}

#define DEFINE_GETC(name) \
  INTERPOSE int name(FILE *file) { \
    ENTERED(); \
    if (MEMORY_CHANGES(file)) \
      kept_reads_stream(file); \
    return REAL(fgetc)(file); \
  }
#undef getc
DEFINE_GETC(fgetc)
DEFINE_GETC(getc)
DEFINE_GETC(fgetc_unlocked)
DEFINE_GETC(getc_unlocked)

/* Where the next one reads. */
#define DEFINE_POSITION(type, name, file, parameters, ...) \
  INTERPOSE type name parameters { \
    ENTERED(); \
    if (MEMORY_CONCERNS()) \
      kept_reads_stream(file); \
    return REAL(name)(__VA_ARGS__); \
  }
DEFINE_POSITION(void, rewind, file, (FILE * file), file)
DEFINE_POSITION(int, fseek, file, (FILE * file, long offset, int whence), file, offset, whence)
DEFINE_POSITION(int, fseeko, file, (FILE * file, off_t offset, int whence), file, offset, whence)
DEFINE_POSITION(long, ftell, file, (FILE * file), file)
DEFINE_POSITION(off_t, ftello, file, (FILE * file), file)
DEFINE_POSITION(int, fseeko64, file, (FILE * file, off64_t offset, int whence), file, offset,
                whence)
DEFINE_POSITION(off64_t, ftello64, file, (FILE * file), file)
DEFINE_POSITION(int, fgetpos, file, (FILE * file, fpos_t *to), file, to)
DEFINE_POSITION(int, fsetpos, file, (FILE * file, const fpos_t *to), file, to)
DEFINE_POSITION(int, fgetpos64, file, (FILE * file, fpos64_t *to), file, to)
DEFINE_POSITION(int, fsetpos64, file, (FILE * file, const fpos64_t *to), file, to)
DEFINE_POSITION(int, ungetc, file, (int c, FILE *file), c, file)
DEFINE_POSITION(int, feof, file, (FILE * file), file)
DEFINE_POSITION(int, ferror, file, (FILE * file), file)
DEFINE_POSITION(void, clearerr, file, (FILE * file), file)

INTERPOSE int getchar(void) {
  ENTERED();
  if (MEMORY_CHANGES(stdin))
    kept_reads_stream(stdin);
  return REAL(fgetc)(stdin);
}

static void look_and_pass(const char *text, FILE *file) {
  memory_look(text, SIZE_MAX);
  stream_lock_pass(file);
}

INTERPOSE int fputs(const char *text, FILE *file) {
  ENTERED();
  if (MEMORY_CONCERNS())
    look_and_pass(text, file);
  return REAL(fputs)(text, file);
}

INTERPOSE int puts(const char *text) { /* layers: ok, the program's */
  ENTERED();
  if (MEMORY_CONCERNS())
    look_and_pass(text, stdout);
  return REAL(puts)(text);
}

#define DEFINE_PUTC(name, file, ...) \
  INTERPOSE int name(__VA_ARGS__) { \
    ENTERED(); \
    if (MEMORY_CONCERNS()) \
      stream_lock_pass(file); \
    return REAL(fputc)(c, file); \
  }
#undef putc
DEFINE_PUTC(fputc, file, int c, FILE *file)
DEFINE_PUTC(putc, file, int c, FILE *file)
DEFINE_PUTC(putchar, stdout, int c)

/* It reads into memory of its own, so that what the program has is changed in steps. */
static ssize_t read_line(char **line, size_t *room, int last, FILE *file) {
  char *text = NULL, *to;
  size_t text_room = 0, had;
  kept_reads_stream(file);
  ssize_t length = REAL(getdelim)(&text, &text_room, last, file);
  memory_take(&to, line, sizeof to);
  memory_take(&had, room, sizeof had);
  size_t needed = length < 0 ? 1 : (size_t)length + 1;
  if (!to || had < needed) {
    to = realloc(to, text_room); /* layers: ok, the program's */
    memory_give(line, &to, sizeof to);
    memory_give(room, &text_room, sizeof text_room);
  }
  if (length >= 0 && to)
    memory_give(to, text, (size_t)length + 1);
  free(text); /* layers: ok, the program's */
  return to ? length : -1;
}

/* With optimisation getline is the second one. */
#define DEFINE_GETDELIM(name) \
  INTERPOSE ssize_t name(char **line, size_t *room, int last, FILE *file) { \
    ENTERED(); \
    return MEMORY_CHANGES(file) && line && room ? read_line(line, room, last, file) \
                                                : REAL(getdelim)(line, room, last, file); \
  }
DEFINE_GETDELIM(getdelim)
DEFINE_GETDELIM(__getdelim)

INTERPOSE ssize_t getline(char **line, size_t *room, FILE *file) {
  ENTERED();
  return MEMORY_CHANGES(file) && line && room ? read_line(line, room, '\n', file)
                                              : REAL(getline)(line, room, file);
}

static char byte_at(const char *p) {
  char c;
  memory_take(&c, p, 1);
  return c;
}

/* ---- numbers ---- */

static bool may_be_in_number(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (c && strchr("+-._()", c));
}

/* Look at a number and what follows it, not at the rest of the text: that may be long, and who reads one number after
 * the other would look at all of it each time. */
static void look_at_number(const char *text) {
  char c;
  while ((c = byte_at(text)) && strchr(" \t\n\v\f\r", c))
    text++;
  while (may_be_in_number(c))
    c = byte_at(++text);
}

#define DEFINE_INTEGER(type, name) \
  INTERPOSE type name(const char *text, char **behind, int base) { \
    ENTERED(); \
    if (!MEMORY_CHANGES(behind)) \
      return REAL(name)(text, behind, base); \
    char *end; \
    look_at_number(text); \
    type value = REAL(name)(text, &end, base); \
    if (behind) \
      memory_give(behind, &end, sizeof end); \
    return value; \
  }
DEFINE_INTEGER(long, strtol)
DEFINE_INTEGER(unsigned long, strtoul)
DEFINE_INTEGER(long long, strtoll)
DEFINE_INTEGER(unsigned long long, strtoull)

INTERPOSE double strtod(const char *text, char **behind) {
  ENTERED();
  if (!MEMORY_CHANGES(behind))
    return REAL(strtod)(text, behind);
  char *end;
  look_at_number(text);
  double value = REAL(strtod)(text, &end);
  if (behind)
    memory_give(behind, &end, sizeof end);
  return value;
}

#define DEFINE_CONVERSION(type, name) \
  INTERPOSE type name(const char *text) { \
    ENTERED(); \
    if (MEMORY_CONCERNS()) \
      look_at_number(text); \
    return REAL(name)(text); \
  }
DEFINE_CONVERSION(int, atoi)
DEFINE_CONVERSION(long, atol)
DEFINE_CONVERSION(long long, atoll)
DEFINE_CONVERSION(double, atof)

/* ---- others ---- */

INTERPOSE char *strsep(char **rest, const char *between) {
  ENTERED();
  if (!MEMORY_CHANGES(rest))
    return REAL(strsep)(rest, between);
  char c, *word, *text;
  memory_look(between, SIZE_MAX);
  memory_take(&word, rest, sizeof word);
  if (!word)
    return NULL;
  for (text = word; (c = byte_at(text)) && !strchr(between, c);)
    text++;
  if (c)
    memory_give(text++, "", 1);
  else
    text = NULL;
  memory_give(rest, &text, sizeof text);
  return word;
}

/* How many bytes at the beginning of the text are in the set, or are not; and the byte behind them. */
static size_t look_at_span(const char *text, const char *set, bool in_set, char *behind) {
  size_t n = 0;
  memory_look(set, SIZE_MAX);
  while ((*behind = byte_at(text + n)) && (strchr(set, *behind) != NULL) == in_set)
    n++;
  return n;
}

INTERPOSE size_t strspn(const char *text, const char *set) {
  ENTERED();
  char behind;
  return MEMORY_CONCERNS() ? look_at_span(text, set, true, &behind) : REAL(strspn)(text, set);
}

INTERPOSE size_t strcspn(const char *text, const char *set) {
  ENTERED();
  char behind;
  return MEMORY_CONCERNS() ? look_at_span(text, set, false, &behind) : REAL(strcspn)(text, set);
}

INTERPOSE char *strpbrk(const char *text, const char *set) {
  ENTERED();
  if (!MEMORY_CONCERNS())
    return REAL(strpbrk)(text, set);
  char behind;
  size_t n = look_at_span(text, set, false, &behind);
  return behind ? (char *)text + n : NULL;
}

INTERPOSE void explicit_bzero(void *to, size_t bytes) {
  ENTERED();
  if (!MEMORY_CHANGES(to)) {
    REAL(explicit_bzero)(to, bytes);
    return;
  }
  static const char zeros[64];
  for (size_t done = 0, n; done < bytes; done += n) {
    n = bytes - done < sizeof zeros ? bytes - done : sizeof zeros;
    memory_give((char *)to + done, zeros, n);
  }
}

INTERPOSE size_t strftime(char *to, size_t room, const char *format, const struct tm *time) {
  ENTERED();
  if (!MEMORY_CHANGES(to) || !fits(1, room))
    return REAL(strftime)(to, room, format, time);
  struct tm when;
  memory_take(&when, time, sizeof when);
  char *copy = scratch_take(room);
  size_t length = REAL(strftime)(copy, room, format, &when);
  if (length)
    memory_give(to, copy, length + 1);
  scratch_give_back(copy, room);
  return length;
}

char *memory_next_word(char *text, const char *between, char **rest) {
  char c;
  memory_look(between, SIZE_MAX);
  if (!text)
    memory_take(&text, rest, sizeof text);
  while ((c = byte_at(text)) && strchr(between, c))
    text++;
  char *word = c ? text : NULL;
  while ((c = byte_at(text)) && !strchr(between, c))
    text++;
  if (c)
    memory_give(text++, "", 1);
  memory_give(rest, &text, sizeof text);
  return word;
}

INTERPOSE char *strtok_r(char *text, const char *between, char **rest) {
  ENTERED();
  return MEMORY_CHANGES(rest) ? memory_next_word(text, between, rest)
                              : REAL(strtok_r)(text, between, rest);
}

INTERPOSE int rand_r(unsigned *seed) {
  ENTERED();
  if (!MEMORY_CHANGES(seed))
    return REAL(rand_r)(seed);
  unsigned copy;
  memory_take(&copy, seed, sizeof copy);
  int value = REAL(rand_r)(&copy);
  memory_give(seed, &copy, sizeof copy);
  return value;
}

INTERPOSE struct tm *localtime_r(const time_t *time, struct tm *to) {
  ENTERED();
  if (!MEMORY_CHANGES(to))
    return REAL(localtime_r)(time, to);
  time_t when;
  struct tm made;
  memory_take(&when, time, sizeof when);
  if (!REAL(localtime_r)(&when, &made))
    return NULL;
  memory_give(to, &made, sizeof made);
  return to;
}

INTERPOSE struct tm *gmtime_r(const time_t *time, struct tm *to) {
  ENTERED();
  if (!MEMORY_CHANGES(to))
    return REAL(gmtime_r)(time, to);
  time_t when;
  struct tm made;
  memory_take(&when, time, sizeof when);
  if (!REAL(gmtime_r)(&when, &made))
    return NULL;
  memory_give(to, &made, sizeof made);
  return to;
}

/* The program's comparison looks at a copy on the program's heap. */
INTERPOSE void qsort(void *base, size_t count, size_t size,
                     int (*compare)(const void *, const void *)) {
  ENTERED();
  void *copy = MEMORY_CHANGES(base) && fits(size, count) && count > 1
                   ? malloc(count * size) /* layers: ok, the program's */
                   : NULL;
  if (!copy) {
    REAL(qsort)(base, count, size, compare);
    return;
  }
  memory_take(copy, base, count * size);
  REAL(qsort)(copy, count, size, compare);
  memory_give(base, copy, count * size);
  free(copy); /* layers: ok, the program's */
}
