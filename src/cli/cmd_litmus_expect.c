#include "cli/cmd_litmus_expect.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 8 };

struct expected_line {
  const char *key, *value; /* "Test NAME MODEL" -> verdict, "Observation NAME" -> the rest */
  bool used, is_test;
  bool is_herd; /* "Test NAME" of a log of herd's; what follows belongs to it */
  bool is_seen; /* a log of litmus7: the states are those that a machine has shown */
  LIST(const char *) states;
  const char *observation; /* herd: word and numbers */
};

struct expectation {
  struct arena *arena;
  bool count_executions, has_herd;
  LIST(struct expected_line) lines;
  int next; /* where to look first */
};

/* ---- reading ------------------------------------------------------------------------------ */

static int split(char *text, const char *separators, char **words, int max) {
  int n = 0;
  char *rest = NULL;
  for (char *w = strtok_r(text, separators, &rest); w && n < max;
       w = strtok_r(NULL, separators, &rest))
    words[n++] = w;
  return n;
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *without(char *text, const char *unwanted) {
  char *to = text;
  for (char *from = text; *from; from++)
    if (!strchr(unwanted, *from))
      *to++ = *from;
  *to = 0;
  return text;
}

/* Registers that have two names: "a0" is x10. */
static const char *riscv_register(struct arena *a, const char *name) {
  static const char *const names[] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                      "s0",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                      "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                      "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  for (int i = 0; i < 32; i++)
    if (!strcmp(name, names[i]))
      return arena_format(a, "x%d", i);
  return name;
}

/* "[x]", "x", "0:RAX", "0:rax": the same for all who write it. */
static const char *plain_name(struct arena *a, char *name) {
  char *colon = strchr(without(name, "[] \t"), ':');
  if (!colon || !strncmp(name, "nvm:", 4))
    return name;
  for (char *c = colon; *c; c++)
    *c = (char)tolower((unsigned char)*c);
  const char *other = riscv_register(a, colon + 1);
  *colon = 0;
  return arena_format(a, "%s:%s", name, other);
}

/* Numbers in decimal, with a sign; the address of an array is that of its first element. */
static const char *plain_value(struct arena *a, char *value) {
  char *end;
  size_t n = strlen(without(value, " \t"));
  if (n > 3 && !strcmp(value + n - 3, "[0]"))
    value[n - 3] = 0;
  unsigned long long number = strtoull(value, &end, 0);
  return *end ? without(value, "[]") : arena_format(a, "%lld", (long long)number);
}

struct items {
  struct arena *arena;
  LIST(char *) list;
};

static void add_item(struct items *x, const char *name, char *value) {
  char *text = arena_format(x->arena, "%s=%s", name, plain_value(x->arena, value));
  for (int i = 0; i < x->list.length; i++)
    if (!strcmp(x->list.data[i], text))
      return;
  list_push(x->arena, &x->list, text);
}

/* "x=1", or "t={1,2}": t0=1 and t1=2. */
static void add_items(struct items *x, char *text) {
  char *value = strchr(text, '=');
  if (!value) {
    if (*without(text, " \t"))
      list_push(x->arena, &x->list, text);
    return;
  }
  *value++ = 0;
  const char *name = plain_name(x->arena, text);
  char *elements[256];
  if (*without(value, " \t") != '{') {
    add_item(x, name, value);
    return;
  }
  int n = split(value, "{,}", elements, 256);
  for (int i = 0; i < n; i++)
    add_item(x, arena_format(x->arena, "%s%d", name, i), elements[i]);
}

/* "1:rax=0; [x]=1;", "1 :>x=1; 1:rax=0;" -> "1:rax=0;x=1;": the same whoever wrote it. */
static const char *plain_state(struct arena *a, const char *line) {
  const char *count = strstr(line, ":>");
  if (!count)
    count = strstr(line, "*>");
  char *copy = arena_text(a, count ? count + 2 : line, strlen(count ? count + 2 : line));
  char *parts[256];
  int n = split(copy, ";", parts, 256);
  struct items items = {.arena = a};
  for (int i = 0; i < n; i++)
    add_items(&items, parts[i]);
  if (items.list.length > 1)
    qsort(items.list.data, (size_t)items.list.length, sizeof *items.list.data, compare_texts);
  const char *text = "";
  for (int i = 0; i < items.list.length; i++)
    text = arena_format(a, "%s%s;", text, items.list.data[i]);
  return text;
}

/* Logs of machines, and older ones of herd's, have the shorter words. */
static bool is_kind(const char *word) {
  static const char *const kinds[] = {"Allowed", "Forbidden", "Required",
                                      "Allow",   "Forbid",    "Require"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(word, kinds[i]))
      return true;
  return false;
}

static void add_line(struct expectation *e, bool is_test, char **words, int n) {
  struct expected_line x = {.is_test = is_test, .is_herd = is_test && n == 3 && is_kind(words[2])};
  e->has_herd |= x.is_herd;
  if (x.is_herd) {
    x.key = arena_format(e->arena, "Test %s", words[1]);
    x.value = "what herd found";
  } else {
    x.key = is_test ? arena_format(e->arena, "Test %s %s", words[1], words[2])
                    : arena_format(e->arena, "Observation %s", words[1]);
    x.value = "";
    for (int i = is_test ? 3 : 2; i < n; i++)
      x.value = arena_format(e->arena, "%s%s%s", x.value, *x.value ? " " : "", words[i]);
  }
  list_push(e->arena, &e->lines, x);
}

/* The test of herd's whose states are being listed, or NULL. */
static struct expected_line *herd_test(const struct expectation *e) {
  if (!e->lines.length)
    return NULL;
  struct expected_line *last = &e->lines.data[e->lines.length - 1];
  return last->is_herd && !last->observation ? last : NULL;
}

static void read_line(struct expectation *e, char *line) {
  struct expected_line *herd = herd_test(e);
  char *words[WORDS_MAX], *copy = arena_text(e->arena, line, strlen(line));
  int n = split(copy, " \t", words, WORDS_MAX);
  if (n >= 3 && !strcmp(words[0], "Test")) {
    add_line(e, true, words, n);
  } else if (n >= 3 && !strcmp(words[0], "Observation")) {
    if (herd)
      herd->observation = n >= 5 ? arena_format(e->arena, "%s %s %s", words[2], words[3], words[4])
                                 : arena_text(e->arena, words[2], strlen(words[2]));
    else
      add_line(e, false, words, n);
  } else if (herd && n && !strcmp(words[0], "Histogram")) {
    herd->is_seen = true;
    herd->value = "what a machine has shown";
  } else if (herd && strchr(line, '=') && strchr(line, ';')) {
    list_push(e->arena, &herd->states, plain_state(e->arena, line));
  }
}

struct expectation *expectation_load(const char *path, bool count_executions, struct arena *a) {
  FILE *f = fopen(path, "r");
  if (!f)
    return NULL;
  struct expectation *e = arena_alloc(a, sizeof *e);
  e->arena = a;
  e->count_executions = count_executions;
  char *line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, f) >= 0) {
    line[strcspn(line, "\r\n")] = 0;
    read_line(e, line);
  }
  free(line);
  fclose(f);
  return e;
}

