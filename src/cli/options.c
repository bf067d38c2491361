#include "cli/options.h"
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The names that options.def uses. */
enum {
  CHECK = USE_CHECK,
  REPLAY = USE_REPLAY,
  LITMUS = USE_LITMUS,
  SEARCH = USE_SEARCH,
  PM = USE_PM,
  CXL = USE_CXL,
  SC = USE_SC,
  TSO = USE_TSO,
  MERGE = USE_MERGE
};

const struct option_spec option_specs[OPTION_COUNT] = {
#define OPTION(id, name, type, argument, fallback, available, min, max, uses, group, meaning) \
  [OPTION_##id] = {name, OPTION_##type,        argument, fallback, available, min, max, \
                   uses, OPTION_GROUP_##group, meaning},
#include "cli/options.def"
};

const char *option_group_heading(enum option_group group) {
  static const char *const headings[] = {
#define GROUP(id, heading) heading,
      OPTION_GROUPS(GROUP)
#undef GROUP
  };
  return headings[group];
}

/* ---- memory models ---- */

static const struct {
  const char *name;
  unsigned use;
} models[] = {{"pm", USE_PM}, {"cxl", USE_CXL}, {"sc", USE_SC}, {"tso", USE_TSO}};

enum { MODEL_COUNT = sizeof models / sizeof *models };

bool option_put_models(const struct option_spec *s, const char *before, const char *between,
                       struct str *out) {
  int n = 0;
  for (int i = 0; i < MODEL_COUNT; i++)
    if (s->uses & models[i].use)
      str_format(out, "%s%s%s", n++ ? between : "", before, models[i].name);
  return n > 0;
}

static bool is_of_model(const struct option_spec *s, const char *model) {
  bool limited = false;
  for (int i = 0; i < MODEL_COUNT; i++) {
    if (!(s->uses & models[i].use))
      continue;
    if (strcmp(models[i].name, model) == 0)
      return true;
    limited = true;
  }
  return !limited;
}

bool options_fit_model(const struct options *o, struct str *error) {
  const char *model = options_text(o, OPTION_MODEL, "pm");
  for (int i = 0; i < OPTION_COUNT; i++) {
    const struct option_spec *s = &option_specs[i];
    bool asked = s->type == OPTION_FLAG ? options_flag(o, i) : options_given(o, i);
    if (!asked || is_of_model(s, model))
      continue;
    str_format(error, "--%s needs ", s->name);
    option_put_models(s, "--model=", " or ", error);
    return false;
  }
  return true;
}

/* ---- values ---- */

static bool in_alternatives(const char *alternatives, const char *value) {
  size_t n = strlen(value);
  for (const char *p = alternatives; *p;) {
    size_t length = strcspn(p, "|");
    if (length == n && strncmp(p, value, n) == 0)
      return true;
    p += length + (p[length] == '|');
  }
  return false;
}

static bool number_is_valid(const struct option_spec *s, const char *value, struct str *error) {
  char *end;
  errno = 0;
  long long n = strtoll(value, &end, 10);
  if (*value < '0' || *value > '9' || *end || errno) {
    str_format(error, "--%s=%s: not a whole number", s->name, value);
    return false;
  }
  if (n >= s->min && (!s->max || n <= s->max))
    return true;
  if (s->max)
    str_format(error, "--%s=%s: must be between %lld and %lld", s->name, value, (long long)s->min,
               (long long)s->max);
  else
    str_format(error, "--%s=%s: must be at least %lld", s->name, value, (long long)s->min);
  return false;
}

static bool seconds_are_valid(const struct option_spec *s, const char *value, struct str *error) {
  char *end;
  double n = strtod(value, &end);
  if (*value >= '0' && *value <= '9' && !*end && isfinite(n) && n > 0)
    return true;
  str_format(error, "--%s=%s: not a positive number of seconds", s->name, value);
  return false;
}

static bool value_is_valid(const struct option_spec *s, const char *value, struct str *error) {
  if (s->available && !in_alternatives(s->available, value)) {
    if (s->type == OPTION_CHOICE && !in_alternatives(s->argument, value))
      str_format(error, "--%s=%s: must be one of %s", s->name, value, s->argument);
    else
      str_format(error, "--%s=%s is not available in this version", s->name, value);
    return false;
  }
  switch (s->type) {
  case OPTION_NUMBER:
    return number_is_valid(s, value, error);
  case OPTION_SECONDS:
    return seconds_are_valid(s, value, error);
  case OPTION_CHOICE:
    if (in_alternatives(s->argument, value))
      return true;
    str_format(error, "--%s=%s: must be one of %s", s->name, value, s->argument);
    return false;
  case OPTION_FLAG:
    if (in_alternatives("0|1", value))
      return true;
    str_format(error, "--%s: takes no value", s->name);
    return false;
  default:
    if (*value)
      return true;
    str_format(error, "--%s: the value is empty", s->name);
    return false;
  }
}

static bool set_value(struct options *o, int id, const char *value, struct str *error) {
  const struct option_spec *s = &option_specs[id];
  if (!value && s->type == OPTION_FLAG)
    value = "1";
  if (!value) {
    str_format(error, "--%s needs a value: --%s=%s", s->name, s->name, s->argument);
    return false;
  }
  if (!value_is_valid(s, value, error))
    return false;
  o->values[id] = value;
  if (id == OPTION_MACHINE)
    vec_push(&o->machines, value);
  return true;
}

static int find_option(const char *name, unsigned uses) {
  for (int i = 0; i < OPTION_COUNT; i++)
    if ((option_specs[i].uses & uses) && strcmp(option_specs[i].name, name) == 0)
      return i;
  return -1;
}

/* ---- unknown names: the nearest one we have ---- */

int options_distance(const char *a, const char *b) {
  enum { MAX = 32 };
  int row[MAX + 1];
  size_t na = strlen(a), nb = strlen(b);
  if (na > MAX || nb > MAX)
    return MAX;
  for (size_t j = 0; j <= nb; j++)
    row[j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      int change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      int insert = row[j - 1] + 1, delete = row[j] + 1;
      row[j] = change < insert ? change : insert;
      row[j] = row[j] < delete ? row[j] : delete;
    }
  }
  return row[nb];
}

