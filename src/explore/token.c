#include "explore/token.h"

#define TIMES_MAX 1000000

static const char letters[] = {
#define CHOICE(name, letter) letter,
    CHOICE_KINDS(CHOICE)
#undef CHOICE
};

/* Append choice number `first` and those equal to it right after it; up to `from` they are known to be equal.  Returns
 * the number of the first that differs. */
static size_t append_equal(struct str *out, const choice_list *list, size_t first, size_t from) {
  const struct choice *x = &list->data[first];
  size_t next = from > first ? from : first + 1;
  while (next < list->length && list->data[next].kind == x->kind &&
         list->data[next].taken == x->taken)
    next++;
  str_format(out, "%s%c%u", first ? "." : "", letters[x->kind], x->taken);
  if (next - first > 1)
    str_format(out, "*%zu", next - first);
  return next;
}

void token_append(struct str *out, const choice_list *list) {
  for (size_t i = 0; i < list->length;)
    i = append_equal(out, list, i, i);
}

/* How many choices are still those of the text.  If a choice is the same, all below it are: a stack changes at its
 * top. */
static size_t count_unchanged(const struct token_text *t, const choice_list *stack) {
  size_t n = t->marks.length < stack->length ? t->marks.length : stack->length;
  while (n && t->marks.data[n - 1].since != stack->data[n - 1].since)
    n--;
  return n;
}

void token_text_update(struct token_text *t, const choice_list *stack) {
  size_t n = count_unchanged(t, stack), first = n ? t->marks.data[n - 1].first : 0;
  str_truncate(&t->text, n ? t->marks.data[n - 1].begin : 0);
  t->marks.length = n;
  while (first < stack->length) {
    size_t begin = t->text.length, next = append_equal(&t->text, stack, first, n);
    for (size_t i = t->marks.length; i < next; i++)
      vec_push(&t->marks, ((struct token_mark){stack->data[i].since, first, begin}));
    first = next;
  }
}

void token_text_free(struct token_text *t) {
  str_free(&t->text);
  vec_free(&t->marks);
}

/* A decimal number that fits; false if there is none. */
static bool parse_number(const char **p, uint32_t *out) {
  uint64_t n = 0;
  const char *begin = *p;
  for (; **p >= '0' && **p <= '9'; ++*p)
    if ((n = n * 10 + (uint64_t)(**p - '0')) > UINT32_MAX)
      return false;
  *out = (uint32_t)n;
  return *p > begin;
}

bool token_parse(const char *text, choice_list *list) {
  list->length = 0;
  for (const char *p = text; *p;) {
    int kind = 0, kinds = (int)sizeof letters;
    while (kind < kinds && letters[kind] != *p)
      kind++;
    uint32_t taken, times = 1;
    p++;
    if (kind == kinds || !parse_number(&p, &taken))
      return false;
    if (*p == '*') {
      p++;
      if (!parse_number(&p, &times) || times > TIMES_MAX)
        return false;
    }
    while (times-- > 0)
      vec_push(list, ((struct choice){.kind = kind, .taken = taken}));
    if (*p == '.' && p[1])
      p++;
    else if (*p)
      return false;
  }
  return true;
}

static int sign(bool greater, bool less) {
  return (int)greater - (int)less;
}

int token_compare(const choice_list *a, const choice_list *b) {
  for (size_t i = 0; i < a->length && i < b->length; i++) {
    const struct choice *x = &a->data[i], *y = &b->data[i];
    if (x->kind != y->kind) /* the failures before an observation come first */
      return sign(y->kind == CHOICE_FAILURE, x->kind == CHOICE_FAILURE);
    if (x->taken != y->taken)
      return sign(x->taken > y->taken, x->taken < y->taken);
  }
  return sign(a->length > b->length, a->length < b->length);
}

int token_compare_texts(const char *a, const char *b) {
  choice_list x = {0}, y = {0};
  int order = 0;
  if (token_parse(a, &x) && token_parse(b, &y))
    order = token_compare(&x, &y);
  vec_free(&x);
  vec_free(&y);
  return order;
}
