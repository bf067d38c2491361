/* Several workers that search one program together.
 *
 * Each searches a part (parts.h) and hands back what it found.  Who has nothing to do gets the later
 * half of what another one has left.  The first begins alone: most searches are over before a second
 * worker would have started. */
#ifndef CLI_CREW_H
#define CLI_CREW_H

#include "cli/supervisor_internal.h"

enum step crew_run(struct session *x, struct results *results, struct str *error);

#endif
