/* Taking known findings out of a report.  They are counted, listed, and do not fail a check. */
#ifndef REPORT_SILENCE_H
#define REPORT_SILENCE_H

#include "report/baseline.h"
#include "report/report.h"
#include "report/suppress.h"

/* Between report_prepare and report_conclude.  Either may be NULL; they are kept by the report and must
 * outlive it. */
void report_silence(struct report *r, struct suppressions *s, struct baseline *b);

/* Before report_prepare: will these findings be silenced, whatever call stacks they get?  silenced[i]; where the call
 * stack decides (the place is in a library), false. */
void silence_foresee(const struct run *run, const struct results *x, struct suppressions *s,
                     struct baseline *b, bool *silenced);

/* "2 findings are silenced (1 by known.supp, 1 by old.json)"; nothing if there are none. */
void silence_text(const struct report *r, struct str *out);

/* Notes about suppressions that fitted nothing and findings of the baseline that are gone; only a
 * complete search knows. */
void silence_note(struct report *r);

#endif
