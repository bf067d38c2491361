/* Readers of tests and models: what they accept, and where and how they reject. */
#include "axiom/cat.h"
#include "axiom/litmus.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* after the standard headers it needs */
#include <cmocka.h>

static void rejects_test(const char *text, int line, int column, const char *message) {
  struct arena a = {0};
  struct diag d = {0};
  assert_null(test_parse("t", text, strlen(text), &a, 2, &d));
  if (!strstr(d.message, message) || d.place.line != line || d.place.column != column)
    fail_msg("got %d:%d: %s", d.place.line, d.place.column, d.message);
  arena_release(&a);
}

static void rejects_model(const char *text, int line, int column, const char *message) {
  struct diag d = {0};
  struct model *m = model_parse("m", text, "models", &d);
  assert_null(m);
  if (!strstr(d.message, message) || d.place.line != line || d.place.column != column)
    fail_msg("got %d:%d: %s", d.place.line, d.place.column, d.message);
}

static void bad_litmus(void **state) {
  (void)state;
  rejects_test("", 1, 1, "expected X86, X86_64, AArch64, RISCV, PPC, C or test");
  rejects_test("ARM MP\n{}", 1, 1, "unknown architecture 'ARM'");
  rejects_test("X86_64 A\n", 2, 1, "expected '{'");
  rejects_test("X86_64 A\n{ x=1 y=2; }", 2, 7, "expected ';' or '}'");
  rejects_test("X86_64 A\n{}\n P0 ;\n frob (x) ;\nexists (x=1)", 4, 2,
               "instruction 'frob' is not supported");
  rejects_test("X86_64 A\n{}\n P0 ;\n movq $1,(x) ;\nexists (1:rax=0)", 5, 9, "no thread 1");
  rejects_test("X86_64 A\n{}\n P0 ;\n movq $1,(x) ;\nexists (0:foo=0)", 5, 11,
               "expected a register");
  rejects_test("X86_64 A\n{}\n P0 ;\n movq $1,(x) | nop ;\nexists (x=0)", 4, 16, "no more columns");
  rejects_test("X86_64 A\n{}\n P0 ;\n jmp L ;\nexists (x=0)", 4, 6, "no label 'L'");
  rejects_test("X86_64 A\n{}\n P0 ;\n je L ;\n L: ;\nexists (x=0)", 4, 2,
               "flags that no instruction has set");
  rejects_test("X86_64 A\n{}\n P0 ;\n movq $1,(x) ;\nexists (x=0) junk", 5, 14, "expected the end");
  rejects_test("X86_64 A\n{}\n P0 ;\n movq (x),(y) ;\nexists (x=0)", 4, 2, "memory to memory");
  rejects_test("X86_64 A\n{}\n(* never closed", 3, 1, "never closed");
}

/* What editors write into files without being asked, and what is no text at all. */
static void bytes(void **state) {
  (void)state;
  rejects_test("\xef\xbb\xbf"
               "frob",
               1, 1, "unknown architecture 'frob'");
  rejects_test("X86_64 A\n{}\n P0 ;\n \xc3\xa4 ;\nexists (x=0)", 4, 2, "unexpected byte 0xc3");
  rejects_test("X86_64 A\r\n{}\r\n P0 ;\r\n frob ;\r\nexists (x=0)", 4, 2,
               "'frob' is not supported");
  rejects_test("X86_64 A\n{}\n P0 ;\n not %rax ;\nnot exists (x=0) junk", 5, 18,
               "expected the end");
}

static void bad_aarch64(void **state) {
  (void)state;
  rejects_test("AArch64 A\n{}\n P0 ;\n FROB X0 ;\nexists (x=1)", 4, 2, "'frob' is not supported");
  rejects_test("AArch64 A\n{}\n P0 ;\n LDR W0,[x] ;\nexists (x=1)", 4, 10, "a base register");
  rejects_test("AArch64 A\n{}\n P0 ;\n LDR W0,X1 ;\nexists (x=1)", 4, 2, "operand 2");
  rejects_test("AArch64 A\n{ %P0_x=x; }\n P0 ;\n LDR W0,[X%P0_y] ;\nexists (x=1)", 4, 12,
               "a name for a register");
  rejects_test("AArch64 A\n{}\n P0 ;\n DMB LEFT ;\nexists (x=1)", 4, 6, "expected a barrier");
  rejects_test("AArch64 A\n{}\n P0 ;\n CSET W0,EQ ;\nexists (x=1)", 4, 2, "looks at flags");
  rejects_test("AArch64 A\n{}\n P0 ;\n CBZ W0,out ;\nexists (x=1)", 4, 9, "no label 'out'");
  rejects_test("AArch64 A\n{}\n P0 ;\n NOP ;\nexists (0:X31=1)", 5, 11, "a register");
  rejects_test("AArch64 A\n{ int t[2]; int t[2]; }\n P0 ;\n NOP ;\nexists (x=1)", 2, 17,
               "declared twice");
  rejects_test("AArch64 A\n{ 0:X1=x; }\n P0 ;\n LDR W0,[X1] ;\n CBZ W0,L1 ;\n LDXR W2,[X1] ;\n B "
               "L2 ;\n L1: ;\n"
               " LDXR W2,[X1] ;\n L2: ;\n STXR W3,W2,[X1] ;\nexists (x=1)",
               11, 2, "different loads");
}

