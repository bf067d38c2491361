/* What the program asked to be run when it ends (atexit and its relatives). */
#ifndef RUNTIME_EXIT_HANDLER_H
#define RUNTIME_EXIT_HANDLER_H

struct exit_handler;

/* pre: on a fiber.  Newest first, those added meanwhile too. */
void exit_run_handlers(struct exit_handler **list);

void exit_seal(void); /* called by world_seal: exit() called inside libc comes to us */

#endif
