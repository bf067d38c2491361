/* Programs loaded into the worker: one image for each simulated machine, each with its own globals.
 *
 * image_load changes a copy of the file so that the dynamic linker takes a PIE for a library and
 * leaves constructors to us; libraries of the program's own (found through its run path or
 * LD_LIBRARY_PATH) are copied with it, and libstdc++ too for copies above 0.  All images are loaded
 * before world_seal and stay for good; they are host memory, their writable segments are not. */
#ifndef PROCESS_IMAGE_H
#define PROCESS_IMAGE_H

#include "abi/abi.h"
#include "base/str.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

/* Which accesses of images that are loaded from now on call hooks; the window unless told. */
extern uint64_t image_watch;

/* Does the program refer to pthread_cancel, to flockfile? */
extern bool image_cancels, image_locks_streams;

/* NULL and one line in *error if the file cannot be run here.  copy: 0, 1, ... per machine. */
struct image *image_load(const char *path, int copy, struct str *error);

size_t image_bytes(const struct image *image);

/* An exported object or function of the program, or NULL.  Before world_seal or for tests. */
void *image_symbol(const struct image *image, const char *name);

/* As the dynamic linker knows them: the program, its library of that name (or path), and the one that
 * its copies need by that name; NULL: there is none. */
void *image_handle(const struct image *image);
void *image_library(const struct image *image, const char *name);
void *image_copied_library(const struct image *image, const char *name);

/* Copies of strings and their NULL-terminated vector in world memory, for image_start.  Before
 * world_seal. */
char **image_strings(char *const *strings);

/* pre: on a fiber.  Constructors, main, then image_exit. */
_Noreturn void image_start(struct image *image, int argc, char **argv, char **envp);

/* What exit() does.  pre: on a fiber.  Thread-local destructors, atexit handlers, destructors,
 * buffered output, then stop_finished. */
_Noreturn void image_exit(int status);

/* What the program wants to be run at its end, newest first; owned by libc/interpose_process.c. */
struct exit_handler;
struct image_handlers {
  struct exit_handler *normal, *quick; /* exit and quick_exit */
};
struct image_handlers *image_handlers(struct image *image);

/* Called by image_exit before destructors run: the program is over as far as its own code can tell. */
extern void (*image_ends)(struct image *image);

struct image *image_current(void); /* the running fiber's */

/* A function or object as the image's libraries know it; and libstdc++'s __cxa_throw.  NULL: none. */
void *image_library_symbol(const struct image *image, const char *name);
void *image_cxa_throw(const struct image *image);

/* The image whose code (or whose libraries' code) this address is in; NULL: none. */
struct image *image_of(uintptr_t pc);
bool image_contains(uintptr_t pc);
int image_machine(uintptr_t address); /* the copy to which it belongs; -1: none */

/* Any loaded object: its file and the address as the file knows it. */
bool image_resolve(uintptr_t pc, const char **path, uintptr_t *offset);

/* Append the names of loaded libraries that were not built with tidemark-cc, "libx.so.1, liby.so.2", apart from those of
 * the language and the system. */
struct str;
void image_foreign_libraries(struct str *names);

/* Is this code of the program itself or of a library of its own, not of the system's? */
bool image_is_own_code(uintptr_t pc);

/* The code of the object that this address is in; nothing if there is none. */
void image_code(uintptr_t pc, uintptr_t *low, uintptr_t *high);

/* Code of any loaded object; *unwind_table is its .eh_frame_hdr or NULL. */
bool image_is_code(uintptr_t pc, const uint8_t **unwind_table);

/* libstdc++'s std::__once_callable / std::__once_call as seen by code at pc. */
void *image_once_variable(uintptr_t pc, bool call);

#endif