static void bad_riscv(void **state) {
  (void)state;
  rejects_test("RISCV A\n{}\n P0 ;\n frob x1 ;\nexists (x=1)", 4, 2, "'frob' is not supported");
  rejects_test("RISCV A\n{}\n P0 ;\n lw x5,x6 ;\nexists (x=1)", 4, 2, "an address such as 0(x6)");
  rejects_test("RISCV A\n{}\n P0 ;\n lw.up x5,(x6) ;\nexists (x=1)", 4, 2, "expected .aq");
  rejects_test("RISCV A\n{}\n P0 ;\n lr x5,(x6) ;\nexists (x=1)", 4, 2, "expected .w or .d");
  rejects_test("RISCV A\n{}\n P0 ;\n fence up,w ;\nexists (x=1)", 4, 8, "expected r, w or rw");
}

static void bad_power(void **state) {
  (void)state;
  rejects_test("PPC A\n{}\n P0 ;\n frob r1 ;\nexists (x=1)", 4, 2, "'frob' is not supported");
  rejects_test("PPC A\n{}\n P0 ;\n lwz r5,r6 ;\nexists (x=1)", 4, 9, "an address such as 0(r6)");
  rejects_test("PPC A\n{}\n P0 ;\n lwz r5,0(cr1) ;\nexists (x=1)", 4, 14, "a base register");
  rejects_test("PPC A\n{}\n P0 ;\n beq cr8,L ;\nexists (x=1)", 4, 2, "has 2 operands");
  rejects_test("PPC A\n{}\n P0 ;\n add r1,r2 ;\nexists (x=1)", 4, 2, "expected 3");
  rejects_test("PPC A\n{}\n P0 ;\n ldu r1,8(r1) ;\nexists (x=1)", 4, 2,
               "no register for the address");
  rejects_test("PPC A\n{}\n P0 ;\n rlwinm r1,r2,32,0,1 ;\nexists (x=1)", 4, 15, "from 0 to 31");
  rejects_test("PPC A\n{}\n P0 ;\n bne- ;\nexists (x=1)", 4, 7, "expected");
}

static void bad_c(void **state) {
  (void)state;
  rejects_test("C A\n{}\nexists (x=1)", 3, 1, "a thread such as P0");
  rejects_test("C A\n{}\nP0(int x) { }\nexists (x=1)", 3, 4, "is no pointer");
  rejects_test("C A\n{}\nP0(int *x) { frob(x); }\nexists (x=1)", 3, 14, "no primitive");
  rejects_test("C A\n{}\nP0(int *x) { x = 1; }\nexists (x=1)", 3, 14, "*x = ... writes it");
  rejects_test("C A\n{}\nP0(int *x) { *x = r; }\nexists (x=1)", 3, 19, "neither a local");
  rejects_test("C A\n{}\nP0(int *x) { *x = 1 }\nexists (x=1)", 3, 21, "expected ';'");
  rejects_test("C A\n{}\nP0(int *x) { atomic_load_explicit(x, now); }\nexists (x=1)", 3, 38,
               "an order such as");
  rejects_test("C A\n{}\nP0(int *x) { }\nexists (0:r=1)", 4, 11, "a local of the thread");
}

static void bad_schematic(void **state) {
  (void)state;
  rejects_test("test a shared x; thread T { y = x }", 1, 35, "expected ';'");
  rejects_test("test a\nshared x;\nthread T { r = q; }\nexists (r == 0)", 3, 16,
               "'q' is neither shared");
  rejects_test("test a\nshared x, x;", 2, 11, "declared twice");
  rejects_test("test a\nshared x;\nthread T after U { x = 1; }\nexists (x == 0)", 3, 16,
               "not another thread");
  rejects_test("test a\nshared x;\nthread T { x = 1; }\nexists (z == 0)", 4, 9, "'z' is neither");
  rejects_test("test a\nshared x;\nthread T { x = 99999999999999999999; }", 3, 16, "does not fit");
}

