/* The details of a finding, from the execution that shows it. */
#ifndef SESSION_DESCRIBE_H
#define SESSION_DESCRIBE_H

#include "finding/finding.h"
#include "search/history.h"
#include "session/ending.h"

/* Fill in how the execution came about: its failures, loads in doubt, turns of threads, and token. */
void describe_execution(const struct history *h, struct finding *f);

/* Add the name of the program's variable at this address, if there is one. */
void describe_variable(uintptr_t address, struct finding *f);

/* Fill in how the execution ended. */
void describe_ending(const struct history *h, const struct ending *e, struct finding *f);

#endif
