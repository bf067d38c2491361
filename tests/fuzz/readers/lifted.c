/* Any text as what tidemark-lift writes.  What is accepted is executed, and checked under sequential
 * consistency if it is small. */
#include "reader.h"
#include "axiom/enumerate.h"
#include "cprog/c_check.h"

enum { STMTS_MAX = 30, CANDIDATES_MAX = 100 };

static const struct model *sequential(void) {
  static struct model *model;
  struct diag d = {0};
  if (!model)
    model = model_load("models/sc.cat", "models", &d);
  return model;
}

static void check(const struct c_module *module, struct arena *a) {
  struct diag d = {0};
  struct c_options o = {.unroll = 1, .target = c_target_find("sc", sequential())};
  struct c_program *p = c_program_build(module, &o, a, &d);
  struct c_result r;
  if (!p && !d.message[0])
    abort(); /* rejected without saying why */
  if (p && p->program->stmts.length < STMTS_MAX)
    c_check_run(p, sequential(), CORE_NONE, CANDIDATES_MAX, a, &r, &d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct diag d = {0};
  struct arena a = {0};
  char *text = copy_input(data, size);
  struct c_module *m = c_module_read(text, size, &a, &d);
  if (m)
    check(m, &a);
  else if (!d.message[0])
    abort();
  arena_release(&a);
  free(text);
  return 0;
}
