#include "axiom/word.h"
#include "base/check.h"
#include <string.h>

enum { N = WORD_BITS, SHIFT_BITS = 6 };

static int lit_xor(struct circuit *c, int a, int b) {
  return -circuit_iff(c, a, b);
}

static int lit_choose(struct circuit *c, int s, int yes, int no) {
  if (yes == no)
    return yes;
  if (s == LIT_TRUE || s == LIT_FALSE)
    return s == LIT_TRUE ? yes : no;
  return circuit_or2(c, circuit_and2(c, s, yes), circuit_and2(c, -s, no));
}

static int *word_new(struct arena *a) {
  return arena_alloc(a, N * sizeof(int));
}

const int *word_constant(struct arena *a, int64_t value) {
  int *w = word_new(a);
  for (int i = 0; i < N; i++)
    w[i] = (uint64_t)value >> i & 1 ? LIT_TRUE : LIT_FALSE;
  return w;
}

int word_equals(struct circuit *c, const int *a, const int *b) {
  int same[N];
  for (int i = 0; i < N; i++)
    same[i] = circuit_iff(c, a[i], b[i]);
  return circuit_and(c, same, N);
}

int word_is_constant(struct circuit *c, const int *a, int64_t value) {
  int same[N];
  for (int i = 0; i < N; i++)
    same[i] = (uint64_t)value >> i & 1 ? a[i] : -a[i];
  return circuit_and(c, same, N);
}

int word_is_true(struct circuit *c, const int *a) {
  return circuit_or(c, a, N);
}

static int less(struct circuit *c, const int *a, const int *b) {
  int lt = LIT_FALSE;
  for (int i = 0; i < N; i++)
    lt = lit_choose(c, circuit_iff(c, a[i], b[i]), lt, b[i]);
  return lt;
}

static int less_signed(struct circuit *c, const int *a, const int *b) {
  int x[N], y[N];
  memcpy(x, a, sizeof x);
  memcpy(y, b, sizeof y);
  x[N - 1] = -a[N - 1];
  y[N - 1] = -b[N - 1];
  return less(c, x, y);
}

bool word_compares(enum expr_kind op) {
  return op >= EXPR_EQ && op <= EXPR_ULE;
}

int word_compare(struct circuit *c, enum expr_kind op, const int *a, const int *b) {
  switch (op) {
  case EXPR_EQ:
    return word_equals(c, a, b);
  case EXPR_NE:
    return -word_equals(c, a, b);
  case EXPR_LT:
    return less_signed(c, a, b);
  case EXPR_LE:
    return -less_signed(c, b, a);
  case EXPR_ULT:
    return less(c, a, b);
  case EXPR_ULE:
    return -less(c, b, a);
  default:
    CHECK(false, "no comparison: %d", (int)op);
  }
}

/* ---- sums --------------------------------------------------------------------------------- */

static void add(struct circuit *c, const int *a, const int *b, int carry, int *out) {
  for (int i = 0; i < N; i++) {
    int x = a[i], y = b[i], half = lit_xor(c, x, y);
    out[i] = lit_xor(c, half, carry);
    carry = circuit_or2(c, circuit_and2(c, x, y), circuit_and2(c, carry, circuit_or2(c, x, y)));
  }
}

static void negate(const int *a, int *out) { /* every bit */
  for (int i = 0; i < N; i++)
    out[i] = -a[i];
}

static void subtract(struct circuit *c, const int *a, const int *b, int *out) {
  int inverted[N];
  negate(b, inverted);
  add(c, a, inverted, LIT_TRUE, out);
}

static void choose(struct circuit *c, int s, const int *yes, const int *no, int *out) {
  for (int i = 0; i < N; i++)
    out[i] = lit_choose(c, s, yes[i], no[i]);
}

static void minus(struct circuit *c, const int *a, int *out) {
  int zero[N];
  for (int i = 0; i < N; i++)
    zero[i] = LIT_FALSE;
  subtract(c, zero, a, out);
}

static int length(const int *a) { /* without leading zeros */
  int n = N;
  while (n && a[n - 1] == LIT_FALSE)
    n--;
  return n;
}

static void multiply(struct circuit *c, const int *a, const int *b, int *out) {
  if (length(a) < length(b)) {
    const int *swap = a;
    a = b;
    b = swap;
  }
  for (int i = 0; i < N; i++)
    out[i] = LIT_FALSE;
  for (int i = 0; i < N; i++) {
    int partial[N], sum[N];
    if (b[i] == LIT_FALSE)
      continue;
    for (int j = 0; j < N; j++)
      partial[j] = j < i ? LIT_FALSE : circuit_and2(c, a[j - i], b[i]);
    add(c, out, partial, LIT_FALSE, sum);
    memcpy(out, sum, sizeof sum);
  }
}

