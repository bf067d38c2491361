/* Values of a bitwise program in one execution: words of literals.
 *
 * A read's bits are inputs, tied to what the write it sees has written; bits that no value has which
 * the domains allow are constants.  A read that is not executed is zero. */
#include "axiom/encode.h"
#include "axiom/word.h"
#include "base/check.h"

const int *execution_word(struct execution *x, int expr) {
  if (x->words[expr])
    return x->words[expr];
  struct encoder *e = x->encoder;
  const struct expr *f = &e->program->exprs.data[expr];
  const int *w;
  switch (f->kind) {
  case EXPR_CONST:
    w = word_constant(e->arena, f->value);
    break;
  case EXPR_READ: {
    int first = e->universe->first[f->value];
    w = x->word[e->universe->performers.data[first].action];
    break;
  }
  case EXPR_INPUT: {
    int *bits = arena_alloc(e->arena, WORD_BITS * sizeof *bits);
    for (int b = 0; b < WORD_BITS; b++)
      bits[b] = b < e->program->inputs.data[f->value].bits
                    ? encoder_input(e, INPUT_FREE, x->index, (int)f->value, b, NULL)
                    : LIT_FALSE;
    w = bits;
    break;
  }
  default:
    if (word_compares(f->kind) || f->kind == EXPR_LAND || f->kind == EXPR_LOR ||
        f->kind == EXPR_LNOT) {
      int *bits = (int *)word_constant(e->arena, 0);
      bits[0] = execution_truth(x, expr);
      w = bits;
    } else {
      const int *args[3] = {NULL, NULL, NULL};
      for (int i = 0; i < expr_arity(f->kind); i++)
        args[i] = execution_word(x, f->arg[i]);
      w = word_apply(e->circuit, e->arena, f->kind, args);
    }
  }
  x->words[expr] = w;
  return w;
}

int execution_truth_bits(struct execution *x, int expr) {
  struct circuit *c = x->encoder->circuit;
  const struct expr *f = &x->encoder->program->exprs.data[expr];
  if (f->kind == EXPR_ITE) {
    int s = execution_truth(x, f->arg[0]);
    return circuit_or2(c, circuit_and2(c, s, execution_truth(x, f->arg[1])),
                       circuit_and2(c, -s, execution_truth(x, f->arg[2])));
  }
  if (word_compares(f->kind))
    return word_compare(c, f->kind, execution_word(x, f->arg[0]), execution_word(x, f->arg[1]));
  return word_is_true(c, execution_word(x, expr));
}

/* Bits that are set in some value. */
static uint64_t possible_bits(struct values v) {
  uint64_t bits = v.count < 0 ? ~(uint64_t)0 : 0;
  for (int i = 0; i < v.count; i++)
    bits |= (uint64_t)v.data[i];
  return bits;
}

static uint64_t mask_of(int bits) {
  return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

/* The first bit that is set in the same of these values as bit b. */
static int same_column(struct values v, int b) {
  for (int first = 0; v.count > 0 && first < b; first++) {
    int i = 0;
    while (i < v.count && ((uint64_t)v.data[i] >> first & 1) == ((uint64_t)v.data[i] >> b & 1))
      i++;
    if (i == v.count)
      return first;
  }
  return b;
}

/* A word whose bits are inputs where they can be set; what no value tells apart is one input.  When
 * explaining, a statement without its constraint may write anything, so the bits of all statements
 * count. */
static int *free_word(struct execution *x, int kind, int owner, int bits, struct values possible) {
  struct encoder *e = x->encoder;
  int *w = arena_alloc(e->arena, WORD_BITS * sizeof *w);
  uint64_t set = (e->explain ? e->domains->bits : possible_bits(possible)) & mask_of(bits);
  for (int b = 0; b < WORD_BITS; b++) {
    int first = e->explain ? b : same_column(possible, b);
    w[b] = !(set >> b & 1) ? LIT_FALSE
           : first < b     ? w[first]
                           : encoder_input(e, kind, x->index, owner, b, NULL);
  }
  return w;
}

void execution_create_read_words(struct execution *x) {
  struct encoder *e = x->encoder;
  for (int a = 0; a < e->universe->actions.length; a++) {
    const struct action *r = &e->universe->actions.data[a];
    if (r->kind == STMT_READ)
      x->word[a] = free_word(x, INPUT_READ_VALUE, a, e->program->stmts.data[r->stmt].bits,
                             e->domains->read[r->stmt]);
  }
}

void execution_create_write_words(struct execution *x) {
  struct encoder *e = x->encoder;
  for (int a = 0; a < e->universe->actions.length; a++) {
    const struct action *w = &e->universe->actions.data[a];
    if (w->kind != STMT_WRITE)
      continue;
    const struct stmt *s = &e->program->stmts.data[w->stmt];
    const int *value = execution_word(x, s->value);
    x->word[a] = value;
    if (!e->explain)
      continue;
    int *any = free_word(x, INPUT_WRITE_VALUE, a, s->bits, (struct values){NULL, -1});
    int off = -x->guard[w->stmt];
    for (int b = 0; b < s->bits; b++) {
      encoder_clause(e, (int[]){off, -value[b], any[b]}, 3, e->stmt_group[w->stmt]);
      encoder_clause(e, (int[]){off, value[b], -any[b]}, 3, e->stmt_group[w->stmt]);
    }
    x->word[a] = any;
  }
}

/* A bit before this one is the same in both words. */
static bool is_repeated(const int *one, const int *other, int bit) {
  for (int b = 0; b < bit; b++)
    if (one[b] == one[bit] && other[b] == other[bit])
      return true;
  return false;
}

/* What r reads if it sees w. */
void execution_link_words(struct execution *x, int w, int r) {
  struct encoder *e = x->encoder;
  int rf = x->rf[w * e->universe->actions.length + r];
  for (int b = 0; b < WORD_BITS; b++) {
    int from = x->word[w][b], to = x->word[r][b];
    if (from == to || is_repeated(x->word[w], x->word[r], b))
      continue;
    encoder_clause(e, (int[]){-rf, -from, to}, 3, -1);
    encoder_clause(e, (int[]){-rf, from, -to}, 3, -1);
  }
}

/* So that expressions mean the same to everybody, whether or not somebody looks at them. */
void execution_zero_unless_executed(struct execution *x, int r) {
  struct encoder *e = x->encoder;
  for (int b = 0; b < WORD_BITS; b++)
    if (x->word[r][b] != LIT_FALSE && !is_repeated(x->word[r], x->word[r], b))
      encoder_clause(e, (int[]){x->executed[r], -x->word[r][b]}, 2, -1);
}

int execution_at_address(struct execution *x, int expr, int64_t address) {
  return word_is_constant(x->encoder->circuit, execution_word(x, expr), address);
}
