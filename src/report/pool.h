/* Pools of PMDK whose creation was interrupted: most programs come to one, and none has made it. */
#ifndef REPORT_POOL_H
#define REPORT_POOL_H

#include <stdbool.h>

struct finding;

/* Did the power fail in a call that creates a pool, and no flush helps?  Then it is not about the program's data. */
bool pool_concerns(const struct finding *f);

/* If so, say what helps.  After places have names. */
void pool_explain(struct finding *f);

#endif