/* ---- division ----------------------------------------------------------------------------- */

/* By zero the quotient is 0 and the remainder the dividend, as in expr_apply. */
static void divide(struct circuit *c, const int *a, const int *b, int *quotient, int *remainder) {
  int rest[N];
  for (int i = 0; i < N; i++)
    rest[i] = quotient[i] = LIT_FALSE;
  int by_zero = -word_is_true(c, b);
  for (int i = length(a) - 1; i >= 0; i--) {
    int difference[N], lost = rest[N - 1];
    memmove(rest + 1, rest, (N - 1) * sizeof *rest);
    rest[0] = a[i];
    int fits = circuit_or2(c, lost, -less(c, rest, b));
    subtract(c, rest, b, difference);
    choose(c, fits, difference, rest, rest);
    quotient[i] = circuit_and2(c, fits, -by_zero);
  }
  choose(c, by_zero, a, rest, remainder);
}

static void divide_signed(struct circuit *c, const int *a, const int *b, int *quotient,
                          int *remainder) {
  int x[N], y[N], t[N], q[N], r[N];
  minus(c, a, t);
  choose(c, a[N - 1], t, a, x);
  minus(c, b, t);
  choose(c, b[N - 1], t, b, y);
  divide(c, x, y, q, r);
  minus(c, q, t);
  choose(c, lit_xor(c, a[N - 1], b[N - 1]), t, q, quotient);
  minus(c, r, t);
  choose(c, a[N - 1], t, r, remainder);
}

/* ---- shifts ------------------------------------------------------------------------------- */

static void shift(struct circuit *c, enum expr_kind op, const int *a, const int *by, int *out) {
  int fill = op == EXPR_SHR ? a[N - 1] : LIT_FALSE;
  memcpy(out, a, N * sizeof *out);
  for (int s = 0; s < SHIFT_BITS; s++) {
    int moved[N], n = 1 << s;
    for (int i = 0; i < N; i++) {
      int from = op == EXPR_SHL ? i - n : i + n;
      moved[i] = from < 0 || from >= N ? fill : out[from];
    }
    choose(c, by[s], moved, out, out);
  }
}

static void wrap(const int *a, int bits, int *out) {
  for (int i = 0; i < N; i++)
    out[i] = a[i < bits ? i : bits - 1];
}

static void bitwise(struct circuit *c, enum expr_kind op, const int *a, const int *b, int *out) {
  for (int i = 0; i < N; i++)
    out[i] = op == EXPR_AND  ? circuit_and2(c, a[i], b[i])
             : op == EXPR_OR ? circuit_or2(c, a[i], b[i])
                             : lit_xor(c, a[i], b[i]);
}

const int *word_apply(struct circuit *c, struct arena *arena, enum expr_kind op,
                      const int *const *args) {
  int *out = word_new(arena), other[N];
  const int *a = args[0], *b = args[1];
  switch (op) {
  case EXPR_ADD:
    add(c, a, b, LIT_FALSE, out);
    break;
  case EXPR_SUB:
    subtract(c, a, b, out);
    break;
  case EXPR_MUL:
    multiply(c, a, b, out);
    break;
  case EXPR_DIV:
    divide_signed(c, a, b, out, other);
    break;
  case EXPR_MOD:
    divide_signed(c, a, b, other, out);
    break;
  case EXPR_UDIV:
    divide(c, a, b, out, other);
    break;
  case EXPR_UMOD:
    divide(c, a, b, other, out);
    break;
  case EXPR_AND:
  case EXPR_OR:
  case EXPR_XOR:
    bitwise(c, op, a, b, out);
    break;
  case EXPR_SHL:
  case EXPR_SHR:
  case EXPR_USHR:
    shift(c, op, a, b, out);
    break;
  case EXPR_NOT:
    negate(a, out);
    break;
  case EXPR_NEG:
    minus(c, a, out);
    break;
  case EXPR_WRAP32:
    wrap(a, 32, out);
    break;
  case EXPR_WRAP16:
    wrap(a, 16, out);
    break;
  case EXPR_WRAP8:
    wrap(a, 8, out);
    break;
  case EXPR_ITE:
    choose(c, word_is_true(c, a), b, args[2], out);
    break;
  default:
    CHECK(false, "no operator on words: %d", (int)op);
  }
  return out;
}
