/* Every construct of the model language: a model that uses it, what it must say, and the same from
 * the solver and from the enumerator (which asks the other evaluator).
 *
 * Verdicts are about four x86 tests: SB, MP, 2+2W and an exchange, whose answers tell the models
 * apart.  Expected: A allowed, F forbidden, - not looked at. */
#include "axiom/check.h"
#include "axiom/enumerate.h"
#include "axiom/litmus.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* after the standard headers it needs */
#include <cmocka.h>

static const char *const tests[] = {
    "X86_64 SB\n{}\n P0 | P1 ;\n movq $1,(x) | movq $1,(y) ;\n movq (y),%rax | movq (x),%rax ;\n"
    "exists (0:rax=0 /\\ 1:rax=0)\n",
    "X86_64 MP\n{}\n P0 | P1 ;\n movq $1,(x) | movq (y),%rax ;\n movq $1,(y) | movq (x),%rcx ;\n"
    "exists (1:rax=1 /\\ 1:rcx=0)\n",
    "X86_64 2+2W\n{}\n P0 | P1 ;\n movq $1,(x) | movq $1,(y) ;\n movq $2,(y) | movq $2,(x) ;\n"
    "exists (x=1 /\\ y=1)\n",
    "X86_64 X\n{ uint64_t 0:rax=1; uint64_t 1:rax=2; }\n P0 | P1 ;\n"
    " xchgq %rax,(x) | xchgq %rax,(x) ;\nexists (0:rax=0 /\\ 1:rax=0)\n"};

enum { TESTS = sizeof tests / sizeof *tests };

static const char brackets[] = "X86_64 brackets\n{}\n P0 ;\n movq $1,(x) ;\n movq $1,(y) ;\n"
                               " movq (y),%rax ;\n movq (x),%rcx ;\nexists (0:rax=1)\n";

/* Sequential consistency but for the construct under test, which has to supply `order`. */
#define SC "acyclic po | rf | order | rf^-1 ; order as sc\n"
#define COHERENT "acyclic po-loc | rf | co | fr as coherent\n"

