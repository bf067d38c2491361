/* Pools of PMDK whose creation was interrupted: most programs come to one, and none has made it. */
#ifndef REPORT_POOL_H
#define REPORT_POOL_H

struct finding;

/* If the power failed in a call that creates a pool, and no flush helps, say what does.  After places have names. */
void pool_explain(struct finding *f);

#endif
