#include "process/complaint.h"
#include <string.h>

#define LINES_MAX 6

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool begins_with(const char *text, size_t n, const char *word) {
  size_t i = 0;
  while (i < n && word[i] && lower(text[i]) == word[i])
    i++;
  return !word[i];
}

bool complaint_is_line(const char *text, size_t at) {
  static const char *const endings[] = {".c",   ".cc",  ".cpp", ".cxx", ".c++", ".h",  ".hh",
                                        ".hpp", ".hxx", ".h++", ".inc", ".ipp", ".tcc"};
  if (at < 2 || (text[at - 1] != ':' && text[at - 1] != '('))
    return false;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t n = strlen(endings[i]);
    if (at - 1 > n && begins_with(text + at - 1 - n, n, endings[i]))
      return true;
  }
  return false;
}

/* Does it name a line of a source, and say something about it? */
static bool has_place(const char *line, size_t n) {
  for (size_t i = 2; i < n; i++) {
    if (!is_digit(line[i]) || is_digit(line[i - 1]) || !complaint_is_line(line, i))
      continue;
    while (i < n && (is_digit(line[i]) || line[i] == ')'))
      i++;
    return i < n && line[i] == ':' && strspn(line + i, ": ") < n - i;
  }
  return false;
}

static bool speaks_of_failure(const char *line, size_t n) {
  static const char *const words[] = {"fail", "error", "assert", "expect"};
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
      if (begins_with(line + i, n - i, words[k]))
        return true;
  return false;
}

bool complaint_is_one(const char *text) {
  size_t n = strlen(text);
  return has_place(text, n) && speaks_of_failure(text, n);
}

/* Blanks are one each. */
static void append(struct complaint *c, const char *line, size_t n) {
  c->lines++;
  if (c->length && c->length < sizeof c->text - 1)
    c->text[c->length++] = ' ';
  for (size_t i = 0; i < n && c->length < sizeof c->text - 1; i++) {
    char before = c->length ? c->text[c->length - 1] : ' ';
    if (line[i] != ' ' || before != ' ')
      c->text[c->length++] = line[i];
  }
  while (c->length && c->text[c->length - 1] == ' ')
    c->length--;
}

void complaint_hear(struct complaint *c, const char *line) {
  size_t n = strlen(line);
  if (c->whole)
    return;
  if (c->lines) {
    c->whole = !n || c->lines == LINES_MAX || strchr("[=-~.", *line);
    if (!c->whole)
      append(c, line, n);
  } else if (complaint_is_one(line)) {
    append(c, line, n);
  }
}
