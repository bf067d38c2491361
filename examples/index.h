/* What the driver asks of an index.  Each example implements it in one file.
 *
 * Keys are neither 0 nor UINT64_MAX; values are not 0 and differ from each other. */
#ifndef EXAMPLES_INDEX_H
#define EXAMPLES_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct index;

/* An empty index.  All of it is durable on return; the caller publishes the pointer. */
struct index *index_create(void);

/* Durable on return.  Any number of threads may insert different keys at the same time; inserting
 * a key that is present changes nothing. */
void index_insert(struct index *index, uint64_t key, uint64_t value);

bool index_lookup(struct index *index, uint64_t key, uint64_t *value);

/* After a failure of everything, before anything else: locks are reset and interrupted changes
 * completed or taken back.  May itself be interrupted at any point and started again. */
void index_recover(struct index *index);

/* After a failure of some of the machines that share the index, while others use it: takes over
 * every lock that a failed machine left, and completes or takes back what it guards.  Inserts do
 * the same where they pass; this visits everything. */
void index_repair(struct index *index);

/* Assert every invariant of the structure.  No other thread may be in it. */
void index_verify(struct index *index);

#endif
