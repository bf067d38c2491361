#include "search/standstill.h"
#include "access/access.h"
#include "access/cxl.h"
#include "access/outcome.h"
#include "base/check.h"
#include "base/intern.h"
#include "base/str.h"
#include "process/world.h"
#include "search/cluster_internal.h"
#include "search/survivors.h"
#include "thread/thread.h"
#include <string.h>

/* In vain, before the world is worth a look: so many steps, */
#define STEPS_MIN 65536
/* or so many turns of machines, each of which takes as long as some dozens of steps. */
#define TURNS_MIN 4096
/* So many of either before, hooks begin to clear what they leave on stacks, which would be part of a state. */
#define CLEAN 64
/* States that are compared with the kept one: saving the world takes as long as some hundred turns. */
#define LOOKS_MAX 64

/* Where a thread is in its loop, as far as that is cheap to tell. */
struct spot {
  int thread;
  uint64_t turn;               /* thread_turn_so_far */
  const void *frame;           /* of the hook; NULL: its turn begins */
  const struct abi_site *site; /* of the step */
};

static struct {
  uint64_t changes;  /* stores that made a difference, when the steps in vain began */
  uint64_t turns;    /* since then */
  uint64_t begun;    /* steps of the execution then */
  uint64_t next;     /* after so many steps the state is kept */
  int looks;         /* states that are still compared with it; 0: none is kept */
  bool asked;        /* a thread waits for the host to look */
  struct spot place; /* of the kept state, or of the thread that waits */
  struct str kept;
  struct intern stands; /* at decisions */
  uint32_t forgotten;   /* so many of their numbers are not used any more */
} still;

/* Nothing is kept until the execution has made so many steps. */
static void await(uint64_t steps) {
  uint64_t made = access_steps();
  still.looks = 0;
  still.next = steps;
  access_look_after(steps > made + CLEAN ? steps - made - CLEAN : 0);
}

void standstill_begin(void) {
  still.changes = cxl.changes_made;
  still.turns = 0;
  still.asked = false;
  still.begun = access_steps();
  await(still.begun + STEPS_MIN);
}

/* All that what follows depends on, except for shared memory.  saved: the world, or NULL. */
static bool put_state(const struct world_snapshot *saved, struct str *out) {
  struct outcome_mark said = outcome_mark();
  uint64_t words[] = {cxl.state.quiet, (uint64_t)said.any, said.length};
  str_append_bytes(out, words, sizeof words);
  str_append_bytes(out, cxl.state.allocated, sizeof cxl.state.allocated);
  struct world_snapshot *world = saved ? NULL : world_save();
  bool can = survivors_put_standing(saved ? saved : world, out);
  if (world)
    world_drop(world);
  return can;
}

static bool is_as_kept(void) {
  static struct str here;
  str_clear(&here);
  return put_state(NULL, &here) && here.length == still.kept.length &&
         memcmp(here.data, still.kept.data, here.length) == 0;
}

/* Keep the state, and compare with it until twice as many steps were made. */
static void keep(void) {
  uint64_t made = access_steps(), steps = made - still.begun;
  str_clear(&still.kept);
  bool can = put_state(NULL, &still.kept);
  await(made + (steps > STEPS_MIN ? steps : STEPS_MIN));
  if (!can)
    return;
  still.looks = LOOKS_MAX;
  access_look_after(0);
}

static void compare(void) {
  if (is_as_kept())
    access_never_ends();
  else if (--still.looks == 0)
    await(still.next);
}

static bool is_same_place(const struct spot *p) {
  const struct spot *k = &still.place;
  return p->thread == k->thread && p->turn == k->turn && p->frame == k->frame && p->site == k->site;
}

/* Who is alone has no turn. */
static uint64_t turn(void) {
  return thread_alone() ? 0 : thread_turn_so_far();
}

static bool is_in_vain(void) {
  if (cxl.changes_made == still.changes)
    return true;
  standstill_begin();
  return false;
}

/* The thread is at that place.  Is its state to be kept, or compared with the kept one? */
static bool wants(const struct spot *p) {
  bool keeps = access_steps() >= still.next;
  if (!keeps && (!still.looks || !is_same_place(p)))
    return false;
  if (keeps)
    still.looks = 0;
  still.place = *p;
  return true;
}

void standstill_step(const struct abi_site *site) {
  if (!is_in_vain())
    return;
  struct spot here = {thread_current()->id, turn(), __builtin_frame_address(0), site};
  if (!wants(&here))
    return;
  still.asked = true;
  thread_pause();
}

bool standstill_asked(void) {
  return still.asked;
}

bool standstill_look(void) {
  still.asked = false;
  mem_begin_own();
  if (still.looks)
    compare();
  else
    keep();
  mem_end_own();
  return true;
}

void standstill_turn(void) {
  struct spot here = {.thread = thread_current()->id, .turn = turn()};
  if (!is_in_vain())
    return;
  if (++still.turns == TURNS_MIN - CLEAN)
    access_look_after(0);
  if (still.turns == TURNS_MIN)
    still.next = access_steps();
  if (wants(&here))
    standstill_look();
}

/* ---- decisions ---- */

void standstill_forget(void) {
  still.forgotten += (uint32_t)still.stands.items.length;
  intern_free(&still.stands);
}

/* A number for all that what follows from a decision depends on; 0: it cannot be told. */
static uint32_t stand_of(const struct checkpoint *c) {
  static struct str key;
  uint64_t words[] = {(uint64_t)c->kind, c->count, (uint64_t)now.failure.machine};
  str_clear(&key);
  str_append_bytes(&key, words, sizeof words);
  access_put_pending(&key, cxl.state.failed);
  if (!put_state(c->world, &key))
    return 0;
  cxl_put_contents(&key);
  return still.forgotten + intern(&still.stands, str_text(&key), key.length);
}

/* The state is kept at each power of two, and compared with those that follow. */
static bool is_back(struct checkpoint *c) {
  uint32_t vain = c->state.model.vain, since = vain - (1u << (31 - __builtin_clz(vain)));
  if (since == 0) {
    c->stand = stand_of(c);
    return false;
  }
  CHECK(since <= now.checkpoints.length, "%u decisions of %zu", since, now.checkpoints.length);
  uint32_t kept = now.checkpoints.data[now.checkpoints.length - since].stand;
  return kept && kept == stand_of(c);
}

void standstill_decide(struct checkpoint *c) {
  if (c->state.model.vain < CXL_VAIN_MIN || access_is_endless())
    return;
  mem_begin_own();
  bool back = is_back(c);
  mem_end_own();
  if (!back)
    return;
  fate_spoil();
  access_never_ends();
}
