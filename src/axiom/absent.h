/* Names of models for what executions here do not contain: see absent.def. */
#ifndef AXIOM_ABSENT_H
#define AXIOM_ABSENT_H

#include "axiom/cat.h"

enum absent { ABSENT_NOT, ABSENT_EMPTY_SET, ABSENT_EMPTY_RELATION, ABSENT_REGISTERS };

/* What a name denotes in the model: nothing special, an empty set or relation, or something about
 * registers that the model must not use. */
enum absent absent_find(const struct model *m, const char *name);

#endif
