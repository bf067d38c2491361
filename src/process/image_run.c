/* One execution of an image, from its constructors to its destructors. */
#include "process/caller.h"
#include "process/fiber_internal.h"
#include "process/image_internal.h"
#include "process/stop.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void (*image_ends)(struct image *image);

struct image_handlers *image_handlers(struct image *image) {
  return &image->execution->handlers;
}

static void run_constructors(const struct image_unit *u, int argc, char **argv, char **envp) {
  void **functions = (void **)(u->bias + u->init.address);
  for (size_t i = 0; i < u->init.count; i++)
    if (functions[i] && functions[i] != (void *)-1)
      fiber_call(functions[i], argc, (long)argv, (long)envp);
}

static void run_destructors(const struct image_unit *u) {
  void **functions = (void **)(u->bias + u->fini.address);
  for (size_t i = u->fini.count; i > 0; i--)
    if (functions[i - 1] && functions[i - 1] != (void *)-1)
      fiber_call(functions[i - 1], 0, 0, 0);
}

void image_start(struct image *image, int argc, char **argv, char **envp) {
  fiber_tls_current()->image = image;
  environ = envp;
  if (argc > 0) {
    char *slash = strrchr(argv[0], '/');
    program_invocation_name = argv[0];
    program_invocation_short_name = slash ? slash + 1 : argv[0];
  }
  for (size_t i = 0; i < image->units.length; i++) {
    image->execution->destructors_left = i + 1;
    run_constructors(&image->units.data[i], argc, argv, envp);
  }
  errno = 0;
  image_exit((int)fiber_call((void *)image->main, argc, (long)argv, (long)envp));
}

void image_exit(int status) {
  struct image *image = image_current();
  if (image_ends)
    image_ends(image);
  while (image->execution->destructors_left > 0)
    run_destructors(&image->units.data[--image->execution->destructors_left]);
  fflush(NULL);
  stop_finished(status);
}
