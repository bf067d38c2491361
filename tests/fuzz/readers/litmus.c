/* Any text as a test, .litmus or schematic.  What is accepted is also given its values and actions;
 * small programs are checked under the model of their language, so that witnesses and forbidden
 * outcomes get their second opinions. */
#include "reader.h"
#include "axiom/check.h"
#include "axiom/litmus.h"
#include <stdio.h>

enum { STMTS_MAX = 16, LOCATIONS_MAX = 6, OBSERVED_MAX = 3, MODELS_MAX = 8 };

static const struct model *model_named(const char *name) {
  static struct {
    const char *name;
    struct model *model;
  } known[MODELS_MAX];
  int i = 0;
  while (known[i].name && strcmp(known[i].name, name) != 0)
    i++;
  if (!known[i].name) {
    struct diag d;
    char path[64];
    snprintf(path, sizeof path, "models/%s.cat", name);
    known[i].name = name;
    known[i].model = model_load(path, "models", &d);
    if (!known[i].model)
      abort();
  }
  return known[i].model;
}

static bool is_small(const struct program *p) {
  return p->stmts.length <= STMTS_MAX && p->locations.length <= LOCATIONS_MAX &&
         p->observed.length <= OBSERVED_MAX;
}

static void check(struct program *p, struct arena *a) {
  struct diag d = {0};
  struct check_result r;
  struct check_options o = {.core = CORE_FAST};
  const char *model = p->default_model ? p->default_model : "sc";
  for (int e = 0; e < p->exprs.length; e++)
    if (p->exprs.data[e].kind == EXPR_NVM)
      model = "px86";
  if (is_small(p) && !check_run(p, model_named(model), &o, a, &r, &d) && !d.message[0])
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (memchr(data, 0, size))
    return -1;
  struct arena a = {0};
  struct diag d = {0};
  char *text = copy_input(data, size);
  struct program *p = test_parse("fuzz", text, size, &a, 2, &d);
  if (p)
    check(p, &a);
  else
    expect_reason(d.message, d.place.line, d.place.column);
  arena_release(&a);
  free(text);
  return 0;
}
