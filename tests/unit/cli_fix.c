/* Where --fix puts a flush, and what it flushes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/fix_edit.h"
#include "cli/fix_include.h"
#include "cli/fix_source.h"
#include <string.h>

#define BOTH .flush = true, .fence = true

/* The place is the first '@' of the text, which is left out. */
static void assert_fix(const char *marked, struct fix_edit e, const char *function,
                       const char *want) {
  struct str source = {0}, got = {0};
  fix_change_list changes = {0};
  const char *at = strchr(marked, '@');
  assert_non_null(at);
  e.line = e.column = 1;
  for (const char *p = marked; p < at; p++) {
    e.column = *p == '\n' ? 1 : e.column + 1;
    e.line += *p == '\n';
  }
  str_append_bytes(&source, marked, (size_t)(at - marked));
  str_append(&source, at + 1);
  const char *why = fix_edit_apply(str_text(&source), &e, function, &changes);
  str_append(&got, "");
  fix_patched(str_text(&source), &changes, &got);
  assert_string_equal(why ? why : str_text(&got), want);
  fix_changes_free(&changes);
  str_free(&source);
  str_free(&got);
}

static void removals(void **state) {
  (void)state;
  struct fix_edit none = {0}, call = {.calls = true};
  assert_fix("f() {\n  a();\n  @flush(p);\n  b();\n}\n", call, NULL, "f() {\n  a();\n  b();\n}\n");
  assert_fix("f() {\n  @q->heap.flush(&p->x, sizeof p->x);\n}\n", call, NULL, "f() {\n}\n");
  assert_fix("f() {\n  if (a)\n    @flush(p);\n}\n", call, NULL, "f() {\n  if (a)\n    ;\n}\n");
  assert_fix("f() {\n  x = @flush(p);\n}\n", call, NULL, "the statement is not understood");
  assert_fix("f() {\n  @flush(p++);\n}\n", call, NULL, "the statement is not understood");
  assert_fix("f() {\n  @flush(next());\n}\n", call, NULL, "the statement is not understood");
  assert_fix("f() {\n  @asm volatile(\"sfence\" ::: \"memory\");\n}\n", none, NULL, "f() {\n}\n");
}

static void line_ends(void **state) {
  (void)state;
  assert_fix("f() {\r\n  @a();\r\n  b();\r\n}\r\n", (struct fix_edit){.calls = true}, NULL,
             "f() {\r\n  b();\r\n}\r\n");
  assert_fix("f() {\r\n  p->x @= 1;\r\n}\r\n", (struct fix_edit){BOTH}, NULL,
             "f() {\r\n  p->x = 1;\r\n  _mm_clwb((void *)&p->x);\r\n  _mm_sfence();\r\n}\r\n");
}

/* Branches that are not compiled are not in the way; a statement that they are in is left alone. */
static void conditions(void **state) {
  (void)state;
  struct fix_edit e = {BOTH};
  assert_fix("f() {\n  if (a)\n#ifdef B\n    p->x = 1;\n#else\n    p->y @= 1;\n#endif\n  else\n    "
             "b();\n}\n",
             e, NULL,
             "f() {\n  if (a)\n#ifdef B\n    p->x = 1;\n#else\n    { p->y = 1; _mm_clwb((void "
             "*)&p->y); _mm_sfence(); }\n#endif\n  else\n    b();\n}\n");
  assert_fix(
      "#if 0 // not )\nf(int a {\n#elif B\nf(int b) {\n#else\nf() {\n#endif\n  for (;; p->x @= "
      "1)\n    ;\n}\n",
      e, NULL,
      "#if 0 // not )\nf(int a {\n#elif B\nf(int b) {\n#else\nf() {\n#endif\n  for (;; p->x = 1, "
      "_mm_clwb((void *)&p->x), _mm_sfence())\n    ;\n}\n");
  assert_fix("f() {\n  p->x @=\n#if B\n    1;\n#else\n    2;\n#endif\n}\n", e, NULL,
             "it has an #if in it");
}

