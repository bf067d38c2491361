#include "search/fate.h"
#include "access/access.h"
#include "base/check.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "search/cluster_internal.h"
#include "search/survivors.h"
#include <string.h>

/* No entry is made for a decision whose executions end in more ways: they would all be copied from checkpoint to
 * checkpoint. */
#define WAYS_MAX 256

/* Every so many states it is judged whether that pays: one in PAYS_SHARE must have been known. */
#define JUDGED_STATES 1024
#define PAYS_SHARE 32

#define BLOCK_BYTES 128 /* a state is interned as a list of interned blocks (number_of) */

struct version {
  uint32_t line, version;
};

struct known_fate {
  uint32_t points_more; /* failure points of the longest execution, beyond those at the decision */
  VEC(struct version) lines;
  struct tally tally;
};

/* The newest entries of a state. */
#define KNOWN_MAX 8
struct known_fates {
  uint32_t count; /* ever */
  struct known_fate *at[KNOWN_MAX];
};

static struct {
  struct intern blocks, states, ends;
  VEC(struct known_fates) known; /* by number of state */
  uint64_t taken, found;         /* states that were taken, and those that were known */
  bool vain;                     /* it does not pay */
  uint32_t forgotten;            /* so many numbers of states are not used any more */
} fates;

bool fate_is_wanted(void) {
  return cluster.share && cluster.merge && !cluster.analyses && cxl.options.failures_max > 1;
}

static bool is_wanted(const struct checkpoint *c) {
  return fate_is_wanted() && !cluster.scout.on && cxl.state.failed && cxl_failures_left() > 0 &&
         c->begun;
}

static void add_lines(cxl_line_set *to, const cxl_line_set *lines) {
  while (to->length < lines->length)
    vec_push(to, 0);
  for (size_t i = 0; i < lines->length; i++)
    to->data[i] |= lines->data[i];
}

static void add_line(cxl_line_set *to, uint32_t number) {
  while (to->length <= number / 64)
    vec_push(to, 0);
  to->data[number / 64] |= (uint64_t)1 << number % 64;
}

void fate_consult(const cxl_line_set *lines) {
  if (now.checkpoints.length && vec_last(&now.checkpoints).fate.counts)
    add_lines(&vec_last(&now.checkpoints).fate.lines, lines);
}

void fate_collect(void) {
  fate_consult(&cxl.consulted);
  memset(cxl.consulted.data, 0, cxl.consulted.length * sizeof *cxl.consulted.data);
}

/* The number of a state; neighbouring states have most blocks in common. */
static uint32_t number_of(const struct str *key) {
  static struct str blocks;
  str_clear(&blocks);
  for (size_t at = 0; at < key->length; at += BLOCK_BYTES) {
    size_t left = key->length - at;
    uint32_t n = intern(&fates.blocks, str_text(key) + at, left < BLOCK_BYTES ? left : BLOCK_BYTES);
    str_append_bytes(&blocks, &n, sizeof n);
  }
  return intern(&fates.states, str_text(&blocks), blocks.length);
}

/* The key of a state, see fate.h.  False: it cannot be taken. */
static bool put_state(const struct checkpoint *c, struct str *out) {
  struct outcome_mark said = outcome_mark();
  uint64_t words[] = {(uint64_t)now.failure.machine, now.verdicts.length, (uint64_t)said.any,
                      said.length};
  str_append_bytes(out, words, sizeof words);
  str_append_bytes(out, now.verdicts.data, now.verdicts.length * sizeof *now.verdicts.data);
  if (said.any)
    str_append_bytes(out, outcome_text(), said.length);
  cxl_put_machines(out);
  access_put_pending(out, cxl.state.failed);
  return survivors_put_world(c->world, cxl.state.failed, out);
}

void fate_begin(struct checkpoint *c) {
  static struct str key;
  c->fate = (struct fate){.counts = is_wanted(c) && !access_is_endless(), .points = now.points};
  if (c->fate.counts && cxl.state.consulted)
    add_line(&c->fate.lines, cxl.state.consulted);
  if (!c->fate.counts || c->kind != CHOICE_MACHINE || !c->world || fates.vain)
    return;
  str_clear(&key);
  if (!put_state(c, &key))
    return;
  c->fate.state = fates.forgotten + number_of(&key);
  while (fates.known.length <= c->fate.state - fates.forgotten)
    vec_push(&fates.known, (struct known_fates){0});
  fates.taken++;
}

static struct known_fates *known_at(uint32_t state) {
  CHECK(state <= fates.forgotten || state - fates.forgotten < fates.known.length, "state %u of %zu",
        state, fates.known.length);
  return state > fates.forgotten ? &fates.known.data[state - fates.forgotten] : NULL;
}

static bool fits(const struct known_fate *k) {
  for (size_t i = 0; i < k->lines.length; i++)
    if (cxl_line_version(k->lines.data[i].line) != k->lines.data[i].version)
      return false;
  return true;
}

