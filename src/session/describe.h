/* The details of a finding, from the execution that shows it. */
#ifndef SESSION_DESCRIBE_H
#define SESSION_DESCRIBE_H

#include "finding/finding.h"
#include "search/history.h"
#include "session/ending.h"

/* How the execution came about: its failures, loads in doubt, turns, and token. */
void describe_execution(const struct history *h, struct finding *f);

/* And how it ended. */
/* Notes the variable of the program that has this address; nothing if none has. */
void describe_variable(uintptr_t address, struct finding *f);

void describe_ending(const struct history *h, const struct ending *e, struct finding *f);

#endif
