#include "process/frame.h"
#include "base/vec.h"
#include "process/layout.h"
#include <string.h>

#define FRAMES_PER_CHUNK 32

static struct {
  VEC(unsigned char *) chunks; /* FRAMES_PER_CHUNK pages each; frames never move */
  VEC(uint32_t) references;    /* by frame, 0 is not used */
  VEC(frame_id) unused;
} frames;

static unsigned char *bytes_of(frame_id f) {
  return frames.chunks.data[f / FRAMES_PER_CHUNK] + f % FRAMES_PER_CHUNK * LAYOUT_PAGE;
}

static frame_id new_frame(void) {
  if (frames.unused.length)
    return vec_pop(&frames.unused);
  if (!frames.references.length)
    vec_push(&frames.references, 1);
  frame_id f = (frame_id)frames.references.length;
  vec_push(&frames.references, 0);
  if (f / FRAMES_PER_CHUNK >= frames.chunks.length) {
    vec_push(&frames.chunks, mem_alloc(FRAMES_PER_CHUNK * LAYOUT_PAGE));
    mem_make_ready(vec_last(&frames.chunks), FRAMES_PER_CHUNK * LAYOUT_PAGE);
  }
  return f;
}

frame_id frame_take(const void *page, frame_id like) {
  frame_id f = like;
  if (!like || memcmp(page, bytes_of(like), LAYOUT_PAGE) != 0) {
    f = new_frame();
    memcpy(bytes_of(f), page, LAYOUT_PAGE);
  }
  frames.references.data[f]++;
  return f;
}

const void *frame_bytes(frame_id f) {
  return bytes_of(f);
}

void frame_drop(frame_id f) {
  if (--frames.references.data[f] == 0)
    vec_push(&frames.unused, f);
}