static void objects_made(void **state) {
  (void)state;
  struct fix_edit e = {BOTH};
  assert_fix(
      "f() {\n  @new (p) long(5);\n}\n", e, NULL,
      "f() {\n  ({ auto at_ = new (p) long(5); _mm_clwb((void *)at_); _mm_sfence(); at_; });\n}\n");
  assert_fix("f() {\n  auto q = g(::new (p) @a::b<int, 3>(x), 1);\n}\n", e, NULL,
             "f() {\n  auto q = g(({ auto at_ = ::new (p) a::b<int, 3>(x); _mm_clwb((void *)at_); "
             "_mm_sfence(); at_; }), 1);\n}\n");
  assert_fix("f() {\n  new (p) @pair{1, 2};\n}\n", e, "keep",
             "f() {\n  ({ auto at_ = new (p) pair{1, 2}; keep(at_, sizeof *at_); at_; });\n}\n");
  assert_fix("f() {\n  new->x @= 1;\n}\n", e, NULL, /* in C */
             "f() {\n  new->x = 1;\n  _mm_clwb((void *)&new->x);\n  _mm_sfence();\n}\n");
}

static void unusual_places(void **state) {
  (void)state;
  struct fix_edit e = {BOTH};
  assert_fix("f() {\n  @_mm_storeu_si128((__m128i *)p, v);\n}\n", e, "keep",
             "f() {\n  _mm_storeu_si128((__m128i *)p, v);\n  keep((__m128i *)p, sizeof *((__m128i "
             "*)p));\n}\n");
  assert_fix("f() {\n  p->*m @= 1;\n}\n", e, NULL,
             "f() {\n  p->*m = 1;\n  _mm_clwb((void *)&(p->*m));\n  _mm_sfence();\n}\n");
  assert_fix("f() {\n  IF p->x @= 1;\n}\n", e, NULL, "the statement is not understood");
  assert_fix(
      "f() {\n  if (a) __attribute__((likely)) p->x @= 1;\n}\n", e, NULL,
      "f() {\n  if (a) __attribute__((likely)) { p->x = 1; _mm_clwb((void *)&p->x); _mm_sfence(); "
      "}\n}\n");
  assert_fix("#define COUNT(p) (p)->n++\nf() {\n  @COUNT(q);\n}\n", e, NULL,
             "#define COUNT(p) (p)->n++\nf() {\n  COUNT(q);\n  _mm_clwb((void *)&(q)->n);\n  "
             "_mm_sfence();\n}\n");
}

/* The places are the '@'s of the text, which are left out. */
static bool all_of_function(const char *marked) {
  struct str source = {0};
  size_t at[8], count = 0;
  const char *places[8];
  for (; *marked; marked++) {
    if (*marked == '@')
      at[count++] = source.length;
    else
      str_append_char(&source, *marked);
  }
  str_append(&source, "");
  for (size_t i = 0; i < count; i++)
    places[i] = str_text(&source) + at[i];
  bool all = fix_is_all_of_function(str_text(&source), places, count);
  str_free(&source);
  return all;
}

static void whole_functions(void **state) {
  (void)state;
  assert_true(all_of_function("static void f(void *p) { @clwb(p); }"));
  assert_true(
      all_of_function("static void f(void *p)\n{\n  /* x */ @clwb(p);\n  // y\n  @sfence();\n}\n"));
  assert_false(all_of_function("static void f(void *p) { clwb(p); @sfence(); }"));
  assert_false(all_of_function("static void f(void *p) { @clwb(p); n++; }"));
  assert_false(all_of_function("static void f(void *p) { if (p) { @clwb(p); } n++; }"));
  assert_false(all_of_function("static void f(void *p) { if (p) @clwb(p); }"));
  assert_false(all_of_function("static void f(void *p) { for (; p < q; p += 64) { @clwb(p); } }"));
}

static void stores(void **state) {
  (void)state;
  struct fix_edit both = {BOTH};
  assert_fix("{\n  a->b @= 1; // \"=\"\n}\n", both, NULL,
             "{\n  a->b = 1; // \"=\"\n  _mm_clwb((void *)&a->b);\n  _mm_sfence();\n}\n");
  assert_fix("  x[(';')].y @+= 1;\n", both, NULL,
             "  x[(';')].y += 1;\n  _mm_clwb((void *)&x[(';')].y);\n  _mm_sfence();\n");
  assert_fix("  p->n@++;\n", both, "persist", "  p->n++;\n  persist(&p->n, sizeof(p->n));\n");
  assert_fix("  @atomic_store(&p->n, 2);\n", both, "persist",
             "  atomic_store(&p->n, 2);\n  persist(&p->n, sizeof *(&p->n));\n");
  assert_fix("\t@memcpy(to, from, n);\n", (struct fix_edit){BOTH, .copies = true}, "persist",
             "\tmemcpy(to, from, n);\n\tpersist(to, n);\n");
  assert_fix("  long_name =\n      @store(&x, 1);\n", both, NULL,
             "  long_name =\n      store(&x, 1);\n  _mm_clwb((void *)&x);\n  _mm_sfence();\n");
}