static void unknown_option(const char *given, unsigned uses, struct str *error) {
  char name[64] = {0};
  strncpy(name, given, sizeof name - 1);
  name[strcspn(name, "=")] = 0;
  const char *nearest = NULL;
  int least = strlen(name) < 5 ? 2 : 3; /* two letters that changed places are 2 */
  for (int i = 0; i < OPTION_COUNT; i++) {
    int d = options_distance(name, option_specs[i].name);
    if ((option_specs[i].uses & uses) && d < least) {
      least = d;
      nearest = option_specs[i].name;
    }
  }
  str_format(error, "unknown option '--%s'", name);
  int elsewhere = find_option(name, ~0u);
  if (elsewhere >= 0)
    str_format(error, "; it belongs to tidemark %s",
               option_specs[elsewhere].uses & USE_CHECK    ? "check"
               : option_specs[elsewhere].uses & USE_REPLAY ? "replay"
                                                           : "litmus");
  else if (nearest)
    str_format(error, "; did you mean '--%s'?", nearest);
}

bool options_set(struct options *o, unsigned uses, const char *name, const char *value,
                 struct str *error) {
  int id = find_option(name, uses);
  if (id < 0) {
    unknown_option(name, uses, error);
    return false;
  }
  return set_value(o, id, value, error);
}

/* ---- command line ---- */

enum { HELP_VALUE = 1000 };

static void fill_long_options(struct option *table, unsigned uses) {
  int n = 0;
  for (int i = 0; i < OPTION_COUNT; i++)
    if (option_specs[i].uses & uses)
      table[n++] = (struct option){
          option_specs[i].name,
          option_specs[i].type == OPTION_FLAG ? no_argument : required_argument, NULL, i};
  table[n++] = (struct option){"help", no_argument, NULL, HELP_VALUE};
  table[n] = (struct option){0};
}

static void explain_rejected(int result, const char *word, unsigned uses, struct str *error) {
  if (strncmp(word, "--", 2) != 0) {
    str_format(error, "unknown option '%s'", word);
  } else if (result == ':') {
    int id = optopt >= 0 && optopt < OPTION_COUNT ? optopt : find_option(word + 2, uses);
    str_format(error, "%s needs a value: --%s=%s", word, option_specs[id].name,
               option_specs[id].argument);
  } else if (strchr(word, '=') && optopt) {
    str_format(error, "--%.*s takes no value", (int)strcspn(word + 2, "="), word + 2);
  } else {
    unknown_option(word + 2, uses, error);
  }
}

bool options_parse(struct options *o, unsigned uses, int argc, char **argv, struct str *error) {
  struct option table[OPTION_COUNT + 2];
  fill_long_options(table, uses);
  size_t machines_before = o->machines.length; /* defaults: the command line replaces them */
  optind = 0;
  opterr = 0;
  int result;
  while ((result = getopt_long(argc, argv, "+:h", table, NULL)) != -1) {
    if (result == 'h' || result == HELP_VALUE) {
      o->help = true;
      return true;
    }
    if (result == '?' || result == ':') {
      explain_rejected(result, argv[optind - 1], uses, error);
      return false;
    }
    if (!set_value(o, result, optarg, error))
      return false;
  }
  if (o->machines.length > machines_before && machines_before) {
    o->machines.length -= machines_before;
    memmove(o->machines.data, o->machines.data + machines_before,
            o->machines.length * sizeof *o->machines.data);
  }
  o->words = argv + optind;
  o->word_count = argc - optind;
  return true;
}

/* ---- defaults from the environment ---- */

/* Cut `p` at the next ':' that is not escaped, removing escapes; the rest, or NULL. */
static char *cut_item(char *p) {
  char *to = p;
  for (; *p && *p != ':'; p++) {
    if (*p == '\\' && p[1])
      p++;
    *to++ = *p;
  }
  char *rest = *p ? p + 1 : NULL;
  *to = 0;
  return rest;
}

bool options_set_defaults(struct options *o, unsigned uses, const char *text, struct str *error) {
  char *rest = text ? mem_strdup(text) : NULL;
  while (rest) {
    char *item = rest;
    rest = cut_item(item);
    if (!*item)
      continue;
    char *equals = strchr(item, '=');
    if (equals)
      *equals = 0;
    if (find_option(item, uses) < 0 && find_option(item, ~0u) >= 0)
      continue;
    if (!options_set(o, uses, item, equals ? equals + 1 : NULL, error)) {
      str_append(error, " (in TIDEMARK_OPTIONS)");
      return false;
    }
  }
  return true;
}

/* ---- getters ---- */

bool options_given(const struct options *o, enum option_id id) {
  return o->values[id] != NULL;
}

bool options_flag(const struct options *o, enum option_id id) {
  return o->values[id] && strcmp(o->values[id], "1") == 0;
}

int64_t options_number(const struct options *o, enum option_id id, int64_t otherwise) {
  return o->values[id] ? strtoll(o->values[id], NULL, 10) : otherwise;
}

double options_seconds(const struct options *o, enum option_id id) {
  return o->values[id] ? strtod(o->values[id], NULL) : 0;
}

const char *options_text(const struct options *o, enum option_id id, const char *otherwise) {
  return o->values[id] ? o->values[id] : otherwise;
}
