#include "cprog/c_module.h"
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct reader {
  struct arena *arena;
  struct diag *diag;
  const char *start, *next, *end; /* of the current line */
  const char *rest;               /* behind it */
  const char *text_end;
  int line;
  struct c_module *m;
  struct c_function *f; /* the one being read */
  jmp_buf fail;
};

_Noreturn static void fail(struct reader *r, const char *what) {
  int column = (int)(r->next - r->start) + 1;
  diag_set(r->diag, (struct place){"tidemark-lift", r->line, column}, "expected %s", what);
  longjmp(r->fail, 1);
}

static bool next_line(struct reader *r) {
  if (r->rest >= r->text_end)
    return false;
  const char *newline = memchr(r->rest, '\n', (size_t)(r->text_end - r->rest));
  r->start = r->next = r->rest;
  r->end = newline ? newline : r->text_end;
  r->rest = newline ? newline + 1 : r->text_end;
  r->line++;
  return true;
}

static char *word(struct reader *r, const char *what) {
  while (r->next < r->end && *r->next == ' ')
    r->next++;
  const char *start = r->next;
  while (r->next < r->end && *r->next != ' ')
    r->next++;
  if (start == r->next)
    fail(r, what);
  return arena_text(r->arena, start, (size_t)(r->next - start));
}

static bool more(struct reader *r) {
  while (r->next < r->end && *r->next == ' ')
    r->next++;
  return r->next < r->end;
}

static char *remainder_of(struct reader *r) {
  more(r);
  return arena_text(r->arena, r->next, (size_t)(r->end - r->next));
}

static int64_t parse_number(struct reader *r, const char *text, char **end) {
  int64_t n = text[0] == '-' ? (int64_t)strtoll(text, end, 10) : (int64_t)strtoull(text, end, 10);
  if (*end == text)
    fail(r, "a number");
  return n;
}

static int64_t number(struct reader *r, int64_t below) {
  char *end;
  int64_t n = parse_number(r, word(r, "a number"), &end);
  if (*end || n < 0 || n >= below)
    fail(r, "a number within its range");
  return n;
}

static int one_of(struct reader *r, const char *const *words, int count, const char *what) {
  const char *w = word(r, what);
  for (int i = 0; i < count; i++)
    if (!strcmp(words[i], w))
      return i;
  fail(r, what);
}

static const char *const op_words[] = {
#define CIR_OP(identifier, text, shape) text,
#define CIR_ORDER(identifier, text)
#define CIR_RMW(identifier, text)
#include "cir/cir.def"
#undef CIR_OP
#undef CIR_ORDER
#undef CIR_RMW
};
static const char *const order_words[] = {
#define CIR_OP(identifier, text, shape)
#define CIR_ORDER(identifier, text) text,
#define CIR_RMW(identifier, text)
#include "cir/cir.def"
#undef CIR_OP
#undef CIR_ORDER
#undef CIR_RMW
};
static const char *const rmw_words[] = {
#define CIR_OP(identifier, text, shape)
#define CIR_ORDER(identifier, text)
#define CIR_RMW(identifier, text) text,
#include "cir/cir.def"
#undef CIR_OP
#undef CIR_ORDER
#undef CIR_RMW
};

static enum cir_order order(struct reader *r) {
  return (enum cir_order)one_of(r, order_words, CIR_ORDERS, "a memory order");
}

static struct c_operand operand_text(struct reader *r, const char *w) {
  struct c_operand o = {0};
  char *end = (char *)w + 1;
  switch (w[0]) {
  case '%':
    o.kind = OPERAND_VALUE;
    break;
  case '#':
    o.kind = OPERAND_NUMBER;
    break;
  case '@':
    o.kind = OPERAND_OBJECT;
    break;
  case '$':
    o.kind = OPERAND_FUNCTION;
    break;
  case '?':
    o.kind = OPERAND_UNDEFINED;
    return o;
  default:
    fail(r, "an operand");
  }
  o.number = parse_number(r, w + 1, &end);
  if (o.kind == OPERAND_OBJECT && *end == '+')
    o.offset = parse_number(r, end + 1, &end);
  bool bad = *end || (o.kind != OPERAND_NUMBER && o.number < 0) ||
             (o.kind == OPERAND_OBJECT && o.number >= r->m->globals.length);
  if (bad)
    fail(r, "an operand");
  return o;
}

static void operands(struct reader *r, struct c_instruction *i, int at_least) {
  while (more(r)) {
    struct c_operand o = operand_text(r, word(r, "an operand"));
    list_push(r->arena, &i->args, o);
  }
  if (i->args.length < at_least)
    fail(r, "an operand");
}

