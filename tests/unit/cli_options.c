/* Option parsing: what is accepted, and what the error says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/check_job.h"
#include "cli/options.h"
#include <stdio.h>
#include <string.h>

#define WORDS(...) ((char *[]){"check", __VA_ARGS__, NULL})

static int count(char **words) {
  int n = 0;
  while (words[n])
    n++;
  return n;
}

static void assert_rejected(char **words, const char *why) {
  struct options o = {0};
  struct str error = {0};
  assert_false(options_parse(&o, USE_CHECK, count(words), words, &error));
  assert_string_equal(str_text(&error), why);
  str_free(&error);
}

static struct options accept(char **words) {
  struct options o = {0};
  struct str error = {0};
  if (!options_parse(&o, USE_CHECK, count(words), words, &error))
    fail_msg("%s", str_text(&error));
  return o;
}

static void values(void **state) {
  (void)state;
  struct options o = accept(WORDS("--failures=3", "--json", "x.json", "--first", "--timeout=1.5",
                                  "--model=cxl", "./p", "--first", "-x"));
  assert_int_equal(options_number(&o, OPTION_FAILURES, 1), 3);
  assert_string_equal(options_text(&o, OPTION_JSON, ""), "x.json");
  assert_true(options_flag(&o, OPTION_FIRST));
  assert_false(options_flag(&o, OPTION_ISOLATE));
  assert_true(options_seconds(&o, OPTION_TIMEOUT) == 1.5);
  assert_int_equal(options_number(&o, OPTION_MACHINES, 2), 2);
  assert_int_equal(o.word_count, 3); /* options end at the program */
  assert_string_equal(o.words[0], "./p");
  assert_string_equal(o.words[1], "--first");
}

static void two_dashes(void **state) {
  (void)state;
  struct options o = accept(WORDS("--first", "--", "--odd-name", "x"));
  assert_int_equal(o.word_count, 2);
  assert_string_equal(o.words[0], "--odd-name");
}

static void mistakes(void **state) {
  (void)state;
  assert_rejected(WORDS("--jsn=x"), "unknown option '--jsn'; did you mean '--json'?");
  assert_rejected(WORDS("--frobnicate"), "unknown option '--frobnicate'");
  assert_rejected(WORDS("-x"), "unknown option '-x'");
  assert_rejected(WORDS("--json"), "--json needs a value: --json=FILE");
  assert_rejected(WORDS("--json="), "--json: the value is empty");
  assert_rejected(WORDS("--first=1"), "--first takes no value");
  assert_rejected(WORDS("--failures=two"), "--failures=two: not a whole number");
  assert_rejected(WORDS("--failures=-1"), "--failures=-1: not a whole number");
  assert_rejected(WORDS("--failures=99999999999999999999"),
                  "--failures=99999999999999999999: not a whole number");
  assert_rejected(WORDS("--failures=65"), "--failures=65: must be between 0 and 15");
  assert_rejected(WORDS("--max-steps=0"), "--max-steps=0: must be at least 1");
  assert_rejected(WORDS("--timeout=soon"), "--timeout=soon: not a positive number of seconds");
  assert_rejected(WORDS("--timeout=inf"), "--timeout=inf: not a positive number of seconds");
  assert_rejected(WORDS("--flush=far"), "--flush=far: must be one of local|global");
  assert_rejected(WORDS("--model=arm"), "--model=arm: must be one of pm|cxl|sc|tso");
  assert_rejected(WORDS("--gdb"), "unknown option '--gdb'; it belongs to tidemark replay");
}

static void defaults_from_the_environment(void **state) {
  (void)state;
  struct options o = {0};
  struct str error = {0};
  assert_true(options_set_defaults(&o, USE_CHECK, "failures=2:first::pm-path=/a\\:/b:gdb", &error));
  assert_int_equal(options_number(&o, OPTION_FAILURES, 1), 2);
  assert_true(options_flag(&o, OPTION_FIRST));
  assert_string_equal(options_text(&o, OPTION_PM_PATH, ""), "/a:/b");
  assert_false(options_given(&o, OPTION_GDB)); /* of another command */
  assert_true(options_parse(&o, USE_CHECK, 2, WORDS("--failures=4"), &error));
  assert_int_equal(options_number(&o, OPTION_FAILURES, 1), 4);
  assert_true(options_set_defaults(&o, USE_CHECK, "first=0", &error));
  assert_false(options_flag(&o, OPTION_FIRST));
  assert_true(options_set_defaults(&o, USE_CHECK, NULL, &error));
  assert_false(options_set_defaults(&o, USE_CHECK, "x=1", &error));
  assert_string_equal(str_text(&error), "unknown option '--x' (in TIDEMARK_OPTIONS)");
  str_clear(&error);
  assert_false(options_set_defaults(&o, USE_CHECK, "failures", &error));
  assert_string_equal(str_text(&error),
                      "--failures needs a value: --failures=N (in TIDEMARK_OPTIONS)");
  str_free(&error);
}

