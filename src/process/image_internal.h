/* An image from the inside: for image.c, image_libraries.c, image_run.c and world.c. */
#ifndef PROCESS_IMAGE_INTERNAL_H
#define PROCESS_IMAGE_INTERNAL_H

#include "base/vec.h"
#include "process/elf_file.h"
#include "process/image.h"
#include "process/world.h"

/* A file of the program whose constructors we run: its libraries, dependencies first, then it. */
struct image_unit {
  const char *path;
  const char *name; /* by which others need it */
  void *handle;
  uintptr_t bias;
  struct elf_array init, fini;
  bool own; /* the user's; otherwise libstdc++ */
};

/* State of one execution; world memory. */
struct image_execution {
  struct image_handlers handlers;
  size_t destructors_left; /* units whose destructors are still to run */
};

/* A library without a name of its own (DT_SONAME): the dynamic linker finds it by the name it was
 * loaded by, which is ours while the image is being loaded and real_name again afterwards. */
struct image_alias {
  struct link_map *map;
  char *real_name;
};

struct image {
  const char *path;
  int copy;
  void *handle;
  int (*main)(int, char **, char **);
  VEC(struct image_unit) units;
  VEC(int) descriptors;        /* of the copies, kept for debuggers */
  VEC(const char *) libraries; /* names of those copied so far */
  VEC(struct image_alias) aliases;
  void *once_callable, *once_call;
  void *cxa_throw; /* libstdc++'s, or NULL */
  struct image_execution *execution;
};

/* Gaps (world.h) for machines that are gone: how far they had come. */
void image_add_gaps(world_gap_list *gaps, uint32_t machines);

/* Tell the file's instrumented code which accesses call hooks. */
void image_set_watch(const struct elf_file *f, uintptr_t bias);

/* dlopen of a changed copy; NULL and *error. */
void *image_open_copy(struct image *image, struct elf_file *f, const char *path, struct str *error);

/* Load copies of the libraries that `f` (from `path`) needs and that are the program's own, and
 * make `f` refer to them. */
bool image_load_libraries(struct image *image, struct elf_file *f, const char *path,
                          struct str *error);
void image_end_aliases(struct image *image);

/* Once all are loaded (image_bind.c). */
bool image_bind_libraries(struct image *image, struct str *error);

#endif