static void operand(struct reader *r, struct c_instruction *i) {
  struct c_operand o = operand_text(r, word(r, "an operand"));
  list_push(r->arena, &i->args, o);
}

static int destination_in(struct reader *r, const char *w, char **end) {
  int64_t n = w[0] == '%' ? parse_number(r, w + 1, end) : -1;
  if (n < 0 || n > 2 * CIR_EXTRA_FIRST)
    fail(r, "a result");
  return (int)n;
}

static int destination(struct reader *r) {
  char *end;
  int n = destination_in(r, word(r, "a result"), &end);
  if (*end)
    fail(r, "a result");
  return n;
}

/* %-, %N or %N+MORE */
static int call_results(struct reader *r, int *more) {
  enum { MORE_MAX = 64 };
  const char *w = word(r, "a result");
  char *end;
  *more = 0;
  if (!strcmp(w, "%-"))
    return -1;
  int n = destination_in(r, w, &end);
  int64_t count = *end == '+' ? parse_number(r, end + 1, &end) : 0;
  if (*end || count < 0 || count > MORE_MAX)
    fail(r, "a result");
  *more = (int)count;
  return n;
}

/* "number:operand" and "number:number" */
static const char *pair(struct reader *r, int64_t *first) {
  char *w = word(r, "a pair"), *end;
  *first = parse_number(r, w, &end);
  if (*end != ':')
    fail(r, "a pair");
  return end + 1;
}

static void block_word(struct reader *r, struct c_instruction *i) {
  int b = (int)number(r, 1 << 20);
  list_push(r->arena, &i->blocks, b);
}

static void read_access(struct reader *r, struct c_instruction *i) {
  if (i->op != CIR_STORE)
    i->dst = destination(r);
  i->bits = (int)number(r, 17);
  if (!i->bits || (i->bits > 8 && i->bits < 16))
    fail(r, "a size in bytes");
  int words = i->bits > 8 ? 2 : 1;
  i->more = words - 1;
  i->order = order(r);
  if (i->op == CIR_RMW)
    i->rmw = (enum cir_rmw)one_of(r, rmw_words, CIR_RMWS, "an atomic operation");
  else if (i->op == CIR_CAS)
    i->failure = order(r);
  if (i->op == CIR_CAS)
    i->weak = word(r, "w or s")[0] == 'w';
  else if (i->op != CIR_RMW)
    i->is_volatile = word(r, "flags")[0] == 'v';
  operands(r, i, 1 + words * (i->op == CIR_CAS ? 2 : i->op == CIR_LOAD ? 0 : 1));
}

static void read_phi(struct reader *r, struct c_instruction *i) {
  while (more(r)) {
    int64_t b;
    struct c_operand o = operand_text(r, pair(r, &b));
    int block = (int)b;
    list_push(r->arena, &i->blocks, block);
    list_push(r->arena, &i->args, o);
  }
}

static void read_switch(struct reader *r, struct c_instruction *i) {
  i->bits = (int)number(r, 65);
  operand(r, i);
  block_word(r, i);
  while (more(r)) {
    int64_t key;
    int block = atoi(pair(r, &key));
    list_push(r->arena, &i->keys, key);
    list_push(r->arena, &i->blocks, block);
  }
}

static void read_control(struct reader *r, struct c_instruction *i) {
  switch (i->op) {
  case CIR_BR:
    block_word(r, i);
    break;
  case CIR_CBR:
    operand(r, i);
    block_word(r, i);
    block_word(r, i);
    break;
  case CIR_SWITCH:
    read_switch(r, i);
    break;
  case CIR_RET:
    operands(r, i, 0);
    break;
  case CIR_UNSUPPORTED:
    i->text = remainder_of(r);
    break;
  default:
    break;
  }
}

