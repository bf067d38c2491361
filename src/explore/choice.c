#include "explore/choice.h"
#include "base/check.h"

/* Replay: what the token says at the current depth, or NULL past its end. */
static const struct choice *forced(const struct choices *c) {
  return c->replaying && c->stack.length < c->forced.length ? &c->forced.data[c->stack.length]
                                                            : NULL;
}

/* ---- where the stack is in the range ---- */

/* The next decision on the way to `from`; NULL: the range has begun. */
static const struct choice *next_to_begin(const struct choices *c) {
  size_t depth = c->stack.length;
  return c->starting && c->from_match >= depth && depth < c->from.length ? &c->from.data[depth]
                                                                         : NULL;
}

/* The next decision of `to`, if the stack is a prefix of it; NULL: `to` is not near. */
static const struct choice *next_to_end(const struct choices *c) {
  size_t depth = c->stack.length;
  return c->bounded && c->to_match >= depth && depth < c->to.length ? &c->to.data[depth] : NULL;
}

/* `to` has further decisions after the next one, so a part of what begins with the next one lies in the range. */
static bool last_is_shared(const struct choices *c) {
  return c->to.length > c->stack.length + 1;
}

static bool same(const struct choice *a, const struct choice *b) {
  return a->kind == b->kind && a->taken == b->taken;
}

/* How many decisions of the stack are those of the list, when `matched` were before the newest one. */
static size_t match(const struct choices *c, size_t matched, const choice_list *list) {
  size_t depth = c->stack.length - 1;
  if (matched < depth || depth >= list->length)
    return matched < depth ? matched : depth;
  return depth + same(&c->stack.data[depth], &list->data[depth]);
}

static void note_newest(struct choices *c) {
  vec_last(&c->stack).since = ++c->taken;
  c->from_match = match(c, c->from_match, &c->from);
  c->to_match = match(c, c->to_match, &c->to);
  if (c->starting && c->from_match == c->from.length)
    c->starting = false;
}

/* What follows is an observation or the end of the execution.  Failures before it come first in the order of positions,
 * so if the range begins with a failure here, that one was passed, and the range has begun. */
static void begin_behind_failures(struct choices *c) {
  const struct choice *begin = next_to_begin(c);
  if (begin && begin->kind == CHOICE_FAILURE)
    c->starting = false;
}

static void push(struct choices *c, const struct choice *new) {
  vec_push(&c->stack, *new);
  note_newest(c);
}

/* Within a sampled schedule, where ranges must not begin? */
static bool in_run(const struct choices *c) {
  return c->stack.length > 1 && c->stack.data[0].kind == CHOICE_RUN && !c->divides_runs;
}

void choice_stand(struct choices *c) {
  if (!c->boundary || c->starting || c->repeats || in_run(c))
    return;
  c->stood = c->stack.length;
  c->boundary(c);
  if (c->past && c->stopped)
    c->stopped(c);
}

void choice_stand_back(struct choices *c) {
  size_t length = c->stack.length;
  if (!c->boundary || c->starting || c->past || !c->stood)
    return;
  c->stack.length = c->stood;
  c->boundary(c);
  c->stack.length = length;
}

/* ---- choices ---- */

uint32_t choice_open_at(struct choices *c, enum choice_kind kind, uint32_t count, uint32_t first) {
  CHECK(first < count, "alternative %u of %u", first, count);
  begin_behind_failures(c);
  struct choice new = {.kind = kind, .taken = first, .limit = count, .count = count};
  const struct choice *f = forced(c), *begin = next_to_begin(c), *end = next_to_end(c);
  if (!f)
    f = begin;
  if (f && (f->kind != kind || f->taken >= count))
    c->diverged = true;
  else if (f)
    new.taken = f->taken;
  if (end && end->kind == kind && end->taken < count)
    new.limit = end->taken + last_is_shared(c);
  else if (end) /* `to` is a failure before this observation, or does not fit */
    new.limit = 0;
  if (new.limit <= new.taken)
    c->past = true;
  push(c, &new);
  return new.taken;
}

uint32_t choice_open(struct choices *c, enum choice_kind kind, uint32_t count) {
  return choice_open_at(c, kind, count, 0);
}

