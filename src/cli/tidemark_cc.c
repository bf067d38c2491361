/* tidemark-cc, tidemark-c++: clang, with the hooks of the checker compiled in.
 *
 * clang -### says which commands it would run.  Each compilation among them becomes three steps:
 * clang to unoptimised bitcode, instrumentation here, clang from bitcode to what was asked for.
 * Everything else runs as it is. */
#include "cli/cc_args.h"
#include "cli/cc_exports.h"
#include "cli/cc_job.h"
#include "cli/cc_record.h"
#include "cli/cc_run.h"
#include "instrument/instrument.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Actions, and things that must happen once only: they belong to the first or second half. */
static bool is_action(const char *word) {
  return strcmp(word, "-emit-obj") == 0 || strcmp(word, "-S") == 0 ||
         strcmp(word, "-emit-llvm-bc") == 0 || strcmp(word, "-emit-llvm") == 0;
}

static bool is_first_half_flag(const char *word) {
  static const char *const flags[] = {"-sys-header-deps", "-MP", "-MG", "-H", "-MV", "-v",
                                      "-fsystem-module",  NULL};
  for (const char *const *f = flags; *f; f++)
    if (strcmp(word, *f) == 0)
      return true;
  return starts_with(word, "-ftime-trace") || starts_with(word, "-dependency-file=");
}

static bool is_first_half_option(const char *word) {
  static const char *const options[] = {"-dependency-file",
                                        "-MT",
                                        "-MQ",
                                        "-MF",
                                        "-serialize-diagnostic-file",
                                        "-include-pch",
                                        "-header-include-file",
                                        "-dependency-dot",
                                        NULL};
  for (const char *const *o = options; *o; o++)
    if (strcmp(word, *o) == 0)
      return true;
  return false;
}

static bool is_optimised(const struct cc_job *job) {
  for (size_t i = 0; i < job->words.length; i++)
    if (starts_with(job->words.data[i], "-O") && strcmp(job->words.data[i], "-O0") != 0)
      return true;
  return false;
}

/* Does the user say what signed overflow means? */
static bool says_overflow(const struct cc_job *job) {
  for (size_t i = 0; i < job->words.length; i++) {
    const char *word = job->words.data[i];
    if (strcmp(word, "-ftrapv") == 0 || strcmp(word, "-fwrapv") == 0 ||
        (starts_with(word, "-fsanitize=") && strstr(word, "signed-integer-overflow")))
      return true;
  }
  return false;
}

/* Undefined behaviour shows as it does with clang without -O, although the code is optimised in the end. */
static void push_meanings(const struct cc_job *job, struct arg_list *words) {
  arg_push(words, "-fno-optimize-sibling-calls");  /* all callers are on the stack */
  arg_push(words, "-ftrivial-auto-var-init=zero"); /* variables have values */
  arg_push(words, "-ftrivial-auto-var-init-max-size=16");
  if (!says_overflow(job))
    arg_push(words, "-fwrapv");
}

/* Source to bitcode. */
static struct arg_list first_half(const struct cc_job *job, const char *bitcode) {
  struct arg_list words = {0};
  for (size_t i = 0; i < job->words.length; i++) {
    const char *word = job->words.data[i];
    if (is_action(word))
      continue;
    if (strcmp(word, "-o") == 0 && i + 1 < job->words.length) {
      i++;
      continue;
    }
    arg_push(&words, word);
    if (i == 1) {
      arg_push(&words, "-emit-llvm-bc");
      arg_push(&words, "-disable-llvm-passes");
      arg_push(&words, "-disable-O0-optnone");
      if (!is_optimised(job))
        push_meanings(job, &words);
      arg_push(&words, "-o");
      arg_push(&words, bitcode);
    }
  }
  return words;
}

/* Instrumented bitcode to what the user wants.  What is checked is fixed by now; optimisation only
 * makes the window tests cheap.  So -O0 becomes -O1, and -O2 becomes -O3: that is where LLVM moves
 * tests out of loops, without which no loop would be vectorised. */
