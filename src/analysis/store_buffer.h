/* Store-buffer safety: do store buffers give the program executions that it does not have without them?
 *
 * After Burckhardt and Musuvathi, "Effective Program Verification for Relaxed Memory Models" (CAV
 * 2008): a program is store-buffer safe if store buffers give it no executions that it does not have
 * without; that is so if no sequentially consistent execution is borderline, one in which the next
 * load could also read an older store.  The monitor sees one execution after the other; if all of a
 * program's have been seen, the answer is a proof.
 *
 * Bytes are told apart.  Locked instructions, lock operations and full fences let nothing pass.
 *
 * Executions that follow each other begin alike: what is known about that part is kept.  Host memory. */
#ifndef ANALYSIS_STORE_BUFFER_H
#define ANALYSIS_STORE_BUFFER_H

#include "base/map.h"
#include "base/vec.h"
#include "event/operation.h"
#include <stddef.h>

/* Positions in the execution: the load could read what was there before `write`, of another thread,
 * if it overtakes `store`, an earlier one of its own thread.  found: the load at which it was noticed. */
struct store_buffer_report {
  uint32_t load, store, write, found;
};

struct store_buffer_place;
struct store_buffer_link;
struct store_buffer_step;
struct store_buffer_own;
struct store_buffer_word;
struct store_buffer_changed;

struct store_buffer {
  VEC(struct operation) operations;        /* of the execution at hand */
  VEC(struct store_buffer_report) reports; /* what was found in it, in the order of `found` */
  uint32_t threads;                        /* how many threads clocks have room for */
  VEC(uint32_t) clocks;                    /* blocks of vector clocks, never changed */
  VEC(struct store_buffer_step) steps;
  VEC(struct store_buffer_link) links;
  VEC(struct store_buffer_own) own; /* by thread */
  struct map word_numbers;          /* 1 + index in `words`, */
  VEC(struct store_buffer_word) words;
  struct map numbers; /* of places that are no words: 1 + number */
  VEC(struct store_buffer_place) places;
  VEC(struct store_buffer_changed) trail; /* places as they were before steps, to go back */
};

/* Look at an execution, whose first `known` operations are those of the one before; the reports are about it then. */
void store_buffer_follow(struct store_buffer *m, const struct operation *operations, size_t count,
                         size_t known);

#endif
