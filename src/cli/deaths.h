/* Workers that died in the middle of the program, and what to make of it.
 *
 * A death is the program's doing only if the same execution, run alone, dies again (suspect).  Those
 * become findings, and the next worker leaves these executions out.  Everything else came from
 * outside (somebody's kill, the system short of memory): the search starts again, a few times. */
#ifndef CLI_DEATHS_H
#define CLI_DEATHS_H

#include "base/str.h"
#include "base/vec.h"
#include "finding/finding.h"
#include <stdbool.h>

/* An execution that took its worker with it; status as waitpid says it. */
struct death {
  char *token;
  int status;
  bool looked; /* at memory, before: others may read something else there, and go on differently */
  bool shared; /* by several executions: the token alone need not do it again */
};

struct deaths {
  VEC(struct death) confirmed;
  struct death suspect; /* token NULL: there is none */
  bool unclear;  /* cxl: one died in a run that executions share, which has no token of its own */
  bool retried;  /* cxl: the part in which one was killed was given to another one, once */
  bool in_parts; /* others went on */
  int shared;    /* so many that did not do it again were shared by executions, one of which may */
  int outside, outside_status; /* how many came from outside, and the last of them */
};

void deaths_free(struct deaths *d);

/* "signal 9, Killed". */
void deaths_describe(int status, struct str *out);
const char *deaths_token_name(const char *token); /* "-" for the one without choices */

void deaths_suspect(struct deaths *d, const char *token, int status, bool looked, bool shared);
bool deaths_suspected(const struct deaths *d);
bool deaths_is_suspect(const struct deaths *d, const char *token); /* of a worker that died */

/* The suspect died again, or did not. */
void deaths_confirm(struct deaths *d);
void deaths_acquit(struct deaths *d);
void deaths_note_outside(struct deaths *d, int status);

bool deaths_known(const struct deaths *d, const char *token);
void deaths_skip_text(const struct deaths *d,
                      struct str *out); /* the setting for the next worker */

/* Must the search end?  Then *why is appended. */
bool deaths_too_many(const struct deaths *d, struct str *why);

/* Would a signal like this one come from somebody else, when the program was not running? */
bool deaths_is_foreign(int status);

/* Findings and a note about them. */
void deaths_report(const struct deaths *d, struct results *r);

#endif
