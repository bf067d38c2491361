#include "cli/fix_verify.h"
#include "cli/build_record.h"
#include "report/suppress.h"
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A command that built a part of the program. */
struct command {
  const char *directory;
  build_words words;
  bool links;
  uint32_t sources;          /* among its words */
  bool placed;               /* its object was an input of the link */
  char *output, *new_output; /* whole paths */
};

struct verification {
  char folder[64];
  struct build_record record;
  VEC(struct command) commands;
  struct str overlay;
};

/* ---- the record ---- */

static char *whole_path(const char *directory, const char *path) {
  struct str out = {0};
  if (path[0] != '/')
    str_format(&out, "%s/", directory);
  str_append(&out, path);
  return (char *)str_text(&out); /* kept until the end */
}

static void complete_command(struct command *c) {
  const char *output = NULL, *input = "a.out";
  c->links = true;
  for (size_t i = 1; i < c->words.length; i++) {
    const char *w = c->words.data[i];
    if (strcmp(w, "-c") == 0)
      c->links = false;
    else if (strcmp(w, "-o") == 0 && i + 1 < c->words.length)
      output = c->words.data[++i];
    else if (strncmp(w, "-o", 2) == 0)
      output = w + 2;
    else if (w[0] != '-')
      input = w;
    c->sources += build_word_is_source(w);
  }
  struct str name = {0};
  const char *base = strrchr(input, '/') ? strrchr(input, '/') + 1 : input;
  if (!output && !c->links) {
    str_append_bytes(&name, base, strcspn(base, "."));
    str_append(&name, ".o");
    output = str_text(&name);
  }
  c->output = whole_path(c->directory, output ? output : "a.out");
}

static void complete_commands(struct verification *v) {
  for (size_t i = 0; i < v->record.commands.length; i++) {
    const struct build_command *b = &v->record.commands.data[i];
    struct command c = {.directory = b->directory, .words = b->words};
    complete_command(&c);
    vec_push(&v->commands, c);
  }
}

/* ---- building ---- */

static int run(const char *directory, const build_words *words, const char *log) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || chdir(directory))
      _exit(127);
    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    unsetenv("TIDEMARK_OPTIONS");
    execv(words->data[0], words->data);
    _exit(127);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status);
}

static bool write_file(const char *path, const struct str *text) {
  FILE *f = fopen(path, "w");
  bool ok = f && fwrite(text->data, 1, text->length, f) == text->length;
  return f && fclose(f) == 0 && ok;
}

static bool write_sources(struct verification *v, struct fix *f) {
  json_t *roots = json_array();
  bool ok = true;
  for (size_t i = 0; i < f->files.length && ok; i++) {
    struct str path = {0}, text = {0};
    str_format(&path, "%s/source%zu", v->folder, i);
    fix_patched(str_text(&f->files.data[i].source), &f->files.data[i].changes, &text);
    ok = write_file(str_text(&path), &text);
    char *real = realpath(f->files.data[i].path, NULL);
    json_array_append_new(roots, json_pack("{ssssss}", "type", "file", "name",
                                           real ? real : f->files.data[i].path, "external-contents",
                                           str_text(&path)));
    free(real);
    str_free(&path);
    str_free(&text);
  }
  json_t *all = json_pack("{sisbso}", "version", 0, "use-external-names", 0, "roots", roots);
  char *text = json_dumps(all, 0);
  struct str yaml = {0};
  str_append(&yaml, text);
  str_format(&v->overlay, "%s/overlay.yaml", v->folder);
  ok = ok && write_file(str_text(&v->overlay), &yaml);
  free(text);
  json_decref(all);
  str_free(&yaml);
  return ok;
}

