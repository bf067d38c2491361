#include "session/ending.h"
#include "process/complaint.h"
#include "process/image.h"
#include "process/program.h"
#include "process/unwind.h"
#include "session/gave_up.h"
#include <string.h>

bool ending_kind(const struct stop *why, enum finding_kind *kind) {
  switch (why->kind) {
  case STOP_FINISHED:
    *kind = FINDING_EXIT_STATUS;
    return why->status != 0;
  case STOP_ASSERTION:
    *kind = FINDING_ASSERTION;
    return true;
  case STOP_ABORT:
    *kind = FINDING_ABORT;
    return true;
  case STOP_SEGFAULT:
    *kind = FINDING_SEGFAULT;
    return true;
  case STOP_ILLEGAL_ACCESS:
    *kind = FINDING_ILLEGAL_ACCESS;
    return true;
  case STOP_FATAL_SIGNAL:
    *kind = FINDING_FATAL_SIGNAL;
    return true;
  case STOP_HANG:
    *kind = FINDING_HANG;
    return true;
  case STOP_DEADLOCK:
    *kind = FINDING_DEADLOCK;
    return true;
  case STOP_NONDETERMINISM:
    *kind = FINDING_NONDETERMINISM;
    return true;
  case STOP_USE_AFTER_FREE:
    *kind = FINDING_USE_AFTER_FREE;
    return true;
  case STOP_USE_AFTER_RETURN:
    *kind = FINDING_USE_AFTER_RETURN;
    return true;
  case STOP_WRONG_UNLOCK:
    *kind = FINDING_WRONG_UNLOCK;
    return true;
  case STOP_LOCK_MISUSE:
    *kind = FINDING_LOCK_MISUSE;
    return true;
  case STOP_THREAD_MISUSE:
    *kind = FINDING_THREAD_MISUSE;
    return true;
  case STOP_POISON:
    *kind = FINDING_POISON;
    return true;
  case STOP_NONE:
  case STOP_LONG:
  case STOP_FULL:
  case STOP_REFUSED:
  case STOP_ASSUME:
  case STOP_FAILURE:
  case STOP_KNOWN:
    break;
  }
  return false;
}

int ending_frame(const struct stop *s) {
  int library = -1, caller = gave_up_caller(s);
  if (caller >= 0)
    return caller;
  for (int i = 0; i < s->frame_count; i++) {
    if (image_is_own_code(s->frames[i]))
      return i;
    if (library < 0 && !program_is_ours(s->frames[i]))
      library = i;
  }
  return library;
}

/* Templates of a library that were compiled into the program stand between it and the program. */
#define LIBRARY_FRAMES 4

void ending_add_code(uintptr_t code, struct str *out) {
  struct place p = program_place(NULL, code, false);
  str_format(out, " %s+0x%lx", p.object ? p.object : "", (unsigned long)p.offset);
}

static void add_frames(const struct stop *s, struct str *out) {
  int first = ending_frame(s), count = s->by_library ? LIBRARY_FRAMES : 1;
  for (int i = first; first >= 0 && i < first + count && i < s->frame_count; i++)
    ending_add_code(s->frames[i], out);
}

uintptr_t ending_function(const struct stop *s) {
  int at = ending_frame(s);
  return at < 0 ? 0 : unwind_function(s->frames[at] + (at == 0 && s->interrupted));
}

void ending_identify(enum finding_kind kind, const struct stop *s, struct str *out) {
  str_append(out, finding_kind_text((int)kind));
  if (kind == FINDING_DEADLOCK) { /* who came last is chance, who waits for what is not */
    if (s->waits)
      str_format(out, " %lx", (unsigned long)s->waits);
    else
      str_format(out, " %s", s->message);
    return;
  }
  if (kind == FINDING_HANG && (s->loop_low || !s->site)) {
    ending_add_code(ending_function(s), out); /* where in it the loop was interrupted is chance */
    if (s->loop_low)
      ending_add_code(s->loop_low, out);
    return;
  }
  if (s->site)
    str_format(out, " %s %s", s->site->file, s->site->function);
  if (kind == FINDING_HANG)
    return;
  if (s->site)
    str_format(out, " %u:%u", s->site->line, s->site->column);
  if (s->site && !*s->site->file) /* not known where */
    ending_add_code((uintptr_t)s->site, out);
  if (s->freed_code)
    ending_add_code(s->freed_code, out);
  if (kind == FINDING_ASSERTION) /* two on one line */
    str_format(out, " %s", s->message);
  if (kind == FINDING_EXIT_STATUS) {
    if (!complaint_is_one(s->said)) /* of tests, it counts those that failed */
      str_format(out, " %d", s->status);
    add_frames(s, out);
    gave_up_said(s, out);
  } else if (!s->site && kind != FINDING_NONDETERMINISM)
    add_frames(s, out);
}

/* The first frame behind those of the checker, which carries out the access and may need libc for it. */
static int frame_of_program(const struct stop *s) {
  int first = 0;
  for (int i = 0; i < s->frame_count && !image_is_own_code(s->frames[i]); i++)
    if (program_is_ours(s->frames[i]))
      first = i + 1;
  return first;
}

void ending_stack(const struct stop *s, place_list *out) {
  int at = ending_frame(s);
  /* How a library came to call abort says nothing about the program. */
  bool by_library = s->kind == STOP_ABORT && at > 0 && gave_up_caller(s) < 0;
  int first = by_library ? at : frame_of_program(s);
  for (int i = first; i < s->frame_count; i++) {
    if (!program_is_ours(s->frames[i]))
      vec_push(out, program_place(NULL, s->frames[i], i > 0 || !s->interrupted));
  }
}
