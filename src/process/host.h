/* The door between the host (session) and the program's fibers.
 *
 * host_run continues a fiber and comes back when a fiber switches to the host (STOP_NONE) or when
 * the execution ends, in a call of stop_execution or in a signal handler; then no fiber may be
 * continued before world_reset or world_restore. */
#ifndef PROCESS_HOST_H
#define PROCESS_HOST_H

#include "process/fiber.h"
#include "process/stop.h"

/* pre: on the host stack.  *why is written unless the result is STOP_NONE. */
enum stop_kind host_run(struct fiber *f, struct stop *why);

/* For a signal handler: where to continue so that control lands in host_run.  The stop must have
 * been recorded with host_record. */
void host_record(const struct stop *why);
void host_landing(uintptr_t *pc, uintptr_t *sp);

#endif
