#include "search/standstill.h"
#include "access/access.h"
#include "access/cxl.h"
#include "access/outcome.h"
#include "base/str.h"
#include "process/world.h"
#include "search/survivors.h"
#include "thread/thread.h"
#include <string.h>

#define TURNS_MIN \
  4096 /* in vain, before the world is worth a look: saving it takes as long as some hundred turns */
#define ROUNDS 4 /* the thread may come by so often before it is where it was */

static struct {
  uint64_t stores; /* made so far, when the turns in vain began */
  uint64_t turns;  /* since then */
  int rounds; /* in which the world is still compared with `before`, when this thread is about to go on */
  int thread;
  struct str before; /* the world at an earlier turn of it */
} still;

void standstill_begin(void) {
  still.turns = 0;
  still.rounds = 0;
}

/* All that what follows depends on, except for shared memory, in which nobody has stored anything. */
static bool put_state(struct str *out) {
  struct outcome_mark said = outcome_mark();
  uint64_t words[] = {(uint64_t)thread_current()->id, (uint64_t)said.any, said.length};
  str_append_bytes(out, words, sizeof words);
  str_append_bytes(out, cxl.state.allocated, sizeof cxl.state.allocated);
  struct world_snapshot *world = world_save();
  bool can = survivors_put_world(world, cxl.state.failed, out);
  world_drop(world);
  return can;
}

static void take_state(void) {
  str_clear(&still.before);
  still.thread = thread_current()->id;
  still.rounds = put_state(&still.before) ? ROUNDS : 0;
}

static bool is_as_before(void) {
  static struct str now;
  str_clear(&now);
  return put_state(&now) && now.length == still.before.length &&
         memcmp(now.data, still.before.data, now.length) == 0;
}

void standstill_look(void) {
  if (cxl.stored != still.stores) {
    still.stores = cxl.stored;
    standstill_begin();
  }
  still.turns++;
  if (still.rounds && thread_current()->id == still.thread) {
    still.rounds--;
    if (is_as_before())
      access_never_ends();
  } else if (still.turns >= TURNS_MIN && (still.turns & (still.turns - 1)) == 0) {
    take_state();
  }
}
