/* libFuzzer target: any text as what tidemark-lift writes.  What is accepted is executed, and checked
 * under sequential consistency if it is small.  axiom_run.sh builds and runs it. */
#include "axiom/enumerate.h"
#include "cprog/c_check.h"
#include <stdlib.h>
#include <string.h>

static const char sc[] = "\"sc\"\nacyclic po | rf | co | fr as sc\nempty rmw & (fr ; co) as atomicity\n";

static void check(const struct c_module *module, struct arena *a) {
  static struct model *model;
  struct diag d = {0};
  if (!model)
    model = model_parse("sc", sc, "models", &d);
  struct c_options o = {.unroll = 1, .target = c_target_find("sc")};
  struct c_program *p = c_program_build(module, &o, a, &d);
  struct c_result r;
  if (!p && !d.message[0])
    abort(); /* rejected without saying why */
  if (p && p->program->stmts.length < 30)
    c_check_run(p, model, CORE_NONE, 100, a, &r, &d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct diag d = {0};
  struct arena a = {0};
  char *text = malloc(size + 1);
  if (!text)
    abort();
  memcpy(text, data, size);
  text[size] = 0;
  struct c_module *m = c_module_read(text, size, &a, &d);
  if (!m && !d.message[0])
    abort();
  if (m)
    check(m, &a);
  arena_release(&a);
  free(text);
  return 0;
}
