#include "cli/cc_args.h"
#include "base/str.h"
#include "cli/cc_run.h"
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLANG_FOLDER "/usr/lib/llvm-19/bin"

void arg_push(struct arg_list *list, const char *word) {
  vec_push(list, word);
}

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_one_of(const char *word, const char *const *list) {
  for (; *list; list++)
    if (strcmp(word, *list) == 0)
      return true;
  return false;
}

static bool starts_with_one_of(const char *word, const char *const *list) {
  for (; *list; list++)
    if (starts_with(word, *list))
      return true;
  return false;
}

/* Options whose value is the next word: needed only to tell values from input files. */
static const char *const takes_value[] = {"-o",
                                          "-x",
                                          "-I",
                                          "-D",
                                          "-U",
                                          "-L",
                                          "-l",
                                          "-include",
                                          "-imacros",
                                          "-isystem",
                                          "-iquote",
                                          "-idirafter",
                                          "-iprefix",
                                          "-isysroot",
                                          "-MJ",
                                          "-MF",
                                          "-MT",
                                          "-MQ",
                                          "-Xclang",
                                          "-Xlinker",
                                          "-Xassembler",
                                          "-T",
                                          "-u",
                                          "-z",
                                          "-e",
                                          "-target",
                                          "-arch",
                                          "--param",
                                          "-mllvm",
                                          "-B",
                                          "-F",
                                          "-G",
                                          "-A",
                                          "-Xpreprocessor",
                                          "-rpath",
                                          "-h",
                                          "-iwithprefix",
                                          "-iwithprefixbefore",
                                          "-include-pch",
                                          "--sysroot",
                                          "-working-directory",
                                          NULL};

/* Questions to the compiler; no input file is looked at. */
static const char *const asks[] = {"--version", "-dumpversion", "-dumpmachine", "--help", "-help",
                                   "-V",        "-qversion",    "-###",         "-cc1",   "-cc1as",
                                   NULL};
static const char *const asks_prefix[] = {"-print-", "--print-", "-dumpspecs", "--help-", NULL};

static const char *const stops_before_link[] = {
    "-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile", "-P", "--analyze", NULL};

/* Dropped, with a word to the user if there is one. */
static const struct drop {
  const char *option;
  bool prefix, link_only; /* link_only: nothing to say where nothing is linked */
  const char *why;
} drops[] = {
    {"-flto", true, false, "link-time optimisation would hide accesses from the checker"},
    {"-fwhole-program-vtables", false, false, NULL},
    {"-static", false, true, "the checker loads programs as position-independent files"},
    {"-static-pie", false, true, "the checker loads programs as position-independent files"},
    {"-no-pie", false, true, "the checker loads programs as position-independent files"},
    {"-nopie", false, true, "the checker loads programs as position-independent files"},
    {"-static-libstdc++", false, true,
     "its thread-local variables must stay in the shared library"},
    {"-static-libgcc", false, true, "exceptions must work across the checker's libraries"},
    {"-gsplit-dwarf", true, false, NULL},
    {"--coverage", false, false, "each execution would write its counts to a file"},
    {"-coverage", false, false, "each execution would write its counts to a file"},
    {"-fprofile-arcs", false, false, "each execution would write its counts to a file"},
    {"-ftest-coverage", false, false, NULL},
    {"-fprofile-generate", true, false, "each execution would write its counts to a file"},
    {"-fprofile-instr-generate", true, false, "each execution would write its counts to a file"},
    {"-fcs-profile-generate", true, false, "each execution would write its counts to a file"},
    {"-fcoverage-mapping", false, false, NULL},
    {"-pg", false, false, "a profiler's timer cannot run in the checker"},
};

/* A sanitizer's runtime cannot be loaded into the checker; one that only traps has none. */
static const struct drop sanitizer_drops[] = {
    {"-fsanitize=thread", false, false,
     "'tidemark check --model=sc' finds data races, in every schedule"},
    {"-fsanitize=undefined", true, false,
     "its runtime cannot be loaded into the checker; with -fsanitize-trap=undefined it needs none"},
    {"-fsanitize=", true, false, "its runtime cannot be loaded into the checker"},
    {"-fsanitize-", true, false, NULL},
    {"-shared-libsan", false, true, NULL},
    {"-static-libsan", false, true, NULL},
};

static const char *join(const char *a, const char *b) {
  struct str s = {0};
  str_format(&s, "%s%s", a, b);
  return str_text(&s);
}