static void machines_of_the_command_line_replace_defaults(void **state) {
  (void)state;
  struct options o = {0};
  struct str error = {0};
  assert_true(options_set_defaults(&o, USE_CHECK, "machine=a:machine=b", &error));
  assert_int_equal(o.machines.length, 2);
  assert_true(options_parse(&o, USE_CHECK, 2, WORDS("--machine=c d"), &error));
  assert_int_equal(o.machines.length, 1);
  assert_string_equal(o.machines.data[0], "c d");
}

/* ---- from options to the worker's settings ---- */

static bool has(const word_list *words, const char *word) {
  for (size_t i = 0; i < words->length; i++)
    if (strcmp(words->data[i], word) == 0)
      return true;
  return false;
}

static void job_of_a_program(void **state) {
  (void)state;
  struct options o =
      accept(WORDS("--recover=/bin/cat 'a b'", "--isolate", "--pm-path=/x*", "/bin/ls", "-l"));
  struct check_job j = {0};
  struct str error = {0};
  assert_int_equal(check_job_build(&j, &o, o.words, o.word_count, &error), CHECK_JOB_OK);
  assert_true(has(&j.settings, "model=pm"));
  assert_true(has(&j.settings, "failures=1"));
  assert_true(has(&j.settings, "machines=1"));
  assert_true(has(&j.settings, "argc=2"));
  assert_true(has(&j.settings, "recovery-argc=2"));
  assert_true(has(&j.settings, "isolate=1"));
  assert_true(has(&j.settings, "pm-path=/x*"));
  assert_false(has(&j.settings, "gpf=1"));
  assert_int_equal(j.words.length, 4);
  assert_string_equal(j.words.data[3], "a b");
  assert_string_equal(run_option(&j.run, "isolate"), "1");
  assert_string_equal(j.run.recover, "/bin/cat 'a b'");
  assert_int_equal(j.run.arguments.length, 1);
  check_job_free(&j);
}

static void job_of_a_cluster(void **state) {
  (void)state;
  struct options o = accept(
      WORDS("--model=cxl", "--machine=/bin/ls a", "--machine=/bin/cat", "--machine=/bin/ls"));
  struct check_job j = {0};
  struct str error = {0};
  assert_int_equal(check_job_build(&j, &o, o.words, o.word_count, &error), CHECK_JOB_OK);
  assert_true(has(&j.settings, "machines=3"));
  assert_true(has(&j.settings, "failures=2")); /* all but one */
  assert_true(has(&j.settings, "machine-argcs=2,1,1"));
  assert_int_equal(j.words.length, 4);
  check_job_free(&j);
}

static void assert_job_rejected(char **words, enum check_job_error kind, const char *why) {
  struct options o = accept(words);
  struct check_job j = {0};
  struct str error = {0};
  assert_int_equal(check_job_build(&j, &o, o.words, o.word_count, &error), kind);
  assert_string_equal(str_text(&error), why);
  check_job_free(&j);
  str_free(&error);
}

