#include "explore/choice.h"
#include "base/check.h"

#define TIMES_MAX 1000000

static const char letters[] = {
#define CHOICE(name, letter) letter,
    CHOICE_KINDS(CHOICE)
#undef CHOICE
};

/* Replay: what the token says at the current depth, or NULL past its end. */
static const struct choice *forced(const struct choices *c) {
  return c->replaying && c->stack.length < c->forced.length ? &c->forced.data[c->stack.length]
                                                            : NULL;
}

uint32_t choice_open_at(struct choices *c, enum choice_kind kind, uint32_t count, uint32_t first) {
  CHECK(first < count, "alternative %u of %u", first, count);
  struct choice new = {.kind = kind, .taken = first, .count = count};
  const struct choice *f = forced(c);
  if (f && (f->kind != kind || f->taken >= count))
    c->diverged = true;
  else if (f)
    new.taken = f->taken;
  vec_push(&c->stack, new);
  return new.taken;
}

uint32_t choice_open(struct choices *c, enum choice_kind kind, uint32_t count) {
  return choice_open_at(c, kind, count, 0);
}

bool choice_jump(struct choices *c, uint32_t which) {
  CHECK(c->stack.length, "no choice is open");
  struct choice *top = &vec_last(&c->stack);
  if (!c->replaying && which < top->count) {
    top->taken = which;
    return true;
  }
  choice_close(c);
  return false;
}

bool choice_next(struct choices *c) {
  CHECK(c->stack.length, "no choice is open");
  return choice_jump(c, vec_last(&c->stack).taken + 1);
}

bool choice_enter(struct choices *c, enum choice_kind kind, uint32_t which) {
  const struct choice *f = forced(c);
  if (c->replaying && (!f || f->kind != kind || f->taken != which))
    return false;
  vec_push(&c->stack, ((struct choice){.kind = kind, .taken = which, .count = which + 1}));
  return true;
}

void choice_preview_begin(struct choices *c) {
  c->preview = c->stack.length;
}

uint32_t choice_preview(struct choices *c, uint32_t count, uint32_t first) {
  size_t depth = c->preview++;
  if (!c->replaying || depth >= c->forced.length)
    return first;
  return c->forced.data[depth].taken < count ? c->forced.data[depth].taken : 0;
}

void choice_close(struct choices *c) {
  CHECK(c->stack.length, "no choice is open");
  c->stack.length--;
}

bool choice_complete(const struct choices *c) {
  return !c->replaying || c->stack.length == c->forced.length;
}

void choice_token(const struct choices *c, struct str *out) {
  for (size_t i = 0, next; i < c->stack.length; i = next) {
    const struct choice *x = &c->stack.data[i];
    for (next = i + 1; next < c->stack.length; next++)
      if (c->stack.data[next].kind != x->kind || c->stack.data[next].taken != x->taken)
        break;
    str_format(out, "%s%c%u", i ? "." : "", letters[x->kind], x->taken);
    if (next - i > 1)
      str_format(out, "*%zu", next - i);
  }
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

bool choice_parse(struct choices *c, const char *token) {
  c->forced.length = 0;
  for (const char *p = token; *p;) {
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
      vec_push(&c->forced, ((struct choice){.kind = kind, .taken = taken}));
    if (*p == '.' && p[1])
      p++;
    else if (*p)
      return false;
  }
  c->replaying = true;
  return true;
}
