#include "report/foreign.h"
#include "base/mem.h"
#include <string.h>

/* Schedules of the others do not depend on it: what code without hooks does to their memory is seen there. */
static bool has_steps(const struct run *run) {
  return run->model && (strcmp(run->model, "sc") == 0 || strcmp(run->model, "tso") == 0);
}

void foreign_note(const struct report *r, struct symbols *symbols, struct str *out) {
  text_list files = {0};
  if (!r->run->program || !has_steps(r->run))
    return;
  symbols_foreign_units(symbols, r->run->program, &files);
  if (files.length) {
    struct place first = {.file = files.data[0]};
    first = place_from_directory(r->run, &first);
    str_append(out, first.file);
    if (files.length > 1)
      str_format(out, " and %zu other file%s", files.length - 1, files.length == 2 ? "" : "s");
    str_format(out,
               " of the program %s no hooks (assembly, or another compiler than tidemark-cc): what "
               "is done to memory there is no step and orders nothing, so that bugs can be missed",
               files.length == 1 ? "has" : "have");
  }
  for (size_t i = 0; i < files.length; i++)
    mem_free(files.data[i], strlen(files.data[i]) + 1);
  vec_free(&files);
}
