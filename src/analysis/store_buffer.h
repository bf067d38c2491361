/* Store-buffer safety: would this execution still be the only one with store buffers?
 *
 * After Burckhardt and Musuvathi, "Effective Program Verification for Relaxed Memory Models" (CAV
 * 2008): a program is store-buffer safe if store buffers give it no executions that it does not have
 * without; that is so if no sequentially consistent execution is borderline, one in which the next
 * load could also read an older store.  The monitor sees one execution after the other; if all of a
 * program's have been seen, the answer is a proof.
 *
 * Bytes are told apart.  Locked instructions, lock operations and full fences let nothing pass. */
#ifndef ANALYSIS_STORE_BUFFER_H
#define ANALYSIS_STORE_BUFFER_H

#include "event/operation.h"
#include <stddef.h>

/* Positions in the execution: the load could read what was there before `write`, of another thread,
 * if it overtakes `store`, an earlier one of its own thread. */
struct store_buffer_report {
  uint32_t load, store, write;
};

void store_buffer_check(const struct operation *operations, size_t count,
                        void (*found)(const struct store_buffer_report *r));

#endif
