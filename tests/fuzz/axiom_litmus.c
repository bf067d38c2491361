/* libFuzzer target: any text as a test, .litmus or schematic.  What is accepted is also given its
 * values and actions, and small programs are checked, so that witnesses get their second opinion.
 * axiom_run.sh builds and runs it. */
#include "axiom/check.h"
#include "axiom/litmus.h"
#include <stdlib.h>
#include <string.h>

enum { STMTS_MAX = 24 };

static struct model *model;

static void check(struct program *p, struct arena *a) {
  struct diag d;
  struct check_result r;
  struct check_options o = {.core = CORE_FAST};
  bool small = p->stmts.length <= STMTS_MAX && p->locations.length <= 6 && p->observed.length <= 3;
  for (int e = 0; e < p->exprs.length; e++)
    small = small && p->exprs.data[e].kind != EXPR_NVM;
  if (small)
    check_run(p, model, &o, a, &r, &d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct arena a = {0};
  struct diag d = {0};
  if (!model)
    model = model_parse("fuzz",
                        "\"sc\" acyclic po | rf | co | fr as sc empty rmw & (fre ; coe) as atomic",
                        ".", &d);
  char *text = arena_text(&a, (const char *)data, size);
  struct program *p = memchr(text, 0, size) ? NULL : test_parse("fuzz", text, size, &a, 2, &d);
  if (p)
    check(p, &a);
  else if (size && !memchr(text, 0, size) && !d.message[0])
    abort(); /* rejected without saying why */
  arena_release(&a);
  return 0;
}
