#include "cli/cc_exports.h"
#include "abi/abi.h"
#include "cli/cc_run.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define EMULATED "__emutls_v."

/* Names are written as patterns of one name ("mai[n]"): some linkers take an exact name that no
 * object defines for a mistake, and what the program has is not known here. */
static void append_pattern(struct str *to, const char *name, size_t n) {
  bool has_wildcard = false;
  for (size_t i = 0; i < n; i++)
    has_wildcard |= strchr("*?[", name[i]) != NULL;
  if (has_wildcard)
    str_append_bytes(to, name, n);
  else
    str_format(to, "%.*s[%c]", (int)n - 1, name, name[n - 1]);
}

/* A name of C++ as demanglers write it, a::b::c, in its mangled form; false: not a plain variable
 * in namespaces or classes.  The last component may contain wildcards. */
static bool append_mangled(struct str *to, const char *name, size_t n) {
  size_t mark = to->length;
  const char *end = name + n;
  str_append(to, EMULATED "_ZN");
  for (const char *p = name; p < end;) {
    const char *part = p;
    while (p < end && (isalnum((unsigned char)*p) || *p == '_' || *p == '$'))
      p++;
    bool scope = end - p > 2 && p[0] == ':' && p[1] == ':';
    if (scope && p > part) {
      str_format(to, "%zu%.*s", (size_t)(p - part), (int)(p - part), part);
      p += 2;
    } else if (p == end && part > name) {
      str_format(to, "%zu%.*s[E]", (size_t)(p - part), (int)(p - part), part);
      return true;
    } else if (part > name && end - p == 1 && *p == '*') {
      if (p > part) /* a::b*: the length of the component is open */
        str_format(to, "[0-9]*%.*s*", (int)(p - part), part);
      else
        str_append(to, "[0-9]*E");
      return true;
    } else {
      break;
    }
  }
  to->length = mark;
  to->data[mark] = 0;
  return false;
}

static const char *skip_blanks(const char *p) {
  for (;;) {
    p += strspn(p, " \t\r\n");
    if (p[0] == '/' && p[1] == '*') {
      const char *end = strstr(p + 2, "*/");
      p = end ? end + 2 : p + strlen(p);
    } else if (*p == '#') {
      p += strcspn(p, "\n");
    } else {
      return p;
    }
  }
}

/* A word, a quoted string or one character of punctuation. */
static const char *skip_token(const char *p) {
  if (*p == '"') {
    p += 1 + strcspn(p + 1, "\"");
    return *p ? p + 1 : p;
  }
  if (strchr("{};", *p))
    return p + 1;
  const char *start = p;
  for (; *p && !strchr("{};\" \t\r\n", *p); p++) {
    /* a::b is one word, global: is a word and a colon */
    if (*p == ':' && p[1] == ':')
      p++;
    else if (*p == ':')
      break;
  }
  return p == start ? p + 1 : p;
}

struct reader {
  int depth;
  int cplusplus_depth; /* of the extern "C++" block we are in; 0: none */
  bool is_extern;      /* after the word extern */
  struct str twins;    /* of that block; they are no names of C++ and go behind it */
};

static bool is_word(const char *token, const char *end, const char *word) {
  return (size_t)(end - token) == strlen(word) && !strncmp(token, word, (size_t)(end - token));
}

static bool is_label(const char *token, const char *end, const char *word) {
  return is_word(token, end, word) && *skip_blanks(end) == ':';
}

/* pre: p is behind the first '{'.  Linkers want a label at most once, global: before local:, so the
 * marks go into the section that is there.  Returns where to go on. */
static const char *append_marks(struct str *to, const char *p) {
  static const char *const marks[] = {ABI_VERSION_SYMBOL, ABI_WATCH_SYMBOL, ABI_LOCKS_SYMBOL,
                                      "main"};
  const char *token = skip_blanks(p), *end = *token ? skip_token(token) : token;
  if (is_label(token, end, "global")) {
    end = skip_blanks(end) + 1;
    str_append_bytes(to, p, (size_t)(end - p));
    p = end;
  } else if (is_label(token, end, "local")) {
    str_append(to, " global:");
  }
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    str_append_char(to, ' ');
    append_pattern(to, marks[i], strlen(marks[i]));
    str_append_char(to, ';');
  }
  return p;
}

