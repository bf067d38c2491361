#include "search/landmark.h"
#include "base/hash.h"

/* By hash: the first landmark comes after about 2^HASH_BITS loads, each further one takes 2^HASH_MORE_BITS times as
 * many; after HASH_MAX of them none is tried. */
#define HASH_BITS 8
#define HASH_MORE_BITS 2
#define HASH_MAX 6

/* By distance. */
#define FAR_USUAL 256
#define NEAR(far) ((far) / 16 + 1) /* the first distance that is tried, */
#define FARTHER 4                  /* and each further one is so many times that, */
#define VAIN_MAX 3 /* after so many failures: whoever comes to a place first meets nobody */
#define NOT_AT_ALL UINT64_MAX

static uint64_t far(const struct landmarks *m) {
  return m->far ? m->far : FAR_USUAL;
}

static struct landmark_lesson *lesson_of(struct landmarks *m) {
  struct landmark_lesson *l = &m->lessons[hash_u64(0, m->doubt) % LANDMARK_LESSONS];
  if (l->doubt != m->doubt)
    *l = (struct landmark_lesson){.doubt = m->doubt};
  return l;
}

static void set_doubt(struct landmarks *m, uintptr_t address, uint64_t steps) {
  m->passed = 0;
  m->doubt = address;
  m->since = steps;
  m->sought = false;
}

void landmarks_begin(struct landmarks *m, uintptr_t doubt) {
  set_doubt(m, doubt, 0);
  m->begun = false;
}

void landmarks_pass(struct landmarks *m, uint64_t steps) {
  if (!m->begun)
    m->since = steps;
  m->begun = true;
}

bool landmarks_here(struct landmarks *m, uintptr_t address, uint64_t value, uint64_t steps) {
  uint32_t bits = HASH_BITS + HASH_MORE_BITS * m->passed;
  bool here =
      m->passed < HASH_MAX && (hash_u64(address, value) >> 8 & (((uint64_t)1 << bits) - 1)) == 0;
  m->passed += here;
  if (here || !m->doubt || m->sought)
    return here;
  const struct landmark_lesson *l = lesson_of(m);
  m->sought = l->distance && steps - m->since >= l->distance;
  m->seeking = m->sought;
  return m->sought;
}

/* After so many steps another run was met, or the run has ended: if that is far from the load in doubt, it is worth
 * comparing nearer to it. */
static void learn(struct landmarks *m, uint64_t steps) {
  uint64_t distance = steps - m->since;
  if (!m->doubt || !m->begun || distance < far(m))
    return;
  struct landmark_lesson *l = lesson_of(m);
  if (!l->distance)
    l->distance = NEAR(far(m));
  else if (l->distance > distance / 2)
    l->distance = NOT_AT_ALL;
}

/* The state was compared at the learnt distance. */
static void learn_from_place(struct landmarks *m, bool met) {
  struct landmark_lesson *l = lesson_of(m);
  l->vain = met ? 0 : l->vain + 1;
  if (l->vain < VAIN_MAX)
    return;
  l->distance *= FARTHER;
  l->vain = 0;
}

void landmarks_compared(struct landmarks *m, uintptr_t doubt, bool met, uint64_t steps) {
  if (m->seeking)
    learn_from_place(m, met);
  else if (met)
    learn(m, steps);
  m->seeking = false;
  if (met)
    m->doubt = 0;
  else if (doubt)
    set_doubt(m, doubt, steps);
}

void landmarks_end(struct landmarks *m, uint64_t steps) {
  learn(m, steps);
}
