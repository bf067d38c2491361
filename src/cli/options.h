/* The options of every command: one table (options.def), one parser.
 *
 * Values stay text until they are asked for; a value that was accepted is valid, so the getters
 * cannot fail.  Values are not copied: they live as long as argv or the environment. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/str.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

enum option_type {
  OPTION_FLAG,
  OPTION_NUMBER,
  OPTION_SECONDS,
  OPTION_TEXT,
  OPTION_CHOICE,
  OPTION_COMMAND,
  OPTION_FILE
};

/* Headings of the help, in its order. */
#define OPTION_GROUPS(GROUP) \
  GROUP(FAILURES, "Memory and failures") \
  GROUP(MACHINES, "CXL machines") \
  GROUP(SEARCHING, "Search") \
  GROUP(BUDGETS, "Budgets") \
  GROUP(REPLAYING, "Replay") \
  GROUP(OUTPUT, "Reports") \
  GROUP(SILENCING, "Known findings") \
  GROUP(TESTS, "Litmus tests")

enum option_group {
#define GROUP(id, heading) OPTION_GROUP_##id,
  OPTION_GROUPS(GROUP)
#undef GROUP
      OPTION_GROUP_COUNT
};

enum option_use {
  USE_CHECK = 1,
  USE_REPLAY = 2,
  USE_LITMUS = 4,
  USE_SEARCH = 8,
  USE_PM = 16,
  USE_CXL = 32,
  USE_SC = 64,
  USE_TSO = 128,
  USE_MERGE = 256,
  USE_STATUS = 512
};

enum option_id {
#define OPTION(id, ...) OPTION_##id,
#include "cli/options.def"
  OPTION_COUNT
};

struct option_spec {
  const char *name;
  enum option_type type;
  const char *argument, *fallback, *available;
  int64_t min, max;
  unsigned uses;
  enum option_group group;
  const char *meaning;
};

extern const struct option_spec option_specs[OPTION_COUNT];
const char *option_group_heading(enum option_group group);

/* The models that the option is for, if it is not for all: false, nothing put. */
bool option_put_models(const struct option_spec *s, const char *before, const char *between,
                       struct str *out);

struct options {
  const char *values[OPTION_COUNT]; /* NULL: not given.  Flags: "1" or "0" */
  VEC(const char *) machines;       /* every --machine */
  char **words;                     /* what follows the options */
  int word_count;
  bool help; /* -h or --help: nothing else counts */
};

/* How many letters have to be put in, left out or changed to make one word of the other; 32: too many. */
int options_distance(const char *a, const char *b);

/* All of these are false with one line of explanation in `error`.  `uses` says which options
 * exist (enum option_use). */
bool options_parse(struct options *o, unsigned uses, int argc, char **argv, struct str *error);
bool options_set(struct options *o, unsigned uses, const char *name, const char *value,
                 struct str *error);
/* "name=value:name=value", flags without value, "\:" for a colon; NULL is fine.  Options of other
 * commands are skipped.  Writes into a copy that is never freed. */
bool options_set_defaults(struct options *o, unsigned uses, const char *text, struct str *error);

/* Is everything that was asked for something that the memory model knows? */
bool options_fit_model(const struct options *o, struct str *error);

bool options_given(const struct options *o, enum option_id id);
bool options_flag(const struct options *o, enum option_id id);
int64_t options_number(const struct options *o, enum option_id id, int64_t otherwise);
double options_seconds(const struct options *o, enum option_id id); /* 0: not given */
const char *options_text(const struct options *o, enum option_id id, const char *otherwise);

#endif
