#include "process/last_words.h"
#include "process/image.h"
#include "process/stop.h"
#include "process/unwind.h"
#include "process/world.h"
#include <string.h>

#define SPEAKERS 16

/* What an image said.  World memory, with room only for those who speak: the world is copied often. */
static struct speaker {
  const struct image *image;
  bool ended; /* the line is complete: what follows begins another one */
  size_t length;
  char line[STOP_SAID_MAX];
  int frame_count;
  uintptr_t frames[STOP_FRAMES_MAX];
} * speakers[SPEAKERS];

static void include(void) {
  world_include(speakers, sizeof speakers);
}
WORLD_AT_SEAL(include)

/* NULL: it has said nothing. */
static struct speaker *find(const struct image *image) {
  for (int i = 0; i < SPEAKERS && speakers[i]; i++)
    if (speakers[i]->image == image)
      return speakers[i];
  return NULL;
}

/* NULL: there are too many. */
static struct speaker *add(const struct image *image) {
  for (int i = 0; i < SPEAKERS; i++)
    if (!speakers[i]) {
      speakers[i] = world_alloc(sizeof *speakers[i]);
      speakers[i]->image = image;
      return speakers[i];
    }
  return NULL;
}

static void append(struct speaker *s, char c) {
  if (c == '\n') {
    s->ended = s->length > 0;
    return;
  }
  if (s->ended)
    s->length = 0;
  s->ended = false;
  if (s->length < STOP_SAID_MAX - 1)
    s->line[s->length++] = (unsigned char)c < ' ' || c == 0x7f ? ' ' : c;
}

void last_words_said(const char *bytes, size_t n, const ucontext_t *u) {
  const struct image *image = image_current();
  struct speaker *s = find(image);
  if (!s && n)
    s = add(image);
  if (!s || !n)
    return;
  for (size_t i = 0; i < n; i++)
    append(s, bytes[i]);
  s->frame_count = unwind_interrupted(u, s->frames, STOP_FRAMES_MAX);
}

void last_words_note(struct stop *stop) {
  const struct image *image = image_current();
  const struct speaker *s = find(image);
  if (!s)
    return;
  memcpy(stop->said, s->line, s->length);
  stop->said[s->length] = 0;
  stop->said_count = s->frame_count;
  memcpy(stop->said_frames, s->frames, sizeof stop->said_frames);
}