static bool is_executable(const char *folder, const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, X_OK) == 0;
}

static const char *find_clang(bool cplusplus) {
  const char *name = cplusplus ? "clang++-19" : "clang-19";
  const char *path = getenv("PATH");
  for (const char *p = path ? path : ""; *p;) {
    size_t length = strcspn(p, ":");
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)length, p);
    if (is_executable(folder, name))
      return join(mem_strdup(folder), join("/", name));
    p += length + (p[length] == ':');
  }
  name = cplusplus ? "clang++" : "clang";
  return is_executable(CLANG_FOLDER, name) ? join(CLANG_FOLDER "/", name) : NULL;
}

int cc_paths_find(struct cc_paths *paths, bool cplusplus) {
  char self[PATH_MAX], path[PATH_MAX + 64];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) {
    fprintf(stderr, "tidemark-cc: cannot find my own location (/proc is not mounted?)\n");
    return 2;
  }
  self[length] = 0;
  const char *prefix = mem_strdup(dirname(dirname(self))); /* without bin/tidemark-cc */
  paths->library_folder = join(prefix, "/lib");
  paths->library = join(paths->library_folder, "/libtidemark.so");
  snprintf(path, sizeof path, "%s/include/tidemark.h", prefix);
  paths->include_folder = join(prefix, access(path, R_OK) == 0 ? "/include" : "/../include");
  paths->clang = find_clang(cplusplus);
  if (!paths->clang) {
    fprintf(stderr, "tidemark-cc: clang-19 not found (Debian package clang-19)\n");
    return 2;
  }
  return 0;
}

/* Response files: words separated by white space, quotes and backslashes as in GNU tools. */
static char *next_word(const char **text) {
  const char *p = *text;
  p += strspn(p, " \t\r\n");
  if (!*p)
    return NULL;
  struct str word = {0};
  str_append(&word, "");
  char quote = 0;
  for (; *p && (quote || !strchr(" \t\r\n", *p)); p++) {
    if (*p == '\\' && quote != '\'' && p[1])
      str_append_char(&word, *++p);
    else if (quote && *p == quote)
      quote = 0;
    else if (!quote && (*p == '"' || *p == '\''))
      quote = *p;
    else
      str_append_char(&word, *p);
  }
  *text = p;
  return (char *)str_text(&word);
}

/* An @file that cannot be read stays a word; clang then says what is wrong with it. */
static void expand(struct arg_list *list, const char *word, int depth) {
  struct str text = {0};
  if (word[0] != '@' || depth > 16 || !cc_read_file(word + 1, &text)) {
    arg_push(list, word);
    return;
  }
  const char *p = str_text(&text);
  for (char *next; (next = next_word(&p));)
    expand(list, next, depth + 1);
  str_free(&text);
}

static bool matches(const struct drop *drop, const char *word) {
  return drop->prefix ? starts_with(word, drop->option) : strcmp(word, drop->option) == 0;
}

static const struct drop *find_drop(const char *word, bool keeps_sanitizers) {
  for (size_t i = 0; i < sizeof drops / sizeof *drops; i++)
    if (matches(&drops[i], word))
      return &drops[i];
  for (size_t i = 0; !keeps_sanitizers && i < sizeof sanitizer_drops / sizeof *drops; i++)
    if (matches(&sanitizer_drops[i], word))
      return &sanitizer_drops[i];
  return NULL;
}

void arg_push_expanded(struct arg_list *list, const char *word) {
  expand(list, word, 0);
}

static bool asks_for_traps(const struct arg_list *all) {
  static const char *const traps[] = {"-fsanitize-trap", "-fsanitize-undefined-trap-on-error",
                                      NULL};
  for (size_t i = 0; i < all->length; i++)
    if (starts_with_one_of(all->data[i], traps))
      return true;
  return false;
}

static void report_dropped(const struct arg_list *dropped, bool links) {
  for (size_t i = 0; i < dropped->length; i++) {
    const struct drop *drop = find_drop(dropped->data[i], false);
    if (drop->why && (links || !drop->link_only))
      fprintf(stderr, "tidemark-cc: warning: %s ignored: %s\n", dropped->data[i], drop->why);
  }
}

/* Precompiled headers are not linked either. */
static bool is_header(const char *word) {
  static const char *const endings[] = {".h", ".hh", ".hpp", ".hxx", ".H", "-header", NULL};
  size_t length = strlen(word);
  for (const char *const *e = endings; *e; e++)
    if (length > strlen(*e) && strcmp(word + length - strlen(*e), *e) == 0)
      return true;
  return false;
}

