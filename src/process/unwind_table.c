#include "process/unwind_table.h"
#include <dwarf.h>
#include <string.h>

#define SAVED_STATES 4
#define EXPRESSION_DEPTH 16
#define ENCODING_PC_RELATIVE 0x10
#define ENCODING_TABLE 0x3b /* pairs of signed 32-bit offsets from the header: what linkers write */

/* ---- reading ---- */

struct reader {
  const uint8_t *at, *end;
  bool failed;
};

static void take(struct reader *r, void *to, size_t n) {
  if (r->failed || (size_t)(r->end - r->at) < n) {
    r->failed = true;
    memset(to, 0, n);
    return;
  }
  memcpy(to, r->at, n);
  r->at += n;
}

#define TAKE(r, type) \
  ({ \
    type value_; \
    take(r, &value_, sizeof value_); \
    value_; \
  })

static uint64_t take_uleb(struct reader *r) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    uint8_t byte = TAKE(r, uint8_t);
    if (shift < 64)
      value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
}

static int64_t take_sleb(struct reader *r) {
  uint64_t value = 0;
  for (int shift = 0;;) {
    uint8_t byte = TAKE(r, uint8_t);
    if (shift < 64)
      value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
    if (byte & 0x80)
      continue;
    if (byte & 0x40 && shift < 64)
      value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
  }
}

static const uint8_t *take_block(struct reader *r, size_t n) {
  const uint8_t *block = r->at;
  if (r->failed || (size_t)(r->end - r->at) < n)
    r->failed = true;
  else
    r->at += n;
  return block;
}

static uintptr_t take_pointer(struct reader *r, uint8_t encoding) {
  uintptr_t base = encoding & ENCODING_PC_RELATIVE ? (uintptr_t)r->at : 0;
  switch (encoding & 15) {
  case DW_EH_PE_absptr:
  case DW_EH_PE_udata8:
  case DW_EH_PE_sdata8:
    return base + TAKE(r, uint64_t);
  case DW_EH_PE_udata4:
    return base + TAKE(r, uint32_t);
  case DW_EH_PE_sdata4:
    return base + (uintptr_t)(intptr_t)TAKE(r, int32_t);
  case DW_EH_PE_udata2:
    return base + TAKE(r, uint16_t);
  case DW_EH_PE_sdata2:
    return base + (uintptr_t)(intptr_t)TAKE(r, int16_t);
  default:
    r->failed = true;
    return 0;
  }
}

bool unwind_read(const struct unwind_stack *s, uintptr_t address, uintptr_t *value) {
  if (address < s->low || address > s->high - sizeof *value || address % sizeof *value)
    return false;
  *value = *(const uintptr_t *)address;
  return true;
}

/* ---- the entry of a function ---- */

struct entry {
  uintptr_t begin, bytes;
  struct reader common, own; /* instructions for all functions of its kind, and its own */
  uint64_t code_unit;
  int64_t data_unit;
  bool interrupted; /* the frame was entered by a signal */
  bool has_augmentation;
  uint8_t encoding;
};

/* The part behind the length of a record; empty if there is none. */
static struct reader record_at(const uint8_t *at) {
  uint32_t length;
  memcpy(&length, at, sizeof length);
  bool usable = length != 0 && length != UINT32_MAX; /* terminator, 64-bit form */
  return (struct reader){at + 4, at + 4 + (usable ? length : 0), !usable};
}

static void read_augmentation(struct entry *e, struct reader *r, const char *kinds) {
  size_t n = take_uleb(r);
  struct reader data = {r->at, r->at, false};
  take_block(r, n);
  data.end = r->at;
  for (kinds++; *kinds; kinds++) {
    if (*kinds == 'R')
      e->encoding = TAKE(&data, uint8_t);
    else if (*kinds == 'P')
      take_pointer(&data, TAKE(&data, uint8_t) & 15);
    else if (*kinds == 'L')
      TAKE(&data, uint8_t);
    else if (*kinds == 'S')
      e->interrupted = true;
    else
      r->failed = true;
  }
  r->failed |= data.failed;
}

