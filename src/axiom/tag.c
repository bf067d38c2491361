#include "axiom/tag.h"
#include <string.h>

static const struct {
  const char *name;
  enum tag tag;
} spellings[] = {
#define TAG(identifier, name) {name, TAG_##identifier},
#define TAG_ALIAS TAG
#include "axiom/tag.def"
#undef TAG
#undef TAG_ALIAS
};

bool tags_equal(const struct tags *a, const struct tags *b) {
  return !memcmp(a, b, sizeof *a);
}

struct tags tags_of(enum tag tag) {
  struct tags t = {{0}};
  tags_add(&t, tag);
  return t;
}

enum tag tag_find(const char *name) {
  for (unsigned i = 0; i < sizeof spellings / sizeof *spellings; i++)
    if (!strcmp(spellings[i].name, name))
      return spellings[i].tag;
  return TAG_COUNT;
}

const char *tag_name(enum tag tag) {
  static const char *const names[] = {
#define TAG(identifier, name) name,
#define TAG_ALIAS(identifier, name)
#include "axiom/tag.def"
#undef TAG
#undef TAG_ALIAS
  };
  return names[tag];
}