static const struct {
  const char *what, *model, *expected;
} rows[] = {
    {"nothing forbidden", "acyclic 0 & co as nothing", "AAAA"},
    {"no candidate", "with x from {} acyclic x", "FFFF"},
    {"comments", "// one\n(* two (* nested *) *) # three\n/* four */ acyclic po | rf | co | fr",
     "FFFA"},
    {"comment that does not nest", "(* see (*p) *)\nacyclic po | rf | co | fr", "FFFA"},
    {"title and options", "C \"a title\"\nacyclic po | rf | co | fr as sc", "FFFA"},
    {"catdep", "\"t\"\ncatdep\nlet data = iico_data ; [Rreg]\nlet B = B\nacyclic po | rf | co | fr",
     "FFFA"},
    {"include cos", "include \"cos.cat\"\nacyclic po | rf | ca as sc", "FFFA"},
    {"with co", "include \"cross.cat\"\nwith order from generate_cos(co0)\n" SC, "FFFA"},
    {"with co, more than its ends",
     "include \"cross.cat\"\nwith order from generate_cos(co0 | (po-loc & (W * W)))\n" SC, "FFFA"},
    {"with co, without its ends", "include \"cross.cat\"\nwith order from generate_cos(0)\n" SC,
     "AAAA"},
    {"with, one order of all",
     "with order from linearisations(M, po | rf | fr | co)\nempty order & id", "FFFA"},
    {"with, an order of events of several kinds",
     "with order from linearisations(W, po)\nacyclic order | co as two\n"
     "acyclic po & ((W * W) | (R * M)) | rf | co | fr | order as tso",
     "-FFA"},
    {"with, listed",
     "with r from {0, po, co}\nlet order = r\nacyclic po | rf | order | fr\n~empty r & co", "----"},
    {"with, crossed",
     "with r from cross({{0, po}, {0, co}})\nacyclic r | rf | fr\nempty po \\ r\n"
     "empty co \\ r",
     "FFFA"},
    {"with, by classes of a function",
     "let ord c = linearisations(c, co0)\nlet rec all cs = match cs with || {} -> {} || c ++ r -> "
     "ord c ++ "
     "all r end\nwith order from cross(all (partition W))\n" SC,
     "FFFA"},
    {"procedure",
     "procedure sc(r, s) = let u = r | s acyclic u as both end\ncall sc(po | rf, co | fr) as x",
     "FFFA"},
    {"procedure with one argument", "procedure sc r = acyclic r end\ncall sc (po | rf | co | fr)",
     "FFFA"},
    {"procedure with a tuple",
     "procedure sc(r, s) = acyclic r | s end\nlet t = (po | rf, co | fr)\n"
     "call sc t",
     "FFFA"},
    {"procedures of the library",
     "call inclusion(po, po | rf)\ncall subseteq(W, M)\n"
     "call inclusion(rf | fr | co, ~(po^-1))",
     "AA--"},
    {"total of the library",
     "let o = (po | rf | co | fr)+\ncall total(po | po^-1 | ext | id, _ \\ IW)\n"
     "acyclic o",
     "FFFA"},
    {"functions",
     "let f(a, b) = a | b let g x = f(x, rf) let h = fun (a, b) -> f(a, b)\n"
     "acyclic h(g po, g co) | fr",
     "FFFA"},
    {"functions of functions", "let add a = fun b -> a | b\nacyclic add po rf | add co fr", "FFFA"},
    {"arguments without parentheses",
     "acyclic [domain po];po;[range po] | rf | co | fr\nempty domain 0", "FFFA"},
    {"parameters that nobody looks at",
     "let f(_, b) = b let g _ = po\nacyclic f(0, g 0) | rf | co | fr", "FFFA"},
    {"tuples",
     "let (a, b) = (po, rf) let (i) = id let c, d = (co, fr)\nlet swap(x, y) = (y, x)\nlet (e, _) "
     "= swap(0, d)\n"
     "acyclic a | b | c | e",
     "FFFA"},
    {"let rec", "let rec r = po | rf | co | fr | r ; r\nirreflexive r", "FFFA"},
    {"let rec and",
     "let rec a = po | b ; a and b = rf | co | fr | a ; b\nirreflexive a | b | a ; b | b ; a",
     "FFFA"},
    {"let rec when", "let rec r = po | rf | co | fr | r ; r when irreflexive r as sc", "FFFA"},
    {"let rec step by step", "let rec r = po | r ; (rf | co | fr) | r ; po\nirreflexive r", "FFFA"},
    {"let rec from both sides",
     "let rec r = po | (po ; (rf | co | fr) ; r) | (r ; (rf | co | fr) ; po)\n"
     "acyclic r | rf | co | fr",
     "FFFA"},
    {"let rec that has to have something",
     "let rec r = po | r ; (rf | co | fr) | r ; po\n~irreflexive r as some-cycle", "AAAF"},
    {"let rec that holds itself up",
     "let rec r = (rf & po^-1) | r ; po | r ; po^-1\n~empty r as some\n" COHERENT, "FFFF"},
    {"let rec with a closure", "let rec r = po | (r | rf | co | fr)+ ; po\nirreflexive r", "FFFA"},
    {"let rec that takes away and rests",
     "let rec open = W \\ domain(pairs) and pairs = pairs | ([open] ; po-loc ; [R])\n"
     "acyclic po | rf | co | fr | pairs",
     "FFFA"},
    {"let rec in a let", "let r = let rec t = po | rf | co | fr | t ; t in t in\nirreflexive r",
     "FFFA"},
    {"match, empty set",
     "let f s = match s with || {} -> po | rf | co | fr || x ++ r -> 0 end\nacyclic f {}", "FFFA"},
    {"match, folding over events",
     "let rec sum s = match s with || {} -> 0 || x ++ r -> ([x] ; po) | sum r end\n"
     "acyclic sum _ | rf | co | fr",
     "FFFA"},
    {"match, clauses the other way round",
     "let rec sum s = match s with x ++ r -> ([x] ; po) | sum r || {} -> 0 end\nacyclic sum _ | rf "
     "| co | fr",
     "FFFA"},
    {"match, folding over pairs",
     "let rec copy s = match s with || {} -> 0 || p ++ r -> p ++ copy r end\nacyclic copy (po | rf "
     "| co | fr)",
     "FFFA"},
    {"match, tags",
     "enum kind = 'strong || 'weak\nlet f t = match t with || 'strong -> po || _ -> 0 end\n"
     "acyclic f 'strong | f 'weak | rf | co | fr",
     "FFFA"},
    {"match, tags, items",
     "enum kind = 'strong || 'weak\nmatch 'weak with || 'strong -> empty _ || 'weak -> let o = po "
     "acyclic o | rf | co "
     "| fr || _ -> empty _ end",
     "FFFA"},
    {"map of the library",
     "let pairs = map (fun e -> [e] ; po) _\nwith p from {po}\n"
     "acyclic p | rf | co | fr\nempty nodetour(po, po, po) \\ po\nempty imply(W, M) \\ _",
     "FFFA"},
    {"forall, events", "forall e in M do acyclic po | rf | co | fr as sc end", "FFFA"},
    {"forall, tags",
     "enum all = 'this || 'that\nforall t in all do empty tag2events(t) as none end\nacyclic co",
     "AAAA"},
    {"set literals",
     "let s = {po, rf} let t = {}\nlet rec join s = match s with || {} -> 0 || r ++ q -> r | join "
     "q "
     "end\nacyclic join s | join t | join (co ++ {fr})",
     "FFFA"},
    {"singletons",
     "let rec ids s = match s with || {} -> 0 || e ++ r -> ({e} * {e}) | ids r end\n"
     "acyclic po | rf | co | fr\nempty ids _ \\ id\nempty id \\ ids _",
     "FFFA"},
    {"pairs of events",
     "let rec all s = match s with || {} -> 0 || e ++ r -> (e, e) ++ all r end\n"
     "acyclic po | rf | co | fr\nempty id \\ all _",
     "FFFA"},
    {"if over sets",
     "let s = if W in M then po | rf else 0 let t = if M = W then 0 else co | fr\nacyclic s | t",
     "FFAA"},
    {"if that depends on the execution",
     "let s = if rf in int then 0 else po | rf | co | fr\nacyclic s", "-F--"},
    {"execution blocks, one after the other",
     "execution let s = po | rf end execution let t = s | co | fr end\nacyclic t", "FFFA"},
    {"variants",
     "if \"x\" && not \"y\" empty _ else acyclic po | rf | co | fr end\n"
     "if not (\"x\" || variant \"y\") empty 0 end\n"
     "acyclic (if not \"x\" then 0 else _ * _)",
     "FFFA"},
    {"try", "let r = try nowhere with po\nacyclic r | rf | co | fr", "FFFA"},
    {"begin and end", "acyclic begin po | rf end | begin co | fr end", "FFFA"},
    {"inverse with blanks", "acyclic po | rf | co | (rf ^ -1 ; co) \\ id", "FFFA"},
    {"tests with a tilde", "~empty po\n~acyclic po | po^-1\nacyclic po | rf | co | fr", "FFFA"},
    {"flags do not forbid",
     "flag ~empty W as w undefined_unless empty W as u assert empty W as a acyclic co", "AAAA"},
    {"show", "show po, rf\nshow po & loc as po-loc\nunshow rf\ndebug po\nacyclic po | rf | co | fr",
     "FFFA"},
    {"instructions",
     "enum a = 'once || 'acquire\ninstructions R[{'once,'acquire}]\ndefault W[a]\n"
     "acyclic po | rf | co | fr",
     "FFFA"},
    {"tags as sets",
     "empty tag2set('nothing-like-it) empty DMB.SY | Rcu-lock\nacyclic po | rf | co | fr", "FFFA"},
    {"final writes",
     COHERENT "empty (co ; [W \\ FW]) & (W * FW)\nempty [FW] ; co\nacyclic po | rf | co | fr",
     "FFFA"},
    {"co0", "empty co0 \\ co\nacyclic po | rf | co | fr", "FFFA"},
    {"different values",
     "empty different-values(rf)\nempty different-values(rf^-1 ; rf)\nacyclic po | rf | co | fr",
     "FFFA"},
    {"partition",
     "let rec all s = match s with || {} -> 0 || c ++ r -> (c * c) | all r end\n"
     "empty all (partition M) \\ loc\nempty (loc & (M * M)) \\ all (classes-loc M)\nacyclic po | "
     "rf | co | fr",
     "FFFA"},
    {"classes",
     "let rec all s = match s with || {} -> 0 || c ++ r -> (c * c) | all r end\n"
     "empty all (classes int) \\ int\nempty int \\ all (classes int)\nacyclic po | rf | co | fr",
     "FFFA"},
    {"fences",
     "let dmb = fencerel(MFENCE) | fromto(F) | ctrlcfence(ctrl, ISB)\nacyclic po | dmb | rf | co | "
     "fr",
     "FFFA"},
    {"exchange", "empty rmw & (fre ; coe)\nempty amo \\ rmw empty lxsx\nempty X \\ udr(rmw)",
     "AAAF"},
    {"priorities",
     "let r = po | rf ; rf \\ 0 & W * W\nlet s = po | (rf ; (rf \\ (0 & (W * W))))\n"
     "empty r \\ s empty s \\ r acyclic r | rf | co | fr",
     "FFFA"},
};

