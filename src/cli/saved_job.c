#include "cli/saved_job.h"
#include "cli/libraries.h"
#include "cli/supervisor.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void push(word_list *words, const char *key, const char *value) {
  struct str text = {0};
  str_format(&text, "%s %s", key, value);
  words_push(words, str_text(&text));
  str_free(&text);
}

/* What may be different when somebody goes on. */
static bool is_budget(const char *setting) {
  static const char *const free_to_change[] = {
      "max-executions=", "memory=", "first=", "scatter=", "output="};
  for (size_t i = 0; i < sizeof free_to_change / sizeof *free_to_change; i++)
    if (strncmp(setting, free_to_change[i], strlen(free_to_change[i])) == 0)
      return true;
  return false;
}

/* Programs, and what they read from files that options name. */
static void push_file(word_list *words, const char *path) {
  struct stat st;
  struct str text = {0};
  if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
    return;
  str_format(&text, "%s %016lx", path, (unsigned long)run_hash_file(path));
  push(words, "file", str_text(&text));
  str_free(&text);
}

/* Also what it is linked with: much of a program may be in libraries of its own. */
static void push_program(word_list *words, const char *path) {
  word_list libraries = {0};
  push_file(words, path);
  libraries_of(path, &libraries);
  for (size_t i = 0; i < libraries.length; i++)
    push_file(words, libraries.data[i]);
  words_free(&libraries);
}

/* What positions and units mean may differ from one build to the next. */
static void push_checker(word_list *words) {
  struct str path = {0}, text = {0}, ignored = {0};
  supervisor_find_worker(&path, &ignored);
  str_format(&text, "%s %016lx", TIDEMARK_VERSION, (unsigned long)run_hash_file(str_text(&path)));
  push(words, "tidemark", str_text(&text));
  str_free(&path);
  str_free(&text);
  str_free(&ignored);
}

word_list saved_describe(const struct check_job *job, const char *shard) {
  word_list words = {0};
  push_checker(&words);
  for (size_t i = 0; i < job->words.length; i++)
    push(&words, "word", job->words.data[i]);
  for (size_t i = 0; i < job->settings.length; i++)
    if (!is_budget(job->settings.data[i]))
      push(&words, "setting", job->settings.data[i]);
  for (size_t i = 0; i < job->words.length; i++)
    if (access(job->words.data[i], X_OK) == 0)
      push_program(&words, job->words.data[i]);
  static const char *const read[] = {"stdin", "client"};
  for (size_t i = 0; i < sizeof read / sizeof *read; i++)
    if (run_option(&job->run, read[i]))
      push_file(&words, run_option(&job->run, read[i]));
  if (*shard)
    push(&words, "shard", shard);
  if (job->run.directory)
    push(&words, "directory", job->run.directory);
  for (size_t i = 0; i < job->run.options.length; i++) {
    const struct run_option *o = &job->run.options.data[i];
    struct str text = {0};
    str_format(&text, "%s%s%s", o->name, o->value ? "=" : "", o->value ? o->value : "");
    push(&words, "option", str_text(&text));
    str_free(&text);
  }
  return words;
}

const char *saved_word(const word_list *job, const char *key, size_t *i) {
  size_t n = strlen(key);
  for (; *i < job->length; ++*i)
    if (strncmp(job->data[*i], key, n) == 0 && job->data[*i][n] == ' ')
      return job->data[(*i)++] + n + 1;
  return NULL;
}

static bool has_word(const word_list *job, const char *key, const char *word) {
  size_t i = 0;
  for (const char *w; (w = saved_word(job, key, &i));)
    if (strcmp(w, word) == 0)
      return true;
  return false;
}

/* All words with that key, as a command line shows them; but those that the other one has, too (NULL: all). */
static void put_all(const word_list *job, const char *key, const char *before,
                    const word_list *other, struct str *out) {
  size_t i = 0;
  for (const char *w; (w = saved_word(job, key, &i));)
    if (!other || !has_word(other, key, w))
      str_format(out, "%s%s%s", out->length ? " " : "", before, w);
}

bool saved_differs(const word_list *then, const word_list *now, struct str *what) {
  static const struct {
    const char *key, *before, *name;
    bool in_order;
  } kinds[] = {{"word", "", "the command", true},
               {"setting", "--", "the options", true},
               {"shard", "", "the shard", true},
               {"tidemark", "", "Tidemark (version and checksum)", true},
               {"file", "", "a file (path and checksum)", false}};
  bool differs = false;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !differs; i++) {
    struct str a = {0}, b = {0};
    put_all(then, kinds[i].key, kinds[i].before, kinds[i].in_order ? NULL : now, &a);
    put_all(now, kinds[i].key, kinds[i].before, kinds[i].in_order ? NULL : then, &b);
    differs = strcmp(str_text(&a), str_text(&b)) != 0;
    if (differs)
      str_format(what, "%s: '%s' then, '%s' now", kinds[i].name, str_text(&a), str_text(&b));
    str_free(&a);
    str_free(&b);
  }
  return differs;
}

bool saved_is_of(const word_list *then, const struct check_job *job) {
  word_list now = saved_describe(job, "");
  struct str what = {0};
  bool differs = saved_differs(then, &now, &what);
  str_free(&what);
  words_free(&now);
  return !differs;
}