static void bad_model(void **state) {
  (void)state;
  rejects_model("\"m\"\nlet x = ", 2, 9, "expected a set or a relation");
  rejects_model("\"m\"\nacyclic po |", 2, 13, "expected a set or a relation");
  rejects_model("\"m\"\ninclude \"nowhere.cat\"", 2, 9, "cannot find");
  rejects_model("\"m\"\nrequire po in rf", 2, 17, "expected 'as'");
  rejects_model("\"m\"\nsome order x in po", 2, 14, "expected 'on'");
  rejects_model("\"m\"\nprocedure f() = with x from {po} end", 2, 17, "expected let, call");
  rejects_model("\"m\"\nlet 0 = po", 2, 5, "expected a name");
  rejects_model("\"m\"\nprocedure f( = end", 2, 14, "expected a parameter");
}

static void good_litmus(void **state) {
  (void)state;
  static const char text[] =
      "X86_64 T\n\"title\"\nCom=Rf Fr\n{ uint64_t x; int64_t t[2]={1,-1}; 0:rbx=x; uint64_t 0:rax; "
      "}\n"
      " P0                  | P1 ;\n movq $-1,(%rbx)     | L: ;\n lock; incl (y)      |    ;\n"
      " movq 8(t),%rcx      | movl (x),%eax ;\nlocations [x; 0:rcx;]\n~exists (1:rax=-1 /\\ "
      "x=-1)\n";
  struct arena a = {0};
  struct diag d = {0};
  struct program *p = test_parse("t", text, sizeof text - 1, &a, 2, &d);
  if (!p)
    fail_msg("%d:%d: %s", d.place.line, d.place.column, d.message);
  assert_string_equal(p->name, "T");
  assert_int_equal(p->quantifier, QUANT_NOT_EXISTS);
  assert_int_equal(p->threads.length, 3);
  assert_int_equal(p->parts.length, 2);
  assert_int_equal(p->observed.length, 3);
  assert_string_equal(p->observed.data[0].name, "0:rcx");
  assert_string_equal(p->observed.data[2].name, "[x]");
  arena_release(&a);
}

static void folding(void **state) {
  (void)state;
  struct arena a = {0};
  struct program *p = program_create(&a, "t");
  int one = expr_const(p, 1), r = expr_leaf(p, EXPR_READ, 0);
  assert_int_equal(expr_make(p, EXPR_ADD, one, one, -1), expr_const(p, 2));
  assert_int_equal(expr_make(p, EXPR_ITE, one, r, one), r);
  assert_int_equal(expr_make(p, EXPR_SUB, r, r, -1), expr_const(p, 0));
  assert_int_equal(expr_make(p, EXPR_SHL, r, expr_const(p, 0), -1), r);
  int low = expr_make(p, EXPR_AND, r, expr_const(p, 0xffffffff), -1);
  int word = expr_make(p, EXPR_WRAP32, r, -1, -1);
  assert_int_equal(expr_make(p, EXPR_WRAP32, low, -1, -1), word);
  assert_int_equal(expr_make(p, EXPR_AND, word, expr_const(p, 0xffffffff), -1), low);
  assert_int_equal(expr_make(p, EXPR_MUL, r, one, -1), expr_make(p, EXPR_MUL, r, one, -1));
  assert_int_equal(expr_apply(EXPR_WRAP32, 0x1ffffffff, 0, 0), -1);
  assert_int_equal(expr_apply(EXPR_DIV, INT64_MIN, -1, 0), INT64_MIN);
  arena_release(&a);
}

static void shipped_models(void **state) {
  (void)state;
  static const char *const names[] = {"sc",           "coherence",    "pram",   "causal",
                                      "pc",           "pc-published", "x86tso", "px86",
                                      "jmm-original", "jmm-revised"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    char path[100];
    struct diag d = {0};
    snprintf(path, sizeof path, "models/%s.cat", names[i]);
    struct model *m = model_load(path, "models", &d);
    if (!m)
      fail_msg("%s:%d:%d: %s", d.file, d.place.line, d.place.column, d.message);
    assert_true(m->item_count > 0 && m->title[0]);
    model_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bad_litmus),    cmocka_unit_test(bad_aarch64),
                                     cmocka_unit_test(bytes),         cmocka_unit_test(bad_riscv),
                                     cmocka_unit_test(bad_power),     cmocka_unit_test(bad_c),
                                     cmocka_unit_test(bad_schematic), cmocka_unit_test(bad_model),
                                     cmocka_unit_test(good_litmus),   cmocka_unit_test(folding),
                                     cmocka_unit_test(shipped_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
