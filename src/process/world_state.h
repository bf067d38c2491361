/* The state of the world as world.c (what it consists of, and going back to its start), world_snapshot.c
 * (checkpoints) and world_rest.c (parts of states) see it. */
#ifndef PROCESS_WORLD_STATE_H
#define PROCESS_WORLD_STATE_H

#include "base/str.h"
#include "base/vec.h"
#include "process/fiber_internal.h"
#include "process/frame.h"
#include "process/page_map.h"
#include "process/track.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORLD_AREAS_MAX 256

struct area {
  uintptr_t base;
  size_t bytes;
  const size_t *used;
  unsigned char *sealed;
  size_t sealed_bytes;
  uintptr_t scanned; /* its end when dirty pages were last looked for */
  bool shared;       /* a library that machines share */
  int machine;       /* whose it is; -1: of all */
  frame_id *frames;  /* of the sealed pages, as far as somebody has asked; 0: not yet */
};

typedef VEC(struct track_range) world_range_list; /* ascending */

struct world_included {
  void *p;
  size_t bytes;
};

struct world_snapshot {
  bool dropped;     /* nobody needs it but world.newest */
  bool rest_is_put; /* once, with some gaps */
  struct page_map pages;
  VEC(frame_id) included;
  struct files_snapshot *files;
};

extern struct world {
  bool sealed, tracking;
  struct area areas[WORLD_AREAS_MAX];
  int area_count;
  VEC(struct world_included) included;
  size_t included_bytes;
  unsigned char *included_sealed, *included_now; /* the latter: scratch, whole pages */
  struct world_snapshot *newest;           /* where we are or came from last, if it still exists */
  world_range_list dirty;                  /* as found last */
  bool dirty_is_known;                     /* still, unless there were faults since */
  long faults;                             /* then */
  uint64_t dirty_version;                  /* how often they became others */
  uintptr_t stacks_scanned[FIBER_CLASSES]; /* their ends then */
  world_range_list shared_dirty;           /* those of shared libraries, */
  bool shared_is_known;                    /* likewise */
  long shared_faults;
  int resets_since_armed;
  bool rearmed; /* once at least */
} world;

const struct area *
world_area_of(uintptr_t address); /* NULL: a stack slot, or nothing of the world */
bool world_page_is_zero(uintptr_t page);

/* Fill world.dirty with the pages that may differ from the sealed ones, ascending; for_save: of stacks only what
 * is above their pointers.  False: they are those that they were the last time. */
bool world_find_dirty(bool for_save);
void world_write_sealed(uintptr_t low, uintptr_t high); /* pages: as they were sealed */

/* All included ranges, one after the other. */
void world_copy_included(unsigned char *to);
void world_restore_included(const unsigned char *from);

static inline void world_put_number(struct str *out, uint64_t n) {
  str_append_bytes(out, &n, sizeof n);
}

#endif