/* ---- comparing ---------------------------------------------------------------------------- */

/* Tests mostly come in the order in which they were expected, so looking starts there. */
static struct expected_line *find(struct expectation *e, const char *key) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < e->lines.length; i++) {
      int at = (e->next + i) % e->lines.length;
      if (strcmp(e->lines.data[at].key, key) || (!pass && e->lines.data[at].used))
        continue;
      e->next = at;
      return &e->lines.data[at];
    }
  return NULL;
}

static const char *text_of(const json_t *result, const char *field) {
  return json_string_value(json_object_get(result, field));
}

static long number_of(const json_t *result, const char *field) {
  return (long)json_integer_value(json_object_get(result, field));
}

static bool difference(const char *key, const char *found, const char *expected) {
  printf("Difference: %s %s, expected %s\n", key, found, expected);
  return false;
}

/* Only the word if one of the two did not count. */
static bool same_observation(struct expectation *e, const json_t *result, const char *expected,
                             bool numbers) {
  const char *word = text_of(result, "observation"), *name = text_of(result, "test");
  const char *found = word;
  if (numbers && strchr(expected, ' ') && json_is_array(json_object_get(result, "states")))
    found = arena_format(e->arena, "%s %ld %ld", word, number_of(result, "positive"),
                         number_of(result, "negative"));
  size_t n = strlen(found);
  if (!strncmp(found, expected, n) && (!expected[n] || expected[n] == ' '))
    return true;
  return difference(arena_format(e->arena, "Observation %s", name), found, expected);
}

