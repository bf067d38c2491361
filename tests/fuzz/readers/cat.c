/* Any text as a model.  What is accepted is applied to a small program, and the states that the solver
 * finds must be those of the enumerator. */
#include "reader.h"
#include "axiom/check.h"
#include "axiom/enumerate.h"
#include "axiom/litmus.h"

enum { SERIALS_MAX = 400, CANDIDATES_MAX = 2000 };

static const char program[] =
    "X86_64 P\n{ }\n P0 | P1 ;\n movq $1,(x) | movq (x),%rax ;\n mfence | movq $2,(x) ;\n"
    "exists (1:rax=1 /\\ x=2)\n";

/* Relations that a model declares are not enumerated. */
static bool declares(const struct model *m) {
  for (int i = 0; i < m->item_count; i++)
    if (m->items[i].kind >= ITEM_SOME_REL && m->items[i].kind <= ITEM_SOME_ORDER)
      return true;
  return m->many_executions || m->uses_start_end;
}

static void compare(const struct program *p, const struct model *m, const struct check_result *r,
                    struct arena *a) {
  struct enumeration e;
  struct diag d;
  const struct final_state *missing;
  if (enumerate_run(p, m, CANDIDATES_MAX, a, &e, &d) && e.complete &&
      !states_equal(p, r->states.data, r->states.length, e.states.data, e.states.length, &missing))
    abort(); /* the evaluators differ */
}

static void apply(const struct model *m) {
  struct arena a = {0};
  struct diag d = {0};
  struct program *p = test_parse("P", program, sizeof program - 1, &a, 1, &d);
  struct check_result r;
  struct check_options o = {.core = CORE_FAST};
  if (!check_run(p, m, &o, &a, &r, &d))
    expect_reason(d.message, d.place.line, d.place.column);
  else if (!declares(m))
    compare(p, m, &r, &a);
  arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (memchr(data, 0, size))
    return -1;
  struct diag d = {0};
  char *text = copy_input(data, size);
  struct model *m = model_parse("fuzz", text, "models", &d);
  if (!m)
    expect_reason(d.message, d.place.line, d.place.column);
  else if (m->serials < SERIALS_MAX)
    apply(m);
  model_destroy(m);
  free(text);
  return 0;
}