static struct arg_list second_half(const struct cc_job *job, const char *bitcode) {
  struct arg_list words = {0};
  bool optimises = false;
  size_t last = job->words.length - 1; /* the input file */
  for (size_t i = 0; i < last; i++) {
    const char *word = job->words.data[i];
    if (is_first_half_flag(word))
      continue;
    if (is_first_half_option(word) || strcmp(word, "-x") == 0) {
      i++;
      continue;
    }
    if (strcmp(word, "-O0") == 0)
      continue;
    optimises |= starts_with(word, "-O");
    arg_push(&words, strcmp(word, "-O2") == 0 ? "-O3" : word);
  }
  if (!optimises)
    arg_push(&words, "-O1");
  arg_push(&words, "-mllvm"); /* whoever comes to where nobody should come to stops there */
  arg_push(&words, "-trap-unreachable");
  arg_push(&words, "-Wno-unknown-warning-option"); /* the first half has said it */
  arg_push(&words, "-x");
  arg_push(&words, "ir");
  arg_push(&words, bitcode);
  return words;
}

static const char *pipeline_of(const struct cc_job *job) {
  const char *pipeline = "default<O1>";
  for (size_t i = 0; i < job->words.length; i++) {
    const char *word = job->words.data[i];
    if (strcmp(word, "-O2") == 0)
      pipeline = "default<O2>";
    else if (strcmp(word, "-O3") == 0)
      pipeline = "default<O3>";
    else if (strcmp(word, "-Os") == 0 || strcmp(word, "-Oz") == 0)
      pipeline = "default<Os>";
  }
  return pipeline;
}

static int compile(const struct cc_job *job, const struct cc_args *args) {
  const char *plain = cc_temporary(".bc"), *instrumented = cc_temporary(".bc");
  if (!plain || !instrumented)
    return 1;
  struct arg_list words = first_half(job, plain);
  int status = cc_run(&words);
  vec_free(&words);
  if (status || access(plain, F_OK) != 0) /* -Xclang -ast-dump and the like compile nothing */
    return status;
  struct instrument_options options = {.late = args->late,
                                       .quiet = args->quiet,
                                       .assembly = str_text(&args->record),
                                       .pipeline = pipeline_of(job)};
  if (instrument_file(plain, instrumented, &options))
    return 1;
  words = second_half(job, instrumented);
  status = cc_run(&words);
  vec_free(&words);
  return status;
}

/* Objects between compilation and linking: clang proposes names in the temporary folder but does
 * not reserve them, so they move into ours. */
static void own_intermediates(struct cc_plan *plan) {
  for (size_t i = 0; i + 1 < plan->length; i++) {
    const char *output = cc_job_value(&plan->data[i], "-o"), *ours = NULL;
    if (!output || cc_job_links(&plan->data[i]) || strncmp(output, "/", 1) != 0)
      continue;
    for (size_t j = i + 1; j < plan->length; j++)
      for (size_t k = 1; k < plan->data[j].words.length; k++)
        if (strcmp(plan->data[j].words.data[k], output) == 0) {
          if (!ours)
            ours = cc_temporary(strrchr(output, '.') ? strrchr(output, '.') : ".o");
          if (ours)
            plan->data[j].words.data[k] = ours;
        }
    for (size_t k = 1; ours && k < plan->data[i].words.length; k++)
      if (strcmp(plan->data[i].words.data[k], output) == 0)
        plan->data[i].words.data[k] = ours;
  }
}

static void explain_openmp(const char *errors) {
  const char *hit = strstr(errors, "__kmpc_");
  if (hit)
    fprintf(stderr,
            "tidemark-cc: note: %.*s is part of OpenMP that the runtime library for checked "
            "programs does "
            "not have (such as cancellation and reductions over tasks)\n",
            (int)strcspn(hit, "'`\" \t\n"), hit);
}

/* The linker names thread-local variables as the compiler has made them. */
static void explain_link_error(const char *errors) {
  explain_openmp(errors);
  static const char emulated[] = "__emutls_v.";
  const char *hit = strstr(errors, emulated);
  if (!hit)
    return;
  hit += sizeof emulated - 1;
  fprintf(stderr,
          "tidemark-cc: note: %.*s is a thread-local variable; the library that defines it must be "
          "built with tidemark-cc, too\n",
          (int)strcspn(hit, "'`\" \t\n"), hit);
}