static struct program *parse_test(const char *text, struct arena *a) {
  struct diag d = {0};
  struct program *p = test_parse("test", text, strlen(text), a, 1, &d);
  if (!p)
    fail_msg("%s\n%d:%d: %s", text, d.place.line, d.place.column, d.message);
  return p;
}

/* '-': only that both evaluators say the same. */
static void check_test(const char *what, const struct model *m, const char *test, char expected) {
  struct arena a = {0};
  struct diag d = {0};
  struct check_options options = {.core = CORE_NONE};
  struct check_result r;
  struct enumeration e;
  const struct final_state *missing;
  struct program *p = parse_test(test, &a);
  if (!check_run(p, m, &options, &a, &r, &d))
    fail_msg("%s, %s: %s:%d:%d: %s", what, p->name, d.file, d.place.line, d.place.column,
             d.message);
  if (expected != '-' && r.found != (expected == 'A'))
    fail_msg("%s, %s: %s", what, p->name, r.found ? "allowed" : "forbidden");
  assert_true(enumerate_run(p, m, 100000, &a, &e, &d));
  if (!states_equal(p, r.states.data, r.states.length, e.states.data, e.states.length, &missing))
    fail_msg("%s, %s: %d states, the enumerator has %d", what, p->name, r.states.length,
             e.states.length);
  arena_release(&a);
}

