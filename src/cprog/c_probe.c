/* What a model promises, found out by asking it about small programs. */
#include "axiom/judge.h"
#include "base/check.h"
#include "cprog/c_check.h"
#include <string.h>

/* ---- thin air, delayed writes ----------------------------------------------------------------- */

static int add_access(struct program *p, const struct c_target *t, int thread, int location,
                      int value) {
  struct stmt s = {.kind = value < 0 ? STMT_READ : STMT_WRITE,
                   .thread = thread,
                   .guard = expr_const(p, 1),
                   .address = expr_const(p, program_address(p, location)),
                   .value = value,
                   .partner = -1,
                   .monitor = -1,
                   .instruction = p->stmts.length,
                   .bits = 8,
                   .tags = t->access(value < 0 ? HALF_LOAD : HALF_STORE, ORDER_RELAXED),
                   .place = {"", 0, 0},
                   .text = ""};
  list_push(p->arena, &p->stmts, s);
  return p->stmts.length - 1;
}

/* Two threads and the places x and y. */
static struct program *two_threads(struct arena *a) {
  struct program *p = program_create(a, "");
  p->bitwise = true;
  p->arch = "C";
  for (int i = 0; i < 2; i++) {
    struct thread thread = {.name = i ? "P1" : "P0"};
    struct location l = {.name = i ? "y" : "x", .array = -1, .line = i, .place = {"", 0, 0}};
    list_push(a, &p->threads, thread);
    program_add_location(p, l);
  }
  return p;
}

/* Does the model allow an execution in which the expression `outcome` holds? */
static bool allows(struct program *p, int outcome, const struct model *m, struct arena *a) {
  struct c_program c = {.program = p, .violated = outcome, .violated_or_bounded = outcome};
  c.bounded = expr_const(p, 0);
  c.completed = expr_const(p, 1);
  program_finish(p);
  c.domains = arena_alloc(a, sizeof *c.domains);
  c.domains->expr = arena_alloc(a, (size_t)p->exprs.length * sizeof *c.domains->expr);
  c.domains->read = arena_alloc(a, (size_t)p->stmts.length * sizeof *c.domains->read);
  for (int e = 0; e < p->exprs.length; e++)
    c.domains->expr[e] = p->exprs.data[e].kind == EXPR_CONST
                             ? (struct values){&p->exprs.data[e].value, 1}
                             : (struct values){NULL, -1};
  for (int s = 0; s < p->stmts.length; s++)
    c.domains->read[s] = (struct values){NULL, -1};
  struct c_result r;
  struct diag d;
  if (!c_check_run(&c, m, CORE_NONE, 0, a, &r, &d))
    return true;
  return r.verdict == C_VIOLATED && judge_evaluate(r.witness, c.violated);
}

/* r1 = x; y = r1 beside r2 = y; x = r2: can r1 be 1? */
bool c_model_has_thin_air(const struct model *m, const struct c_target *t, struct arena *a) {
  struct program *p = two_threads(a);
  int first = -1;
  for (int i = 0; i < 2; i++) {
    int read = expr_leaf(p, EXPR_READ, add_access(p, t, i + 1, i, -1));
    add_access(p, t, i + 1, !i, read);
    first = i ? first : read;
  }
  return allows(p, expr_make(p, EXPR_EQ, first, expr_const(p, 1), -1), m, a);
}

/* x = 1; r1 = y beside y = 1; r2 = x: can both be 0? */
bool c_model_delays_writes(const struct model *m, const struct c_target *t, struct arena *a) {
  struct program *p = two_threads(a);
  int seen = expr_const(p, 0);
  for (int i = 0; i < 2; i++) {
    add_access(p, t, i + 1, i, expr_const(p, 1));
    int read = expr_leaf(p, EXPR_READ, add_access(p, t, i + 1, !i, -1));
    seen = expr_make(p, EXPR_OR, seen, read, -1);
  }
  return allows(p, expr_make(p, EXPR_EQ, seen, expr_const(p, 0), -1), m, a);
}

/* ---- coherence ------------------------------------------------------------------------------- */

/* As tidemark-lift writes it: main reads q and y before it writes them, writes p and x twice before it
 * reads them, v and a once, reads w and b, and then creates a thread that reads p and x, writes v and
 * a before it reads them, and writes w and b.  Half of it is plain accesses (na), half relaxed ones;
 * every read must see what it sees if program order is kept. */