static int run_link(struct cc_job *job, const struct cc_args *args, bool compiled,
                    const char *clang) {
  struct str errors = {0};
  cc_exports_extend(job);
  if (!compiled) /* otherwise what was compiled says how */
    cc_record_link(job, args, clang);
  int status = cc_run_capture(&job->words, &errors);
  fputs(str_text(&errors), stderr);
  if (status) {
    explain_link_error(str_text(&errors));
    fprintf(stderr,
            "%s: error: linker command failed with exit code %d (use -v to see invocation)\n",
            strrchr(clang, '/') ? strrchr(clang, '/') + 1 : clang, status);
  }
  str_free(&errors);
  return status;
}

/* Whoever uses the header or module must be compiled with the same meanings. */
static int precompile(const struct cc_job *job) {
  struct arg_list words = {0};
  for (size_t i = 0; i < job->words.length; i++) {
    arg_push(&words, job->words.data[i]);
    if (i == 1 && !is_optimised(job))
      push_meanings(job, &words);
  }
  int status = cc_run(&words);
  vec_free(&words);
  return status;
}

static int run_plan(struct cc_plan *plan, const struct cc_args *args, const char *clang) {
  int status = 0;
  bool compiled = false;
  own_intermediates(plan);
  for (size_t i = 0; i < plan->length; i++) {
    struct cc_job *job = &plan->data[i];
    bool links = cc_job_links(job);
    if (links && status)
      break;
    compiled |= cc_job_compiles(job);
    int result = links                     ? run_link(job, args, compiled, clang)
                 : cc_job_compiles(job)    ? compile(job, args)
                 : cc_job_precompiles(job) ? precompile(job)
                                           : cc_run(&job->words);
    if (result && !status)
      status = result;
  }
  return status;
}

/* clang writes the file of -MJ when it runs jobs, not for -###.  The option that makes it run
 * nothing must not stay in the file. */
static int write_database(const struct cc_args *args, const char *clang) {
  static const char run_nothing[] = "-fdriver-only", in_file[] = "\"-fdriver-only\", ";
  const char *written = cc_temporary(".json");
  struct arg_list command = {0};
  struct str ignored = {0}, text = {0};
  arg_push(&command, clang);
  for (size_t i = 0; i < args->clang.length; i++)
    arg_push(&command, args->clang.data[i]);
  arg_push(&command, run_nothing);
  arg_push(&command, "-MJ");
  arg_push(&command, written);
  int status = !written || cc_run_capture(&command, &ignored) != 0;
  FILE *file = status || !cc_read_file(written, &text) ? NULL : fopen(args->database, "a");
  if (!file) {
    fprintf(stderr, "tidemark-cc: error: cannot write %s: %s\n", args->database, strerror(errno));
    status = 1;
  } else {
    const char *p = str_text(&text);
    for (const char *hit; (hit = strstr(p, in_file)); p = hit + sizeof in_file - 1)
      fwrite(p, 1, (size_t)(hit - p), file);
    fputs(p, file);
    fclose(file);
  }
  vec_free(&command);
  str_free(&ignored);
  str_free(&text);
  return status;
}

static int pass_through(const struct cc_paths *paths, int count, char **words) {
  struct arg_list command = {0};
  arg_push(&command, paths->clang);
  for (int i = 1; i < count; i++)
    arg_push(&command, words[i]);
  return cc_run_instead(&command);
}

int main(int count, char **words) {
  const char *slash = strrchr(words[0], '/');
  bool cplusplus = strstr(slash ? slash : words[0], "++") != NULL;
  struct cc_paths paths = {0};
  struct cc_args args = {0};
  struct cc_plan plan = {0};
  int status;
  if ((status = cc_paths_find(&paths, cplusplus)) ||
      (status = cc_args_read(&args, count, words, &paths)))
    return status;
  if (args.passthrough)
    return pass_through(&paths, count, words);
  cc_record_command(&args, count, words);
  if ((status = cc_plan_make(&plan, &paths, &args))) {
    fputs(str_text(&plan.remarks), stderr);
    return status;
  }
  fputs(str_text(args.verbose ? &plan.transcript : &plan.remarks), stderr);
  if (args.directory && chdir(args.directory)) {
    fprintf(stderr, "tidemark-cc: error: cannot enter %s: %s\n", args.directory, strerror(errno));
    return 1;
  }
  status = args.database ? write_database(&args, paths.clang) : 0;
  if (!status)
    status = run_plan(&plan, &args, paths.clang);
  cc_temporary_remove_all();
  return status;
}
