#include "access/space_tree.h"
#include "access/space_internal.h"
#include <string.h>

#define WAYS 16
#define WAY_BITS 4
#define HEIGHT 6 /* parts above a line: 16 million lines */

/* The execution under way. */
static struct {
  VEC(uint32_t) level[HEIGHT + 1]; /* numbers of lines, of parts of them, ..., of the whole */
  VEC(struct space_line *) changed;
  VEC(uint32_t) above; /* scratch */
  bool empty;          /* every number is 0 */
  bool exact;          /* changed: all that were */
  bool expected;       /* the next execution begins with a number */
} now = {.empty = true};

void space_tree_changed(struct space_line *l) {
  if (l->changed)
    return;
  l->changed = true;
  vec_push(&now.changed, l);
}

struct space_line *const *space_tree_changes(size_t *count) {
  *count = now.changed.length;
  return now.changed.data;
}

static void forget_changes(void) {
  for (size_t i = 0; i < now.changed.length; i++)
    now.changed.data[i]->changed = false;
  now.changed.length = 0;
}

void space_tree_expect(void) {
  now.expected = true;
}

bool space_tree_keeps(void) {
  bool keeps = now.expected && now.exact;
  now.expected = false;
  return keeps;
}

/* Whole parts, so that all ways of one can be read. */
static uint32_t *at(int height, size_t index) {
  size_t want = (index / WAYS + 1) * WAYS;
  while (now.level[height].length < want)
    vec_push(&now.level[height], 0);
  return &now.level[height].data[index];
}

void space_tree_reset(struct space_line *const *touched, size_t count) {
  for (size_t i = 0; i < count && !now.empty; i++)
    for (int h = 0; h <= HEIGHT; h++)
      *at(h, (size_t)touched[i]->line.number >> h * WAY_BITS) = 0;
  now.empty = true;
  now.exact = space_notes_changes;
  forget_changes();
}

static uint32_t number_of_part(struct space_tree *t, const uint32_t *part) {
  static const uint32_t none[WAYS];
  return memcmp(part, none, sizeof none) ? intern(&t->parts, part, sizeof none) : 0;
}

/* The parts above lines whose numbers have changed, each level after the one below it.  pre: the indices of
 * these lines are in now.above. */
static void renew_parts(struct space_tree *t) {
  for (int h = 1; h <= HEIGHT; h++) {
    size_t kept = 0;
    for (size_t i = 0; i < now.above.length; i++) {
      uint32_t index = now.above.data[i] >> WAY_BITS;
      if (kept && now.above.data[kept - 1] == index)
        continue; /* neighbours mostly change together */
      now.above.data[kept++] = index;
      *at(h, index) = number_of_part(t, at(h - 1, (size_t)index * WAYS));
    }
    now.above.length = kept;
  }
}

uint32_t space_tree_put(struct space_tree *t, bool counts) {
  now.above.length = 0;
  for (size_t i = 0; i < now.changed.length; i++) {
    const struct space_line *l = now.changed.data[i];
    struct put_line x;
    uint32_t number = 0;
    if (l->touched) {
      space_put_line(&x, l, counts);
      number = intern(&t->lines, &x, sizeof x);
    }
    if (*at(0, l->line.number) == number)
      continue;
    *at(0, l->line.number) = number;
    vec_push(&now.above, l->line.number);
    now.empty = false;
  }
  renew_parts(t);
  forget_changes();
  return *at(HEIGHT, 0);
}

static const void *bytes_of(const struct intern *i, uint32_t number) {
  return i->bytes.data + i->items.data[number - 1].offset;
}

static void show_line(const struct space_tree *t, uint32_t line, uint32_t number) {
  struct put_line x;
  if (!number) {
    space_clear_line(line);
    return;
  }
  memcpy(&x, bytes_of(&t->lines, number), sizeof x);
  space_set_line(&x);
}

static void set_part(const struct space_tree *t, int height, size_t index, uint32_t number) {
  static const uint32_t none[WAYS];
  uint32_t part[WAYS];
  if (*at(height, index) == number)
    return;
  *at(height, index) = number;
  if (!height) {
    show_line(t, (uint32_t)index, number);
    return;
  }
  memcpy(part, number ? bytes_of(&t->parts, number) : none, sizeof part);
  for (size_t i = 0; i < WAYS; i++)
    set_part(t, height - 1, index * WAYS + i, part[i]);
}

/* First what was changed since a number was known. */
void space_tree_set(const struct space_tree *t, uint32_t number) {
  size_t count = now.changed.length;
  for (size_t i = 0; i < count; i++) {
    uint32_t line = now.changed.data[i]->line.number;
    show_line(t, line, *at(0, line));
  }
  set_part(t, HEIGHT, 0, number);
  now.empty = false;
  now.exact = space_notes_changes;
  forget_changes();
}

void space_tree_clear(struct space_tree *t) {
  now.exact = false; /* its numbers mean nothing any more */
  intern_free(&t->lines);
  intern_free(&t->parts);
}
