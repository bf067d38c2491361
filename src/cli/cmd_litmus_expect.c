#include "cli/cmd_litmus_expect.h"
#include <string.h>

struct expected_line {
  const char *key, *value; /* "Test NAME MODEL" -> verdict, "Observation NAME" -> the rest */
  bool used, is_test;
};

struct expectation {
  struct arena *arena;
  LIST(struct expected_line) lines;
};

/* Where the n-th space of a line is, NULL if there are fewer. */
static char *nth_space(char *line, int n) {
  for (char *p = line; *p; p++)
    if (*p == ' ' && --n == 0)
      return p;
  return NULL;
}

struct expectation *expectation_load(const char *path, struct arena *a) {
  FILE *f = fopen(path, "r");
  if (!f)
    return NULL;
  struct expectation *e = arena_alloc(a, sizeof *e);
  e->arena = a;
  char line[4096];
  while (fgets(line, sizeof line, f)) {
    line[strcspn(line, "\r\n")] = 0;
    bool is_test = !strncmp(line, "Test ", 5), is_observation = !strncmp(line, "Observation ", 12);
    char *split = is_test ? nth_space(line, 3) : is_observation ? nth_space(line, 2) : NULL;
    if (!split)
      continue;
    *split = 0;
    struct expected_line x = {arena_text(a, line, strlen(line)),
                              arena_text(a, split + 1, strlen(split + 1)), false, is_test};
    list_push(a, &e->lines, x);
  }
  fclose(f);
  return e;
}

static struct expected_line *find(struct expectation *e, const char *key) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < e->lines.length; i++)
      if (!strcmp(e->lines.data[i].key, key) && (pass || !e->lines.data[i].used))
        return &e->lines.data[i];
  return NULL;
}

static bool compare(struct expectation *e, const char *key, const char *value, bool required) {
  struct expected_line *line = find(e, key);
  if (!line) {
    if (required)
      printf("Difference: %s %s, but nothing was expected of it\n", key, value);
    return !required;
  }
  line->used = true;
  if (!strcmp(line->value, value))
    return true;
  printf("Difference: %s %s, expected %s\n", key, value, line->value);
  return false;
}

bool expectation_met(struct expectation *e, const struct litmus_outcome *o) {
  const char *name = o->program->name;
  const char *test = arena_format(e->arena, "Test %s %s", name, o->model_name);
  bool same = compare(e, test, o->result.allowed ? "Allowed" : "Forbidden", true);
  const char *observed = arena_format(e->arena, "%s %ld %ld", litmus_observation(o),
                                      o->result.positive, o->result.negative);
  return compare(e, arena_format(e->arena, "Observation %s", name), observed, false) && same;
}

bool expectation_finish(struct expectation *e) {
  bool all = true;
  for (int i = 0; i < e->lines.length; i++)
    if (e->lines.data[i].is_test && !e->lines.data[i].used) {
      printf("Difference: %s was expected to be %s, but was not run\n", e->lines.data[i].key,
             e->lines.data[i].value);
      all = false;
    }
  return all;
}