static void append_twin(struct str *to, struct reader *r, const char *name, size_t n) {
  if (name[0] == '"') { /* taken literally by the linker: not a pattern */
    name++;
    n -= n > 1 && name[n - 2] == '"' ? 2 : 1;
  }
  if (!n || (n == 1 && *name == '*'))
    return; /* matches the twins too */
  struct str mangled = {0};
  if (!r->cplusplus_depth) {
    str_append(to, "; " EMULATED);
    append_pattern(to, name, n);
  } else if (append_mangled(&mangled, name, n)) {
    str_format(&r->twins, "; %s", str_text(&mangled));
  }
  str_free(&mangled);
}

static void rewrite_token(struct str *to, struct reader *r, const char *token, const char *end) {
  size_t n = (size_t)(end - token);
  str_append_bytes(to, token, n);
  if (*token == '{') {
    r->depth++;
    r->is_extern = false;
  } else if (*token == '}') {
    r->depth--;
    if (r->depth < r->cplusplus_depth) {
      r->cplusplus_depth = 0;
      str_append(to, str_text(&r->twins));
      str_clear(&r->twins);
    }
  } else if (is_word(token, end, "extern")) {
    r->is_extern = true;
  } else if (r->is_extern) {
    r->cplusplus_depth = is_word(token, end, "\"C++\"") ? r->depth + 1 : 0;
  } else if (r->depth > 0 && *token != ';' && *token != ':' && *skip_blanks(end) != ':') {
    append_twin(to, r, token, n);
  }
}

void cc_exports_rewrite(struct str *to, const char *text) {
  struct reader r = {0};
  bool has_marks = false;
  for (const char *p = text; *p;) {
    const char *token = skip_blanks(p);
    str_append_bytes(to, p, (size_t)(token - p));
    if (!*token)
      break;
    p = skip_token(token);
    rewrite_token(to, &r, token, p);
    if (*token == '{' && !has_marks) {
      p = append_marks(to, p);
      has_marks = true;
    }
  }
  str_free(&r.twins);
}

/* The changed copy of a list; NULL if there is none. */
static const char *copy_list(const char *path) {
  struct str text = {0}, changed = {0};
  const char *name = cc_read_file(path, &text) ? cc_temporary(".list") : NULL;
  if (name) {
    cc_exports_rewrite(&changed, str_text(&text));
    FILE *file = fopen(name, "w");
    if (!file || fputs(str_text(&changed), file) < 0 || fclose(file))
      name = NULL;
  }
  str_free(&text);
  str_free(&changed);
  return name;
}

/* Rest of the word after the option, with one or two dashes; NULL: another word. */
static const char *after_option(const char *word, const char *option) {
  if (*word++ != '-')
    return NULL;
  word += *word == '-';
  size_t n = strlen(option);
  return !strncmp(word, option, n) && (!word[n] || word[n] == '=') ? word + n : NULL;
}

/* The value of an option at words[*i], in this word or the next one, replaced if there is a copy. */
static void replace_list(struct arg_list *words, size_t *i, const char *rest) {
  bool joined = *rest == '=';
  if (!joined && ++*i >= words->length)
    return;
  const char *word = words->data[*i], *copy = copy_list(joined ? rest + 1 : word);
  if (!copy)
    return;
  struct str changed = {0};
  if (joined)
    str_append_bytes(&changed, word, (size_t)(rest + 1 - word));
  str_append(&changed, copy);
  words->data[*i] = str_text(&changed);
}

static const char *emulated_option(const char *name) {
  struct str option = {0};
  str_append(&option, "--export-dynamic-symbol=" EMULATED);
  append_pattern(&option, name, strlen(name));
  return str_text(&option);
}

/* Lists may be named in response files for the linker (-Wl,@file). */
static void expand_words(struct arg_list *words) {
  struct arg_list all = {0};
  for (size_t i = 0; i < words->length; i++)
    arg_push_expanded(&all, words->data[i]);
  vec_free(words);
  *words = all;
}

void cc_exports_extend(struct cc_job *link) {
  static const char *const lists[] = {"version-script", "dynamic-list",
                                      "export-dynamic-symbol-list"};
  struct arg_list *words = &link->words;
  bool has_versions = false;
  expand_words(words);
  for (size_t i = 1, count = words->length; i < count; i++) {
    const char *word = words->data[i], *rest = after_option(word, "export-dynamic-symbol");
    const char *name = !rest ? "" : *rest ? rest + 1 : i + 1 < count ? words->data[i + 1] : "";
    if (*name)
      arg_push(words, emulated_option(name));
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
      if ((rest = after_option(word, lists[k]))) {
        has_versions |= k == 0;
        replace_list(words, &i, rest);
        break;
      }
  }
  if (has_versions) /* the variable's own name is in the list but no longer in the objects */
    arg_push(words, "--undefined-version");
}
