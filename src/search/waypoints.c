#include "search/waypoints.h"
#include "access/access.h"
#include "access/lifetime.h"
#include "access/ordinary.h"
#include "access/outcome.h"
#include "base/check.h"
#include "process/world.h"
#include "search/interleavings.h"

#define BYTES_A_STEP \
  6000          /* that take as long to copy as it does: those between two are worth that, */
#define PART 16 /* and a part of all, so that long executions do not have too many */
#define BYTES_MAX ((size_t)128 << 20)
#define FROM_START_EVERY \
  500 /* executions: pages that only one of them has used are not copied for ever */

struct waypoint {
  uint32_t position;
  struct world_waypoint *world;
  struct sharing_mark sharing;
  struct access_mark access;
  struct outcome_mark outcome;
  size_t late;
};

static struct {
  uint64_t steps_min;                  /* between two; 0: there are none */
  VEC(struct waypoint) list;           /* on the way of the execution under way */
  VEC(struct world_waypoint *) unused; /* room for others */
  size_t bytes;                        /* of the list */
  uint64_t learnt;                     /* what was known when the first of them began */
  uint64_t next;                       /* steps of the execution before there is another one */
  unsigned in_a_row;                   /* executions that did not begin at the start */
  bool over;                           /* no more of them in this execution */
} waypoints;

void waypoints_enable(uint64_t steps) {
  waypoints.steps_min = steps;
}

static void drop_last(void) {
  struct waypoint w = vec_pop(&waypoints.list);
  CHECK(waypoints.bytes >= world_waypoint_bytes(w.world), "%zu bytes of waypoints",
        waypoints.bytes);
  waypoints.bytes -= world_waypoint_bytes(w.world);
  vec_push(&waypoints.unused, w.world);
}

static void drop_all(void) {
  while (waypoints.list.length)
    drop_last();
}

static void set_next(void) {
  const struct waypoint *last = waypoints.list.length ? &vec_last(&waypoints.list) : NULL;
  uint64_t steps = last ? last->access.steps : 0, gap = waypoints.steps_min;
  uint64_t price = last ? world_waypoint_bytes(last->world) / BYTES_A_STEP : 0;
  gap = gap > 1 && gap < price ? price : gap;
  gap = gap > 1 && gap < steps / PART ? steps / PART : gap;
  waypoints.next = steps + gap;
}

bool waypoints_begin(bool all) {
  const struct dpor *d = &interleavings.dpor;
  bool good = waypoints.steps_min && all && waypoints.learnt == ordinary.learnt &&
              waypoints.in_a_row < FROM_START_EVERY;
  while (waypoints.list.length && (!good || vec_last(&waypoints.list).position > d->events.length))
    drop_last();
  if (waypoints.list.length && !world_can_go_back(vec_last(&waypoints.list).world))
    drop_all();
  waypoints.learnt = ordinary.learnt;
  waypoints.over = !waypoints.steps_min || !all;
  set_next();
  bool resumes = waypoints.list.length > 0;
  waypoints.in_a_row = resumes ? waypoints.in_a_row + 1 : 0;
  return resumes;
}

void waypoints_restore(void) {
  CHECK(waypoints.list.length, "there is no waypoint");
  const struct waypoint *w = &vec_last(&waypoints.list);
  world_go_back(w->world);
  sharing_back(&ordinary.sharing, w->sharing);
  lifetime_back(w->late);
  outcome_truncate(w->outcome);
}

void waypoints_restore_counts(void) {
  const struct waypoint *w = &vec_last(&waypoints.list);
  access_back(w->access);
  dpor_begin_at(&interleavings.dpor, w->position);
}

bool waypoints_wanted(void) {
  return access_steps() >= waypoints.next && !waypoints.over &&
         waypoints.learnt == ordinary.learnt && !ordinary.broken && access_can_mark();
}

/* Every second one, so that there is room for more. */
static void thin_out(void) {
  size_t kept = 0;
  for (size_t i = 0; i < waypoints.list.length; i++) {
    struct waypoint *w = &waypoints.list.data[i];
    if (i % 2) {
      waypoints.list.data[kept++] = *w;
      continue;
    }
    waypoints.bytes -= world_waypoint_bytes(w->world);
    world_discard(w->world);
  }
  waypoints.list.length = kept;
}

void waypoints_take(void) {
  struct world_waypoint *unused = waypoints.unused.length ? vec_pop(&waypoints.unused) : NULL;
  struct world_waypoint *world = world_keep(unused);
  if (!world) {
    if (unused)
      vec_push(&waypoints.unused, unused);
    waypoints.over = true; /* it will not be otherwise later on */
    return;
  }
  CHECK(!waypoints.list.length || vec_last(&waypoints.list).position <= interleavings.dpor.at,
        "a waypoint after %zu operations, but the newest after %u", (size_t)interleavings.dpor.at,
        vec_last(&waypoints.list).position);
  vec_push(&waypoints.list, ((struct waypoint){.position = interleavings.dpor.at,
                                               .world = world,
                                               .sharing = sharing_mark(&ordinary.sharing),
                                               .access = access_mark(),
                                               .outcome = outcome_mark(),
                                               .late = lifetime_late_count()}));
  waypoints.bytes += world_waypoint_bytes(world);
  set_next();
  if (waypoints.bytes > BYTES_MAX)
    thin_out();
}

void waypoints_end(void) {
  waypoints.over = true;
}
