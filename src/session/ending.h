/* How a run ended, read as a finding: its kind, what tells it from others, and where it is. */
#ifndef SESSION_ENDING_H
#define SESSION_ENDING_H

#include "base/str.h"
#include "finding/finding.h"
#include "process/stop.h"

struct ending { /* without padding, as struct stop */
  struct stop stop;
  int thread, machine;
};
_Static_assert(sizeof(struct ending) == sizeof(struct stop) + 2 * sizeof(int), "padding");

/* Is it a finding, and of which kind? */
bool ending_kind(const struct stop *why, enum finding_kind *kind);

/* Append what tells the finding from others, as text; the same in every process that searches this program. */
void ending_identify(enum finding_kind kind, const struct stop *s, struct str *out);

/* The index of the innermost frame of the program itself, or at least of a library; -1: none.  A function of the
 * program whose only purpose is to end it (gave_up.h) is passed over. */
int ending_frame(const struct stop *s);
uintptr_t ending_function(const struct stop *s); /* of that frame, or 0 */

/* The program's part of the stack, innermost first. */
void ending_stack(const struct stop *s, place_list *out);

/* " OBJECT+0xOFFSET": the same wherever the object was loaded. */
void ending_add_code(uintptr_t code, struct str *out);

#endif
