/* Copies of pages, one for all checkpoints in which a page has the same bytes.
 *
 * Neighbouring checkpoints differ in few pages, and a new copy costs a page fault on top of the
 * copying: comparing first makes a checkpoint several times cheaper.  Host memory. */
#ifndef PROCESS_FRAME_H
#define PROCESS_FRAME_H

#include <stdint.h>

typedef uint32_t frame_id; /* 0: none */

/* A copy of the page at that address: `like` once more if it has the same bytes, or a new one. */
frame_id frame_take(const void *page, frame_id like);
const void *frame_bytes(frame_id f);
void frame_drop(frame_id f);

#endif
