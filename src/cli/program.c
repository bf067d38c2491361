#include "cli/program.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void words_push(word_list *words, const char *word) {
  vec_push(words, mem_strdup(word));
}

void words_free(word_list *words) {
  for (size_t i = 0; i < words->length; i++)
    mem_free(words->data[i], strlen(words->data[i]) + 1);
  vec_free(words);
}

/* One word from *p on; false if a quote is not closed. */
static bool take_word(const char **p, struct str *word) {
  char quote = 0;
  for (; **p && (quote || !isspace((unsigned char)**p)); ++*p) {
    char c = **p;
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? 0 : c;
    } else if (c == '\\' && quote != '\'' && (*p)[1]) {
      ++*p;
      str_append_char(word, **p);
    } else {
      str_append_char(word, c);
    }
  }
  return !quote;
}

bool words_split(const char *text, word_list *out, struct str *error) {
  size_t before = out->length;
  for (const char *p = text;;) {
    while (isspace((unsigned char)*p))
      p++;
    if (!*p)
      break;
    struct str word = {0};
    bool closed = take_word(&p, &word);
    words_push(out, str_text(&word));
    str_free(&word);
    if (!closed) {
      str_format(error, "a quote is not closed in: %s", text);
      return false;
    }
  }
  if (out->length > before)
    return true;
  str_append(error, "the command is empty");
  return false;
}

static bool is_runnable(const char *path, struct str *error) {
  struct stat st;
  if (stat(path, &st) != 0)
    str_format(error, "%s: %s", path, errno == ENOENT ? "no such program" : strerror(errno));
  else if (S_ISDIR(st.st_mode))
    str_format(error, "%s: is a directory, not a program", path);
  else if (!S_ISREG(st.st_mode))
    str_format(error, "%s: is not a program file", path);
  else if (access(path, X_OK) != 0)
    str_format(error, "%s: is not executable", path);
  else if (access(path, R_OK) != 0)
    str_format(error, "%s: is not readable", path);
  else
    return true;
  return false;
}

static bool is_source(const char *name) {
  static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".C", NULL};
  const char *dot = strrchr(name, '.');
  for (const char *const *e = endings; dot && *e; e++)
    if (strcmp(dot, *e) == 0)
      return access(name, F_OK) == 0 && access(name, X_OK) != 0;
  return false;
}

bool program_find(const char *name, struct str *path, struct str *error) {
  if (is_source(name)) {
    bool plain = strcmp(strrchr(name, '.'), ".c") == 0;
    str_append(path, name);
    str_format(error, "%s: is a source file; build it with tidemark-%s and check the program", name,
               plain ? "cc" : "c++");
    return false;
  }
  if (strchr(name, '/')) {
    str_append(path, name);
    return is_runnable(name, error);
  }
  const char *folders = getenv("PATH");
  for (const char *p = folders ? folders : ""; *p;) {
    size_t n = strcspn(p, ":");
    str_clear(path);
    str_format(path, "%.*s/%s", (int)(n ? n : 1), n ? p : ".", name);
    struct str ignored = {0};
    bool found = is_runnable(str_text(path), &ignored);
    str_free(&ignored);
    if (found)
      return true;
    p += n + (p[n] == ':');
  }
  str_clear(path);
  str_append(path, name);
  str_format(error, "%s: no such program in PATH", name);
  struct stat st;
  if (stat(name, &st) == 0 && S_ISREG(st.st_mode))
    str_format(error, "; did you mean ./%s?", name);
  return false;
}