static void read_instruction(struct reader *r) {
  struct c_instruction i = {.dst = -1};
  i.op = (enum cir_op)one_of(r, op_words, CIR_OPS, "an instruction");
  i.place.file = r->m->files.data[number(r, r->m->files.length)];
  i.place.line = (int)number(r, 1 << 30);
  i.place.column = (int)number(r, 1 << 30);
  switch (i.op) {
  case CIR_LOAD:
  case CIR_STORE:
  case CIR_RMW:
  case CIR_CAS:
    read_access(r, &i);
    break;
  case CIR_ZEXT:
  case CIR_SEXT:
  case CIR_TRUNC:
    i.dst = destination(r);
    i.bits = (int)number(r, 65);
    i.from = (int)number(r, 65);
    operands(r, &i, 1);
    break;
  case CIR_FENCE:
    i.order = order(r);
    break;
  case CIR_BEGIN:
  case CIR_END_OF:
    operands(r, &i, 1);
    break;
  case CIR_ALLOCA:
    i.dst = destination(r);
    i.layout = (int)number(r, r->m->layouts.length);
    i.is_local = word(r, "p or s")[0] == 'p';
    operand(r, &i);
    i.text = remainder_of(r);
    break;
  case CIR_PHI:
    i.dst = destination(r);
    i.bits = (int)number(r, 65);
    read_phi(r, &i);
    break;
  case CIR_BR:
  case CIR_CBR:
  case CIR_SWITCH:
  case CIR_RET:
  case CIR_UNREACHABLE:
  case CIR_UNSUPPORTED:
    read_control(r, &i);
    break;
  case CIR_CALL:
    i.dst = call_results(r, &i.more);
    i.bits = (int)number(r, 65);
    operands(r, &i, 1);
    break;
  default: /* arithmetic, comparisons, select */
    i.dst = destination(r);
    i.bits = (int)number(r, 65);
    operands(r, &i, i.op == CIR_SELECT ? 3 : 2);
  }
  list_push(r->arena, &r->f->code, i);
  r->f->blocks.data[r->f->blocks.length - 1].count++;
}

/* Values that tidemark-lift made up get numbers behind LLVM's. */
static void renumber(struct reader *r) {
  int top = r->f->args, extra = 0;
  for (int i = 0; i < r->f->code.length; i++) {
    const struct c_instruction *x = &r->f->code.data[i];
    int last = x->dst + (x->op == CIR_CAS) + x->more;
    for (int a = 0; a < x->args.length; a++) /* results of what is not supported have no line */
      if (x->args.data[a].kind == OPERAND_VALUE && x->args.data[a].number < CIR_BLOCK_FIRST)
        top = (int)x->args.data[a].number >= top ? (int)x->args.data[a].number + 1 : top;
    if (x->dst < CIR_EXTRA_FIRST)
      top = last >= top ? last + 1 : top;
    else
      extra = last - CIR_EXTRA_FIRST >= extra ? last - CIR_EXTRA_FIRST + 1 : extra;
  }
  r->f->values = top + extra;
  for (int i = 0; i < r->f->code.length; i++) {
    struct c_instruction *x = &r->f->code.data[i];
    x->dst = x->dst >= CIR_EXTRA_FIRST ? x->dst - CIR_EXTRA_FIRST + top : x->dst;
    for (int a = 0; a < x->args.length; a++) {
      struct c_operand *o = &x->args.data[a];
      if (o->kind != OPERAND_VALUE)
        continue;
      o->number = o->number >= CIR_EXTRA_FIRST ? o->number - CIR_EXTRA_FIRST + top : o->number;
      if (o->number >= r->f->values)
        fail(r, "a value of this function");
    }
    for (int b = 0; b < x->blocks.length; b++)
      if (x->blocks.data[b] < 0 || x->blocks.data[b] >= r->f->blocks.length)
        fail(r, "a block of this function");
  }
}

static bool ends_block(const struct c_instruction *i) {
  return i->op == CIR_BR || i->op == CIR_CBR || i->op == CIR_SWITCH || i->op == CIR_RET ||
         i->op == CIR_UNREACHABLE || i->op == CIR_UNSUPPORTED;
}

static void check_blocks(struct reader *r) {
  if (!r->f->blocks.length)
    fail(r, "a block");
  for (int b = 0; b < r->f->blocks.length; b++) {
    const struct c_block *block = &r->f->blocks.data[b];
    if (!block->count)
      fail(r, "a jump at the end of a block");
    const struct c_instruction *code = &r->f->code.data[block->first];
    for (int n = 1; n < block->count; n++) {
      if (ends_block(&code[n - 1]) && code[n - 1].op != CIR_UNSUPPORTED)
        fail(r, "the end of a block behind a jump");
      if (code[n].op == CIR_PHI && code[n - 1].op != CIR_PHI)
        fail(r, "phis at the beginning of a block");
    }
    if (!ends_block(&code[block->count - 1]))
      fail(r, "a jump at the end of a block");
  }
}

