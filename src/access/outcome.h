/* What the execution under way has said with tidemark_outcome.  Host memory: who goes back to an
 * earlier point of the execution takes back what was said since (outcome_truncate). */
#ifndef ACCESS_OUTCOME_H
#define ACCESS_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

void outcome_reset(void);
void outcome_say(const char *text);
const char *outcome_text(void); /* NULL: nothing was said */

struct outcome_mark {
  size_t length;
  bool any;
};
struct outcome_mark outcome_mark(void);
void outcome_truncate(struct outcome_mark m);
void outcome_append(const char *text, bool any); /* as it is, no separator */

void outcome_share(void); /* register what a run changes, for --isolate */

#endif
