#include "explore/strategy.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/rng.h"
#include <string.h>

#define PCT_LENGTH_GUESS 32 /* before any schedule has shown how long they are */
#define PCT_TIRED_ENOUGH 64 /* after so many threads were put last, choose at random */
/* Preferred so often in a row, a thread may be a loop that another would end. */
#define PCT_PATIENCE 10000

/* "NAME:n" with low <= n <= high. */
static bool parse_with_number(const char *text, const char *name, uint32_t low, uint32_t high,
                              uint32_t *out) {
  size_t n = strlen(name);
  if (strncmp(text, name, n) != 0 || text[n] != ':' || !text[n + 1])
    return false;
  uint32_t value = 0;
  for (const char *p = text + n + 1; *p; p++) {
    if (*p < '0' || *p > '9' || (value = value * 10 + (uint32_t)(*p - '0')) > high)
      return false;
  }
  *out = value;
  return value >= low;
}

bool strategy_parse(const char *text, struct strategy *s) {
  static const struct {
    const char *name;
    enum strategy_kind kind;
  } plain[] = {{"fixed", STRATEGY_FIXED}, {"random", STRATEGY_RANDOM}, {"all", STRATEGY_ALL}};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (strcmp(text, plain[i].name) == 0) {
      s->kind = plain[i].kind;
      return true;
    }
  if (parse_with_number(text, "pct", 1, STRATEGY_DEPTH_MAX, &s->parameter))
    s->kind = STRATEGY_PCT;
  else if (parse_with_number(text, "bounded", 0, STRATEGY_BOUND_MAX, &s->parameter))
    s->kind = STRATEGY_BOUNDED;
  else
    return false;
  return true;
}

void strategy_begin(const struct strategy *s, struct strategy_state *state, uint64_t run,
                    int level) {
  *state = (struct strategy_state){.key = hash_u64(hash_u64(s->seed, run), (uint64_t)level)};
}

/* A number that depends on the run, on what it is for, and on nothing else. */
static uint64_t draw(const struct strategy_state *state, uint64_t purpose) {
  struct rng r = {.state = hash_u64(state->key, purpose)};
  return rng_next(&r);
}

/* ---- pct ---- */

enum { PURPOSE_CHOICE, PURPOSE_CHANGE, PURPOSE_PRIORITY, PURPOSE_WAY };

static uint64_t purpose(int what, uint64_t which) {
  return which * 4 + (uint64_t)what;
}

/* A number, not 0, for the thread or its buffer. */
static uint32_t identity(const struct operation *o) {
  return 1 + (uint32_t)o->thread * 2 + o->drain;
}

/* Was the thread put last?  The one that was so most recently has priority 0. */
static bool is_tired(const struct strategy_state *state, uint32_t thread, uint64_t *priority) {
  for (uint32_t i = 0; i < STRATEGY_TIRED_MAX && i < state->times_tired; i++)
    if (state->tired[(state->times_tired - 1 - i) % STRATEGY_TIRED_MAX] == thread) {
      *priority = i;
      return true;
    }
  return false;
}

static uint64_t priority(const struct strategy *s, const struct strategy_state *state,
                         const struct operation *o) {
  uint64_t tired;
  if (is_tired(state, o->thread, &tired))
    return tired;
  for (uint32_t i = 0; i + 1 < s->parameter; i++)
    if (state->lowered[i] == identity(o))
      return STRATEGY_TIRED_MAX + i; /* below all others */
  return STRATEGY_TIRED_MAX + STRATEGY_DEPTH_MAX +
         draw(state, purpose(PURPOSE_PRIORITY, identity(o))) / 2;
}

static uint32_t highest(const struct strategy *s, const struct strategy_state *state,
                        const struct operation *options, uint32_t count) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < count; i++)
    if (priority(s, state, &options[i]) > priority(s, state, &options[best]))
      best = i;
  return best;
}

static void note_preferred(struct strategy_state *state, uint32_t thread) {
  state->in_a_row = state->last == thread ? state->in_a_row + 1 : 1;
  state->last = thread;
  if (state->in_a_row < PCT_PATIENCE)
    return;
  state->in_a_row = 0;
  state->tired[state->times_tired++ % STRATEGY_TIRED_MAX] = thread;
}

static uint32_t pick_by_priority(const struct strategy *s, struct strategy_state *state,
                                 const struct operation *options, uint32_t count) {
  uint32_t length = s->length ? s->length : PCT_LENGTH_GUESS;
  uint32_t best = highest(s, state, options, count);
  for (uint32_t i = 0; i + 1 < s->parameter; i++)
    if (draw(state, purpose(PURPOSE_CHANGE, i)) % length == state->choices) {
      state->lowered[i] = identity(&options[best]);
      best = highest(s, state, options, count);
    }
  note_preferred(state, options[best].thread);
  return best;
}

uint32_t strategy_pick(const struct strategy *s, struct strategy_state *state,
                       const struct operation *options, uint32_t count) {
  CHECK(count > 0, "nothing to choose from");
  uint32_t pick = 0;
  if (s->kind == STRATEGY_PCT && state->times_tired < PCT_TIRED_ENOUGH)
    pick = pick_by_priority(s, state, options, count);
  else if (strategy_samples(s))
    pick = (uint32_t)(draw(state, purpose(PURPOSE_CHOICE, state->choices)) % count);
  state->choices++;
  CHECK(pick < count, "choice %u of %u", pick, count);
  return pick;
}

uint32_t strategy_way(struct strategy_state *state, uint32_t count) {
  return (uint32_t)(draw(state, purpose(PURPOSE_WAY, state->choices++)) % count);
}
