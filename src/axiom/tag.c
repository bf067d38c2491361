#include "axiom/tag.h"
#include <ctype.h>
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
    if (spellings[i].name[0] == name[0] && !strcmp(spellings[i].name, name))
      return spellings[i].tag;
  return TAG_COUNT;
}

enum tag tag_spelled(const char *tag) {
  char text[64];
  size_t length = strlen(tag);
  enum tag found = tag_find(tag);
  if (found != TAG_COUNT || length >= sizeof text)
    return found;
  memcpy(text, tag, length + 1);
  text[0] = (char)toupper((unsigned char)text[0]);
  found = tag_find(text);
  for (size_t i = 0; i < length; i++)
    text[i] = (char)toupper((unsigned char)text[i]);
  return found != TAG_COUNT ? found : tag_find(text);
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
