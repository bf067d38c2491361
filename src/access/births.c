#include "access/births.h"
#include "access/ordinary.h"
#include "base/check.h"
#include "thread/thread.h"

/* Up to so many children are told apart; of more, the next power of two is expected, so that a search does not start
 * again for each. */
#define EXACT_MAX 8

static struct {
  bool known;           /* that not only main creates threads */
  bool told;            /* by a token */
  births_counts counts; /* by thread; */
  VEC(uint32_t) first;  /* the number of the first child; */
  VEC(uint64_t) descents;
} births;

/* A fact is a lock that threads share, with an address that no lock has. */
static struct operation fact(uint64_t descent) {
  return (struct operation){.kind = OPERATION_LOCK, .address = descent >> 8 | (uintptr_t)1 << 58};
}

static bool expects(uint64_t descent) {
  struct operation o = fact(descent);
  return sharing_expects(&ordinary.sharing, &o);
}

#define NESTED 2 /* the descent of nobody: threads other than main create some */

static void learn(uint64_t descent) {
  struct operation o = fact(descent);
  if (sharing_expect(&ordinary.sharing, &o))
    ordinary.broken = true;
}

/* That it creates a thread with that number, and those before. */
static void learn_child(const struct thread *creator, uint32_t number) {
  uint32_t count = EXACT_MAX;
  while (count < number)
    count *= 2;
  for (uint32_t n = 1; n <= (number <= EXACT_MAX ? number : count); n++)
    learn(thread_descent(creator->descent, n));
}

static void add_children(uint64_t descent) {
  uint32_t count = 0;
  vec_push(&births.first, (uint32_t)births.descents.length);
  for (uint64_t child; births.descents.length < THREADS_EVER_MAX &&
                       expects(child = thread_descent(descent, count + 1));
       count++)
    vec_push(&births.descents, child);
  vec_push(&births.counts, count);
}

static void forget(void) {
  births.counts.length = births.first.length = births.descents.length = 0;
}

void births_begin(void) {
  if (births.told)
    return;
  forget();
  births.known = expects(NESTED);
  if (!births.known)
    return;
  vec_push(&births.descents, 1); /* main's */
  for (size_t i = 0; i < births.descents.length; i++)
    add_children(births.descents.data[i]);
}

const births_counts *births_known(void) {
  while (births.counts.length && !vec_last(&births.counts))
    births.counts.length--;
  return &births.counts;
}

void births_tell(const births_counts *counts) {
  uint32_t next = 1;
  forget();
  births.told = true;
  births.known = counts->length > 0;
  for (size_t i = 0; i < counts->length; i++) {
    vec_push(&births.counts, counts->data[i]);
    vec_push(&births.first, next);
    next += counts->data[i];
  }
  for (uint32_t i = 0; births.known && i < next; i++)
    vec_push(&births.descents, 0); /* so many there are */
}

/* Somebody else than main creates a thread, which is new: so are all births so far. */
static void learn_all(void) {
  learn(NESTED);
  for (int i = 0; i < thread_count(); i++)
    if (thread_by_id(i)->children)
      learn_child(thread_by_id(i), thread_by_id(i)->children);
}

static int birth(const struct thread *creator, bool *known) {
  uint32_t id = (uint32_t)creator->id, number = creator->children + 1;
  if (births.known && id < births.counts.length && number <= births.counts.data[id]) {
    *known = true;
    return (int)(births.first.data[id] + number - 1);
  }
  bool nested = creator->id || births.known || expects(NESTED);
  if (nested && ordinary.each_once) {
    learn_all();
    learn_child(creator, number);
  }
  int behind = (int)births.descents.length;
  return !births.known ? -1 : behind > thread_count() ? behind : thread_count();
}

void births_init(void) {
  thread_strategy.birth = birth;
}
