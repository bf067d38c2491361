/* Operands of x86 instructions, in Intel's and in AT&T's notation. */
#include "axiom/litmus_internal.h"
#include "axiom/x86.h"

static int read_plain_register(struct litmus_reader *r) {
  struct operand unused;
  return litmus_register(r, &unused);
}

/* Inside ( ) or [ ]: a symbol or register, AT&T's ,index,scale or Intel's +number, +register. */
static void read_address(struct litmus_reader *r, struct operand *o, const char *close) {
  struct scan *s = &r->scan;
  o->kind = OPERAND_MEMORY;
  struct place where = s->place;
  if (!scan_is(s, ",")) {
    o->base = read_plain_register(r);
    if (o->base == X86_IP) /* x(%rip): the address of x */
      o->base = -1;
    else if (o->base < 0 && s->kind == TOK_NUMBER)
      o->value += scan_number(s, "an address");
    else if (o->base < 0)
      o->symbol = litmus_location(r, scan_name(s, r->p->arena, "a location or a register"), where);
  }
  if (scan_accept(s, ",")) {
    o->index = read_plain_register(r);
    if (o->index < 0)
      scan_unexpected(s, "an index register");
    if (scan_accept(s, ","))
      o->scale = (int)scan_number(s, "a scale");
  }
  while (scan_is(s, "+") || scan_is(s, "-")) {
    bool minus = scan_is(s, "-");
    scan_advance(s);
    if (s->kind == TOK_NUMBER) {
      int64_t n = scan_number(s, "a displacement");
      o->value += minus ? -n : n;
      continue;
    }
    o->index = minus || o->index >= 0 ? -1 : read_plain_register(r);
    if (o->index < 0)
      scan_unexpected(s, "a displacement");
    if (scan_accept(s, "*"))
      o->scale = (int)scan_number(s, "a scale");
  }
  scan_expect(s, close, close[0] == ')' ? "')'" : "']'");
}

static void read_immediate(struct litmus_reader *r, struct operand *o) {
  struct scan *s = &r->scan;
  struct place where = s->place;
  o->kind = OPERAND_IMMEDIATE;
  if (s->kind == TOK_NAME)
    o->symbol = litmus_location(r, scan_name(s, r->p->arena, "a location"), where);
  else
    o->value = scan_number(s, "a number after '$'");
}

/* "dword ptr [x]": the size of a memory operand. */
static int size_word(struct scan *s) {
  static const struct {
    const char *word;
    int bits;
  } sizes[] = {{"byte", 8}, {"word", 16}, {"dword", 32}, {"qword", 64},
               {"BYTE", 8}, {"WORD", 16}, {"DWORD", 32}, {"QWORD", 64}};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (scan_accept(s, sizes[i].word)) {
      if (!scan_accept(s, "ptr"))
        scan_accept(s, "PTR");
      return sizes[i].bits;
    }
  return 0;
}

static void read_operand(struct litmus_reader *r, struct operand *o) {
  struct scan *s = &r->scan;
  if (scan_accept(s, "$")) {
    read_immediate(r, o);
    return;
  }
  int size = size_word(s);
  if (scan_accept(s, "[")) {
    read_address(r, o, "]");
    o->bits = size;
    return;
  }
  o->reg = litmus_register(r, o);
  if (o->reg >= 0) {
    o->kind = OPERAND_REGISTER;
    if (!scan_accept(s, ":"))
      return; /* else it was a segment prefix: flat memory, it changes nothing */
    o->bits = 0;
  }
  if (s->kind == TOK_NAME) { /* decided by the instruction: a label of a jump, else a location */
    o->kind = OPERAND_NAME;
    o->name = scan_name(s, r->p->arena, "an operand");
    if (scan_accept(s, "+"))
      o->value = scan_number(s, "a displacement");
    if (scan_is(s, "(") || scan_is(s, "[")) {
      const char *close = scan_is(s, "(") ? ")" : "]";
      scan_advance(s);
      read_address(r, o, close);
      if (o->symbol >= 0)
        scan_fail(s, o->place, "'%s' and another location in one address", o->name);
      o->symbol = litmus_location(r, o->name, o->place);
    }
    return;
  }
  if (!scan_is(s, "("))
    o->value = scan_number(s, "an operand: $number, register, (location), [location] or label");
  o->kind = OPERAND_IMMEDIATE;
  if (scan_accept(s, "("))
    read_address(r, o, ")");
}

/* Destination last, as AT&T writes it. */
void x86_read_att(struct litmus_reader *r, struct asm_code *code) {
  litmus_read_instruction(r, code, read_operand);
}

void x86_read_intel(struct litmus_reader *r, struct asm_code *code) {
  int first = code->list.length;
  litmus_read_instruction(r, code, read_operand);
  for (int n = first; n < code->list.length; n++) {
    struct instruction *i = &code->list.data[n];
    for (int a = 0, b = i->count - 1; a < b; a++, b--) {
      struct operand t = i->operands[a];
      i->operands[a] = i->operands[b];
      i->operands[b] = t;
    }
  }
}