static void stores_in_cplusplus(void **state) {
  (void)state;
  struct fix_edit both = {BOTH};
  assert_fix("  n.next.@store(p->head.load(), std::memory_order_relaxed);\n", both, "f",
             "  n.next.store(p->head.load(), std::memory_order_relaxed);\n"
             "  f(&n.next, sizeof(n.next));\n");
  assert_fix("  @a->n++;\n", both, "f", "  a->n++;\n  f(&a->n, sizeof(a->n));\n");
  assert_fix("  @a->n = 3;\n", both, "f", "  a->n = 3;\n  f(&a->n, sizeof(a->n));\n");
  assert_fix("  @std::memset(p, 1, 2);\n", (struct fix_edit){BOTH, .copies = true}, "f",
             "  std::memset(p, 1, 2);\n  f(p, 2);\n");
  assert_fix("  static_cast<A *>(p)->x.@store(1);\n", both, "f",
             "  static_cast<A *>(p)->x.store(1);\n"
             "  f(&static_cast<A *>(p)->x, sizeof(static_cast<A *>(p)->x));\n");
  assert_fix("  a->@fetch_add(1);\n", both, "f", "  a->fetch_add(1);\n  f(a, sizeof *(a));\n");
  assert_fix("  @strcpy(n.name, x);\n", (struct fix_edit){BOTH, .copies = true}, "f",
             "  strcpy(n.name, x);\n  f(n.name, __builtin_strlen(n.name) + 1);\n");
}

static void bodies_get_braces(void **state) {
  (void)state;
  struct fix_edit both = {BOTH};
  assert_fix("if (a == b) p->x @= 1;\n", both, NULL,
             "if (a == b) { p->x = 1; _mm_clwb((void *)&p->x); _mm_sfence(); }\n");
  assert_fix("  else\n    p->x @= 1;\n", both, "f",
             "  else\n    { p->x = 1; f(&p->x, sizeof(p->x)); }\n");
  assert_fix("  else\n    p->x @= a +\n      b;\n", both, "f",
             "  else\n    { p->x = a +\n      b; f(&p->x, sizeof(p->x)); }\n");
  assert_fix("for (int i = 0; i < 2; i++)\n  p[i] @= 1;\nz();\n", both, "f",
             "for (int i = 0; i < 2; i++)\n  { p[i] = 1; f(&p[i], sizeof(p[i])); }\nz();\n");
  assert_fix("  a = 1; b @= 2; c = 3;\n", both, "f", "  a = 1; b = 2; f(&b, sizeof(b)); c = 3;\n");
}

/* Both are made at once. */
static void several_on_a_line(void **state) {
  (void)state;
  static const char source[] = "  if (q) a = 1; else b = 2; c = d = 3; /* more\n */ e = 4;\n";
  static const uint32_t columns[] = {12, 24, 35, 31};
  struct str got = {0}, diff = {0};
  fix_change_list changes = {0};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    assert_null(fix_edit_apply(source, &(struct fix_edit){.line = 1, .column = columns[i], BOTH},
                               "f", &changes));
  assert_null(
      fix_edit_apply(source, &(struct fix_edit){.line = 1, .column = 12, BOTH}, "g", &changes));
  fix_patched(source, &changes, &got);
  assert_string_equal(
      str_text(&got),
      "  if (q) { a = 1; f(&a, sizeof(a)); g(&a, sizeof(a)); } else { b = 2; f(&b, "
      "sizeof(b)); } c = (d = 3, f(&d, sizeof(d)), d); f(&c, sizeof(c)); /* more\n */ e "
      "= 4;\n");
  fix_diff(source, "a.c", &changes, &diff);
  assert_non_null(strstr(str_text(&diff), "@@ -1,2 +1,2 @@\n-  if (q)"));
  fix_changes_free(&changes);
  str_free(&got);
  str_free(&diff);
}