static void jobs_that_cannot_be(void **state) {
  (void)state;
  assert_job_rejected(WORDS("--first"), CHECK_JOB_USAGE,
                      "which program? usage: tidemark check [options] ./program [arguments]");
  assert_job_rejected(WORDS("--gpf", "/bin/ls"), CHECK_JOB_USAGE, "--gpf needs --model=cxl");
  assert_job_rejected(WORDS("--schedule=pct:0", "/bin/ls"), CHECK_JOB_USAGE,
                      "--schedule=pct:0: must be fixed, random, pct:D (1 to 16), bounded:K (0 to "
                      "1000) or all");
  assert_job_rejected(WORDS("--schedule=all", "--isolate", "--model=cxl", "/bin/ls"),
                      CHECK_JOB_USAGE, "--isolate with --model=cxl needs --schedule=fixed");
  assert_job_rejected(WORDS("--schedule=all", "--analyses=races", "--model=cxl", "/bin/ls"),
                      CHECK_JOB_USAGE, "--analyses with --model=cxl needs --schedule=fixed");
  assert_job_rejected(WORDS("--schedule=random", "--analyses=flushes", "--model=cxl", "/bin/ls"),
                      CHECK_JOB_USAGE, "--analyses with --model=cxl needs --schedule=fixed");
  assert_job_rejected(WORDS("--schedule=all", "--runs=5", "/bin/ls"), CHECK_JOB_USAGE,
                      "--runs needs --schedule=random or pct:D");
  assert_job_rejected(WORDS("--model=cxl", "--machine=/bin/ls", "/bin/ls"), CHECK_JOB_USAGE,
                      "give either a program or --machine, not both");
  assert_job_rejected(WORDS("--model=cxl", "--machines=3", "--machine=/bin/ls"), CHECK_JOB_USAGE,
                      "--machines=3 but --machine was given 1 times");
  assert_job_rejected(WORDS("--recover=./none", "/bin/ls"), CHECK_JOB_PROGRAM,
                      "--recover: ./none: no such program");
  assert_job_rejected(WORDS("--recover=' '", "/bin/ls"), CHECK_JOB_PROGRAM,
                      "--recover:  : no such program in PATH");
  assert_job_rejected(WORDS("--recover=  ", "/bin/ls"), CHECK_JOB_USAGE,
                      "--recover: the command is empty");
  assert_job_rejected(WORDS("--memory=2X", "/bin/ls"), CHECK_JOB_USAGE,
                      "--memory=2X: must be a number of bytes, or with K, M, G or T behind it");
  assert_job_rejected(WORDS("--memory=M", "/bin/ls"), CHECK_JOB_USAGE,
                      "--memory=M: must be a number of bytes, or with K, M, G or T behind it");
}

static void assert_not_divided(char **words, const char *why) {
  struct options o = accept(words);
  struct str error = {0};
  assert_int_equal(check_job_divides(&o, &error), *why == 0);
  assert_string_equal(str_text(&error), why);
  str_free(&error);
}

static void jobs_that_are_not_divided(void **state) {
  (void)state;
  assert_not_divided(WORDS("--model=cxl", "/bin/ls"), "");
  assert_not_divided(WORDS("--analyses=races", "/bin/ls"), "");
  assert_not_divided(WORDS("--analyses=races", "--model=cxl", "/bin/ls"), "");
  assert_not_divided(WORDS("--analyses=store-buffers", "--model=sc", "/bin/ls"), "");
  assert_not_divided(WORDS("--analyses=flushes", "/bin/ls"),
                     "a search with --analyses=flushes is not divided into parts");
}

/* Options that only one model knows; every other one is taken by all models.  A new option that
 * only one model acts upon has to be named here and in options.def. */
#define FAILS "pm or --model=cxl"
#define CHECKED "pm or --model=cxl or --model=sc"
#define THREADS "sc or --model=tso"
static const struct {
  const char *name, *model;
} limited[] = {
    {"recover", "pm"},   {"eadr", "pm"},          {"no-failures-in", "pm"},  {"count-eager", "pm"},
    {"failures", FAILS}, {"pm-path", FAILS},      {"no-share", FAILS},       {"analyses", CHECKED},
    {"races", FAILS},    {"no-data-races", "sc"}, {"machines", "cxl"},       {"machine", "cxl"},
    {"gpf", "cxl"},      {"poison", "cxl"},       {"coherence", "cxl"},      {"flush", "cxl"},
    {"fix", CHECKED},    {"verify-fix", CHECKED}, {"flush-function", FAILS}, {"keep-going", FAILS},
    {"fill", FAILS},     {"spurious", THREADS},   {"timeouts", THREADS},     {"reuse", THREADS},
    {"unroll", THREADS}, {"symmetry", THREADS},   {"client", "pm"},          {"checksums", "pm"},
};

static const char *model_of(const char *option) {
  for (size_t i = 0; i < sizeof limited / sizeof *limited; i++)
    if (strcmp(limited[i].name, option) == 0)
      return limited[i].model;
  return NULL;
}

