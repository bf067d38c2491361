/* What a test has and its model does not speak of: such instructions have no effect, and the user
 * must hear of it.  A lock without effect is an error, since no verdict could be right, and so is an access in
 * several pieces that nothing holds together; a fence, a
 * flush or a read-modify-write is a warning.  A model that knows a fence and gives it no effect
 * mentions it in a definition. */
#ifndef AXIOM_UNMODELLED_H
#define AXIOM_UNMODELLED_H

#include "axiom/check.h"
#include "axiom/model_encode.h"

/* After model_encode.  Are halves of read-modify-writes nothing to each other? */
bool unmodelled_atomicity(const struct model_encoding *m);

/* After model_encode.  Adds to the warnings; false and *d if there are locks without a meaning. */
bool unmodelled_find(const struct model_encoding *m, struct check_result *r, struct diag *d);

#endif
