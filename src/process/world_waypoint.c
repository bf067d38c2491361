/* Checkpoints as plain copies of the pages that may differ from the sealed ones, and of what is included.  In an ordinary
 * program that is some ten pages, which are copied in less time than it takes to find out which of them have changed
 * (world_snapshot.c does that).
 *
 * The pages are those that were known before: whether there are others now the kernel is asked only when somebody wants
 * to go back.  Then the waypoint is of no use. */
#include "base/check.h"
#include "base/mem.h"
#include "process/files.h"
#include "process/layout.h"
#include "process/mapping.h"
#include "process/world.h"
#include "process/world_state.h"
#include <string.h>

struct world_waypoint {
  uint64_t version;     /* of world.dirty, whose */
  unsigned char *bytes; /* these are, one after the other, then those of what is included */
  size_t room;
  size_t used;
};

static void make_room(struct world_waypoint *w, size_t bytes) {
  w->used = bytes;
  if (bytes <= w->room)
    return;
  if (w->bytes)
    mem_free(w->bytes, w->room);
  w->room = bytes + bytes / 4;
  w->bytes = mem_alloc(w->room);
}

static size_t dirty_bytes(void) {
  size_t bytes = 0;
  for (size_t i = 0; i < world.dirty.length; i++)
    bytes += world.dirty.data[i].high - world.dirty.data[i].low;
  return bytes;
}

struct world_waypoint *world_keep(struct world_waypoint *unused) {
  CHECK(world.sealed && !fiber_current(), "world_keep outside the host or before world_seal");
  struct world_waypoint *w = unused;
  if (!world.tracking || !mapping_untouched() || !files_untouched())
    return NULL;
  if (!w)
    w = mem_alloc(sizeof *w);
  if (!world.dirty_is_known)
    world_find_dirty(true);
  w->version = world.dirty_version;
  make_room(w, dirty_bytes() + world.included_bytes);
  unsigned char *to = w->bytes;
  for (size_t i = 0; i < world.dirty.length; i++) {
    struct track_range r = world.dirty.data[i];
    memcpy(to, (const void *)r.low, r.high - r.low);
    to += r.high - r.low;
  }
  world_copy_included(to);
  return w;
}

bool world_can_go_back(const struct world_waypoint *w) {
  world_find_dirty(false);
  return w->version == world.dirty_version;
}

void world_go_back(const struct world_waypoint *w) {
  CHECK(!fiber_current(), "world_go_back outside the host");
  mapping_reset();
  CHECK(w->version == world.dirty_version, "back to where other pages were known");
  const unsigned char *from = w->bytes;
  for (size_t i = 0; i < world.dirty.length; i++) {
    struct track_range r = world.dirty.data[i];
    memcpy((void *)r.low, from, r.high - r.low);
    from += r.high - r.low;
  }
  world_restore_included(from);
  files_reset();
}

size_t world_waypoint_bytes(const struct world_waypoint *w) {
  return w->used;
}

void world_discard(struct world_waypoint *w) {
  if (!w)
    return;
  if (w->bytes)
    mem_free(w->bytes, w->room);
  mem_free(w, sizeof *w);
}
