/* --verify-fix: is the program without the findings once it is changed?
 *
 * The commands that built it are in the program (cc_record.h).  They are run again with the changed
 * sources laid over the real ones (clang's -ivfsoverlay) and with other output files; then the new
 * program is checked with the same options. */
#ifndef CLI_FIX_VERIFY_H
#define CLI_FIX_VERIFY_H

#include "cli/fix.h"

/* What came of it, in words; false if something is still there, new, or could not be done. */
bool fix_verify(const struct report *r, struct fix *f, struct str *out);

#endif
