#include "process/stop.h"
#include "base/check.h"
#include "base/str.h"
#include "process/fiber_internal.h"
#include "process/host.h"
#include "process/last_words.h"
#include "process/unwind.h"
#include <stdarg.h>
#include <string.h>

void (*stop_observer)(const struct stop *why);
void (*stop_remark)(const char *text);

/* The end of most executions: nobody will ask where that was. */
static bool is_routine(const struct stop *s) {
  return s->kind == STOP_FAILURE || s->kind == STOP_KNOWN || s->kind == STOP_ASSUME ||
         (s->kind == STOP_FINISHED && s->status == 0);
}

/* By its own decision. */
static bool gives_up(const struct stop *s) {
  return (s->kind == STOP_ABORT && !s->explained) || (s->kind == STOP_FINISHED && s->status);
}

void stop_execution(struct stop *why) {
  CHECK(fiber_current(), "stop_execution on the host: %s", why->message);
  if (!why->frame_count && !is_routine(why))
    why->frame_count =
        unwind_calls((uintptr_t)__builtin_frame_address(0), why->frames, STOP_FRAMES_MAX);
  if (gives_up(why))
    last_words_note(why);
  if (stop_observer)
    stop_observer(why);
  host_record(why);
  fiber_abandon();
}

void stop_set_message(struct stop *s, const char *text) {
  static const char cut[] = " ...";
  size_t n = strlen(text), most = STOP_MESSAGE_MAX - sizeof cut;
  bool fits = n < STOP_MESSAGE_MAX;
  memcpy(s->message, text, fits ? n + 1 : most);
  if (!fits)
    memcpy(s->message + most, cut, sizeof cut);
}

static void clear_rest(char *text, size_t bytes) {
  size_t used = strnlen(text, bytes);
  memset(text + used, 0, bytes - used);
}

struct stop stop_normal(const struct stop *s) {
  struct stop n = *s;
  for (int i = n.frame_count; i < STOP_FRAMES_MAX; i++)
    n.frames[i] = 0;
  for (int i = n.said_count; i < STOP_FRAMES_MAX; i++)
    n.said_frames[i] = 0;
  clear_rest(n.said, sizeof n.said);
  clear_rest(n.message, sizeof n.message);
  return n;
}

bool stop_is_of_one_thread(const struct stop *s) {
  switch (s->kind) {
  case STOP_ASSERTION:
  case STOP_ABORT:
  case STOP_SEGFAULT:
  case STOP_ILLEGAL_ACCESS:
  case STOP_FATAL_SIGNAL:
  case STOP_USE_AFTER_FREE:
  case STOP_USE_AFTER_RETURN:
  case STOP_WRONG_UNLOCK:
  case STOP_LOCK_MISUSE:
  case STOP_THREAD_MISUSE:
    return true;
  default:
    return false;
  }
}

static void set_format(struct stop *s, const char *format, va_list args) {
  struct str text = {0};
  str_format_v(&text, format, args);
  stop_set_message(s, str_text(&text));
  str_free(&text);
}

void stop_with(enum stop_kind kind, const struct abi_site *site, const char *format, ...) {
  struct stop s = {.kind = kind, .site = site};
  va_list args;
  va_start(args, format);
  set_format(&s, format, args);
  va_end(args);
  stop_execution(&s);
}

void stop_at(enum stop_kind kind, uintptr_t address, const struct abi_site *site,
             const char *format, ...) {
  struct stop s = {.kind = kind, .address = address, .site = site};
  va_list args;
  va_start(args, format);
  set_format(&s, format, args);
  va_end(args);
  stop_execution(&s);
}

void stop_stale(uintptr_t address, const char *format, ...) {
  struct stop s = {.kind = STOP_ABORT, .address = address, .stale = true};
  va_list args;
  va_start(args, format);
  set_format(&s, format, args);
  va_end(args);
  stop_execution(&s);
}

void stop_freed(enum stop_kind kind, const struct abi_site *site, uintptr_t freed_code,
                int freed_thread, const char *format, ...) {
  struct stop s = {
      .kind = kind, .site = site, .freed_code = freed_code, .freed_thread = freed_thread};
  va_list args;
  va_start(args, format);
  set_format(&s, format, args);
  va_end(args);
  stop_execution(&s);
}

void stop_refuse(const char *what) {
  stop_with(STOP_REFUSED, NULL, "%s is not supported in a checked program", what);
}

void stop_finished(int status) {
  struct stop s = {.kind = STOP_FINISHED, .status = status & 0xff};
  stop_execution(&s);
}

__attribute__((noinline)) void tidemark_debug_failure(void) {
  __asm__ volatile("");
}

__attribute__((noinline)) void tidemark_debug_finding(void) {
  __asm__ volatile("");
}
