/* Where in the program we are: code addresses of its frames, without the worker's own. */
#ifndef PROCESS_PROGRAM_H
#define PROCESS_PROGRAM_H

#include "event/event.h"
#include "finding/finding.h"
#include "process/stop.h"

/* Is this code of the worker, not of the program? */
bool program_is_ours(uintptr_t code);

/* pre: on a fiber.  The innermost return address in the program, or at least outside the worker. */
uintptr_t program_caller(void);

/* pre: on a fiber.  Its innermost return addresses outside the worker. */
void program_frames(struct event_frames *out);
struct fiber;
void program_frames_of(const struct fiber *f, struct event_frames *out); /* one that does not run */

/* pre: on a fiber, in code that the program has called.  Where the program's part of the stack begins:
 * below lie our own frames. */
uintptr_t program_stack(void);
uintptr_t program_stack_of(const struct fiber *f); /* of one that does not run */

/* Is this the return address of a call that the checker put in between foreign instructions?  Then
 * frame pointers lead nowhere.  NULL: there are none (access/bypass.c). */
extern bool (*program_is_stub)(uintptr_t pc);

/* A site, or (without one) a code address, as a place for reports.  `returns`: the address is the
 * one a call returns to. */
struct place program_place(const struct abi_site *site, uintptr_t code, bool returns);

/* A site for source positions that do not come from the instrumentation; the same one for the same
 * position. */
const struct abi_site *program_site(const char *file, int line, const char *function);

void program_share(void); /* register what a run changes, for --isolate */

#endif