bool choice_jump(struct choices *c, uint32_t which) {
  CHECK(c->stack.length, "no choice is open");
  struct choice *top = &vec_last(&c->stack);
  CHECK(top->limit <= top->count, "%u of %u alternatives are left", top->limit, top->count);
  if (!c->replaying && which < top->limit && !c->past) {
    top->taken = which;
    note_newest(c);
    choice_stand(c);
    if (!c->past)
      return true;
  }
  c->past |= !c->replaying && which < top->count;
  choice_close(c);
  return false;
}

bool choice_next(struct choices *c) {
  CHECK(c->stack.length, "no choice is open");
  return choice_jump(c, vec_last(&c->stack).taken + 1);
}

/* Does the range contain something of that alternative? */
static bool in_range(struct choices *c, enum choice_kind kind, uint32_t which) {
  const struct choice *begin = next_to_begin(c), *end = next_to_end(c);
  if (begin && (begin->kind != kind || which < begin->taken))
    return false;
  if (end && end->kind == kind && which >= end->taken + last_is_shared(c))
    c->past = true;
  return !c->past;
}

bool choice_enter(struct choices *c, enum choice_kind kind, uint32_t which, uint32_t count) {
  const struct choice *f = forced(c);
  if (c->replaying && (!f || f->kind != kind || f->taken != which))
    return false;
  if (!in_range(c, kind, which))
    return false;
  uint32_t limit = count > which ? count : which + 1;
  const struct choice *end = next_to_end(c);
  if (end && end->kind == kind && end->taken + last_is_shared(c) < limit)
    limit = end->taken + last_is_shared(c);
  bool began = !c->starting;
  push(c, &(struct choice){.kind = kind, .taken = which, .limit = limit, .count = limit});
  if (began)
    choice_stand(c);
  if (!c->past)
    return true;
  choice_close(c);
  return false;
}

void choice_pass(struct choices *c, enum choice_kind kind, uint32_t which) {
  push(c, &(struct choice){.kind = kind, .taken = which, .limit = which + 1, .count = which + 1});
}

void choice_preview_begin(struct choices *c) {
  c->preview = c->stack.length;
  c->previews_begin = next_to_begin(c) != NULL;
}

uint32_t choice_preview(struct choices *c, uint32_t count, uint32_t first) {
  size_t depth = c->preview++;
  CHECK(depth >= c->stack.length && first < count, "a preview of %zu, at %zu", depth,
        c->stack.length);
  const struct choice *begin = depth < c->from.length ? &c->from.data[depth] : NULL;
  c->previews_begin &= begin && begin->kind != CHOICE_FAILURE && begin->taken < count;
  if (c->previews_begin)
    return begin->taken;
  if (!c->replaying || depth >= c->forced.length)
    return first;
  return c->forced.data[depth].taken < count ? c->forced.data[depth].taken : 0;
}

void choice_close(struct choices *c) {
  CHECK(c->stack.length, "no choice is open");
  c->stack.length--;
}

bool choice_complete(struct choices *c) {
  begin_behind_failures(c);
  const struct choice *begin = next_to_begin(c);
  c->diverged |= begin != NULL;
  if (next_to_end(c)) /* it has not failed where the range ends: it comes after that */
    c->past = true;
  if (c->starting && !begin) /* it lies before the range */
    return false;
  return !c->past && (!c->replaying || c->stack.length == c->forced.length);
}

void choice_position(const struct choices *c, struct str *out) {
  token_append(out, &c->stack);
}

static choice_list without_run(const struct choices *c) {
  bool run = c->stack.length && c->stack.data[0].kind == CHOICE_RUN;
  return (choice_list){.data = c->stack.data + run, .length = c->stack.length - run};
}

void choice_token(const struct choices *c, struct str *out) {
  choice_list rest = without_run(c);
  token_append(out, &rest);
}

void choice_update_token(const struct choices *c, struct token_text *t) {
  choice_list rest = without_run(c);
  token_text_update(t, &rest);
}

bool choice_parse(struct choices *c, const char *token) {
  c->replaying = token_parse(token, &c->forced);
  return c->replaying;
}

