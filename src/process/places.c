#include "process/places.h"
#include "event/window.h"
#include "process/image.h"
#include "process/layout.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct job_status *status;
static struct job_place *places;

void places_init(struct job_status *s) {
  status = s;
  places = s->places;
}

uintptr_t places_window(const struct job_place *table) {
  for (int i = 0; i < JOB_PLACES && table[i].address; i++)
    if (table[i].address - ABI_WINDOW_BASE >= ABI_WINDOW_BYTES)
      return table[i].address;
  return 0;
}

uintptr_t places_of(const char *path) {
  for (int i = 0; i < JOB_PLACES && places[i].address; i++)
    if (strcmp(places[i].path, path) == 0)
      return places[i].address;
  return 0;
}

/* Is nothing there, neither ours nor a library? */
static bool is_free(uintptr_t base, size_t bytes) {
  void *p = mmap((void *)base, bytes, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p == MAP_FAILED)
    return false;
  munmap(p, bytes);
  return p == (void *)base;
}

void places_ask(const char *path, uintptr_t address) {
  int i = 0;
  while (i < JOB_PLACES && places[i].address && strcmp(places[i].path, path) != 0)
    i++;
  if (i == JOB_PLACES || places[i].address || strlen(path) >= sizeof places[i].path)
    return;
  bool can_move = !window.wanted && is_free(window_moved_base(address), WINDOW_MOVED_BYTES);
  if (!window_has(address) && !can_move)
    return;
  memcpy(places[i].path, path, strlen(path) + 1);
  places[i].address = address;
  _exit(JOB_EXIT_PLACES);
}

void places_watch_all(void) {
  if (image_watch >= ABI_WATCH_ALL)
    return;
  status->watches_all = true;
  _exit(JOB_EXIT_PLACES);
}