static void push_all(struct arg_list *list, const char *const *words) {
  for (; *words; words++)
    arg_push(list, *words);
}

static void add_ours(struct cc_args *args, const struct cc_paths *paths, bool links, bool is_pie) {
  static const char *const compile[] = {"-femulated-tls", "-fPIC", "-fno-omit-frame-pointer",
                                        "-mno-omit-leaf-frame-pointer", NULL};
  struct arg_list *list = &args->clang;
  arg_push(list, "--start-no-unused-arguments");
  push_all(list, compile);
  arg_push(list, join("-idirafter", paths->include_folder));
  arg_push(list, join("-idirafter", join(paths->include_folder, "/tidemark-pmemcheck")));
  arg_push(list, join("-idirafter", join(paths->include_folder, "/tidemark-openmp")));
  arg_push(list, join("-isystem", join(paths->include_folder, "/tidemark-std")));
  if (links) {
    if (is_pie)
      push_all(list, (const char *const[]){"-pie", "-rdynamic", NULL});
    arg_push(list, join("-Wl,-rpath,", paths->library_folder));
    push_all(list, (const char *const[]){"-Wl,--push-state,--no-as-needed,-Bdynamic", "-x", "none",
                                         paths->library, "-Wl,--pop-state", NULL});
  }
  arg_push(list, "--end-no-unused-arguments");
}

int cc_args_read(struct cc_args *args, int count, char **words, const struct cc_paths *paths) {
  struct arg_list all = {0}, dropped = {0};
  args->openmp = join(paths->library_folder, "/libtidemark-openmp.a");
  for (int i = 1; i < count; i++)
    arg_push_expanded(&all, words[i]);
  bool traps = asks_for_traps(&all);
  bool has_input = false, links = true, is_pie = true, is_relocatable = false;
  /* clang does not see the terminal, its output goes through a pipe first. */
  const char *terminal = getenv("TERM");
  if (isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0)
    arg_push(&args->clang, "-fcolor-diagnostics");
  /* First, so that the user's own -g level or -g0 wins.  The inline function of <libpmemobj.h> reads
   * a thread-local variable of the library, which only a shared library built by us exports under
   * the name that our code has for it: the function of the library does the same. */
  push_all(&args->clang,
           (const char *const[]){"--start-no-unused-arguments", "-g", "-DPMEMOBJ_DIRECT_NON_INLINE",
                                 "--end-no-unused-arguments", NULL});
  for (size_t i = 0; i < all.length; i++) {
    const char *word = all.data[i];
    if (strcmp(word, "--late") == 0) {
      args->late = true;
      continue;
    }
    if (find_drop(word, traps)) {
      arg_push(&dropped, word);
      continue;
    }
    arg_push(&args->clang, word);
    args->passthrough |= is_one_of(word, asks) || starts_with_one_of(word, asks_prefix);
    args->verbose |= strcmp(word, "-v") == 0;
    args->quiet |= strcmp(word, "-w") == 0;
    if (starts_with(word, "-working-directory="))
      args->directory = strchr(word, '=') + 1;
    else if (starts_with(word, "-MJ") && word[3])
      args->database = word + 3;
    links &= !is_one_of(word, stops_before_link) && !(word[0] != '-' && is_header(word)) &&
             !(strncmp(word, "-x", 2) == 0 && is_header(word));
    is_pie &= strcmp(word, "-shared") != 0 && strcmp(word, "--shared") != 0;
    is_relocatable |= strcmp(word, "-r") == 0;
    has_input |= word[0] != '-' || !word[1] || starts_with(word, "-l");
    if (is_one_of(word, takes_value) && i + 1 < all.length) {
      arg_push(&args->clang, all.data[++i]);
      if (strcmp(word, "-MJ") == 0)
        args->database = all.data[i];
      if (strcmp(word, "-working-directory") == 0)
        args->directory = all.data[i];
      links &= strcmp(word, "-x") != 0 || !is_header(all.data[i]);
    }
  }
  args->passthrough |= !has_input;
  if (!args->passthrough) {
    report_dropped(&dropped, links);
    add_ours(args, paths, links && !is_relocatable, is_pie);
  }
  vec_free(&dropped);
  vec_free(&all);
  return 0;
}
