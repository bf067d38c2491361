/* C++ exceptions that nobody catches, and other ways in which libstdc++ ends a program. */
#include "base/check.h"
#include "base/str.h"
#include "libc/exception.h"
#include "process/caller.h"
#include "process/image.h"
#include "process/program.h"
#include "process/unwind.h"
#include "process/world.h"
#include <dlfcn.h>
#include <string.h>

#define NOTES 8 /* exceptions alive at a time; of more, the oldest are forgotten */
#define NOTE_FRAMES 12
#define BASES_MAX 64

struct note {
  void *object;
  int frame_count;
  uintptr_t frames[NOTE_FRAMES];
};

/* World memory. */
static struct {
  uint32_t next;
  struct note notes[NOTES];
} thrown;

static void exception_seal(void) {
  world_include(&thrown, sizeof thrown);
}
WORLD_AT_SEAL(exception_seal)

/* Called by __cxa_throw (exception_throw.S), says where to go on. */
void *exception_note(void *object) __attribute__((visibility("hidden")));
void *exception_note(void *object) {
  struct image *image = image_current();
  CHECK(image && image_cxa_throw(image), "a C++ exception without libstdc++");
  if (fiber_current()) {
    struct note *n = &thrown.notes[thrown.next++ % NOTES];
    n->object = object;
    n->frame_count =
        unwind_calls_quickly((uintptr_t)__builtin_frame_address(0), n->frames, NOTE_FRAMES);
  }
  return image_cxa_throw(image);
}

static const struct note *find_note(const void *object) {
  for (uint32_t back = 1; object && back <= NOTES && back <= thrown.next; back++) {
    const struct note *n = &thrown.notes[(thrown.next - back) % NOTES];
    if (n->object == object)
      return n;
  }
  return NULL;
}

/* ---- what was thrown ---- */

/* std::type_info and the classes derived from it, as the C++ ABI lays them out. */
struct type {
  const void *table;
  const char *name;
};

struct type_with_base {
  struct type type;
  const struct type *base;
};

struct type_with_bases {
  struct type type;
  uint32_t flags, count;
  struct {
    const struct type *type;
    long offset_and_flags;
  } bases[];
};

enum { BASE_VIRTUAL = 1, BASE_PUBLIC = 2, BASE_SHIFT = 8 };

static bool is_kind(const struct image *image, const struct type *t, const char *table) {
  const char *symbol = image_library_symbol(image, table);
  return symbol && t->table == symbol + 2 * sizeof(void *);
}

/* The object as a std::exception, or NULL: a public base of that name. */
static void *as_exception(const struct image *image, const struct type *t, char *object) {
  for (;;) {
    if (strcmp(t->name, "St9exception") == 0)
      return object;
    if (!is_kind(image, t, "_ZTVN10__cxxabiv120__si_class_type_infoE"))
      break;
    t = ((const struct type_with_base *)t)->base;
  }
  if (!is_kind(image, t, "_ZTVN10__cxxabiv121__vmi_class_type_infoE"))
    return NULL;
  const struct type_with_bases *several = (const struct type_with_bases *)t;
  for (uint32_t i = 0; i < several->count && i < BASES_MAX; i++) {
    long about = several->bases[i].offset_and_flags, offset = about >> BASE_SHIFT;
    if (!(about & BASE_PUBLIC))
      continue;
    if (about & BASE_VIRTUAL)
      offset = *(const long *)(*(const char **)object + offset);
    void *found = as_exception(image, several->bases[i].type, object + offset);
    if (found)
      return found;
  }
  return NULL;
}

/* what() is the third function of std::exception. */
static const char *call_what(void *exception) {
  void *const *functions = *(void *const **)exception;
  return (const char *)fiber_call(functions[2], (long)exception, 0, 0);
}

static void add_type(const struct image *image, const struct type *t, struct str *text) {
  char *(*demangle)(const char *, char *, size_t *, int *) =
      image_library_symbol(image, "__cxa_demangle");
  const char *name = t->name + (*t->name == '*');
  int status = 1;
  const char *readable = demangle ? demangle(name, NULL, NULL, &status) : NULL;
  str_append(text, status == 0 ? readable : name);
}

static void add_line(const char *what, struct str *text) {
  for (; *what && text->length < STOP_MESSAGE_MAX; what++)
    str_append_char(text, (unsigned char)*what < ' ' ? ' ' : *what);
}

