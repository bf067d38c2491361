#include "finding/analysis_kind.h"
#include <stddef.h>
#include <string.h>

static bool is_word(const char *word, const char *text, size_t length) {
  return strlen(word) == length && strncmp(word, text, length) == 0;
}

bool analysis_kinds_parse(const char *list, unsigned *kinds, const char **unknown) {
  *kinds = 0;
  for (const char *p = list; *p;) {
    size_t length = strcspn(p, ",");
    unsigned kind = 0;
#define ANALYSIS(id, bit, name) kind |= is_word(name, p, length) ? bit : 0;
    ANALYSIS_KINDS(ANALYSIS)
#undef ANALYSIS
    if (!kind && !is_word("none", p, length)) {
      *unknown = p;
      return false;
    }
    *kinds |= kind;
    p += length + (p[length] == ',');
  }
  return true;
}