static bool has_state(struct expected_line *line, const char *state) {
  for (int i = 0; i < line->states.length; i++)
    if (!strcmp(line->states.data[i], state))
      return true;
  return false;
}

static bool same_states(struct expectation *e, struct expected_line *line, const json_t *result) {
  const json_t *states = json_object_get(result, "states");
  if (!json_is_array(states) || !line->states.length)
    return true;
  size_t n = json_array_size(states);
  for (size_t i = 0; i < n; i++) {
    const char *state = json_string_value(json_array_get(states, i));
    if (!has_state(line, plain_state(e->arena, state)))
      return difference(line->key, arena_format(e->arena, "has the state %s", state),
                        "none like that");
  }
  if ((int)n == line->states.length)
    return true;
  return difference(line->key, arena_format(e->arena, "has %d states", (int)n),
                    arena_format(e->arena, "%d", line->states.length));
}

/* Is everything that is part of the one state ("x=1;y=2;") part of the other? */
static bool covers(const char *state, const char *part) {
  for (size_t n; *part; part += n) {
    n = strcspn(part, ";") + 1;
    const char *at = state;
    while (*at && strncmp(at, part, n) != 0)
      at += strcspn(at, ";") + 1;
    if (!*at)
      return false;
  }
  return true;
}

/* A machine need not show everything that a model allows, but nothing else.  Its states lack the
   registers of a filter. */
static bool allows_states(struct expectation *e, struct expected_line *line, const json_t *result) {
  const json_t *states = json_object_get(result, "states");
  LIST(const char *) allowed = {0};
  for (size_t i = 0; i < json_array_size(states); i++)
    list_push(e->arena, &allowed,
              plain_state(e->arena, json_string_value(json_array_get(states, i))));
  bool all = true;
  for (int i = 0; json_is_array(states) && i < line->states.length; i++) {
    int at = 0;
    while (at < allowed.length && !covers(allowed.data[at], line->states.data[i]))
      at++;
    if (at == allowed.length)
      all = difference(line->key, "does not allow a state that a machine has shown",
                       line->states.data[i]);
  }
  return all;
}

static bool herd_met(struct expectation *e, struct expected_line *line, const json_t *result) {
  line->used = true;
  if (line->is_seen)
    return allows_states(e, line, result);
  bool same =
      !line->observation || same_observation(e, result, line->observation, e->count_executions);
  return same_states(e, line, result) && same;
}

bool expectation_met(struct expectation *e, const json_t *result) {
  const char *name = text_of(result, "test");
  struct expected_line *herd =
      e->has_herd ? find(e, arena_format(e->arena, "Test %s", name)) : NULL;
  if (herd)
    return herd_met(e, herd, result);
  const char *key = arena_format(e->arena, "Test %s %s", name, text_of(result, "model"));
  const char *verdict = strcmp(text_of(result, "verdict"), "allowed") ? "Forbidden" : "Allowed";
  struct expected_line *line = find(e, key);
  if (!line) {
    printf("Difference: %s %s, but nothing was expected of it\n", key, verdict);
    return false;
  }
  line->used = true;
  bool same = !strcmp(line->value, verdict) || difference(key, verdict, line->value);
  struct expected_line *seen = find(e, arena_format(e->arena, "Observation %s", name));
  if (!seen)
    return same;
  seen->used = true;
  return same_observation(e, result, seen->value, true) && same;
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