static void loads_and_fences(void **state) {
  (void)state;
  assert_fix("  long r = m->@x;\n", (struct fix_edit){BOTH, .reads = true}, NULL,
             "  long r = m->x;\n  _mm_clwb((void *)&m->x);\n  _mm_sfence();\n");
  assert_fix("  if (m->@x) {\n  }\n", (struct fix_edit){BOTH, .reads = true}, NULL,
             "  if (m->x) {\n    _mm_clwb((void *)&m->x);\n    _mm_sfence();\n  }\n");
  assert_fix("  @clwb(p);\n", (struct fix_edit){.fence = true}, NULL,
             "  clwb(p);\n  _mm_sfence();\n");
  assert_fix("  a();\n  @clwb(p); // why\n  b();\n", (struct fix_edit){0}, NULL,
             "  a();\n  b();\n");
  assert_fix("  a(); @clwb(p); b();\n", (struct fix_edit){0}, NULL, "  a(); b();\n");
  assert_fix("if (a) @clwb(p);\nb();\n", (struct fix_edit){0}, NULL, "if (a) ;\nb();\n");
}

/* What the place is must not be computed twice. */
static void places_with_effects(void **state) {
  (void)state;
  struct fix_edit both = {BOTH};
  assert_fix("  *p++ @= 1;\n", both, "f",
             "  { __typeof__(p++) at_ = p++; *at_ = 1; f(at_, sizeof *at_); }\n");
  assert_fix("  a[i++].x @+= 1;\n", both, NULL,
             "  { __typeof__(&a[i++].x) at_ = &a[i++].x; *at_ += 1; _mm_clwb((void *)at_); "
             "_mm_sfence(); }\n");
  assert_fix("  get(x)->n@++;\n", both, "f",
             "  { __typeof__(&get(x)->n) at_ = &get(x)->n; (*at_)++; f(at_, sizeof *at_); }\n");
  assert_fix("if (q) *get() @= 1;\n", both, "f",
             "if (q) { __typeof__(get()) at_ = get(); *at_ = 1; f(at_, sizeof *at_); }\n");
  assert_fix("  if ((*p++ @= 1)) { }\n", both, "f", "its address would be evaluated twice");
  assert_fix("  @memcpy(next(p), q, 8);\n", both, "f", "its address would be evaluated twice");
  assert_fix("  next(p).@store(1);\n", both, "f", "its address would be evaluated twice");
}

/* Behind the statement is too late. */
static void inside_statements(void **state) {
  (void)state;
  struct fix_edit both = {BOTH};
  assert_fix("  return p->n @= 1;\n", both, NULL,
             "  return (p->n = 1, _mm_clwb((void *)&p->n), _mm_sfence(), p->n);\n");
  assert_fix("  tail = tail->next @= n;\n", both, "f",
             "  tail = (tail->next = n, f(&tail->next, sizeof(tail->next)), tail->next);\n");
  assert_fix("  for (p->n @= 0; p->n < 2; p->n++)\n    ;\n", both, "f",
             "  for (p->n = 0, f(&p->n, sizeof(p->n)); p->n < 2; p->n++)\n    ;\n");
  assert_fix("  for (i = 0; i < 2; p->n@++)\n    ;\n", both, "f",
             "  for (i = 0; i < 2; p->n++, f(&p->n, sizeof(p->n)))\n    ;\n");
  assert_fix(
      "  while (1 < (int)p->n@-- + 2) g();\n", both, "f",
      "  while (1 < (int)({ __typeof__(p->n--) was_ = p->n--; f(&p->n, sizeof(p->n)); was_; }) + "
      "2) g();\n");
  assert_fix("  if ((p->n @= 1) > 3) {\n  }\n", both, "f",
             "  if (((p->n = 1, f(&p->n, sizeof(p->n)), p->n)) > 3) {\n  }\n");
  assert_fix("  q ? p->n @= 1 : p->m;\n", both, "f",
             "  q ? (p->n = 1, f(&p->n, sizeof(p->n)), p->n) : p->m;\n");
  assert_fix("  a @= 1, b = 2;\n", both, "f", "  a = 1, f(&a, sizeof(a)), b = 2;\n");
  assert_fix("  return x && @cas(&p->n, &x,\n    1);\n", both, "f",
             "  return x && ({ __typeof__(cas(&p->n, &x,\n    1)) was_ = cas(&p->n, &x,\n    1); "
             "f(&p->n, sizeof *(&p->n)); was_; });\n");
  assert_fix("  if (!l.@exchange(1)) { }\n", both, "f",
             "  if (!({ __typeof__(l.exchange(1)) was_ = l.exchange(1); f(&l, sizeof(l)); was_; "
             "})) { }\n");
  assert_fix("  for (s @= *t; q; q--) ;\n", (struct fix_edit){BOTH, .copies = true}, NULL,
             "  for (s = *t, ({ for (unsigned long line_ = (unsigned long)(&s) & -64ul; line_ < "
             "(unsigned long)(&s) + (sizeof(s)); line_ += 64) _mm_clwb((void *)line_); }), "
             "_mm_sfence(); q; q--) ;\n");
  assert_fix("  if (x @= 1) { }\n", (struct fix_edit){.fence = true, .full = true}, NULL,
             "  if (({ __typeof__(x = 1) was_ = x = 1; "
             "__atomic_thread_fence(__ATOMIC_SEQ_CST); was_; })) { }\n");
}