static struct model *parse_model(const char *what, const char *text) {
  struct diag d = {0};
  struct model *m = model_parse("model.cat", text, "models", &d);
  if (!m)
    fail_msg("%s: %s:%d:%d: %s", what, d.file, d.place.line, d.place.column, d.message);
  return m;
}

static void check_row(const char *what, const char *text, const char *expected) {
  struct model *m = parse_model(what, text);
  for (int t = 0; t < TESTS; t++)
    check_test(what, m, tests[t], expected[t]);
  model_destroy(m);
}

/* Writes open and reads close.  In each round the names are evaluated as they are written: all at
 * once, from the last round's values, would match the first bracket with every later one. */
static void rounds(void **state) {
  (void)state;
  struct model *m = parse_model(
      "brackets",
      "let rec opening = W \\ domain(pairs) and closing = R \\ range(pairs)\n"
      "and unmatched = opening | closing and upo = [unmatched] ; po ; [unmatched]\n"
      "and both = [opening] ; po ; [closing] and pairs = pairs | both \\ (upo ; upo)\n"
      "acyclic po | rf | co | fr\nempty pairs \\ loc\nempty (po-loc & (W * R)) \\ pairs");
  check_test("brackets", m, brackets, 'A');
  model_destroy(m);
}

static void constructs(void **state) {
  (void)state;
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    check_row(rows[i].what, rows[i].model, rows[i].expected);
}

