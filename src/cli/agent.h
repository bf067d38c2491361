/* The end of a crew on another machine: runs one worker and passes on what is said (remote.h). */
#ifndef CLI_AGENT_H
#define CLI_AGENT_H

#include "cli/supervisor_internal.h"

/* Until the supervisor says "quit". */
void agent_run(const struct supervisor *s);

#endif