/* What is assigned is not stored to: behind the statement will do. */
static void kept_results(void **state) {
  (void)state;
  struct fix_edit both = {BOTH};
  assert_fix("  int was = @exchange(&p->n, 1);\n", both, "f",
             "  int was = exchange(&p->n, 1);\n  f(&p->n, sizeof *(&p->n));\n");
  assert_fix("  p = @exchange(&p->n, q);\n", both, "f",
             "  p = ({ __typeof__(exchange(&p->n, q)) was_ = exchange(&p->n, q); "
             "f(&p->n, sizeof *(&p->n)); was_; });\n");
  assert_fix("  go([&] { a->x @= 1; }, 2);\n", both, "f",
             "  go([&] { a->x = 1; f(&a->x, sizeof(a->x)); }, 2);\n");
}

static void not_understood(void **state) {
  (void)state;
  const char *why = "the statement is not understood";
  assert_fix("  @SET(a, 1);\n", (struct fix_edit){BOTH}, NULL,
             "the store is in a macro or a function whose argument is not an address");
  assert_fix("  long r = f(m)->@x;\n", (struct fix_edit){BOTH, .reads = true}, NULL, why);
  assert_fix("  a @= 1\n", (struct fix_edit){BOTH}, NULL, why);
  assert_fix("  if (m->@x) g();\n", (struct fix_edit){BOTH, .reads = true}, NULL, why);
  assert_fix("A::A() : x@(1) {}\n", (struct fix_edit){BOTH}, NULL, why);
}

static void diffs(void **state) {
  (void)state;
  static const char source[] = "1;\n2;\n3;\n4;\n5;\n  x = 1;\n7;\n8;\n9;\n10;\n";
  struct str out = {0};
  fix_change_list changes = {0};
  assert_null(
      fix_edit_apply(source, &(struct fix_edit){.line = 6, .column = 5, BOTH}, "f", &changes));
  fix_diff(source, "dir/a.c", &changes, &out);
  assert_string_equal(str_text(&out), "--- a/dir/a.c\n+++ b/dir/a.c\n@@ -4,6 +4,7 @@\n 4;\n 5;\n"
                                      "   x = 1;\n+  f(&x, sizeof(x));\n 7;\n 8;\n 9;\n");
  str_clear(&out);
  fix_diff(source, "a b.c", &changes, &out);
  assert_non_null(strstr(str_text(&out), "--- a/a b.c\t\n+++ b/a b.c\t\n@@"));
  fix_changes_free(&changes);
  str_free(&out);
}

