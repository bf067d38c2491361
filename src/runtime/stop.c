#include "runtime/stop.h"
#include "base/check.h"
#include "base/str.h"
#include "runtime/fiber_internal.h"
#include "runtime/host.h"
#include <stdarg.h>
#include <string.h>

void (*stop_observer)(const struct stop *why);
void (*stop_remark)(const char *text);

void stop_execution(struct stop *why) {
  struct fiber *f = fiber_current();
  CHECK(f, "stop_execution on the host: %s", why->message);
  if (!why->frame_count)
    why->frame_count =
        fiber_backtrace(f, (uintptr_t)__builtin_frame_address(0), why->frames, STOP_FRAMES_MAX);
  if (stop_observer)
    stop_observer(why);
  host_record(why);
  fiber_abandon();
}

static void set_message(struct stop *s, const char *text) {
  size_t n = strlen(text);
  if (n >= STOP_MESSAGE_MAX)
    n = STOP_MESSAGE_MAX - 1;
  memcpy(s->message, text, n);
  s->message[n] = 0;
}

void stop_with(enum stop_kind kind, const struct abi_site *site, const char *format, ...) {
  struct stop s = {.kind = kind, .site = site};
  struct str text = {0};
  va_list args;
  va_start(args, format);
  str_format_v(&text, format, args);
  va_end(args);
  set_message(&s, str_text(&text));
  str_free(&text);
  stop_execution(&s);
}

void stop_refuse(const char *what) {
  stop_with(STOP_REFUSED, NULL, "%s is not supported in a checked program", what);
}

void stop_finished(int status) {
  struct stop s = {.kind = STOP_FINISHED, .status = status & 0xff};
  stop_execution(&s);
}