/* A value that the option takes; NULL if this version takes none. */
static const char *some_value(const struct option_spec *s, char *out) {
  const char *alternatives = s->available               ? s->available
                             : s->type == OPTION_CHOICE ? s->argument
                                                        : NULL;
  if (alternatives) {
    size_t n = strcspn(alternatives, "|");
    memcpy(out, alternatives, n);
    out[n] = 0;
    return n ? out : NULL;
  }
  if (strcmp(s->name, "schedule") == 0)
    return "fixed";
  if (strcmp(s->name, "analyses") == 0)
    return "races,robustness,flushes";
  if (s->type == OPTION_FILE)
    return "/dev/null";
  return s->type == OPTION_FLAG ? "" : s->type == OPTION_COMMAND ? "/bin/ls" : "1";
}

static void assert_option_with_model(const struct option_spec *s, const char *model) {
  char alternative[64], given[128], its_model[32], want[128];
  const char *value = some_value(s, alternative), *only = model_of(s->name);
  if (strcmp(s->name, "analyses") == 0 && strcmp(model, "sc") == 0)
    value = "store-buffers"; /* which analyses there are depends on the model */
  if (!value || strcmp(s->name, "model") == 0 || strcmp(s->name, "races") == 0 ||
      strcmp(s->name, "verify-fix") == 0 || strcmp(s->name, "flush-function") == 0)
    return; /* they depend on others */
  snprintf(given, sizeof given, "--%s%s%s", s->name, *value ? "=" : "", value);
  snprintf(its_model, sizeof its_model, "--model=%s", model);
  snprintf(want, sizeof want, "--%s needs --model=%s", s->name, only ? only : "");
  bool names_programs = strcmp(s->name, "machine") == 0;
  bool samples = strcmp(s->name, "seed") == 0 || strcmp(s->name, "runs") == 0;
  struct options o = accept(WORDS(its_model, samples ? "--schedule=random" : "--first", given,
                                  names_programs ? "--" : "/bin/ls"));
  struct check_job j = {0};
  struct str error = {0};
  enum check_job_error got = check_job_build(&j, &o, o.words, o.word_count, &error);
  bool pm_or_cxl = strcmp(model, "pm") == 0 || strcmp(model, "cxl") == 0;
  bool refused = only && (strcmp(only, CHECKED) == 0   ? strcmp(model, "tso") == 0
                          : strcmp(only, FAILS) == 0   ? !pm_or_cxl
                          : strcmp(only, THREADS) == 0 ? pm_or_cxl
                                                       : strcmp(only, model) != 0);
  assert_string_equal(str_text(&error), refused ? want : "");
  assert_int_equal(got, refused ? CHECK_JOB_USAGE : CHECK_JOB_OK);
  if (!refused && s->uses & USE_SEARCH)
    assert_true(j.run.options.length >= 2); /* the model and the option are on record */
  check_job_free(&j);
  str_free(&error);
}

static void every_option_with_every_model(void **state) {
  (void)state;
  for (int i = 0; i < OPTION_COUNT; i++)
    if (option_specs[i].uses & USE_CHECK) {
      assert_option_with_model(&option_specs[i], "pm");
      assert_option_with_model(&option_specs[i], "cxl");
      assert_option_with_model(&option_specs[i], "sc");
      assert_option_with_model(&option_specs[i], "tso");
    }
  assert_job_rejected(WORDS("--count-eager", "--model=cxl", "/bin/ls"), CHECK_JOB_USAGE,
                      "--count-eager needs --model=pm");
  struct options off = {0}; /* a flag that is off asks for nothing */
  struct str error = {0};
  assert_true(options_set_defaults(&off, USE_CHECK, "model=cxl:eadr=0", &error));
  assert_true(options_fit_model(&off, &error));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values),
      cmocka_unit_test(two_dashes),
      cmocka_unit_test(mistakes),
      cmocka_unit_test(defaults_from_the_environment),
      cmocka_unit_test(machines_of_the_command_line_replace_defaults),
      cmocka_unit_test(job_of_a_program),
      cmocka_unit_test(job_of_a_cluster),
      cmocka_unit_test(jobs_that_cannot_be),
      cmocka_unit_test(jobs_that_are_not_divided),
      cmocka_unit_test(every_option_with_every_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
