#include "process/last_words.h"
#include "process/complaint.h"
#include "process/image.h"
#include "process/stop.h"
#include "process/unwind.h"
#include "process/world.h"
#include <string.h>
#include <unistd.h>

#define SPEAKERS 16

/* What an image said.  World memory, with room only for those who speak: the world is copied often. */
static struct speaker {
  const struct image *image;
  bool ended; /* the line is complete: what follows begins another one */
  size_t length;
  char line[STOP_SAID_MAX];
  struct {
    size_t length;
    char line[STOP_SAID_MAX]; /* what there is of it; else 0, so that states do not differ by it */
  } output[2];                /* standard output and error */
  struct complaint complaint;
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

static char printable(char c) {
  return (unsigned char)c < ' ' || c == 0x7f ? ' ' : c;
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
    s->line[s->length++] = printable(c);
}

static void look_for_complaint(struct speaker *s, bool error, char c) {
  size_t *length = &s->output[error].length;
  char *line = s->output[error].line;
  if (c == '\n') {
    complaint_hear(&s->complaint, line);
    memset(line, 0, *length);
    *length = 0;
  } else if (*length < STOP_SAID_MAX - 1) {
    line[(*length)++] = printable(c);
  }
}

void last_words_said(int fd, const char *bytes, size_t n, const ucontext_t *u) {
  const struct image *image = image_current();
  struct speaker *s = find(image);
  if (!s && n)
    s = add(image);
  if (!s || !n)
    return;
  bool error = fd == STDERR_FILENO;
  for (size_t i = 0; i < n; i++) {
    look_for_complaint(s, error, bytes[i]);
    if (error)
      append(s, bytes[i]);
  }
  if (error)
    s->frame_count = unwind_interrupted(u, s->frames, STOP_FRAMES_MAX);
}

void last_words_note(struct stop *stop) {
  const struct image *image = image_current();
  const struct speaker *s = find(image);
  if (!s)
    return;
  bool complained = stop->kind == STOP_FINISHED && s->complaint.length;
  size_t length = complained ? s->complaint.length : s->length;
  memcpy(stop->said, complained ? s->complaint.text : s->line, length);
  stop->said[length] = 0;
  stop->said_count = s->frame_count;
  memcpy(stop->said_frames, s->frames, sizeof stop->said_frames);
}
