/* Documents that come from the option table are up to date, and agree with the code. */
#include "cli/cmd_litmus.h"
#include "cli/help.h"
#include "cli/options.h"
#include "file_text.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
  const char *name;
  unsigned use;
} commands[] = {{"check", USE_CHECK}, {"replay", USE_REPLAY}, {"litmus", USE_LITMUS}};

#define COMMANDS (sizeof commands / sizeof *commands)

static void assert_contains(const struct str *text, const char *what) {
  if (!strstr(str_text(text), what))
    fail_msg("missing: %s", what);
}

static void help_fits_a_terminal(void **state) {
  (void)state;
  for (size_t c = 0; c < COMMANDS; c++) {
    struct str text = {0};
    assert_true(help_text(commands[c].name, &text));
    for (const char *p = str_text(&text); *p;) {
      size_t n = strcspn(p, "\n");
      if (n > 80)
        fail_msg("too long: %.*s", (int)n, p);
      p += n + 1;
    }
    str_free(&text);
  }
}

static void every_option_is_documented(void **state) {
  (void)state;
  for (size_t c = 0; c < COMMANDS; c++) {
    struct str text = {0}, page = {0};
    assert_true(help_text(commands[c].name, &text));
    assert_true(help_man(commands[c].name, &page));
    for (int i = 0; i < OPTION_COUNT; i++) {
      if (!(option_specs[i].uses & commands[c].use))
        continue;
      struct str name = {0};
      str_format(&name, "\n  --%s", option_specs[i].name);
      assert_contains(&text, str_text(&name));
      str_clear(&name);
      str_append(&name, "\\fB\\-\\-");
      for (const char *p = option_specs[i].name; *p; p++)
        str_format(&name, *p == '-' ? "\\%c" : "%c", *p);
      assert_contains(&page, str_text(&name));
      str_free(&name);
    }
    str_free(&text);
    str_free(&page);
  }
}

static void manual_has_the_tables(void **state) {
  (void)state;
  struct str manual = {0};
  read_file("docs/manual.md", &manual);
  for (size_t c = 0; c < COMMANDS; c++) {
    struct str table = {0};
    assert_true(help_markdown(commands[c].name, &table));
    if (!strstr(str_text(&manual), str_text(&table)))
      fail_msg("docs/manual.md: the options of %s are out of date; run tools/update_readme.sh",
               commands[c].name);
    str_free(&table);
  }
  str_free(&manual);
}

static void completion_is_up_to_date(void **state) {
  (void)state;
  struct str want = {0}, have = {0};
  help_completion(&want);
  read_file("share/completion/tidemark.bash", &have);
  assert_string_equal(str_text(&have), str_text(&want));
  str_free(&want);
  str_free(&have);
}

static void unknown_commands(void **state) {
  (void)state;
  struct str text = {0};
  assert_false(help_text("frobnicate", &text));
  assert_false(help_man("frobnicate", &text));
  assert_false(help_markdown(NULL, &text));
  assert_true(help_text(NULL, &text));
  assert_true(help_man(NULL, &text));
  str_free(&text);
}

/* The litmus command has its own parser: the names must be the same on both sides. */
static void litmus_options_agree(void **state) {
  (void)state;
  struct str text = {0};
  FILE *f = tmpfile();
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    dup2(fileno(f), STDOUT_FILENO);
    exit(cmd_litmus(2, (char *[]){"litmus", "--help", NULL}));
  }
  waitpid(child, NULL, 0);
  rewind(f);
  char block[4096];
  for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
    str_append_bytes(&text, block, n);
  fclose(f);
  int theirs = 0, ours = 1; /* --help is not in the table */
  for (const char *p = str_text(&text); (p = strstr(p, "\n  --")); p++)
    theirs++;
  for (int i = 0; i < OPTION_COUNT; i++) {
    if (!(option_specs[i].uses & USE_LITMUS))
      continue;
    struct str name = {0};
    str_format(&name, "\n  --%s", option_specs[i].name);
    assert_contains(&text, str_text(&name));
    str_free(&name);
    ours++;
  }
  assert_int_equal(ours, theirs);
  str_free(&text);
}

/* Every field that occurs in a report is described. */
static void find_fields(json_t *value, const struct str *document) {
  const char *key;
  size_t i;
  json_t *item;
  json_array_foreach(value, i, item) {
    find_fields(item, document);
  }
  json_object_foreach(value, key, item) {
    struct str name = {0};
    str_format(&name, "`%s`", key);
    assert_contains(document, str_text(&name));
    str_free(&name);
    if (strcmp(key, "outcomes") != 0 && strcmp(key, "options") != 0)
      find_fields(item, document);
  }
}

static void json_fields_are_documented(void **state) {
  (void)state;
  struct str document = {0};
  read_file("docs/json.md", &document);
  json_t *root = json_load_file("tests/reports/two_findings.json", 0, NULL);
  assert_non_null(root);
  find_fields(root, &document);
  json_decref(root);
  str_free(&document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(help_fits_a_terminal),       cmocka_unit_test(every_option_is_documented),
      cmocka_unit_test(manual_has_the_tables),      cmocka_unit_test(completion_is_up_to_date),
      cmocka_unit_test(unknown_commands),           cmocka_unit_test(litmus_options_agree),
      cmocka_unit_test(json_fields_are_documented),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