static const char coherence_text[] = "tidemark-cir 1\n"
                                     "file 0 probe\n"
                                     "layout 0 4 0:4\n"
                                     "object 0 0 - 0 4 q\n"
                                     "object 1 0 - 0 5 y\n"
                                     "object 2 0 - 0 4 p\n"
                                     "object 3 0 - 0 5 x\n"
                                     "object 4 0 - 0 4 v\n"
                                     "object 5 0 - 0 5 a\n"
                                     "object 6 0 - 0 4 w\n"
                                     "object 7 0 - 0 5 b\n"
                                     "function 0 0 d main\n"
                                     "block 0\n"
                                     "layout 1 8 0:8\n"
                                     "alloca 0 0 0 %0 1 p #1 t\n"
                                     "call 0 0 0 %1 32 $1 %0 #0 $2 #0\n"
                                     "load 0 0 0 %2 4 na - @0+0\n"
                                     "load 0 0 0 %3 4 relaxed - @1+0\n"
                                     "store 0 0 0 4 na - @0+0 #1\n"
                                     "store 0 0 0 4 relaxed - @1+0 #1\n"
                                     "eq 0 0 0 %4 32 %2 #0\n"
                                     "zext 0 0 0 %5 32 1 %4\n"
                                     "call 0 0 0 %- 0 $3 %5\n"
                                     "eq 0 0 0 %6 32 %3 #0\n"
                                     "zext 0 0 0 %7 32 1 %6\n"
                                     "call 0 0 0 %- 0 $3 %7\n"
                                     "store 0 0 0 4 na - @2+0 #1\n"
                                     "store 0 0 0 4 na - @2+0 #2\n"
                                     "store 0 0 0 4 relaxed - @3+0 #1\n"
                                     "store 0 0 0 4 relaxed - @3+0 #2\n"
                                     "load 0 0 0 %8 4 na - @2+0\n"
                                     "eq 0 0 0 %9 32 %8 #2\n"
                                     "zext 0 0 0 %10 32 1 %9\n"
                                     "call 0 0 0 %- 0 $3 %10\n"
                                     "load 0 0 0 %11 4 relaxed - @3+0\n"
                                     "eq 0 0 0 %12 32 %11 #2\n"
                                     "zext 0 0 0 %13 32 1 %12\n"
                                     "call 0 0 0 %- 0 $3 %13\n"
                                     "store 0 0 0 4 na - @4+0 #1\n"
                                     "store 0 0 0 4 relaxed - @5+0 #1\n"
                                     "load 0 0 0 %14 4 na - @6+0\n"
                                     "load 0 0 0 %15 4 relaxed - @7+0\n"
                                     "call 0 0 0 %16 32 $1 %0 #0 $4 #0\n"
                                     "eq 0 0 0 %17 32 %14 #0\n"
                                     "zext 0 0 0 %18 32 1 %17\n"
                                     "call 0 0 0 %- 0 $3 %18\n"
                                     "eq 0 0 0 %19 32 %15 #0\n"
                                     "zext 0 0 0 %20 32 1 %19\n"
                                     "call 0 0 0 %- 0 $3 %20\n"
                                     "ret 0 0 0 #0\n"
                                     "end\n"
                                     "function 1 4 x pthread_create\n"
                                     "function 2 1 d other\n"
                                     "block 0\n"
                                     "ret 0 0 0 %0\n"
                                     "end\n"
                                     "function 3 1 x __VERIFIER_assert\n"
                                     "function 4 1 d created\n"
                                     "block 0\n"
                                     "load 0 0 0 %1 4 na - @2+0\n"
                                     "eq 0 0 0 %2 32 %1 #2\n"
                                     "zext 0 0 0 %3 32 1 %2\n"
                                     "call 0 0 0 %- 0 $3 %3\n"
                                     "load 0 0 0 %4 4 relaxed - @3+0\n"
                                     "eq 0 0 0 %5 32 %4 #2\n"
                                     "zext 0 0 0 %6 32 1 %5\n"
                                     "call 0 0 0 %- 0 $3 %6\n"
                                     "store 0 0 0 4 na - @4+0 #2\n"
                                     "store 0 0 0 4 relaxed - @5+0 #2\n"
                                     "load 0 0 0 %7 4 na - @4+0\n"
                                     "eq 0 0 0 %8 32 %7 #2\n"
                                     "zext 0 0 0 %9 32 1 %8\n"
                                     "call 0 0 0 %- 0 $3 %9\n"
                                     "load 0 0 0 %10 4 relaxed - @5+0\n"
                                     "eq 0 0 0 %11 32 %10 #2\n"
                                     "zext 0 0 0 %12 32 1 %11\n"
                                     "call 0 0 0 %- 0 $3 %12\n"
                                     "store 0 0 0 4 na - @6+0 #1\n"
                                     "store 0 0 0 4 relaxed - @7+0 #1\n"
                                     "ret 0 0 0 %0\n"
                                     "end\n";

bool c_model_is_coherent(const struct model *m, const struct c_target *t, struct arena *a) {
  struct diag d;
  struct c_result r;
  struct c_options o = {.unroll = 1, .target = t};
  struct c_module *module = c_module_read(coherence_text, strlen(coherence_text), a, &d);
  CHECK(module, "the program that asks for coherence cannot be read: %s", d.message);
  struct c_program *c = c_program_build(module, &o, a, &d);
  return c && c_check_run(c, m, CORE_NONE, 0, a, &r, &d) && r.verdict == C_VERIFIED;
}
