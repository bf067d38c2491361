/* Copies of pages, one for all checkpoints in which a page has the same bytes.
 *
 * A page is 16 chunks of 256 bytes.  Equal chunks are kept once, and so are equal pages: two frames
 * are the same number exactly if they have the same bytes, which is compared and not only hashed.
 * Neighbouring checkpoints differ in a few chunks of a few pages, so that is what one costs.  Host
 * memory. */
#ifndef PROCESS_FRAME_H
#define PROCESS_FRAME_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t frame_id; /* 0: none */

/* A copy of the page at that address, which is probably like the given one (0: like none). */
frame_id frame_take(const void *page, frame_id like);

void frame_own(frame_id f); /* one more owner; frame_drop: one less */

/* The number means these bytes until frame_release, whoever owns it. */
void frame_keep(frame_id f);
void frame_release(void);

void frame_write(frame_id f, void *page);
void frame_drop(frame_id f);

#endif
