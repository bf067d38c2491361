/* Decisions as text, "f3.r1.r0*2" (the last one twice), and their order.
 *
 * A list of decisions names an execution, or a position in the search: everything that begins with
 * it.  The search goes through executions in one order, whoever searches: a failure before an
 * observation comes before what is observed, and the end of an execution after all failures in it.
 * So two positions enclose a range of executions, which can be searched by somebody else. */
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
  CHOICE(SHARED, 'l')   /* sc, tso, before everything else: so many lines that threads do not \
                         * share are between the one before and this one (explore/sharing.h) */ \
  CHOICE(WRITER, 'w')   /* who alone stores to it */ \
  CHOICE(WAKES, 'u')    /* as SCHEDULE, and its wait ends without a signal */ \
  CHOICE(TIMEOUT, 't')  /* the same because its time is over */ \
  CHOICE(SIGNAL, \
         'g') /* as SCHEDULE, and the signal wakes the waiter after n others, or the program \
                     * gets that number: 8 * who + n */ \
  CHOICE(TURN, 'o') /* traces: the process (explore/dpor.h) of the next operation */ \
  CHOICE(CUT, 'c')  /* traces: so much of the next process must have happened at the failure */ \
  CHOICE(ALSO, 'a') /* traces: of the threads that failed, the one after n others */

enum choice_kind {
#define CHOICE(name, letter) CHOICE_##name,
  CHOICE_KINDS(CHOICE)
#undef CHOICE
};

/* taken < limit <= count; from `limit` on alternatives belong to somebody else. */
struct choice {
  enum choice_kind kind;
  uint32_t taken, limit, count;
  uint64_t since; /* on a stack: when it was taken, a number that no other choice has */
};

typedef VEC(struct choice) choice_list;

void token_append(struct str *out, const choice_list *list);

struct token_mark {
  uint64_t since;
  size_t first, begin; /* of the equal choices that it belongs to: the number, where in the text */
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

/* < 0: position a lies before position b.  A position lies before all that begin with it. */
int token_compare(const choice_list *a, const choice_list *b);
int token_compare_texts(const char *a, const char *b);

#endif