/* What is wrong, and where. */
static const struct {
  const char *model;
  int line, column;
  const char *message;
} mistakes[] = {
    {"acyclic po\nlet rec x = W \\ x", 2, 15, "'let rec x' comes to no rest"},
    {"let rec a = W \\ b and b = a\nempty a", 1, 15, "'let rec a' comes to no rest"},
    {"let rec f x = f x\nempty f W", 1, 15, "calls nested more than"},
    {"let f s = match s with || {} -> 0 end", 1, 11, "a match on a set needs the clauses"},
    {"let f s = match s with || {} -> 0 || {} -> 0 end", 1, 38, "a second clause"},
    {"let a = match W with || 'x -> 0 end", 1, 9, "expected a tag to match"},
    {"let a = match 'y with || 'x -> 0 end", 1, 9, "no clause for 'y"},
    {"let (a, b) = po", 1, 14, "expected a tuple of 2 values"},
    {"let f(a, b) = a\nempty f(po)", 2, 7, "'f' takes 2 arguments, not 1"},
    {"call nowhere(po)", 1, 1, "unknown name 'nowhere'"},
    {"let f = po\ncall f(po)", 2, 1, "'f' is not a procedure"},
    {"procedure p(x) = empty x end\ncall p(po, rf)", 1, 18, "expected a set or a relation"},
    {"with x from po", 1, 13, "needs a set of relations"},
    {"with x from {W}", 1, 13, "expected a relation"},
    {"procedure p(x) = with y from {x} end", 1, 18, "unexpected 'with'"},
    {"include \"nowhere.cat\"", 1, 9, "cannot find the included file"},
    {"empty Rreg", 1, 7, "about registers"},
    {"let s = {po} & {rf}", 1, 14, "can only be united"},
    {"let s = W ++ {po}", 1, 11, "of another kind"},
    {"let s = tag2scope('x)", 1, 9, "the test has no scopes"},
    {"let s = tag2set(W)", 1, 9, "expected a tag"},
    {"let s = linearisations(W)", 1, 9, "linearisations takes 2 arguments, not 1"},
    {"let s = classes(rf | rf^-1 | id)", 1, 9, "the same in all executions"},
    {"let rec f o = match o with || {} -> 0 || x ++ y -> x end\nempty f (linearisations(W, 0))", 1,
     15, "cannot be taken apart"},
    {"(* never closed", 1, 1, "comment is never closed"},
    {"enum x = a", 1, 10, "expected a tag"},
    {"let rec (a, b) = po", 1, 9, "needs one name"},
};

static void errors(void **state) {
  (void)state;
  for (unsigned i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    struct diag d = {0};
    struct arena a = {0};
    struct check_options options = {.core = CORE_NONE};
    struct check_result r;
    struct model *m = model_parse("model.cat", mistakes[i].model, "models", &d);
    if (m && check_run(parse_test(tests[0], &a), m, &options, &a, &r, &d))
      fail_msg("no mistake found in: %s", mistakes[i].model);
    if (!strstr(d.message, mistakes[i].message) || d.place.line != mistakes[i].line ||
        d.place.column != mistakes[i].column)
      fail_msg("%s\n: %d:%d: %s", mistakes[i].model, d.place.line, d.place.column, d.message);
    arena_release(&a);
    model_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest units[] = {cmocka_unit_test(constructs), cmocka_unit_test(rounds),
                                     cmocka_unit_test(errors)};
  return cmocka_run_group_tests(units, NULL, NULL);
}
