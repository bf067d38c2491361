/* Seeded random tests of all litmus languages: the solver and the enumerator must find the same final states.
 *
 *   axiom_random                 the fixed number of tests that `make check` runs
 *   axiom_random SEED COUNT      more
 * A difference is shrunk, instruction by instruction, and printed as a .litmus file. */
#include "axiom/check.h"
#include "axiom/enumerate.h"
#include "axiom/litmus.h"
#include "base/rng.h"
#include "base/str.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the standard headers it needs */
#include <cmocka.h>

enum { THREADS_MAX = 4, CODE_MAX = 5, CANDIDATES_MAX = 800, REGISTERS = 3 };

/* One language of tests.  In a template, $r $s $t are registers, $c a register with a constant, $v a
 * value, $a the address of a location, $x its name, $o $q $w $f an order of C (any, of a read, of a
 * write, of a fence), and L is the end of the thread. */
struct language {
  const char *header, *model;
  const char *registers[REGISTERS];
  const char *addresses[3], *constants[4];
  const char *first; /* runs before the rest where there is a branch */
  bool functions;    /* threads are C functions */
  const char *const *templates;
};

static const char *const x86_templates[] = {"movq $v,($x)",
                                            "movq $v,($x)",
                                            "movq $v,($x)",
                                            "movq ($x),%$r",
                                            "movq ($x),%$r",
                                            "movq ($x),%$r",
                                            "movq ($x),%$r",
                                            "mfence",
                                            "xchgq %$r,($x)",
                                            "movq %$r,($x)",
                                            "lock xaddq %$r,($x)",
                                            "lock cmpxchgq %rcx,($x)",
                                            "jne L",
                                            NULL};

static const char *const aarch64_templates[] = {"STR $c,[$a]",
                                                "STR $c,[$a]",
                                                "STR $r,[$a]",
                                                "LDR $r,[$a]",
                                                "LDR $r,[$a]",
                                                "LDR $r,[$a]",
                                                "LDAR $r,[$a]",
                                                "LDAPR $r,[$a]",
                                                "STLR $c,[$a]",
                                                "DMB SY",
                                                "DMB LD",
                                                "DMB ST",
                                                "EOR $r,$s,$s",
                                                "ORR $r,$s,$t",
                                                "LDXR $r,[$a]",
                                                "STXR W9,$c,[$a]",
                                                "SWP $c,$r,[$a]",
                                                "LDADDAL $c,$r,[$a]",
                                                "CASA $r,$c,[$a]",
                                                "CBNZ $r,L",
                                                "LDR $r,[$a,$s,UXTW]",
                                                "ISB",
                                                NULL};

static const char *const riscv_templates[] = {"sw $c,0($a)",
                                              "sw $c,0($a)",
                                              "sw $r,0($a)",
                                              "lw $r,0($a)",
                                              "lw $r,0($a)",
                                              "lw.aq $r,0($a)",
                                              "sw.rl $c,0($a)",
                                              "fence rw,rw",
                                              "fence w,w",
                                              "fence.tso",
                                              "xor $r,$s,$s",
                                              "or $r,$s,$t",
                                              "lr.w $r,($a)",
                                              "sc.w x9,$c,($a)",
                                              "amoswap.w.aq $r,$c,($a)",
                                              "amoor.w.rl $r,$c,($a)",
                                              "bne $r,x0,L",
                                              NULL};

static const char *const power_templates[] = {"stw $c,0($a)",
                                              "stw $c,0($a)",
                                              "stw $r,0($a)",
                                              "lwz $r,0($a)",
                                              "lwz $r,0($a)",
                                              "lwzx $r,$s,$a",
                                              "sync",
                                              "lwsync",
                                              "eieio",
                                              "isync",
                                              "xor $r,$s,$s",
                                              "or $r,$s,$t",
                                              "cmpw $r,$s",
                                              "lwarx $r,0,$a",
                                              "stwcx. $c,0,$a",
                                              "bne L",
                                              NULL};

static const char *const c11_templates[] = {
    "atomic_store_explicit($x, $v, memory_order_$w);",
    "atomic_store_explicit($x, $v, memory_order_$w);",
    "$r = atomic_load_explicit($x, memory_order_$q);",
    "$r = atomic_load_explicit($x, memory_order_$q);",
    "atomic_thread_fence(memory_order_$f);",
    "$r = atomic_exchange_explicit($x, $v, memory_order_$o);",
    "$r = atomic_fetch_or_explicit($x, $v, memory_order_$o);",
    "if ($r) atomic_store_explicit($x, $v, memory_order_$w); else $s = *$x;",
    "*$x = $r;",
    NULL};