static bool same_file(const char *a, const char *b) {
  struct stat x, y;
  return strcmp(a, b) == 0 ||
         (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

/* The word, or the object that takes its place. */
static char *input_word(struct verification *v, const struct command *c, char *word) {
  char *path = word[0] == '-' ? word : whole_path(c->directory, word);
  for (size_t i = 0; i < v->commands.length; i++) {
    struct command *x = &v->commands.data[i];
    if (!x->links && x->new_output && same_file(x->output, path)) {
      x->placed = true;
      return x->new_output;
    }
  }
  return word;
}

/* How many words, from this one on, ask for a list of dependencies? */
static size_t dependency_words(const char *word) {
  static const char *const alone[] = {"-MD", "-MMD", "-MP", "-MG", "-MV", NULL},
                           *const with_name[] = {"-MF", "-MT", "-MQ", "-MJ", NULL};
  for (const char *const *w = alone; *w; w++)
    if (strcmp(word, *w) == 0)
      return 1;
  for (const char *const *w = with_name; *w; w++)
    if (strncmp(word, *w, 3) == 0)
      return word[3] ? 1 : 2;
  return strncmp(word, "-Wp,-M", 6) == 0;
}

/* The words of a command, without where its results go. */
static void push_words(struct verification *v, const struct command *c, build_words *words) {
  for (size_t i = 1, skip; i < c->words.length; i++) {
    char *w = c->words.data[i];
    if (strcmp(w, "-o") == 0)
      i++;
    else if ((skip = dependency_words(w)) > 0)
      i += skip - 1;
    else if (strncmp(w, "-o", 2) != 0)
      vec_push(words, input_word(v, c, w));
  }
}

/* Objects that the program has, and that are no inputs of its link, come out of archives: they come first, so that
 * nobody looks for them there. */
static void push_members(const struct verification *v, build_words *words) {
  size_t rest = words->length;
  for (size_t i = 0; i < v->commands.length; i++) {
    const struct command *x = &v->commands.data[i];
    if (!x->links && !x->placed)
      vec_push(words, x->new_output);
  }
  for (size_t n = words->length - rest; n > 0; n--) { /* to the front, behind the compiler */
    char *member = vec_last(words);
    memmove(&words->data[2], &words->data[1], (words->length - 2) * sizeof *words->data);
    words->data[1] = member;
  }
}

/* Of what was said last, the first line with that word. */
static void put_first_line(const struct verification *v, const char *word, struct str *out) {
  char path[4096], line[1024];
  snprintf(path, sizeof path, "%s/log", v->folder);
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f))
    if (strstr(line, word)) {
      line[strcspn(line, "\n")] = '\0';
      str_format(out, "  %s\n", line);
      break;
    }
  if (f)
    fclose(f);
}

static bool build_one(struct verification *v, size_t number, struct str *out) {
  struct command *c = &v->commands.data[number];
  struct str path = {0}, log = {0}, needs = {0};
  build_words words = {0};
  str_format(&path, "%s/%s%zu%s", v->folder, c->links ? "program" : "object", number,
             c->links ? "" : ".o");
  str_format(&log, "%s/log", v->folder);
  vec_push(&words, c->words.data[0]);
  push_words(v, c, &words);
  if (c->links)
    push_members(v, &words);
  char *more[] = {
      "-mclwb", "-w", "-ivfsoverlay", (char *)str_text(&v->overlay), "-o", (char *)str_text(&path),
      NULL};
  for (char **m = more; *m || m == more; m++)
    vec_push(&words, *m);
  if (c->sources == 1) {
    str_format(&needs, "-MF%s/needs%zu", v->folder, number);
    vec_push(&words, "-MD");
    vec_push(&words, (char *)str_text(&needs));
  }
  vec_push(&words, NULL);
  bool ok = run(c->directory, &words, str_text(&log)) == 0;
  if (!ok) {
    str_format(out, "the changed program does not build: %s in %s failed\n", c->words.data[0],
               c->directory);
    put_first_line(v, "error", out);
  }
  c->new_output = (char *)str_text(&path);
  vec_free(&words);
  str_free(&needs);
  return ok;
}

/* Does the command read the file?  Of several sources that is not known; of one of them it is. */
static bool needs(const struct verification *v, size_t number, const char *file) {
  const struct command *x = &v->commands.data[number];
  struct str path = {0}, word = {0};
  bool found = x->sources > 1 && !build_word_is_source(file);
  for (size_t i = 1; i < x->words.length && !found; i++)
    found = build_word_is_source(x->words.data[i]) &&
            same_file(whole_path(x->directory, x->words.data[i]), file);
  str_format(&path, "%s/needs%zu", v->folder, number);
  FILE *f = fopen(str_text(&path), "r");
  for (int c = 0; f && c != EOF && !found;) {
    str_clear(&word);
    while ((c = getc(f)) != EOF && c != ' ' && c != '\n') {
      if (c == '\\' && (c = getc(f)) == '\n')
        break;
      str_append_char(&word, (char)c);
    }
    char *read = whole_path(x->directory, str_text(&word));
    found = word.length > 0 && same_file(read, file);
  }
  if (f)
    fclose(f);
  str_free(&path);
  str_free(&word);
  return found;
}

