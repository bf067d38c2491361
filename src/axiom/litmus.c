#include "axiom/litmus.h"
#include "axiom/c_litmus.h"
#include "axiom/condition.h"
#include "axiom/litmus_internal.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- header ------------------------------------------------------------------------------- */

/* Variants of herd's semantics that a test may ask for and that executions here do not have.  Others
 * (mixed, precise, ets2 ...) change nothing for tests without these. */
static const struct {
  const char *name, *what;
} unknown_variants[] = {{"vmsa", "page tables"},
                        {"kvm", "page tables"},
                        {"memtag", "memory tags"},
                        {"morello", "capabilities"},
                        {"shadowstack", "shadow stacks"},
                        {"pauth1", "pointer authentication"},
                        {"pauth2", "pointer authentication"},
                        {"self", "instructions that are written"},
                        {"ifetch", "instructions that are written"}};

/* A line of the header: "Variant=vmsa,fatal". */
static void check_variants(struct litmus_reader *r, const char *line) {
  struct scan *s = &r->scan;
  static const char key[] = "variant=";
  if (strncasecmp(line, key, sizeof key - 1) != 0)
    return;
  const char *word = line + sizeof key - 1;
  while (word < s->end && !isspace((unsigned char)*word)) {
    size_t n = strcspn(word, ",\r\n\t {");
    for (unsigned i = 0; i < sizeof unknown_variants / sizeof *unknown_variants; i++)
      if (n == strlen(unknown_variants[i].name) && !strncasecmp(word, unknown_variants[i].name, n))
        scan_fail(s, (struct place){r->p->file, s->line, (int)(word - line) + 1},
                  "the test asks for the variant '%.*s': %s are not modelled", (int)n, word,
                  unknown_variants[i].what);
    if (word[n] != ',')
      return;
    word += n + 1;
  }
}

/* The name is what stands between the architecture and the first blank, without ".litmus", which
 * some tests repeat there and other tools leave out; then come free text and
 * Key=Value lines.  A comment may hide a brace, unless it is never closed. */
static void read_header(struct litmus_reader *r) {
  struct scan *s = &r->scan;
  scan_advance(s);
  r->p->arch = arena_text(r->p->arena, s->start, s->length);
  while (s->next < s->end && (*s->next == ' ' || *s->next == '\t'))
    s->next++;
  const char *name = s->next;
  while (s->next < s->end && !isspace((unsigned char)*s->next))
    s->next++;
  if (s->next == name) {
    scan_advance(s);
    scan_unexpected(s, "the name of the test on the first line");
  }
  static const char ending[] = ".litmus";
  size_t n = (size_t)(s->next - name), e = sizeof ending - 1;
  r->p->name = arena_text(r->p->arena, name, n > e && !memcmp(s->next - e, ending, e) ? n - e : n);
  while (s->next < s->end && *s->next != '{') {
    if (s->next[0] == '(' && s->next[1] == '*' && strstr(s->next, "*)")) {
      scan_advance(s); /* skips the comment and one token */
      s->next = s->start;
      continue;
    }
    if (*s->next == '\n') {
      s->line++;
      s->line_start = s->next + 1;
      check_variants(r, s->line_start);
    }
    s->next++;
  }
  scan_advance(s);
  scan_expect(s, "{", "'{' and the initial state");
}

/* ---- instructions ------------------------------------------------------------------------- */

static char *lower(struct arena *a, const char *text, size_t length) {
  char *t = arena_text(a, text, length);
  for (char *c = t; *c; c++)
    *c = (char)tolower((unsigned char)*c);
  return t;
}

static bool at_cell_end(const struct scan *s) {
  return scan_is(s, "|") || scan_is(s, "||") || scan_is(s, ";");
}

static void read_operands(struct litmus_reader *r, struct instruction *i,
                          void (*operand)(struct litmus_reader *, struct operand *)) {
  struct scan *s = &r->scan;
  while (!at_cell_end(s)) {
    if (i->count == ASM_OPERANDS)
      scan_unexpected(s, "'|' or ';' after so many operands");
    struct operand *o = &i->operands[i->count++];
    *o = (struct operand){.symbol = -1, .base = -1, .index = -1, .scale = 1, .place = s->place};
    operand(r, o);
    if (!at_cell_end(s))
      scan_expect(s, ",", "',', '|' or ';'");
  }
}

