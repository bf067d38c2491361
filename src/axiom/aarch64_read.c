/* Operands of AArch64 instructions. */
#include "axiom/aarch64.h"
#include "axiom/litmus_internal.h"
#include <string.h>
#include <strings.h>

int aarch64_find_register(const char *text, size_t length, struct operand *part) {
  static const struct {
    const char *name;
    int reg, bits;
  } special[] = {{"sp", AARCH64_SP, 64},
                 {"wsp", AARCH64_SP, 32},
                 {"xzr", AARCH64_ZR, 64},
                 {"wzr", AARCH64_ZR, 32}};
  part->high = false;
  for (unsigned i = 0; i < sizeof special / sizeof *special; i++)
    if (strlen(special[i].name) == length && !strncasecmp(special[i].name, text, length)) {
      part->bits = special[i].bits;
      return special[i].reg;
    }
  char kind = length ? (char)(text[0] | 0x20) : 0;
  if (length < 2 || length > 3 || (kind != 'x' && kind != 'w'))
    return -1;
  int n = 0;
  for (size_t i = 1; i < length; i++) {
    if (text[i] < '0' || text[i] > '9')
      return -1;
    n = n * 10 + (text[i] - '0');
  }
  part->bits = kind == 'x' ? 64 : 32;
  return n <= 30 ? n : -1;
}

static int64_t read_number(struct scan *s, const char *what) {
  scan_accept(s, "#");
  return scan_number(s, what);
}

/* LSL #2, SXTW, UXTW #3; false if there is none at the scanner. */
static bool read_change(struct scan *s, struct operand *o) {
  static const struct {
    const char *name;
    enum operand_change change;
  } table[] = {{"lsl", CHANGE_LSL},   {"lsr", CHANGE_LSR},   {"asr", CHANGE_ASR},
               {"ror", CHANGE_ROR},   {"sxtb", CHANGE_SXTB}, {"sxth", CHANGE_SXTH},
               {"sxtw", CHANGE_SXTW}, {"sxtx", CHANGE_LSL},  {"uxtb", CHANGE_UXTB},
               {"uxth", CHANGE_UXTH}, {"uxtw", CHANGE_UXTW}, {"uxtx", CHANGE_LSL}};
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
    if (s->kind != TOK_NAME || s->length != strlen(table[i].name) ||
        strncasecmp(s->start, table[i].name, s->length))
      continue;
    scan_advance(s);
    o->change = table[i].change;
    o->amount = scan_is(s, "#") || s->kind == TOK_NUMBER ? (int)read_number(s, "an amount") : 0;
    if (o->amount < 0 || o->amount > 63)
      scan_fail(s, o->place, "an amount of %d, expected 0 to 63", o->amount);
    return true;
  }
  return false;
}

static void read_memory(struct litmus_reader *r, struct operand *o) {
  struct scan *s = &r->scan;
  struct operand part;
  o->kind = OPERAND_MEMORY;
  o->base = litmus_register(r, &part);
  if (o->base < 0)
    scan_unexpected(s, "a base register");
  if (scan_accept(s, ",")) {
    o->index = litmus_register(r, &part);
    o->index_bits = part.bits;
    if (o->index < 0)
      o->value = read_number(s, "an offset: a register or #number");
    else if (scan_accept(s, ",") && !read_change(s, o))
      scan_unexpected(s, "LSL, SXTW or UXTW");
  }
  scan_expect(s, "]", "']'");
  if (scan_accept(s, "!"))
    o->update = UPDATE_BEFORE;
}

static void read_operand(struct litmus_reader *r, struct operand *o) {
  struct scan *s = &r->scan;
  if (scan_accept(s, "[")) {
    read_memory(r, o);
    return;
  }
  o->reg = litmus_register(r, o);
  if (o->reg >= 0) {
    o->kind = OPERAND_REGISTER;
    return;
  }
  if (read_change(s, o)) {
    o->kind = OPERAND_CHANGE;
    return;
  }
  if (s->kind == TOK_NAME) {
    o->kind = OPERAND_NAME;
    o->name = scan_name(s, r->p->arena, "an operand");
    if (!strcmp(o->name, ".") && (scan_accept(s, "+") || scan_is(s, "-"))) /* a place in the code */
      o->name = arena_format(r->p->arena, ".%+lld", (long long)read_number(s, "a distance"));
    return;
  }
  o->kind = OPERAND_IMMEDIATE;
  o->value = read_number(s, "an operand: a register, #number, [address] or label");
}

/* "X2, LSL #3" is one operand, and so is "[X1], #8". */
static void join_operands(struct instruction *i) {
  for (int n = 1; n < i->count; n++) {
    struct operand *before = &i->operands[n - 1], *o = &i->operands[n];
    bool change = o->kind == OPERAND_CHANGE && before->kind <= OPERAND_IMMEDIATE;
    bool after = o->kind == OPERAND_IMMEDIATE && before->kind == OPERAND_MEMORY &&
                 before->update == UPDATE_NONE && before->index < 0 && !before->value;
    if (!change && !after)
      continue;
    if (change) {
      before->change = o->change;
      before->amount = o->amount;
    } else {
      before->update = UPDATE_AFTER;
      before->value = o->value;
    }
    memmove(o, o + 1, (size_t)(i->count - n - 1) * sizeof *o);
    i->count--;
    n--;
  }
}

void aarch64_read_instruction(struct litmus_reader *r, struct asm_code *code) {
  int first = code->list.length;
  litmus_read_instruction(r, code, read_operand);
  for (int n = first; n < code->list.length; n++)
    join_operands(&code->list.data[n]);
}