/* The entry of that state whose lines have the versions that they have now; NULL: there is none. */
static const struct known_fate *find(uint32_t state) {
  const struct known_fates *all = known_at(state);
  for (uint32_t i = 0; all && i < KNOWN_MAX && all->at[i]; i++)
    if (fits(all->at[i]))
      return all->at[i];
  return NULL;
}

/* The list of verdicts with that number. */
static const uint32_t *verdicts_of(uint32_t number, size_t *count) {
  CHECK(number > 0 && number <= fates.ends.items.length, "end %u of %zu", number,
        fates.ends.items.length);
  const struct intern_item *x = &fates.ends.items.data[number - 1];
  *count = x->length / sizeof(uint32_t);
  return (const uint32_t *)(const void *)(fates.ends.bytes.data + x->offset);
}

bool fate_take(struct checkpoint *c) {
  const struct known_fate *k =
      choice_is_whole(&cluster.history.choices) ? find(c->fate.state) : NULL;
  if (!k)
    return false;
  fates.found++;
  CHECK(k->tally.items.length, "nothing came of a decision");
  size_t n;
  for (size_t i = 0; i < k->tally.items.length; i++) {
    const uint32_t *verdicts = verdicts_of(k->tally.items.data[i].result, &n);
    if (!cluster.known(verdicts, n))
      return false;
  }
  for (size_t i = 0; i < k->tally.items.length; i++) {
    const uint32_t *verdicts = verdicts_of(k->tally.items.data[i].result, &n);
    cluster.repeated(verdicts, n, &k->tally.items.data[i].count);
  }
  tally_add(&c->fate.tally, &k->tally);
  for (size_t i = 0; i < k->lines.length; i++)
    add_line(&c->fate.lines, k->lines.data[i].line);
  c->fate.taken = true;
  c->fate.points = now.points + k->points_more;
  if (cluster.failure_points < c->fate.points)
    cluster.failure_points = c->fate.points;
  return true;
}

void fate_count(const struct bigint *times) {
  if (!now.checkpoints.length || !vec_last(&now.checkpoints).fate.counts)
    return;
  struct fate *f = &vec_last(&now.checkpoints).fate;
  uint32_t end =
      intern(&fates.ends, now.verdicts.data, now.verdicts.length * sizeof *now.verdicts.data);
  if (times)
    tally_more(&f->tally, end, times);
  else
    tally_one(&f->tally, end);
  if (f->points < now.points)
    f->points = now.points;
}

void fate_spoil(void) {
  if (now.checkpoints.length)
    vec_last(&now.checkpoints).fate.counts = false;
}

/* What came of a decision also came of the one before it. */
static void hand_on(const struct fate *f) {
  CHECK(now.checkpoints.length, "nobody to hand on to");
  struct fate *to = &vec_last(&now.checkpoints).fate;
  if (!to->counts)
    return;
  to->counts = f->counts;
  tally_add(&to->tally, &f->tally);
  add_lines(&to->lines, &f->lines);
  if (to->points < f->points)
    to->points = f->points;
}

static void judge(void) {
  if (fates.taken % JUDGED_STATES == 0 && fates.found < fates.taken / PAYS_SHARE)
    fates.vain = true;
}

static void drop(struct known_fate *k) {
  if (!k)
    return;
  tally_free(&k->tally);
  vec_free(&k->lines);
  mem_free(k, sizeof *k);
}

/* Make an entry, in place of the oldest one. */
static void keep(struct known_fates *all, const struct checkpoint *c) {
  const struct fate *f = &c->fate;
  struct known_fate *k = mem_alloc(sizeof *k);
  CHECK(f->points >= c->state.points && f->tally.items.length > 0, "%u points of %u", f->points,
        c->state.points);
  k->points_more = f->points - c->state.points;
  tally_add(&k->tally, &f->tally);
  for (size_t i = 0; i < f->lines.length; i++)
    for (uint64_t left = f->lines.data[i]; left; left &= left - 1) {
      uint32_t line = (uint32_t)(i * 64) + (uint32_t)__builtin_ctzl(left);
      vec_push(&k->lines, ((struct version){line, cxl_line_version(line)}));
    }
  struct known_fate **at = &all->at[all->count++ % KNOWN_MAX];
  drop(*at);
  *at = k;
}

void fate_end(struct checkpoint *c, bool whole) {
  struct fate *f = &c->fate;
  struct known_fates *all = known_at(f->state);
  f->counts &= whole && f->tally.items.length <= WAYS_MAX;
  if (all && f->counts && !f->taken) {
    keep(all, c);
    judge();
  }
  if (now.checkpoints.length)
    hand_on(f);
  tally_free(&f->tally);
  vec_free(&f->lines);
}

void fate_forget(void) {
  for (size_t i = 0; i < fates.known.length; i++)
    for (uint32_t k = 0; k < KNOWN_MAX; k++)
      drop(fates.known.data[i].at[k]);
  fates.forgotten += (uint32_t)fates.states.items.length;
  vec_free(&fates.known);
  intern_free(&fates.blocks);
  intern_free(&fates.states);
  cxl_forget_versions();
}