void litmus_read_instruction(struct litmus_reader *r, struct asm_code *code,
                             void (*operand)(struct litmus_reader *, struct operand *)) {
  struct scan *s = &r->scan;
  struct arena *a = r->p->arena;
  struct instruction i = {.place = s->place};
  const char *start = s->start;
  if (s->kind != TOK_NAME)
    scan_unexpected(s, "an instruction");
  i.mnemonic = lower(a, s->start, s->length);
  char *as_written = arena_text(a, s->start, s->length);
  scan_advance(s);
  if (scan_accept(s, ":")) {
    i.label = as_written;
    i.mnemonic = NULL;
    list_push(a, &code->list, i);
    if (!at_cell_end(s)) {
      scan_enter(s);
      litmus_read_instruction(r, code, operand);
      scan_leave(s);
    }
    return;
  }
  if (!strcmp(i.mnemonic, "lock")) {
    scan_accept(s, ";"); /* some write "lock; xadd", which is one instruction */
    i.lock = true;
    if (s->kind != TOK_NAME)
      scan_unexpected(s, "the locked instruction");
    i.mnemonic = lower(a, s->start, s->length);
    scan_advance(s);
  }
  read_operands(r, &i, operand);
  const char *end = s->start;
  while (end > start && isspace((unsigned char)end[-1]))
    end--;
  i.text = arena_text(a, start, (size_t)(end - start));
  list_push(a, &code->list, i);
}

static bool at_condition(const struct scan *s) {
  static const char *const words[] = {"exists", "forall", "~",        "locations",
                                      "filter", "final",  "observed", "<<"};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
    if (scan_is(s, words[i]))
      return true;
  if (scan_is(s, "not")) { /* it is also an instruction */
    const char *next = s->next;
    while (next < s->end && isspace((unsigned char)*next))
      next++;
    return s->end - next > 6 && !memcmp(next, "exists", 6);
  }
  return s->kind == TOK_END;
}

static void read_thread_names(struct litmus_reader *r) {
  struct scan *s = &r->scan;
  int n = 0;
  do {
    if (s->kind != TOK_NAME || s->start[0] != 'P')
      scan_unexpected(s, "a thread name such as P0");
    char *name = arena_format(r->p->arena, "P%d", n);
    if (!scan_is(s, name))
      scan_unexpected(s, name);
    litmus_thread(r, n++, s->place);
    struct thread t = {.name = name};
    list_push(r->p->arena, &r->p->threads, t);
    scan_advance(s);
    if (scan_accept(s, ":")) /* herd: attributes of the processor, e.g. P0:F */
      scan_unexpected(s, "'|' or ';' after the thread name");
  } while (scan_accept(s, "|"));
  scan_expect(s, ";", "'|' or ';'");
  if (r->code.length > n)
    scan_fail(s, s->place, "the initial state speaks of thread %d, but there are only %d threads",
              r->code.length - 1, n);
}

static void read_code(struct litmus_reader *r) {
  struct scan *s = &r->scan;
  read_thread_names(r);
  for (int t = 0; t < r->code.length; t++)
    for (int i = 0; i < r->symbols.length; i++)
      r->code.data[t].initial[r->arch->register_count + i] =
          expr_const(r->p, r->symbols.data[i].initial);
  r->in_code = true;
  while (!at_condition(s)) {
    for (int t = 0;; t++) {
      if (t >= r->code.length)
        scan_unexpected(s, "no more columns than there are threads");
      if (!at_cell_end(s))
        r->arch->read_instruction(r, &r->code.data[t]);
      while (scan_is(s, "||")) { /* two empty cells, written together */
        t++;
        s->next = s->start + 1;
        scan_advance(s);
      }
      if (scan_is(s, ";")) {
        if (t + 1 < r->code.length)
          scan_fail(s, s->place, "the row has %d of %d columns", t + 1, r->code.length);
        scan_advance(s);
        break;
      }
      scan_expect(s, "|", "'|' or ';'");
    }
  }
  r->in_code = false;
}

