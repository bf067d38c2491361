/* Lists of exported symbols (version scripts, dynamic lists) on a linker's command line.
 *
 * With emulated thread-local storage a thread-local variable NAME is the object __emutls_v.NAME, so
 * a list that names NAME must name that too, or users of the library would not find it.  And the
 * marks by which the checker knows a file built for it must not be hidden. */
#ifndef CLI_CC_EXPORTS_H
#define CLI_CC_EXPORTS_H

#include "base/str.h"
#include "cli/cc_job.h"

/* Makes the job use changed copies of such lists.  A list that cannot be read stays; the linker
 * then says what is wrong with it. */
void cc_exports_extend(struct cc_job *link);

/* The text of a changed copy. */
void cc_exports_rewrite(struct str *to, const char *text);

#endif