static void constructors(void **state) {
  (void)state;
  struct fix_edit e = {BOTH, .constructs = true, .traced = true};
  assert_fix(
      "P(int a) : @a{a}, b(f<int>(a, \")\")) { g(); }\n", e, NULL,
      "P(int a) : a{a}, b(f<int>(a, \")\")) { _mm_clwb((void *)&this->a); _mm_sfence(); g(); }\n");
  assert_fix("P::P()\n: x::Base<int>(1)\n, @b(2) // {\n{\n  g();\n}\n", e, NULL,
             "P::P()\n: x::Base<int>(1)\n, b(2) // {\n{\n  _mm_clwb((void *)&this->b);\n  "
             "_mm_sfence();\n  g();\n}\n");
  assert_fix("P(void) @{g();}\n", e, NULL,
             "P(void) { _mm_clwb((void *)this); _mm_sfence(); g();}\n");
  assert_fix("P(int a) : @a(a) {}\n", e, "persist",
             "P(int a) : a(a) { persist(&this->a, sizeof(this->a)); }\n");
  assert_fix("P() {\n  a.@store(1);\n}\n", e, "persist",
             "P() {\n  a.store(1);\n  persist(&a, sizeof(a));\n}\n");
  /* The store that has to come later is made by an initialiser, too; by the body. */
  vec_push(&e.later, ((struct fix_position){1, 18}));
  assert_fix("P(int a) : @a(a), b(1) { g(); }\n", e, NULL,
             "the body of the constructor comes too late");
  e.later.data[0].column = 25;
  assert_fix("P(int a) : @a(a), b(1) { g(); }\n", e, "persist",
             "P(int a) : a(a), b(1) { persist(&this->a, sizeof(this->a)); g(); }\n");
  vec_free(&e.later);
  e.traced = false;
  assert_fix("P(int a) : @a(a) {}\n", e, NULL,
             "it is an initialiser, and where the program came from is not known");
  e.constructs = false;
  assert_fix("void f() @{ g(); }\n", e, NULL, "the statement is not understood");
}

/* The place is the '@', which is left out; none: it is included anyway. */
static void assert_include(const char *marked) {
  struct str source = {0};
  const char *at = strchr(marked, '@');
  size_t place, before = at ? (size_t)(at - marked) : 0;
  str_append_bytes(&source, marked, before);
  str_append(&source, at ? at + 1 : marked);
  assert_int_equal(fix_includes(str_text(&source), "immintrin.h", &place), !at);
  if (at)
    assert_int_equal(place, before);
  str_free(&source);
}

static void headers(void **state) {
  (void)state;
  assert_include("// one\n@#include <a.h>\n#include <b.h>\n");
  assert_include("#include <a.h>\n# include  <immintrin.h>\n");
  assert_include("/* use it with\n#include \"x.h\"\n*/\n@#include <a.h>\n");
  assert_include("/*\n#include <immintrin.h>\n*/\n@#include <a.h>\n");
  assert_include("#ifdef WIN32\n#include <immintrin.h>\n#endif\n@#include <a.h>\n");
  assert_include("#ifdef A\n#if B // #endif\n#include <b.h>\n#endif\n#include <c.h>\n#else\n"
                 "#include <d.h>\n#endif\n\n@  #include <a.h>\n");
  assert_include("#ifndef A_H\n#define A_H\n\n@#include <a.h>\n#endif\n");
  assert_include("#ifndef A_H\n#define A_H\n@int a;\n#endif\n");
  assert_include("#ifndef A\n#define B\n#include <b.h>\n#endif\n@#include <a.h>\n");
  assert_include("#pragma once\n@int a;\n");
  assert_include("@int a;\n");
  assert_include("\xef\xbb\xbf@#include <a.h>\n");
  assert_include("\xef\xbb\xbf#ifndef A_H\n#define A_H\n@#include <a.h>\n#endif\n");
  assert_include("#define A(x) \\\n  #include\n@#include <a.h>\n");
  assert_include("const char *a = \"\\\n#include\";\n@#include <a.h>\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stores_in_cplusplus), cmocka_unit_test(removals),
      cmocka_unit_test(line_ends),           cmocka_unit_test(conditions),
      cmocka_unit_test(objects_made),        cmocka_unit_test(unusual_places),
      cmocka_unit_test(whole_functions),     cmocka_unit_test(stores),
      cmocka_unit_test(bodies_get_braces),   cmocka_unit_test(several_on_a_line),
      cmocka_unit_test(loads_and_fences),    cmocka_unit_test(places_with_effects),
      cmocka_unit_test(inside_statements),   cmocka_unit_test(kept_results),
      cmocka_unit_test(not_understood),      cmocka_unit_test(diffs),
      cmocka_unit_test(constructors),        cmocka_unit_test(headers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