/* Otherwise nothing of what is built has its changes. */
static bool is_built(const struct verification *v, const char *file) {
  bool built = false;
  for (size_t i = 0; i < v->commands.length && !built; i++)
    built = v->commands.data[i].new_output && needs(v, i, file);
  return built;
}

static bool all_are_built(const struct verification *v, const struct fix *f, struct str *out) {
  for (size_t i = 0; i < f->files.length; i++)
    if (f->files.data[i].changes.length && !is_built(v, f->files.data[i].path)) {
      str_format(out, "how %s gets into the program is not recorded (in a library?)\n",
                 f->files.data[i].name);
      return false;
    }
  return true;
}

/* Objects first, then the program: the command whose output has its name, or the only one. */
static const char *build(struct verification *v, const char *program, struct str *out) {
  const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
  size_t link = SIZE_MAX;
  for (size_t i = 0; i < v->commands.length; i++) {
    const struct command *c = &v->commands.data[i];
    const char *end = strrchr(c->output, '/');
    if (!c->links && !build_one(v, i, out))
      return NULL;
    if (c->links && (link == SIZE_MAX || strcmp(end ? end + 1 : c->output, name) == 0))
      link = i;
  }
  if (link == SIZE_MAX) {
    str_append(out, "how the program was linked is not recorded\n");
    return NULL;
  }
  return build_one(v, link, out) ? v->commands.data[link].new_output : NULL;
}

/* ---- checking ---- */

/* What is silenced now is not new then. */
static void push_suppressions(const struct report *r, build_words *words) {
  char *path = r->suppressions ? realpath(r->suppressions->path, NULL) : NULL;
  struct str word = {0};
  if (!path)
    return;
  str_format(&word, "--suppressions=%s", path);
  vec_push(words, (char *)str_text(&word));
  free(path);
}

static json_t *check(const struct verification *v, const struct report *r, const char *program) {
  struct str json = {0}, log = {0}, self = {0};
  build_words words = {0};
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  str_append_bytes(&self, path, n > 0 ? (size_t)n : 0);
  str_format(&json, "--json=%s/report.json", v->folder);
  str_format(&log, "%s/log", v->folder);
  vec_push(&words, (char *)str_text(&self));
  vec_push(&words, "check");
  vec_push(&words, "--quiet");
  vec_push(&words, (char *)str_text(&json));
  for (size_t i = 0; i < r->run->options.length; i++) {
    const struct run_option *o = &r->run->options.data[i];
    struct str word = {0};
    str_format(&word, "--%s%s%s", o->name, o->value ? "=" : "", o->value ? o->value : "");
    vec_push(&words, (char *)str_text(&word));
  }
  push_suppressions(r, &words);
  vec_push(&words, (char *)program);
  for (size_t i = 0; i < r->run->arguments.length; i++)
    vec_push(&words, r->run->arguments.data[i]);
  vec_push(&words, NULL);
  int status = run(r->run->directory ? r->run->directory : ".", &words, str_text(&log));
  json_t *report = status == 0 || status == 1 || status == 5
                       ? json_load_file(str_text(&json) + strlen("--json="), 0, NULL)
                       : NULL;
  vec_free(&words);
  return report;
}

static const char *fingerprint_of(json_t *findings, size_t number) {
  const char *x =
      json_string_value(json_object_get(json_array_get(findings, number), "fingerprint"));
  return x ? x : "";
}

/* How many of the first findings have it?  Lines may have moved, so several can have the same. */
static size_t count_now(json_t *findings, size_t first, const char *fingerprint) {
  size_t count = 0;
  for (size_t i = 0; i < first; i++)
    count += strcmp(fingerprint_of(findings, i), fingerprint) == 0;
  return count;
}

static bool has_fingerprint(const struct report *r, size_t number, const char *fingerprint) {
  struct str x = {0};
  finding_fingerprint(&r->results->findings.data[number], &x);
  bool has = strcmp(str_text(&x), fingerprint) == 0;
  str_free(&x);
  return has;
}

static size_t count_before(const struct report *r, const char *fingerprint) {
  size_t count = 0;
  for (size_t i = 0; i < r->results->findings.length; i++)
    count += has_fingerprint(r, i, fingerprint);
  return count;
}

