/* The program's world: everything that must be as it was when an execution starts again.
 *
 * World memory is: the writable segments of the program's images and of the shared libraries they
 * use (libc, libstdc++, libm, libgcc_s, the user's own), their native TLS blocks, the program heap,
 * the stacks of fibers, and whatever the runtime takes with world_alloc (threads, locks, heap
 * metadata, open files).  Host memory (base/mem.h) is not part of it and survives.
 *
 * world_seal is called once, after all images are loaded and before anything of the program ran;
 * from then on host code must not call the libc allocator or stdio.  All of these run on the host
 * stack, with no fiber running. */
#ifndef PROCESS_WORLD_H
#define PROCESS_WORLD_H

#include "base/vec.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct world_snapshot;
struct str;

/* State of the runtime that goes back with the program; zeroed.  Allocations made before
 * world_seal exist for good, later ones vanish with the reset or restore. */
void *world_alloc(size_t bytes);

/* Room for one more item in such memory: a list, how many it has, and how many fit. */
#define WORLD_ROOM(items, count, capacity) \
  do { \
    if ((count) == (capacity)) { \
      (capacity) = (capacity) ? (capacity)*2 : 8; \
      void *wider_ = world_alloc((size_t)(capacity) * sizeof *(items)); \
      if (count) \
        memcpy(wider_, (items), (size_t)(count) * sizeof *(items)); \
      (items) = wider_; \
    } \
  } while (0)

/* Register memory of the runtime itself as part of the world (static variables of thread.c etc.). */
void world_include(void *p, size_t bytes);

/* Modules above process/ that have something to include or prepare: called by world_seal. */
void world_at_seal(void (*prepare)(void));
#define WORLD_AT_SEAL(prepare) \
  __attribute__((constructor)) static void register_##prepare(void) { \
    world_at_seal(prepare); \
  }

void world_seal(void);
void world_reset(void); /* to the state at world_seal */

/* Checkpoints in the middle of an execution; any number, restored any number of times. */
struct world_snapshot *world_save(void);
void world_restore(struct world_snapshot *s);
void world_drop(struct world_snapshot *s);

/* Checkpoints for executions that begin alike, as plain copies: cheap to take, but nobody compares them.  keep: NULL if
 * something outside of the process's memory matters, or nobody knows which pages were written; `unused`, or NULL, is one
 * that is not needed any more.  bytes: its size, which is what taking one costs. */
struct world_waypoint;
struct world_waypoint *world_keep(struct world_waypoint *unused);
bool world_can_go_back(
    const struct world_waypoint *w); /* not if other pages were written than before it */
void world_go_back(const struct world_waypoint *w); /* pre: asked just now */
size_t world_waypoint_bytes(const struct world_waypoint *w);
void world_discard(struct world_waypoint *w);

/* The same as a state: what cannot matter any more (stacks below their pointers) is left out, so that
 * two executions that will go on alike have states alike.  NULL: something outside of the process's
 * memory matters, too (open files, mappings).  Its numbers are appended to `out`: they are the same
 * exactly if the states are. */
struct world_snapshot *world_save_state(struct str *out);

/* What part of a state means to those who go on: the world without gaps, which are what belongs to machines
 * that are gone and what nobody looks at any more. */
struct world_gap {
  uintptr_t low, high;
};
typedef VEC(struct world_gap) world_gap_list;
static inline void world_add_gap(world_gap_list *gaps, const void *p, size_t bytes) {
  if (bytes)
    vec_push(gaps, ((struct world_gap){(uintptr_t)p, (uintptr_t)p + bytes}));
}

/* Gaps for these machines (a bit for each): their images and heaps; with `in_place` the variables of
 * libraries that are in place, which are then one of theirs.  Stacks of all: below their pointers. */
void world_add_machine_gaps(world_gap_list *gaps, uint32_t machines, bool in_place);

/* Numbers for what lies outside of the gaps, which are put in order, appended to `out` as in
 * world_save_state; pre: s was saved just now.  They keep their meaning until all of them are forgotten.
 * False: as NULL there. */
bool world_put_rest(const struct world_snapshot *s, world_gap_list *gaps, struct str *out);
void world_forget_rests(void);

/* Whose image or heap is there; -1: nobody's. */
int world_machine(uintptr_t address);

/* In a forked child: what the kernel does not inherit (the gate) or that still means the parent. */
void world_after_fork(void);

/* Does this lie in a library that machines share, each with contents of its own? */
bool world_is_shared(const void *p);

#endif
