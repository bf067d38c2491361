#include "axiom/absent.h"
#include <string.h>

enum absent absent_find(const struct model *m, const char *name) {
  static const struct {
    const char *name;
    bool relation, registers;
  } names[] = {
#define ABSENT_SET(name) {name, false, false},
#define ABSENT_RELATION(name) {name, true, false},
#define REGISTER_SET(name) {name, false, true},
#define REGISTER_RELATION(name) {name, true, true},
#include "axiom/absent.def"
#undef ABSENT_SET
#undef ABSENT_RELATION
#undef REGISTER_SET
#undef REGISTER_RELATION
  };
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].name[0] == name[0] && !strcmp(names[i].name, name)) {
      if (names[i].registers && !m->computes_deps)
        return ABSENT_REGISTERS;
      return names[i].relation ? ABSENT_EMPTY_RELATION : ABSENT_EMPTY_SET;
    }
  return ABSENT_NOT;
}
