/* Where all threads stand in an execution that follows traces, as comparable bytes (for search/trace_state.h).
 *
 * With what lies in memory, this is all that decides about what can happen from there on.  A thread stands before its
 * next operation, in the middle of a hook.  What counts are the registers and the part of its stack that belong to the
 * program, and what it has looked at in a waiting loop (access/vain.h).  Everything else that the checker keeps about
 * it, such as numbers of operations, is left out. */
#ifndef ACCESS_STANDING_H
#define ACCESS_STANDING_H

#include "process/world.h"

struct intern;
struct space_line;
struct str;

/* Append numbers of `parts` that are equal where the threads stand at the same; numbers are valid within one epoch,
 * after which `parts` was emptied.  What this covers, or does not matter, becomes gaps in the world.  Host side.
 * False: some thread stands where it cannot be compared. */
bool standing_put(struct intern *parts, uint32_t epoch, struct str *out, world_gap_list *gaps);

/* Call `tell` for each write-back that a thread has asked for and not waited for yet. */
void standing_each_pending(void (*tell)(void *context, const struct space_line *l,
                                        uint32_t position),
                           void *context);

#endif