/* How many of the first ones that were to be fixed? */
static size_t count_fixed(const struct report *r, const struct fix *f, size_t first,
                          const char *fingerprint) {
  size_t count = 0;
  for (size_t i = 0; i < first; i++)
    count += has_fingerprint(r, f->fixed.data[i], fingerprint);
  return count;
}

/* Of those that cannot be told apart, so many as nobody has tried to fix may be there. */
static bool is_left(const struct report *r, const struct fix *f, size_t number, json_t *findings,
                    const char *fingerprint) {
  size_t others = count_before(r, fingerprint) - count_fixed(r, f, f->fixed.length, fingerprint);
  return count_now(findings, json_array_size(findings), fingerprint) >
         others + count_fixed(r, f, number, fingerprint);
}

static void put_new(json_t *x, struct str *out) {
  json_t *at = json_object_get(x, "location");
  const char *file = json_string_value(json_object_get(at, "file"));
  str_format(out, "new: %s", json_string_value(json_object_get(x, "kind")));
  if (file)
    str_format(out, " at %s:%lld:%lld", file, json_integer_value(json_object_get(at, "line")),
               json_integer_value(json_object_get(at, "column")));
  str_format(out, ": %s\n", json_string_value(json_object_get(x, "message")));
}

/* What was to be fixed and is still there; what was not there before. */
static bool compare(const struct report *r, const struct fix *f, json_t *report, struct str *out) {
  json_t *findings = json_object_get(report, "findings");
  size_t left = 0, new = 0;
  for (size_t i = 0; i < f->fixed.length; i++) {
    const struct finding *x = &r->results->findings.data[f->fixed.data[i]];
    struct str fingerprint = {0};
    finding_fingerprint(x, &fingerprint);
    if (is_left(r, f, i, findings, str_text(&fingerprint))) {
      left++;
      str_append(out, "still there: ");
      str_format(out, "%s at ", finding_kind_text(x->kind));
      place_text(finding_place(x), false, out);
      str_append_char(out, '\n');
    }
    str_free(&fingerprint);
  }
  for (size_t i = 0; i < json_array_size(findings); i++) {
    const char *fingerprint = fingerprint_of(findings, i);
    if (*fingerprint && count_now(findings, i, fingerprint) >= count_before(r, fingerprint)) {
      new ++;
      put_new(json_array_get(findings, i), out);
    }
  }
  str_format(out, "%zu of %zu findings are fixed, %zu still there, %zu new; findings left: %zu\n",
             f->fixed.length - left, f->fixed.length, left, new, json_array_size(findings));
  bool complete = json_is_true(json_object_get(report, "complete"));
  if (!complete)
    str_append(out, "the check of the changed program is incomplete: what it did not come to may "
                    "still be there\n");
  return left == 0 && new == 0 && complete;
}

static int remove_entry(const char *path, const struct stat *s, int kind, struct FTW *where) {
  (void)s, (void)kind, (void)where;
  return remove(path);
}

bool fix_verify(const struct report *r, struct fix *f, struct str *out) {
  struct verification v = {.folder = "/tmp/tidemark-fix-XXXXXX"};
  bool ok = false;
  json_t *report = NULL;
  str_append(out, "");
  if (!f->fixed.length) {
    str_append(out, "there is nothing to verify\n");
    return false;
  }
  if (r->run->recover) {
    str_append(out, "--verify-fix does not know how to build the program of --recover\n");
    return false;
  }
  if (!r->run->program || !build_record_read(r->run->program, &v.record)) {
    str_append(out, "how the program was built is not recorded: build it again with this version "
                    "of tidemark-cc\n");
    return false;
  }
  complete_commands(&v);
  if (!mkdtemp(v.folder) || !write_sources(&v, f)) {
    str_append(out, "cannot write to /tmp\n");
    return false;
  }
  const char *program = build(&v, r->run->program, out);
  if (program && !all_are_built(&v, f, out))
    program = NULL;
  report = program ? check(&v, r, program) : NULL;
  if (report)
    ok = compare(r, f, report, out);
  else if (program) {
    str_append(out, "the changed program could not be checked\n");
    put_first_line(&v, "", out);
  }
  json_decref(report);
  nftw(v.folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  return ok;
}