static const char *const kernel_templates[] = {"WRITE_ONCE(*$x, $v);",
                                               "WRITE_ONCE(*$x, $r ^ $r);",
                                               "$r = READ_ONCE(*$x);",
                                               "$r = READ_ONCE(*$x);",
                                               "smp_store_release($x, $v);",
                                               "$r = smp_load_acquire($x);",
                                               "smp_mb();",
                                               "smp_wmb();",
                                               "smp_rmb();",
                                               "$r = xchg_relaxed($x, $v);",
                                               "$r = cmpxchg($x, $r, $v);",
                                               "if ($r) WRITE_ONCE(*$x, $v);",
                                               NULL};

static const struct language languages[] = {
    {"X86_64",
     "x86tso",
     {"rax", "rcx", "rdx"},
     {"x", "y", "z"},
     {0},
     "testq %rax,%rax",
     false,
     x86_templates},
    {"X86_64",
     "sc",
     {"rax", "rcx", "rdx"},
     {"x", "y", "z"},
     {0},
     "testq %rax,%rax",
     false,
     x86_templates},
    {"AArch64",
     "aarch64",
     {"W1", "W2", "W3"},
     {"X10", "X11", "X12"},
     {"W4", "W5", "W6", "W7"},
     "",
     false,
     aarch64_templates},
    {"RISCV",
     "riscv",
     {"x1", "x2", "x3"},
     {"x10", "x11", "x12"},
     {"x4", "x5", "x6", "x7"},
     "",
     false,
     riscv_templates},
    {"PPC",
     "power",
     {"r1", "r2", "r3"},
     {"r10", "r11", "r12"},
     {"r4", "r5", "r6", "r7"},
     "",
     false,
     power_templates},
    {"C", "rc11", {"r1", "r2", "r3"}, {"x", "y", "z"}, {0}, "", true, c11_templates},
    {"C", "lkmm", {"r1", "r2", "r3"}, {"x", "y", "z"}, {0}, "", true, kernel_templates}};

struct random_test {
  const struct language *language;
  int threads, locations;
  int count[THREADS_MAX];
  char code[THREADS_MAX][CODE_MAX][96];
};

static uint64_t first_seed = 1;
static int test_count = 700;

static const char *random_order(struct rng *r, char kind) {
  static const char *const orders[] = {"relaxed", "seq_cst", "acquire", "release", "acq_rel"};
  uint64_t n = rng_below(r, kind == 'q' || kind == 'w' ? 3 : kind == 'f' ? 4 : 5);
  return orders[kind == 'w' && n == 2 ? 3 : kind == 'f' ? n + 1 : n];
}

/* Values are small and mostly different, so that reads can tell writes apart. */
static void random_instruction(struct rng *r, const struct random_test *t, int thread, char *out,
                               size_t size, int value) {
  const struct language *l = t->language;
  int count = 0;
  while (l->templates[count])
    count++;
  uint64_t location = rng_below(r, (uint64_t)t->locations);
  struct str s = {0};
  for (const char *c = l->templates[rng_below(r, (uint64_t)count)]; *c; c++) {
    if (*c != '$') {
      str_format(&s, "%c", *c);
      continue;
    }
    c++;
    if (*c == 'r' || *c == 's' || *c == 't')
      str_append(&s, l->registers[rng_below(r, REGISTERS)]);
    else if (*c == 'c')
      str_append(&s, l->constants[rng_below(r, 4)]);
    else if (*c == 'v')
      str_format(&s, l->functions ? "%d" : "$%d", value);
    else if (*c == 'a')
      str_append(&s, l->addresses[location]);
    else if (*c == 'x')
      str_format(&s, "%c", (char)('x' + location));
    else
      str_append(&s, random_order(r, *c));
  }
  snprintf(out, size, "%s", str_text(&s));
  char *label = strstr(out, "L");
  if (label && !label[1]) /* the last word: a branch to the end */
    snprintf(label, size - (size_t)(label - out), "L%d", thread);
  str_free(&s);
}

static void random_test(struct rng *r, const struct language *l, struct random_test *t) {
  memset(t, 0, sizeof *t);
  t->language = l;
  t->threads = 1 + (int)rng_below(r, THREADS_MAX);
  t->locations = 1 + (int)rng_below(r, 3);
  int left = 8, value = 1;
  for (int i = 0; i < t->threads; i++) {
    t->count[i] = 1 + (int)rng_below(r, t->threads > 2 ? 3 : CODE_MAX - 1);
    for (int j = 0; j < t->count[i] && left > 0; j++, left--)
      random_instruction(r, t, i, t->code[i][j], sizeof t->code[i][j], value++);
  }
}

static bool branches(const struct random_test *t, int i) {
  char label[8];
  snprintf(label, sizeof label, "L%d", i);
  for (int j = 0; j < t->count[i]; j++)
    if (strstr(t->code[i][j], label))
      return true;
  return false;
}

static void print_functions(const struct random_test *t, struct str *s) {
  for (int i = 0; i < t->threads; i++) {
    str_format(s, "P%d (atomic_int *x, atomic_int *y, atomic_int *z) {\n int r1, r2, r3;\n", i);
    for (int j = 0; j < t->count[i]; j++)
      str_format(s, " %s\n", t->code[i][j]);
    str_append(s, "}\n");
  }
}

