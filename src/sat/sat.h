/* A SAT solver: variables, clauses, assumptions, models, failed assumptions.  CaDiCaL inside.
 *
 * Literals are non-zero integers, negative for negation.  Clauses stay; assumptions hold for one
 * sat_solve.  After SAT_NO, sat_failed tells which assumptions were needed; after SAT_YES, sat_value
 * gives the model until something is added. */
#ifndef SAT_SAT_H
#define SAT_SAT_H

#include <stdbool.h>
#include <stdint.h>

struct sat;

enum sat_answer { SAT_UNKNOWN = 0, SAT_YES = 10, SAT_NO = 20 };

struct sat *sat_create(void);
void sat_destroy(struct sat *s);
void sat_simplify(struct sat *s); /* for large problems, before the first clause */

int sat_new_variable(struct sat *s);
void sat_add(struct sat *s, int literal); /* literal by literal; 0 ends the clause */
void sat_add_clause(struct sat *s, const int *literals, int count);

void sat_assume(struct sat *s, int literal);
enum sat_answer sat_solve(struct sat *s);
void sat_limit(struct sat *s, int conflicts); /* the next sat_solve may give up after so many */
bool sat_value(struct sat *s, int literal);
bool sat_failed(struct sat *s, int literal);

int sat_variables(const struct sat *s);
int64_t sat_clauses(const struct sat *s);

#endif