static void *current_object(const struct image *image) {
  void (*current)(void **) = image_library_symbol(image, "_ZSt17current_exceptionv");
  void *object = NULL;
  if (current)
    current(&object); /* an exception_ptr: returned in memory */
  return object;
}

static void describe_exception(const struct image *image, const struct type *t, char *object,
                               struct str *text) {
  str_append(text, "uncaught exception of type ");
  add_type(image, t, text);
  void *exception = object ? as_exception(image, t, object) : NULL;
  const char *what = exception ? call_what(exception) : NULL;
  if (what && *what) {
    str_append(text, ": ");
    add_line(what, text);
  }
}

/* ---- how libstdc++ came to abort ---- */

/* Functions that are on the stack while std::terminate is under way, and at no other time when code
 * of the program runs. */
static const char *const machinery[] = {
    "__cxa_pure_virtual",    "_ZSt9terminatev",
    "__cxa_throw",           "__cxa_rethrow",
    "__gxx_personality_v0",  "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
    "__cxa_deleted_virtual", "__cxa_call_terminate"};
enum { PURE_VIRTUAL, MACHINERY = sizeof machinery / sizeof *machinery };

/* The outermost frame of it, or -1; `seen` says which functions there were. */
static int find_machinery(const struct image *image, const struct stop *s, uint32_t *seen) {
  uintptr_t begin[MACHINERY];
  int outermost = -1;
  *seen = 0;
  for (int k = 0; k < MACHINERY; k++)
    begin[k] = (uintptr_t)image_library_symbol(image, machinery[k]);
  for (int i = 0; i < s->frame_count; i++) {
    uintptr_t function = program_is_ours(s->frames[i]) ? 0 : unwind_function(s->frames[i]);
    for (int k = 0; function && k < MACHINERY; k++)
      if (begin[k] == function) {
        outermost = i;
        *seen |= 1u << k;
      }
  }
  return outermost;
}

static void set_frames(struct stop *s, const uintptr_t *frames, int count) {
  memmove(s->frames, frames, (size_t)count * sizeof *frames);
  s->frame_count = count;
  s->by_library = count && !image_is_own_code(s->frames[0]);
}

/* Is the stack as it was at the throw? */
static bool still_there(const struct note *n, const uintptr_t *frames, int count) {
  for (int i = 0; i < n->frame_count; i++)
    if (image_is_own_code(n->frames[i])) {
      for (int k = 0; k < count; k++)
        if (image_is_own_code(frames[k]))
          return frames[k] == n->frames[i];
      return false;
    }
  return true;
}

bool exception_describe(struct stop *s) {
  struct image *image = image_current();
  uint32_t seen;
  int at = find_machinery(image, s, &seen);
  if (at < 0)
    return false;
  const struct type *(*current_type)(void) =
      image_library_symbol(image, "__cxa_current_exception_type");
  const struct type *type = current_type ? current_type() : NULL;
  const struct note *note = NULL;
  struct str text = {0};
  if (seen >> PURE_VIRTUAL & 1) {
    str_append(&text, "pure virtual function called");
  } else if (type) {
    char *object = current_object(image);
    note = find_note(object);
    describe_exception(image, type, object, &text);
  } else {
    str_append(&text, "std::terminate called");
  }
  stop_set_message(s, str_text(&text));
  str_free(&text);
  const uintptr_t *rest = s->frames + at + 1;
  int count = s->frame_count - at - 1;
  if (note && !still_there(note, rest, count))
    set_frames(s, note->frames, note->frame_count);
  else if (count)
    set_frames(s, rest, count);
  return true;
}

/* Of the checks that -D_GLIBCXX_ASSERTIONS adds. */
INTERPOSE _Noreturn void _ZSt21__glibcxx_assert_failPKciS0_S0_(const char *file, int line,
                                                               const char *function,
                                                               const char *condition);
void _ZSt21__glibcxx_assert_failPKciS0_S0_(const char *file, int line, const char *function,
                                           const char *condition) {
  (void)file, (void)line, (void)function;
  CHECK(fiber_current(), "an assertion of libstdc++ in the worker");
  struct stop s = {.kind = STOP_ABORT, .by_library = true};
  struct str text = {0};
  str_format(&text, "assertion of the C++ library failed: %s",
             condition ? condition : "unreachable code was reached");
  stop_set_message(&s, str_text(&text));
  str_free(&text);
  stop_execution(&s);
}