/* ---- languages ---------------------------------------------------------------------------- */

static const struct {
  const char *name;
  const struct asm_arch *arch;
} languages[] = {{"X86", &x86_intel}, {"X86_64", &x86_att}, {"AArch64", &aarch64},
                 {"RISCV", &riscv},   {"PPC", &power},      {"C", NULL}};

static bool find_language(const struct scan *s, const struct asm_arch **arch) {
  for (unsigned i = 0; i < sizeof languages / sizeof *languages; i++)
    if (scan_is(s, languages[i].name)) {
      *arch = languages[i].arch;
      return true;
    }
  return false;
}

static void read_threads(struct litmus_reader *r) {
  if (!r->arch) {
    c_read_threads(r);
    return;
  }
  read_code(r);
  for (int t = 0; t < r->code.length; t++) {
    struct asm_machine m = {.p = r->p,
                            .scan = &r->scan,
                            .arch = r->arch,
                            .mixed = r->mixed,
                            .thread = t + 1,
                            .registers = r->arch->register_count + r->symbols.length,
                            .code = &r->code.data[t]};
    asm_translate(&m, r->unroll);
  }
}

static struct program *parse_once(const char *file, const char *text, size_t length,
                                  struct arena *a, int unroll, const struct asm_arch *arch,
                                  const struct mixed_plan *mixed, struct diag *d) {
  struct litmus_reader *r = arena_alloc(a, sizeof *r);
  r->p = program_create(a, file);
  r->p->default_model = arch ? arch->default_model : NULL;
  r->unroll = unroll;
  r->arch = arch;
  r->mixed = mixed;
  scan_init(&r->scan, file, text, length, arch ? arch->scan_style : C_LITMUS_STYLE, d);
  if (setjmp(r->scan.fail))
    return NULL;
  read_header(r);
  litmus_read_initial(r);
  read_threads(r);
  litmus_read_conditions(r);
  condition_sort_observed(r->p);
  program_finish(r->p);
  return r->p;
}

struct program *litmus_parse(const char *file, const char *text, size_t length, struct arena *a,
                             int unroll, struct diag *d) {
  struct scan s;
  const struct asm_arch *arch = NULL;
  scan_init(&s, file, text, length, SCAN_ML_COMMENTS | SCAN_C_COMMENTS, d);
  if (setjmp(s.fail))
    return NULL;
  scan_advance(&s);
  if (!find_language(&s, &arch))
    scan_unexpected(&s, "an architecture");
  struct program *p = parse_once(file, text, length, a, unroll, arch, NULL, d);
  struct diag trouble = {0};
  const struct mixed_plan *mixed = p && arch ? mixed_survey(p, a, &trouble) : NULL;
  return mixed ? parse_once(file, text, length, a, unroll, arch, mixed, d) : p;
}

struct program *test_parse(const char *file, const char *text, size_t length, struct arena *a,
                           int unroll, struct diag *d) {
  struct scan s;
  const struct asm_arch *arch;
  scan_init(&s, file, text, length, SCAN_ML_COMMENTS | SCAN_C_COMMENTS, d);
  if (setjmp(s.fail))
    return NULL;
  scan_advance(&s);
  if (scan_is(&s, "test"))
    return schematic_parse(file, text, length, a, unroll, d);
  if (find_language(&s, &arch))
    return litmus_parse(file, text, length, a, unroll, d);
  const char *known = "X86, X86_64, AArch64, RISCV, PPC, C or test";
  if (s.kind == TOK_NAME)
    scan_fail(&s, s.place, "unknown architecture '%.*s', expected %s", (int)s.length, s.start,
              known);
  scan_unexpected(&s, known);
}

struct program *test_load(const char *path, struct arena *a, int unroll, struct diag *d) {
  size_t length;
  char *text = scan_read_file(path, a, &length, d);
  if (!text)
    return NULL;
  return test_parse(arena_text(a, path, strlen(path)), text, length, a, unroll, d);
}
