#include "cli/check_job.h"
#include "base/size.h"
#include "cli/limits.h"
#include "explore/strategy.h"
#include "finding/analysis_kind.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check_job_set(struct check_job *j, const char *key, const char *value) {
  struct str text = {0};
  str_format(&text, "%s=%s", key, value);
  words_push(&j->settings, str_text(&text));
  str_free(&text);
}

static void set_number(struct check_job *j, const char *key, int64_t n) {
  struct str text = {0};
  str_format(&text, "%lld", (long long)n);
  check_job_set(j, key, str_text(&text));
  str_free(&text);
}

void check_job_free(struct check_job *j) {
  run_free(&j->run);
  words_free(&j->settings);
  words_free(&j->words);
}

/* sc or tso: no failures, and schedules are what the check is about. */
static bool is_ordinary(const struct options *o) {
  const char *model = options_text(o, OPTION_MODEL, "pm");
  return strcmp(model, "sc") == 0 || strcmp(model, "tso") == 0;
}

static const char *schedule_of(const struct options *o) {
  return options_text(o, OPTION_SCHEDULE, is_ordinary(o) ? "all" : "fixed");
}

static bool schedule_fits(const struct options *o, bool cxl, struct str *error) {
  struct strategy s = {0};
  const char *text = schedule_of(o);
  if (!strategy_parse(text, &s))
    str_format(error,
               "--schedule=%s: must be fixed, random, pct:D (1 to %d), bounded:K (0 to %d) or all",
               text, STRATEGY_DEPTH_MAX, STRATEGY_BOUND_MAX);
  else if (cxl && s.kind != STRATEGY_FIXED && options_given(o, OPTION_ISOLATE))
    str_append(error, "--isolate with --model=cxl needs --schedule=fixed");
  else if (!strategy_samples(&s) && options_given(o, OPTION_RUNS))
    str_append(error, "--runs needs --schedule=random or pct:D");
  else if (!strategy_samples(&s) && options_given(o, OPTION_SEED))
    str_append(error, "--seed needs --schedule=random or pct:D");
  return error->length == 0;
}

static bool analyses_fit(const struct options *o, struct str *error) {
  unsigned kinds;
  const char *unknown;
  if (!analysis_kinds_parse(options_text(o, OPTION_ANALYSES, ""), &kinds, &unknown))
    str_format(error, "--analyses: '%.*s' is none of robustness, races, flushes, store-buffers",
               (int)strcspn(unknown, ","), unknown);
  else if (strcmp(options_text(o, OPTION_MODEL, "pm"), "sc") == 0 &&
           kinds & ~ANALYSIS_STORE_BUFFERS)
    str_append(error, "--model=sc has the analysis store-buffers only; the others need --model=pm");
  else if (strcmp(options_text(o, OPTION_MODEL, "pm"), "sc") != 0 && kinds & ANALYSIS_STORE_BUFFERS)
    str_append(error,
               "--analyses=store-buffers needs --model=sc: it looks at executions without store "
               "buffers and says whether there are others with them");
  else if (strcmp(options_text(o, OPTION_MODEL, "pm"), "cxl") == 0 && kinds &&
           strcmp(schedule_of(o), "fixed") != 0)
    str_append(error, "--analyses with --model=cxl needs --schedule=fixed");
  else if (options_given(o, OPTION_RACES) && !(kinds & ANALYSIS_RACES))
    str_append(error, "--races needs --analyses=races");
  else if ((options_given(o, OPTION_VERIFY_FIX) || options_given(o, OPTION_FLUSH_FUNCTION)) &&
           !options_given(o, OPTION_FIX))
    str_append(error, "--verify-fix and --flush-function need --fix=FILE");
  return error->length == 0;
}

/* Options that say what they do only together. */
/* "--html ./prog": the program was taken for the value of the option. */
static void which_program(const struct options *o, struct str *error) {
  str_append(error, "which program? usage: tidemark check [options] ./program [arguments]");
  for (int i = 0; i < OPTION_COUNT; i++)
    if (option_specs[i].type == OPTION_FILE && o->values[i] && access(o->values[i], X_OK) == 0)
      str_format(error, "; %s is the value of --%s", o->values[i], option_specs[i].name);
}

