/* Decisions as text, "f3.r1.r0*2" (the last one twice): replay tokens and positions of a search.
 *
 * A list of decisions names an execution, or a position in the search: everything that begins with it.  All searches go
 * through executions in one order, whoever searches: a failure before an observation comes before the observation, and
 * the end of an execution after all failures in it.  So two positions enclose a range of executions, which somebody
 * else can search (explore/choice.h). */
#ifndef EXPLORE_TOKEN_H
#define EXPLORE_TOKEN_H

#include "base/str.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

/* CHOICE(name, letter in tokens) */
#define CHOICE_KINDS(CHOICE) \
  CHOICE(FAILURE, 'f')  /* at failure point number n of the execution; alternatives: points */ \
  CHOICE(READ, 'r')     /* which candidate a load reads */ \
  CHOICE(SCHEDULE, 's') /* which thread, or store buffer, goes on */ \
  CHOICE(MACHINE, 'm')  /* cxl: 0 = go on, n = machine n-1 fails */ \
  CHOICE(POISON, 'p')   /* is the line poisoned? */ \
  CHOICE(RUN, 'n')      /* which of the sampled schedules; in positions only */ \
  /* sc, tso, before everything else: a line that threads share; n lines that they do not share lie \
   * between the one before and it (explore/sharing.h) */ \
  CHOICE(SHARED, 'l') \
  CHOICE(WRITER, 'w')  /* the only thread that stores to that line */ \
  CHOICE(WAKES, 'u')   /* as SCHEDULE, and its wait ends without a signal (spurious wake-up) */ \
  CHOICE(TIMEOUT, 't') /* as SCHEDULE, and its wait ends because the deadline has passed */ \
  /* As SCHEDULE, and the signal wakes the waiter after n others, or the program gets the number n: \
   * 8 * process + n */ \
  CHOICE(SIGNAL, 'g') \
  CHOICE(TURN, 'o') /* traces: the process (explore/dpor.h) of the next operation */ \
  CHOICE(CUT, 'c')  /* traces: so much of the next process must have happened at the failure */ \
  CHOICE(ALSO, 'a') /* traces: of the threads that failed, the one after n others */ \
  /* sc, tso, before everything else, for thread 0, 1, ...: it creates n (access/births.h) */ \
  CHOICE(BIRTHS, 'b')

enum choice_kind {
#define CHOICE(name, letter) CHOICE_##name,
  CHOICE_KINDS(CHOICE)
#undef CHOICE
};

/* A decision: alternative `taken` of `count`.  taken < limit <= count: those from `limit` on belong to somebody
 * else. */
struct choice {
  enum choice_kind kind;
  uint32_t taken, limit, count;
  uint64_t since; /* on a stack: choices.taken when it was taken, which no other choice has */
};

typedef VEC(struct choice) choice_list;

void token_append(struct str *out, const choice_list *list);

/* A choice of the text.  Equal choices in a row are written once: first is the index of the first of them, begin where
 * the text has them. */
struct token_mark {
  uint64_t since;
  size_t first, begin;
};

/* The text of a stack, kept for as long as it grows and shrinks: bringing it up to date costs what has
 * changed.  Zero initialisation is the empty one. */
struct token_text {
  struct str text;
  VEC(struct token_mark) marks; /* for each choice that the text has */
};
void token_text_update(struct token_text *t, const choice_list *stack);
void token_text_free(struct token_text *t);

/* Replaces the list; false if the text is no token. */
bool token_parse(const char *text, choice_list *list);

/* < 0: position a lies before position b.  A position lies before all longer ones that begin with it. */
int token_compare(const choice_list *a, const choice_list *b);
int token_compare_texts(const char *a, const char *b);

#endif