static bool read_common(struct entry *e, const uint8_t *at) {
  struct reader r = record_at(at);
  if (r.failed || TAKE(&r, uint32_t) != 0)
    return false;
  uint8_t version = TAKE(&r, uint8_t);
  const char *kinds = (const char *)r.at;
  while (TAKE(&r, uint8_t) && !r.failed)
    ;
  e->code_unit = take_uleb(&r);
  e->data_unit = take_sleb(&r);
  uint64_t return_register = version == 1 ? TAKE(&r, uint8_t) : take_uleb(&r);
  e->encoding = DW_EH_PE_absptr;
  e->has_augmentation = *kinds == 'z';
  if (e->has_augmentation)
    read_augmentation(e, &r, kinds);
  e->common = r;
  return !r.failed && (version == 1 || version == 3) && return_register == UNWIND_PC &&
         (e->has_augmentation || !*kinds);
}

static bool read_entry(struct entry *e, const uint8_t *at, uintptr_t pc) {
  struct reader r = record_at(at);
  if (r.failed)
    return false;
  const uint8_t *here = r.at;
  uint32_t back = TAKE(&r, uint32_t);
  if (!back || !read_common(e, here - back))
    return false;
  e->begin = take_pointer(&r, e->encoding);
  e->bytes = take_pointer(&r, e->encoding & 15);
  if (e->has_augmentation)
    take_block(&r, take_uleb(&r));
  e->own = r;
  return !r.failed && pc - e->begin < e->bytes;
}