static bool are_consistent(const struct options *o, int words, struct str *error) {
  bool cxl = strcmp(options_text(o, OPTION_MODEL, "pm"), "cxl") == 0;
  uint64_t bytes;
  if (!options_fit_model(o, error) || !schedule_fits(o, cxl, error) || !analyses_fit(o, error))
    return false;
  if (o->machines.length && words)
    str_append(error, "give either a program or --machine, not both");
  else if (o->machines.length && options_given(o, OPTION_MACHINES) &&
           options_number(o, OPTION_MACHINES, 0) != (int64_t)o->machines.length)
    str_format(error, "--machines=%s but --machine was given %zu times",
               options_text(o, OPTION_MACHINES, ""), o->machines.length);
  else if (options_given(o, OPTION_STDIN) && access(options_text(o, OPTION_STDIN, ""), R_OK) != 0)
    str_format(error, "--stdin: cannot read %s: %s", options_text(o, OPTION_STDIN, ""),
               strerror(errno));
  else if (options_given(o, OPTION_CLIENT) && access(options_text(o, OPTION_CLIENT, ""), R_OK) != 0)
    str_format(error, "--client: cannot read %s: %s", options_text(o, OPTION_CLIENT, ""),
               strerror(errno));
  else if (options_given(o, OPTION_CLIENT) && strcmp(schedule_of(o), "fixed") != 0)
    str_append(error, "--client needs --schedule=fixed");
  else if (options_given(o, OPTION_MEMORY) &&
           !size_parse(options_text(o, OPTION_MEMORY, ""), &bytes))
    str_format(error, "--memory=%s: must be a number of bytes, or with K, M, G or T behind it",
               options_text(o, OPTION_MEMORY, ""));
  else if (!o->machines.length && !words)
    which_program(o, error);
  else
    return true;
  return false;
}

bool check_job_has_units(const struct options *o) {
  struct strategy s = {0};
  bool cxl = strcmp(options_text(o, OPTION_MODEL, "pm"), "cxl") == 0;
  return !cxl && strategy_parse(schedule_of(o), &s) &&
         (s.kind == STRATEGY_ALL || s.kind == STRATEGY_BOUNDED ||
          (is_ordinary(o) && s.kind != STRATEGY_FIXED));
}

bool check_job_wants_fences(const struct options *o) {
  unsigned kinds = 0;
  struct strategy s = {0};
  const char *unknown;
  return analysis_kinds_parse(options_text(o, OPTION_ANALYSES, ""), &kinds, &unknown) &&
         kinds & ANALYSIS_STORE_BUFFERS && strategy_parse(schedule_of(o), &s) &&
         (s.kind == STRATEGY_ALL || s.kind == STRATEGY_BOUNDED);
}

/* A budget ends at the same execution if they have one order. */
static void refuse_units(const struct options *o, unsigned kinds, struct str *error) {
  if (kinds & ANALYSIS_FLUSHES)
    str_append(error, "a search over schedules with --analyses=flushes is not divided into parts");
  else if (options_flag(o, OPTION_COUNT_EAGER))
    str_append(error, "a search over schedules with --count-eager is not divided into parts");
  else if (options_given(o, OPTION_MAX_EXECUTIONS))
    str_append(error, "a search over schedules with --max-executions is not divided into parts");
  else if (options_flag(o, OPTION_ISOLATE))
    str_append(error, "a search with --isolate is not divided into parts");
}

/* Explored schedules depend on what is learnt on the way, and a flush has no effect only if it has none
 * anywhere. */
bool check_job_divides(const struct options *o, struct str *error) {
  unsigned kinds = 0;
  struct strategy s = {0};
  bool samples = strategy_parse(schedule_of(o), &s) && strategy_samples(&s);
  const char *unknown;
  analysis_kinds_parse(options_text(o, OPTION_ANALYSES, ""), &kinds, &unknown);
  if (check_job_has_units(o))
    refuse_units(o, kinds, error);
  else if (is_ordinary(o))
    str_append(error, "one schedule (--schedule=fixed) is not divided into parts");
  else if (samples && options_given(o, OPTION_MAX_EXECUTIONS))
    str_append(error, "sampled schedules with --max-executions are not divided into parts");
  else if (options_flag(o, OPTION_ISOLATE))
    str_append(error, "a search with --isolate is not divided into parts");
  else if (kinds & ANALYSIS_FLUSHES)
    str_append(error, "a search with --analyses=flushes is not divided into parts");
  return error->length == 0;
}

bool check_job_puts_off(const struct options *o) {
  return strcmp(options_text(o, OPTION_MODEL, "pm"), "pm") == 0 &&
         strcmp(schedule_of(o), "fixed") == 0 && !options_given(o, OPTION_MAX_EXECUTIONS);
}

/* Append a command, its program resolved; false if there is no such program. */
static bool add_command(struct check_job *j, char *const *words, size_t n, struct str *error) {
  struct str path = {0};
  bool ok = program_find(words[0], &path, error);
  words_push(&j->words, str_text(&path));
  for (size_t i = 1; i < n; i++)
    words_push(&j->words, words[i]);
  str_free(&path);
  return ok;
}

static enum check_job_error add_command_text(struct check_job *j, const char *option,
                                             const char *text, size_t *count, struct str *error) {
  word_list words = {0};
  struct str why = {0};
  enum check_job_error result = CHECK_JOB_OK;
  if (!words_split(text, &words, &why))
    result = CHECK_JOB_USAGE;
  else if (!add_command(j, words.data, words.length, &why))
    result = CHECK_JOB_PROGRAM;
  if (result != CHECK_JOB_OK)
    str_format(error, "--%s: %s", option, str_text(&why));
  *count = words.length;
  words_free(&words);
  str_free(&why);
  return result;
}