static void read_function(struct reader *r) {
  struct c_function f = {0};
  number(r, r->m->functions.length + 1);
  f.args = (int)number(r, 1 << 16);
  f.defined = word(r, "d or x")[0] == 'd';
  f.name = remainder_of(r);
  r->f = &f;
  while (f.defined) {
    if (!next_line(r))
      fail(r, "the end of a function");
    const char *start = r->next, *first = word(r, "an instruction");
    if (!strcmp(first, "end"))
      break;
    if (!strcmp(first, "layout")) /* of a local variable; read before */
      continue;
    if (!strcmp(first, "block")) {
      struct c_block b = {.first = f.code.length, .loop = -1};
      if (number(r, f.blocks.length + 1) != f.blocks.length)
        fail(r, "blocks in order");
      list_push(r->arena, &f.blocks, b);
      continue;
    }
    if (!f.blocks.length)
      fail(r, "a block");
    r->next = start;
    read_instruction(r);
  }
  renumber(r);
  if (f.defined)
    check_blocks(r);
  if (f.defined && !c_flow_analyse(&f, r->arena, r->diag))
    longjmp(r->fail, 1);
  list_push(r->arena, &r->m->functions, f);
  r->f = NULL;
}

static void read_layout(struct reader *r) {
  struct c_layout l = {0};
  number(r, r->m->layouts.length + 1);
  l.size = number(r, (int64_t)1 << 40);
  while (more(r)) {
    struct c_scalar s;
    s.bytes = atoi(pair(r, &s.offset));
    if (s.bytes < 1 || s.offset < 0 || s.offset > l.size - s.bytes)
      fail(r, "a scalar inside of its type");
    list_push(r->arena, &l.scalars, s);
  }
  list_push(r->arena, &r->m->layouts, l);
}

static void read_object(struct reader *r) {
  struct c_global g = {0};
  number(r, r->m->globals.length + 1);
  g.layout = (int)number(r, r->m->layouts.length);
  const char *flags = word(r, "flags");
  g.is_thread_local = strchr(flags, 't') != NULL;
  g.is_constant = strchr(flags, 'c') != NULL;
  g.place.file = r->m->files.data[number(r, r->m->files.length)];
  g.place.line = (int)number(r, 1 << 30);
  g.name = remainder_of(r);
  list_push(r->arena, &r->m->globals, g);
}

/* Initial values may speak of objects and functions that come later: read in a second pass. */
static void read_initial(struct reader *r) {
  struct c_global *g = &r->m->globals.data[number(r, r->m->globals.length)];
  struct c_initial i = {.offset = number(r, (int64_t)1 << 40)};
  i.bytes = (int)number(r, 17);
  if (!i.bytes) {
    g->initial_unsupported = true;
    return;
  }
  i.value = operand_text(r, word(r, "an operand"));
  list_push(r->arena, &g->initial, i);
}

static void read_all(struct reader *r, const char *text, bool objects) {
  r->start = r->next = r->rest = text;
  r->line = 0;
  bool first = true;
  while (next_line(r)) {
    const char *w = word(r, "a line");
    if (first) {
      if (strcmp(w, "tidemark-cir") || number(r, 1 << 30) != CIR_VERSION)
        fail(r, "the output of this version's tidemark-lift");
      first = false;
    } else if (objects && !strcmp(w, "file")) {
      number(r, r->m->files.length + 1);
      const char *path = remainder_of(r);
      list_push(r->arena, &r->m->files, path);
    } else if (objects && !strcmp(w, "layout")) {
      read_layout(r);
    } else if (objects && !strcmp(w, "object")) {
      read_object(r);
    } else if (!objects && !strcmp(w, "init")) {
      read_initial(r);
    } else if (!objects && !strcmp(w, "function")) {
      read_function(r);
    }
  }
  if (first)
    fail(r, "the output of tidemark-lift");
}

struct c_module *c_module_read(const char *text, size_t length, struct arena *a, struct diag *d) {
  struct reader r = {.arena = a, .diag = d, .text_end = text + length};
  r.m = arena_alloc(a, sizeof *r.m);
  if (setjmp(r.fail))
    return NULL;
  read_all(&r, text, true);
  read_all(&r, text, false);
  r.m->file = r.m->files.length ? r.m->files.data[0] : "";
  return r.m;
}

int c_module_find(const struct c_module *m, const char *function) {
  for (int i = 0; i < m->functions.length; i++)
    if (m->functions.data[i].defined && !strcmp(m->functions.data[i].name, function))
      return i;
  return -1;
}

const char *c_module_string(const struct c_module *m, struct c_operand o, struct arena *a) {
  if (o.kind != OPERAND_OBJECT || o.offset)
    return NULL;
  const struct c_global *g = &m->globals.data[o.number];
  int64_t size = m->layouts.data[g->layout].size;
  if (!g->is_constant || size <= 0 || size > 4096)
    return NULL;
  char *text = arena_alloc(a, (size_t)size + 1);
  for (int i = 0; i < g->initial.length; i++)
    if (g->initial.data[i].bytes == 1 && g->initial.data[i].offset < size)
      text[g->initial.data[i].offset] = (char)g->initial.data[i].value.number;
  return text;
}
