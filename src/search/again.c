#include "search/again.h"
#include "base/check.h"
#include <string.h>

#define LEFT_MAX 256
#define VAIN_MAX 3

static void drop_left(struct again *a, size_t which) {
  str_free(&a->left.data[which].position);
  tally_free(&a->left.data[which].told);
  for (size_t i = which; i + 1 < a->left.length; i++)
    a->left.data[i] = a->left.data[i + 1];
  a->left.length--;
}

static void forget_walk(struct again *a) {
  tally_free(&a->told);
  tally_free(&a->owed);
  a->allowed = a->due = false;
}

void again_forget(struct again *a) {
  forget_walk(a);
  while (a->left.length)
    drop_left(a, a->left.length - 1);
}

void again_begin(struct again *a, bool allowed) {
  if (!a->due)
    a->allowed = allowed;
  a->due = false;
}

void again_end(struct again *a, bool finished) {
  CHECK(!finished || a->due || !a->owed.items.length, "%zu results were not found again",
        a->owed.items.length);
  if (!a->due)
    forget_walk(a);
}

void again_forbid(struct again *a) {
  CHECK(!a->owed.items.length, "%zu results are owed", a->owed.items.length);
  forget_walk(a);
}

void again_leave(struct again *a) {
  CHECK(a->allowed && !a->owed.items.length && !a->due, "a walk is left twice");
  tally_add(&a->owed, &a->told);
  a->due = true;
}

void again_stop(struct again *a, const choice_list *position, size_t depth) {
  struct again_left left = {.depth = depth};
  CHECK(a->allowed && !a->owed.items.length, "a walk is left where it was not walked before");
  a->vain++;
  if (a->left.length == LEFT_MAX)
    drop_left(a, 0);
  token_append(&left.position, position);
  tally_add(&left.told, &a->told);
  vec_push(&a->left, left);
}

static bool is_at(const struct str *text, const choice_list *position) {
  struct str at = {0};
  token_append(&at, position);
  bool same = text->length == at.length && memcmp(text->data, at.data, at.length) == 0;
  str_free(&at);
  return same;
}

bool again_gets_on(const struct again *a) {
  return a->allowed && a->vain < VAIN_MAX;
}

size_t again_return(struct again *a, const choice_list *position) {
  size_t depth = 0;
  forget_walk(a); /* one may have been left for good */
  for (size_t i = a->left.length; i-- > 0 && !depth;) {
    struct again_left *left = &a->left.data[i];
    if (!is_at(&left->position, position))
      continue;
    tally_add(&a->told, &left->told);
    tally_add(&a->owed, &left->told);
    a->allowed = a->due = true;
    depth = left->depth;
    drop_left(a, i);
  }
  return depth;
}

bool again_tells(struct again *a, uint32_t result) {
  if (tally_take_one(&a->owed, result))
    return false;
  a->vain = 0;
  if (a->allowed)
    tally_one(&a->told, result);
  return true;
}

const struct tally *again_rest(const struct again *a, const struct tally *all,
                               struct tally *scratch) {
  if (!a->owed.items.length)
    return all;
  tally_add(scratch, all);
  tally_subtract(scratch, &a->owed);
  return scratch;
}

void again_note(struct again *a, const struct tally *all, const struct tally *rest) {
  if (rest->items.length)
    a->vain = 0;
  if (a->allowed)
    tally_add(&a->told, rest);
  if (a->owed.items.length)
    tally_subtract(&a->owed, all);
}