static enum check_job_error add_machines(struct check_job *j, const struct options *o,
                                         struct str *error) {
  struct str counts = {0};
  enum check_job_error result = CHECK_JOB_OK;
  for (size_t i = 0; i < o->machines.length && result == CHECK_JOB_OK; i++) {
    size_t n;
    result = add_command_text(j, "machine", o->machines.data[i], &n, error);
    str_format(&counts, "%s%zu", i ? "," : "", n);
  }
  check_job_set(j, "machine-argcs", str_text(&counts));
  str_free(&counts);
  return result;
}

/* The settings with names of their own are set elsewhere; flags that are off are left out. */
static void add_settings(struct check_job *j, const struct options *o) {
  bool cxl = strcmp(options_text(o, OPTION_MODEL, "pm"), "cxl") == 0;
  int64_t machines = !cxl                 ? 1
                     : o->machines.length ? (int64_t)o->machines.length
                                          : options_number(o, OPTION_MACHINES, 2);
  check_job_set(j, "model", options_text(o, OPTION_MODEL, "pm"));
  set_number(j, "failures",
             options_number(o, OPTION_FAILURES,
                            is_ordinary(o) ? 0
                            : cxl          ? machines - 1
                                           : 1));
  check_job_set(j, "schedule", schedule_of(o));
  set_number(j, "machines", machines);
  for (int i = 0; i < OPTION_COUNT; i++) {
    const struct option_spec *s = &option_specs[i];
    bool elsewhere = i == OPTION_MODEL || i == OPTION_FAILURES || i == OPTION_MACHINES ||
                     i == OPTION_SCHEDULE || s->type == OPTION_COMMAND;
    if (!(s->uses & USE_SEARCH) || elsewhere || !options_given(o, i))
      continue;
    if (s->type != OPTION_FLAG || options_flag(o, i))
      check_job_set(j, s->name, o->values[i]);
  }
  if (options_flag(o, OPTION_PROGRAM_OUTPUT))
    check_job_set(j, "output", "1");
}

static void record_options(struct run *r, const struct options *o) {
  for (int i = 0; i < OPTION_COUNT; i++) {
    const struct option_spec *s = &option_specs[i];
    if (!(s->uses & USE_SEARCH) || !options_given(o, i) || i == OPTION_MACHINE)
      continue;
    if (s->type == OPTION_FLAG && options_flag(o, i))
      run_add_option(r, s->name, NULL);
    else if (s->type != OPTION_FLAG)
      run_add_option(r, s->name, o->values[i]);
  }
  for (size_t i = 0; i < o->machines.length; i++)
    run_add_option(r, "machine", o->machines.data[i]);
}

static void record_run(struct check_job *j, const struct options *o, size_t argc) {
  struct run *r = &j->run;
  char here[4096];
  r->model = mem_strdup(options_text(o, OPTION_MODEL, "pm"));
  r->directory = getcwd(here, sizeof here) ? mem_strdup(here) : NULL;
  char *absolute = realpath(j->words.data[0], NULL);
  r->program = mem_strdup(absolute ? absolute : j->words.data[0]);
  free(absolute);
  r->program_hash = run_hash_file(r->program);
  for (size_t i = 1; i < argc; i++)
    vec_push(&r->arguments, mem_strdup(j->words.data[i]));
  if (options_given(o, OPTION_RECOVER))
    r->recover = mem_strdup(options_text(o, OPTION_RECOVER, NULL));
  record_options(r, o);
}

enum check_job_error check_job_build(struct check_job *j, const struct options *o,
                                     char *const *program, int words, struct str *error) {
  enum check_job_error result = CHECK_JOB_OK;
  size_t argc = (size_t)words;
  if (!are_consistent(o, words, error))
    return CHECK_JOB_USAGE;
  add_settings(j, o);
  if (o->machines.length) {
    result = add_machines(j, o, error);
    argc = 1;
  } else {
    if (!add_command(j, program, (size_t)words, error))
      result = CHECK_JOB_PROGRAM;
  }
  set_number(j, "argc", (int64_t)j->words.length);
  if (result == CHECK_JOB_OK && options_given(o, OPTION_RECOVER)) {
    size_t n;
    result = add_command_text(j, "recover", options_text(o, OPTION_RECOVER, NULL), &n, error);
    set_number(j, "recovery-argc", (int64_t)n);
  }
  if (result == CHECK_JOB_OK && !limits_suffice(error))
    result = CHECK_JOB_PROGRAM;
  if (j->words.length && result != CHECK_JOB_USAGE)
    record_run(j, o, argc < j->words.length ? argc : j->words.length);
  return result;
}
