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

frame_id frame_again(frame_id f); /* one more copy of the same */

/* Sixty-four frames (0: none), which belong to the group from then on; equal groups are one, likewise. */
#define FRAME_GROUP 64
typedef uint32_t frame_group; /* 0: none */
frame_group frame_group_take(const frame_id frames[FRAME_GROUP], frame_group like);
const frame_id *frame_group_frames(frame_group g);
void frame_group_drop(frame_group g);

/* The number means these bytes until frame_release, whoever owns it. */
void frame_keep(frame_id f);
void frame_release(void);

void frame_write(frame_id f, void *page);
void frame_drop(frame_id f);

#endif
