#include "process/program.h"
#include "process/caller.h"
#include "process/fiber.h"
#include "process/image.h"
#include "process/share.h"
#include "process/unwind.h"
#include <string.h>

bool (*program_is_stub)(uintptr_t pc);

static VEC(struct abi_site *) sites; /* made by program_site */

#define WORKER_FRAMES_MAX 12 /* our own frames above the program's */

bool program_is_ours(uintptr_t code) {
  return code >= (uintptr_t)__executable_start && code < (uintptr_t)etext;
}

#define FRAMES_MAX (WORKER_FRAMES_MAX + EVENT_FRAMES_MAX)

/* Hooks are called by code that keeps frame pointers.  What bypass.c interrupts may not, nor a library that calls one of
 * ours (std::thread::join): whoever has called the library would be missing. */
static int walk(uintptr_t fp, uintptr_t *pcs, bool to_own_code) {
  int n = fiber_backtrace(fiber_current(), fp, pcs, FRAMES_MAX);
  bool library = false;
  for (int i = 0; i < n; i++) {
    if (program_is_stub && program_is_stub(pcs[i]))
      return to_own_code ? unwind_calls_to_own_code(fp, pcs, FRAMES_MAX)
                         : unwind_calls(fp, pcs, FRAMES_MAX);
    bool own = image_is_own_code(pcs[i]);
    library |= !own && !program_is_ours(pcs[i]);
    if (own && to_own_code)
      n = i + 1;
  }
  if (!library)
    return n;
  return to_own_code ? unwind_to_own_code_quickly(fp, pcs, FRAMES_MAX)
                     : unwind_calls(fp, pcs, FRAMES_MAX);
}

static void keep_frames(const uintptr_t *pcs, int n, struct event_frames *out) {
  out->count = 0;
  for (int i = 0; i < n && out->count < EVENT_FRAMES_MAX; i++)
    if (!program_is_ours(pcs[i]))
      out->code[out->count++] = pcs[i];
}

static void find_frames(uintptr_t fp, bool to_own_code, struct event_frames *out) {
  uintptr_t pcs[FRAMES_MAX];
  keep_frames(pcs, walk(fp, pcs, to_own_code), out);
}

void program_frames_of(const struct fiber *f, struct event_frames *out) {
  uintptr_t pcs[FRAMES_MAX];
  keep_frames(pcs, fiber_backtrace(f, fiber_frame_pointer(f), pcs, FRAMES_MAX), out);
}

void program_frames(struct event_frames *out) {
  find_frames((uintptr_t)__builtin_frame_address(0), false, out);
}

uintptr_t program_caller(void) {
  struct event_frames frames;
  find_frames((uintptr_t)__builtin_frame_address(0), true, &frames);
  for (int i = 0; i < frames.count; i++)
    if (image_is_own_code(frames.code[i]))
      return frames.code[i];
  return frames.count ? frames.code[0] : 0;
}

static uintptr_t stack_above(const struct fiber *f, uintptr_t fp) {
  while (fiber_has_frame(f, fp)) {
    const uintptr_t *frame = (const uintptr_t *)fp;
    if (!program_is_ours(frame[1]))
      return fp + 16;
    fp = frame[0];
  }
  return f->stack_high; /* the program has returned */
}

uintptr_t program_stack(void) {
  return stack_above(fiber_current(), (uintptr_t)__builtin_frame_address(0));
}

uintptr_t program_stack_of(const struct fiber *f) {
  uintptr_t fp = fiber_frame_pointer(f);
  return fp ? stack_above(f, fp) : f->stack_low; /* 0: it has not begun */
}

struct place program_place(const struct abi_site *site, uintptr_t code, bool returns) {
  struct place p = {0};
  if (site)
    p.function = mem_strdup(site->function);
  if (site && *site->file) { /* otherwise it was built without debug information */
    p.file = mem_strdup(site->file);
    p.line = site->line;
    p.column = site->column;
    return p;
  }
  const char *path;
  uintptr_t offset;
  if (code && image_resolve(code - returns, &path, &offset)) {
    p.object = mem_strdup(path);
    p.offset = offset;
  }
  return p;
}

const struct abi_site *program_site(const char *file, int line, const char *function) {
  for (size_t i = 0; i < sites.length; i++)
    if (sites.data[i]->line == (uint32_t)line && strcmp(sites.data[i]->file, file) == 0 &&
        strcmp(sites.data[i]->function, function) == 0)
      return sites.data[i];
  struct abi_site *s = mem_alloc(sizeof *s);
  s->file = mem_strdup(file);
  s->function = mem_strdup(function);
  s->line = (uint32_t)line;
  vec_push(&sites, s);
  return s;
}

void program_share(void) {
  share_register(&sites, sizeof sites);
}
