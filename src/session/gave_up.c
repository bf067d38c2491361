#include "session/gave_up.h"
#include "process/complaint.h"
#include "process/image.h"
#include "process/unwind.h"
#include <string.h>

#define SHORT_BYTES 768 /* of code; instrumented, without optimisation */
#define CALL 0xe8
#define CALL_BYTES 5

/* ---- the call that said it and then ended the program ---- */

/* The two stacks have their outer frames in common, from *i and *j on. */
static bool common_frames(const struct stop *s, int *i, int *j) {
  for (*i = 0; *i < s->frame_count; ++*i)
    for (*j = 0; *j < s->said_count; ++*j) {
      int n = s->frame_count - *i;
      bool as_many = s->said_count - *j == n;
      bool cut = s->frame_count == STOP_FRAMES_MAX || s->said_count == STOP_FRAMES_MAX;
      n = n < s->said_count - *j ? n : s->said_count - *j;
      if ((as_many || cut) && n > 0 &&
          memcmp(s->frames + *i, s->said_frames + *j, (size_t)n * sizeof *s->frames) == 0)
        return true;
    }
  return false;
}

/* ---- calls in the program's code ---- */

/* A jump through a pointer, as calls of exported functions take it. */
static uintptr_t jump_target(uintptr_t code) {
  static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
  const uint8_t *p = (const uint8_t *)code;
  int32_t distance;
  if (memcmp(p, endbr, sizeof endbr) == 0)
    p += sizeof endbr;
  p += *p == 0xf2;
  if (p[0] != 0xff || p[1] != 0x25)
    return 0;
  memcpy(&distance, p + 2, sizeof distance);
  return *(const uintptr_t *)(p + 6 + distance);
}

static bool is_call_of(const uint8_t *p, uintptr_t function, uintptr_t low, uintptr_t high) {
  int32_t distance;
  if (*p != CALL)
    return false;
  memcpy(&distance, p + 1, sizeof distance);
  uintptr_t target = (uintptr_t)p + CALL_BYTES + (uintptr_t)(intptr_t)distance;
  if (target == function)
    return true;
  return target >= low && target < high - 16 && jump_target(target) == function;
}

static bool is_called_from_several_places(uintptr_t function) {
  static struct {
    uintptr_t function;
    bool several;
  } last; /* usually it is asked about one */
  uintptr_t low, high;
  int calls = 0;
  if (function == last.function)
    return last.several;
  image_code(function, &low, &high);
  for (uintptr_t at = low; at + CALL_BYTES <= high && calls < 2; at++)
    calls += is_call_of((const uint8_t *)at, function, low, high);
  last.function = function;
  last.several = calls >= 2;
  return last.several;
}

int gave_up_caller(const struct stop *s) {
  int i, j;
  size_t bytes;
  bool gave_up = s->kind == STOP_ABORT || s->kind == STOP_FINISHED;
  if (!gave_up || !s->said_count || !common_frames(s, &i, &j) || i == 0 || j == 0)
    return -1;
  uintptr_t function = unwind_function_bytes(s->frames[i - 1], &bytes);
  bool same = function && function == unwind_function(s->said_frames[j - 1] + (j == 1));
  if (!same || bytes > SHORT_BYTES || !image_is_own_code(function) ||
      !image_is_own_code(s->frames[i]) || !is_called_from_several_places(function))
    return -1;
  return i;
}

/* ---- what was said ---- */

/* The program's locale is none of our business. */
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Past a number, which may have letters: 0x7f3a, 12ms. */
static const char *past_number(const char *p) {
  while (is_digit(*p) || is_letter(*p))
    p++;
  return p;
}

void gave_up_said(const struct stop *s, struct str *out) {
  str_append(out, " ");
  for (const char *p = s->said; *p;) {
    bool number = is_digit(*p), line = number && complaint_is_line(s->said, (size_t)(p - s->said));
    const char *past = number ? past_number(p) : p + 1;
    str_append_bytes(out, number && !line ? "#" : p, line ? (size_t)(past - p) : 1);
    p = past;
  }
}
