#include "cli/asserts.h"
#include "cli/build_record.h"
#include "report/file_text.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* The last word about it counts. */
static bool leaves_out(const struct build_command *c) {
  bool out = false;
  for (size_t i = 1; i < c->words.length; i++) {
    const char *w = c->words.data[i], *name = w + 2;
    if (w[0] != '-' || (w[1] != 'D' && w[1] != 'U'))
      continue;
    if (!*name)
      name = i + 1 < c->words.length ? c->words.data[++i] : "";
    if (strncmp(name, "NDEBUG", 6) == 0 && (!name[6] || name[6] == '='))
      out = w[1] == 'D';
  }
  return out;
}

static bool uses_assert(const char *text) {
  if (strstr(text, "undef NDEBUG"))
    return false;
  for (const char *p = text; (p = strstr(p, "assert")) != NULL; p += strlen("assert")) {
    const char *after = p + strlen("assert");
    bool whole = p == text || (!isalnum((unsigned char)p[-1]) && p[-1] != '_');
    if (whole && after[strspn(after, " ")] == '(')
      return true;
  }
  return false;
}

static bool file_uses_assert(const char *directory, const char *word) {
  struct str path = {0}, text = {0}, error = {0};
  if (word[0] != '/')
    str_format(&path, "%s/", directory);
  str_append(&path, word);
  bool uses = file_text_read(str_text(&path), &text, &error) && uses_assert(str_text(&text));
  str_free(&path);
  str_free(&text);
  str_free(&error);
  return uses;
}

void asserts_note(const char *program, struct str *out) {
  struct build_record record = {0};
  const char *first = NULL;
  size_t count = 0;
  build_record_read(program, &record);
  for (size_t i = 0; i < record.commands.length; i++) {
    const struct build_command *c = &record.commands.data[i];
    for (size_t k = 1; k < c->words.length && leaves_out(c); k++)
      if (build_word_is_source(c->words.data[k]) &&
          file_uses_assert(c->directory, c->words.data[k]) && count++ == 0)
        first = c->words.data[k];
  }
  if (first) {
    const char *slash = strrchr(first, '/');
    str_append(out, slash ? slash + 1 : first);
    if (count > 1)
      str_format(out, " and %zu other source%s", count - 1, count == 2 ? "" : "s");
    str_format(out,
               " %s compiled with -DNDEBUG: assert() does nothing there, and what it would have "
               "noticed is no finding (with CMake, -DCMAKE_BUILD_TYPE=Debug)",
               count == 1 ? "was" : "were");
  }
  build_record_free(&record);
}