static bool find_entry(struct entry *e, const uint8_t *table, uintptr_t pc) {
  static const uint8_t version = 1;
  if (!table || table[0] != version || table[2] != DW_EH_PE_udata4 || table[3] != ENCODING_TABLE)
    return false;
  struct reader r = {table + 4, table + 24, false};
  take_pointer(&r, table[1]);
  uint32_t count = TAKE(&r, uint32_t);
  const int32_t(*pairs)[2] = (const void *)r.at;
  intptr_t offset = (intptr_t)(pc - (uintptr_t)table);
  uint32_t low = 0, high = count; /* the last pair at or below the offset */
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (pairs[middle][0] <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low && read_entry(e, table + pairs[low - 1][1], pc);
}

uintptr_t unwind_table_function(const uint8_t *table, uintptr_t pc, size_t *bytes) {
  struct entry e = {0};
  bool found = find_entry(&e, table, pc);
  *bytes = found ? e.bytes : 0;
  return found ? e.begin : 0;
}

/* ---- rules: how to find what the caller's registers were ---- */

enum rule_kind {
  RULE_SAME,
  RULE_UNDEFINED,
  RULE_SAVED, /* at the frame's address plus number */
  RULE_VALUE, /* is that address */
  RULE_REGISTER,
  RULE_SAVED_BY, /* the same, the address by an expression */
  RULE_VALUE_BY,
};

struct rule {
  enum rule_kind kind;
  int64_t number;            /* offset from the frame's address, or a register */
  const uint8_t *expression; /* of that many bytes */
};

struct rules {
  uint64_t base; /* the frame's address is register `base` plus offset, unless expression is set */
  int64_t offset;
  const uint8_t *expression;
  size_t expression_bytes;
  struct rule of[UNWIND_REGISTERS];
};

struct machine {
  const struct entry *entry;
  struct rules now, initial;
  struct rules *saved; /* SAVED_STATES of them */
  int saved_count;
  uintptr_t location, wanted;
};

static void set_rule(struct machine *m, uint64_t r, enum rule_kind kind, int64_t number) {
  if (r < UNWIND_REGISTERS)
    m->now.of[r] = (struct rule){kind, number, NULL};
}

static void set_expression(struct machine *m, struct reader *r, enum rule_kind kind) {
  uint64_t which = take_uleb(r), n = take_uleb(r);
  const uint8_t *block = take_block(r, n);
  if (which < UNWIND_REGISTERS)
    m->now.of[which] = (struct rule){kind, (int64_t)n, block};
}

static void set_base(struct machine *m, uint64_t base, int64_t offset) {
  m->now.base = base;
  m->now.offset = offset;
  m->now.expression = NULL;
}

static void advance(struct machine *m, uint64_t units) {
  m->location += units * m->entry->code_unit;
}

static bool execute_base(struct machine *m, uint8_t op, struct reader *r) {
  int64_t unit = m->entry->data_unit;
  uint64_t base = m->now.base;
  switch (op) {
  case DW_CFA_def_cfa:
    base = take_uleb(r);
    set_base(m, base, (int64_t)take_uleb(r));
    return true;
  case DW_CFA_def_cfa_sf:
    base = take_uleb(r);
    set_base(m, base, take_sleb(r) * unit);
    return true;
  case DW_CFA_def_cfa_register:
    set_base(m, take_uleb(r), m->now.offset);
    return true;
  case DW_CFA_def_cfa_offset:
    set_base(m, base, (int64_t)take_uleb(r));
    return true;
  case DW_CFA_def_cfa_offset_sf:
    set_base(m, base, take_sleb(r) * unit);
    return true;
  case DW_CFA_def_cfa_expression:
    m->now.expression_bytes = take_uleb(r);
    m->now.expression = take_block(r, m->now.expression_bytes);
    return true;
  default:
    return false;
  }
}

static bool execute_rule(struct machine *m, uint8_t op, struct reader *r) {
  int64_t unit = m->entry->data_unit;
  uint64_t which;
  switch (op) {
  case DW_CFA_offset_extended:
    which = take_uleb(r);
    set_rule(m, which, RULE_SAVED, (int64_t)take_uleb(r) * unit);
    return true;
  case DW_CFA_offset_extended_sf:
    which = take_uleb(r);
    set_rule(m, which, RULE_SAVED, take_sleb(r) * unit);
    return true;
  case DW_CFA_val_offset:
    which = take_uleb(r);
    set_rule(m, which, RULE_VALUE, (int64_t)take_uleb(r) * unit);
    return true;
  case DW_CFA_restore_extended:
    which = take_uleb(r);
    if (which < UNWIND_REGISTERS)
      m->now.of[which] = m->initial.of[which];
    return true;
  case DW_CFA_undefined:
    set_rule(m, take_uleb(r), RULE_UNDEFINED, 0);
    return true;
  case DW_CFA_same_value:
    set_rule(m, take_uleb(r), RULE_SAME, 0);
    return true;
  case DW_CFA_register:
    which = take_uleb(r);
    set_rule(m, which, RULE_REGISTER, (int64_t)take_uleb(r));
    return true;
  case DW_CFA_expression:
    set_expression(m, r, RULE_SAVED_BY);
    return true;
  case DW_CFA_val_expression:
    set_expression(m, r, RULE_VALUE_BY);
    return true;
  default:
    return false;
  }
}

static bool execute_flow(struct machine *m, uint8_t op, struct reader *r) {
  switch (op) {
  case DW_CFA_nop:
    return true;
  case DW_CFA_advance_loc1:
    advance(m, TAKE(r, uint8_t));
    return true;
  case DW_CFA_advance_loc2:
    advance(m, TAKE(r, uint16_t));
    return true;
  case DW_CFA_advance_loc4:
    advance(m, TAKE(r, uint32_t));
    return true;
  case DW_CFA_set_loc:
    m->location = take_pointer(r, m->entry->encoding);
    return true;
  case DW_CFA_GNU_args_size:
    take_uleb(r);
    return true;
  case DW_CFA_remember_state:
    if (m->saved_count == SAVED_STATES)
      return false;
    m->saved[m->saved_count++] = m->now;
    return true;
  case DW_CFA_restore_state:
    if (!m->saved_count)
      return false;
    m->now = m->saved[--m->saved_count];
    return true;
  default:
    return false;
  }
}

/* Up to the instruction that is wanted. */
static bool execute(struct machine *m, struct reader r) {
  while (!r.failed && r.at < r.end && m->location <= m->wanted) {
    uint8_t op = TAKE(&r, uint8_t), low = op & 0x3f;
    switch (op & 0xc0) {
    case DW_CFA_advance_loc:
      advance(m, low);
      break;
    case DW_CFA_offset:
      set_rule(m, low, RULE_SAVED, (int64_t)take_uleb(&r) * m->entry->data_unit);
      break;
    case DW_CFA_restore:
      if (low < UNWIND_REGISTERS)
        m->now.of[low] = m->initial.of[low];
      break;
    default:
      if (!execute_flow(m, op, &r) && !execute_rule(m, op, &r) && !execute_base(m, op, &r))
        return false;
    }
  }
  return !r.failed;
}

/* ---- values ---- */

struct evaluation {
  const struct unwind_stack *stack;
  const struct unwind_frame *frame;
  uintptr_t values[EXPRESSION_DEPTH];
  int count;
};

static bool push(struct evaluation *v, uintptr_t value) {
  if (v->count == EXPRESSION_DEPTH)
    return false;
  v->values[v->count++] = value;
  return true;
}

static bool push_register(struct evaluation *v, uint64_t which, int64_t offset) {
  return which < UNWIND_REGISTERS && v->frame->known >> which & 1 &&
         push(v, v->frame->value[which] + (uintptr_t)offset);
}

/* The operations that compilers use here: a register plus something, and what lies there. */
static bool evaluate_operation(struct evaluation *v, uint8_t op, struct reader *r) {
  if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
    return push_register(v, op - DW_OP_breg0, take_sleb(r));
  if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
    return push(v, op - DW_OP_lit0);
  uintptr_t *top = &v->values[v->count - 1];
  if (op == DW_OP_deref)
    return v->count && unwind_read(v->stack, *top, top);
  if (op == DW_OP_plus_uconst && v->count) {
    *top += take_uleb(r);
    return true;
  }
  if (v->count < 2)
    return false;
  v->count--;
  switch (op) {
  case DW_OP_plus:
    top[-1] += *top;
    return true;
  case DW_OP_and:
    top[-1] &= *top;
    return true;
  case DW_OP_shl:
    top[-1] = *top < 64 ? top[-1] << *top : 0;
    return true;
  case DW_OP_ge:
    top[-1] = (intptr_t)top[-1] >= (intptr_t)*top;
    return true;
  default:
    return false;
  }
}

static bool evaluate(const struct unwind_stack *s, const struct unwind_frame *f,
                     const uint8_t *expression, size_t bytes, const uintptr_t *initial,
                     uintptr_t *value) {
  struct evaluation v = {.stack = s, .frame = f};
  struct reader r = {expression, expression + bytes, false};
  if (initial)
    push(&v, *initial);
  while (!r.failed && r.at < r.end)
    if (!evaluate_operation(&v, TAKE(&r, uint8_t), &r))
      return false;
  if (r.failed || !v.count)
    return false;
  *value = v.values[v.count - 1];
  return true;
}

static bool find_register(const struct unwind_stack *s, const struct unwind_frame *f,
                          const struct rule *rule, int which, uintptr_t base, uintptr_t *value) {
  switch (rule->kind) {
  case RULE_SAME:
    *value = f->value[which];
    return f->known >> which & 1;
  case RULE_SAVED:
    return unwind_read(s, base + (uintptr_t)rule->number, value);
  case RULE_VALUE:
    *value = base + (uintptr_t)rule->number;
    return true;
  case RULE_REGISTER:
    if (rule->number >= UNWIND_REGISTERS || !(f->known >> rule->number & 1))
      return false;
    *value = f->value[rule->number];
    return true;
  case RULE_SAVED_BY:
    return evaluate(s, f, rule->expression, (size_t)rule->number, &base, value) &&
           unwind_read(s, *value, value);
  case RULE_VALUE_BY:
    return evaluate(s, f, rule->expression, (size_t)rule->number, &base, value);
  case RULE_UNDEFINED:
    break;
  }
  return false;
}

static bool find_base(const struct rules *rules, const struct unwind_stack *s,
                      const struct unwind_frame *f, uintptr_t *base) {
  if (rules->expression)
    return evaluate(s, f, rules->expression, rules->expression_bytes, NULL, base);
  if (rules->base >= UNWIND_REGISTERS || !(f->known >> rules->base & 1))
    return false;
  *base = f->value[rules->base] + (uintptr_t)rules->offset;
  return true;
}

bool unwind_table_step(const uint8_t *table, const struct unwind_stack *s, struct unwind_frame *f) {
  struct entry e = {0};
  /* A call may be the last instruction of its function. */
  uintptr_t pc = f->value[UNWIND_PC] - !f->exact, base;
  if (!find_entry(&e, table, pc))
    return false;
  struct rules saved[SAVED_STATES];
  struct machine m = {.entry = &e, .saved = saved, .location = e.begin, .wanted = pc};
  if (!execute(&m, e.common))
    return false;
  m.initial = m.now;
  if (!execute(&m, e.own) || !find_base(&m.now, s, f, &base))
    return false;
  struct unwind_frame caller = {.exact = e.interrupted};
  for (int r = 0; r < UNWIND_REGISTERS; r++) {
    if (r == UNWIND_PC && m.now.of[r].kind == RULE_SAME)
      return false;
    if (find_register(s, f, &m.now.of[r], r, base, &caller.value[r]))
      caller.known |= 1u << r;
  }
  if (m.now.of[UNWIND_RSP].kind == RULE_SAME) {
    caller.value[UNWIND_RSP] = base;
    caller.known |= 1u << UNWIND_RSP;
  }
  *f = caller;
  return true;
}
