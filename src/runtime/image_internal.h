/* An image from the inside: for image.c, image_libraries.c and image_run.c. */
#ifndef RUNTIME_IMAGE_INTERNAL_H
#define RUNTIME_IMAGE_INTERNAL_H

#include "base/vec.h"
#include "runtime/elf_file.h"
#include "runtime/image.h"

/* A file of the program whose constructors we run: its libraries, dependencies first, then it. */
struct image_unit {
  const char *path;
  uintptr_t bias;
  struct elf_array init, fini;
};

/* A loaded library without a name of its own. */
struct image_nameless {
  struct link_map *map;
  char *loaded_as;
};

/* State of one execution; world memory. */
struct image_execution {
  struct exit_handler *handlers, *quick_handlers; /* newest first */
  size_t destructors_left;                        /* units whose destructors are still to run */
};

struct image {
  const char *path;
  int copy;
  void *handle;
  int (*main)(int, char **, char **);
  VEC(struct image_unit) units;
  VEC(int) descriptors; /* of the copies, kept for debuggers */
  VEC(const char *) libraries; /* names of those copied so far */
  VEC(struct image_nameless) nameless; /* while it is being loaded */
  void *once_callable, *once_call;
  struct image_execution *execution;
};

/* dlopen of a changed copy; NULL and *error. */
void *image_open_copy(struct image *image, struct elf_file *f, const char *path, struct str *error);

/* Load copies of the libraries that `f` (from `path`) needs and that are the program's own, and
 * make `f` refer to them. */
bool image_load_libraries(struct image *image, struct elf_file *f, const char *path,
                          struct str *error);

/* Everybody who needs them is loaded: libraries have their real names again. */
void image_restore_names(struct image *image);

#endif