static void print_columns(const struct random_test *t, struct str *s) {
  for (int i = 0; i < t->threads; i++)
    str_format(s, "%s P%d", i ? " |" : "", i);
  str_append(s, " ;\n");
  for (int j = -1; j <= CODE_MAX; j++) {
    for (int i = 0; i < t->threads; i++) {
      str_append(s, i ? " | " : " ");
      if (j < 0)
        str_append(s, branches(t, i) ? t->language->first : "");
      else if (j == CODE_MAX && branches(t, i))
        str_format(s, "L%d:", i);
      else if (j < t->count[i])
        str_append(s, t->code[i][j]);
    }
    str_append(s, " ;\n");
  }
}

static void print_test(const struct random_test *t, struct str *s) {
  const struct language *l = t->language;
  str_format(s, "%s random\n{ ", l->header);
  for (int i = 0; l->constants[0] && i < t->threads; i++) {
    for (int a = 0; a < 3; a++)
      str_format(s, "%d:%s=%c; ", i, l->addresses[a], 'x' + a);
    for (int c = 0; c < 4; c++)
      str_format(s, "%d:%s=%d; ", i, l->constants[c], 4 * i + c + 1);
  }
  str_append(s, "}\n");
  if (l->functions)
    print_functions(t, s);
  else
    print_columns(t, s);
  str_append(s, "locations [");
  for (int x = 0; x < t->locations; x++)
    str_format(s, "%c; ", 'x' + x);
  for (int i = 0; i < t->threads; i++)
    for (int g = 0; g < REGISTERS; g++)
      str_format(s, "%d:%s; ", i, l->registers[g]);
  str_append(s, "]\nexists (true)\n");
}

enum answer { SAME, DIFFERENT, TOO_LARGE };

static enum answer compare(const struct random_test *t, const struct model *m) {
  struct arena a = {0};
  struct str text = {0};
  struct diag d = {0};
  print_test(t, &text);
  struct program *p = test_parse("random", str_text(&text), text.length, &a, 2, &d);
  if (!p)
    fail_msg("%d:%d: %s in\n%s", d.place.line, d.place.column, d.message, str_text(&text));
  struct check_options options = {.core = CORE_NONE};
  struct check_result result;
  struct enumeration e;
  const struct final_state *missing;
  enum answer answer = TOO_LARGE;
  if (enumerate_run(p, m, CANDIDATES_MAX, &a, &e, &d) && e.complete) {
    assert_true(check_run(p, m, &options, &a, &result, &d));
    bool same = states_equal(p, result.states.data, result.states.length, e.states.data,
                             e.states.length, &missing);
    answer = same ? SAME : DIFFERENT;
  }
  str_free(&text);
  arena_release(&a);
  return answer;
}

static bool drop_one(struct random_test *t, const struct model *m) {
  for (int i = 0; i < t->threads; i++)
    for (int j = 0; j < t->count[i]; j++) {
      struct random_test smaller = *t;
      memmove(smaller.code[i][j], smaller.code[i][j + 1],
              sizeof smaller.code[i][0] * (size_t)(t->count[i] - j - 1));
      smaller.count[i]--;
      if (compare(&smaller, m) == DIFFERENT) {
        *t = smaller;
        return true;
      }
    }
  return false;
}

static void against(const struct language *l, int count) {
  struct diag d = {0};
  char path[64];
  snprintf(path, sizeof path, "models/%s.cat", l->model);
  struct model *m = model_load(path, "models", &d);
  assert_non_null(m);
  int compared = 0;
  for (int i = 0; i < count; i++) {
    struct rng r = {first_seed * 1000003u + (uint64_t)i};
    struct random_test t;
    random_test(&r, l, &t);
    enum answer answer = compare(&t, m);
    compared += answer == SAME;
    if (answer != DIFFERENT)
      continue;
    while (drop_one(&t, m))
      ;
    struct str text = {0};
    print_test(&t, &text);
    fail_msg("seed %llu, test %d, %s: the states differ for\n%s", (unsigned long long)first_seed, i,
             path, str_text(&text));
  }
  printf("%s: %d of %d random tests small enough, all the same\n", path, compared, count);
  assert_true(compared > count / 2);
  model_destroy(m);
}

static void x86(void **state) {
  (void)state;
  against(&languages[0], test_count);
  against(&languages[1], test_count);
}

static void others(void **state) {
  (void)state;
  for (unsigned i = 2; i < sizeof languages / sizeof *languages; i++)
    against(&languages[i], test_count / 10);
}

int main(int argc, char **argv) {
  if (argc > 2) {
    first_seed = strtoull(argv[1], NULL, 10);
    test_count = atoi(argv[2]);
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(x86), cmocka_unit_test(others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