/* ---- ranges ---- */

bool choice_set_range(struct choices *c, const char *from, const char *to) {
  CHECK(c->stack.length == 0, "%zu choices are open", c->stack.length);
  c->past = false;
  c->stood = 0;
  c->bounded = to != NULL;
  c->from_match = c->to_match = 0;
  bool good = token_parse(from, &c->from) && token_parse(to ? to : "", &c->to);
  c->starting = c->from.length > 0;
  return good;
}

bool choice_is_whole(const struct choices *c) {
  return !c->starting && !c->past && !(c->bounded && c->to_match >= c->stack.length);
}

/* A guess at how much is left of the alternatives of a choice that were not tried.  Each load below a choice halves the
 * share of its alternatives; a chain of failures does not. */
static double weight(const struct choices *c, size_t depth, double share) {
  const struct choice *x = &c->stack.data[depth];
  if (c->together && depth >= c->together && !c->divides_all)
    return 0;
  return (double)(x->limit - x->taken - 1) * share;
}

static double share_below(const struct choice *x, double share) {
  return x->kind == CHOICE_READ ? share / 2 : share;
}

static double total_weight(const struct choices *c) {
  double total = 0, share = 1;
  for (size_t i = 0; i < c->stack.length; i++) {
    total += weight(c, i, share);
    share = share_below(&c->stack.data[i], share);
  }
  return total;
}

/* The last so many alternatives of decision number i, and all that comes after them. */
static void give_away(struct choices *c, size_t i, uint32_t count, struct str *where) {
  struct choice *x = &c->stack.data[i];
  c->to.length = 0;
  for (size_t j = 0; j <= i; j++)
    vec_push(&c->to, c->stack.data[j]);
  x->limit -= count;
  CHECK(x->limit > x->taken, "the alternative under way is given away");
  vec_last(&c->to).taken = x->limit;
  for (size_t j = 0; j < i; j++) /* alternatives of older choices come later, too */
    c->stack.data[j].limit = c->stack.data[j].taken + 1;
  c->bounded = true;
  c->to_match = i;
  token_append(where, &c->to);
}

bool choice_split(struct choices *c, struct str *where) {
  double half = total_weight(c) / 2, given = 0, share = 1;
  for (size_t i = 0; i < c->stack.length; i++) {
    const struct choice *x = &c->stack.data[i];
    uint32_t left = x->limit - x->taken - 1;
    double all = weight(c, i, share);
    if (left && all > 0 && given + all >= half) {
      uint32_t give = (uint32_t)((half - given) / share + 0.5);
      give_away(c, i, give < 1 ? 1 : give > left ? left : give, where);
      return true;
    }
    given += all;
    share = share_below(x, share);
  }
  return false;
}

bool choice_leave(struct choices *c, struct str *where) {
  uint32_t left = c->stack.length ? c->stack.data[0].limit - c->stack.data[0].taken - 1 : 0;
  if (left)
    give_away(c, 0, left, where);
  return left > 0;
}

void choice_pieces(const struct choices *c, uint32_t count, struct str *out) {
  double total = total_weight(c), before = 0, emitted = 0;
  choice_list position = {0};
  for (size_t i = c->stack.length; i-- > 0;) { /* the newest choices come first */
    const struct choice *x = &c->stack.data[i];
    double share = 1;
    for (size_t j = 0; j < i; j++)
      share = share_below(&c->stack.data[j], share);
    position.length = 0;
    for (size_t j = 0; j <= i; j++)
      vec_push(&position, c->stack.data[j]);
    for (uint32_t a = x->taken + 1; a < x->limit; a++, before += share) {
      if (before - emitted < total / count && out->length)
        continue;
      emitted = before;
      vec_last(&position).taken = a;
      token_append(out, &position);
      str_append_char(out, '\n');
    }
  }
  vec_free(&position);
}

void choice_cut(struct choices *c) {
  c->from.length = 0;
  for (size_t i = 0; i < c->stack.length; i++)
    vec_push(&c->from, c->stack.data[i]);
  c->from_match = c->from.length;
  c->stood = 0;
}

void choice_stop(struct choices *c) {
  c->past = true;
}
