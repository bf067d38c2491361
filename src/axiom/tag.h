/* Named sets of statements: a front end puts tags on a statement (tag.def lists them), a model finds
 * the executed statements that have one under the tag's name.  A tag that no statement of the test
 * has is the empty set; a name that is no tag at all is a mistake in the model. */
#ifndef AXIOM_TAG_H
#define AXIOM_TAG_H

#include <stdbool.h>
#include <stdint.h>

enum tag {
#define TAG(identifier, name) TAG_##identifier,
#define TAG_ALIAS(identifier, name)
#include "axiom/tag.def"
#undef TAG
#undef TAG_ALIAS
  TAG_COUNT
};

enum { TAG_WORDS = (TAG_COUNT + 63) / 64 };

struct tags {
  uint64_t word[TAG_WORDS];
};

static inline void tags_add(struct tags *t, enum tag tag) {
  t->word[tag / 64] |= (uint64_t)1 << tag % 64;
}

static inline bool tags_has(const struct tags *t, enum tag tag) {
  return t->word[tag / 64] >> tag % 64 & 1;
}

bool tags_equal(const struct tags *a, const struct tags *b);
struct tags tags_of(enum tag tag); /* this one alone */

enum tag tag_find(const char *name); /* by name or alias; TAG_COUNT if there is none */
enum tag
tag_spelled(const char *tag); /* as models write tags: 'rcu-lock is Rcu-lock, 'acq is ACQ */
const char *tag_name(enum tag tag);

#endif
