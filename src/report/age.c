#include "report/age.h"
#include <string.h>
#include <sys/stat.h>

struct age {
  const struct report *report;
  struct symbols *symbols;
  struct timespec built; /* of the program */
  text_list seen;        /* files already compared */
  const char *first;     /* the first newer one */
  size_t newer;
};

static bool is_later(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

static bool modified(const struct run *run, const char *file, struct timespec *when) {
  struct stat st;
  struct str path = {0};
  if (file[0] != '/' && run->directory)
    str_format(&path, "%s/", run->directory);
  str_append(&path, file);
  bool found = stat(str_text(&path), &st) == 0 && S_ISREG(st.st_mode);
  str_free(&path);
  *when = st.st_mtim;
  return found;
}

static void compare(struct age *a, const char *file) {
  struct timespec when;
  struct place named = {.file = (char *)file};
  named = place_from_directory(a->report->run, &named);
  if (strncmp(named.file, "/usr/", 5) == 0 || strstr(named.file, "/tidemark-std/"))
    return; /* the system's: no reason to build again */
  for (size_t i = 0; i < a->seen.length; i++)
    if (strcmp(a->seen.data[i], named.file) == 0)
      return;
  vec_push(&a->seen, mem_strdup(named.file));
  if (!modified(a->report->run, named.file, &when) || !is_later(&when, &a->built))
    return;
  if (!a->newer++)
    a->first = vec_last(&a->seen);
}

static void compare_places(struct age *a, const place_list *places) {
  for (size_t i = 0; i < places->length; i++)
    if (places->data[i].file)
      compare(a, places->data[i].file);
}

static void compare_finding(struct age *a, const struct finding *f) {
  if (finding_place(f)->file)
    compare(a, finding_place(f)->file);
  if (f->fix_place.file)
    compare(a, f->fix_place.file);
  compare_places(a, &f->stack);
  for (size_t i = 0; i < f->failures.length; i++)
    compare_places(a, &f->failures.data[i].stack);
  for (size_t i = 0; i < f->failures.length; i++)
    compare_places(a, &f->failures.data[i].own);
}

static void compare_units(struct age *a, const char *object) {
  text_list units = {0};
  symbols_units(a->symbols, object, &units);
  for (size_t i = 0; i < units.length; i++) {
    compare(a, units.data[i]);
    mem_free(units.data[i], strlen(units.data[i]) + 1);
  }
  vec_free(&units);
}

void age_note(const struct report *r, struct symbols *symbols, struct str *out) {
  struct age a = {.report = r, .symbols = symbols};
  const char *program = r->run->program;
  if (!program || !modified(r->run, program, &a.built))
    return;
  compare_units(&a, program);
  for (size_t i = 0; i < r->results->findings.length; i++)
    compare_finding(&a, &r->results->findings.data[i]);
  if (a.newer) {
    struct place shown = {.file = (char *)program};
    shown = place_from_directory(r->run, &shown);
    str_append(out, a.first);
    if (a.newer > 1)
      str_format(out, " and %zu other source%s", a.newer - 1, a.newer == 2 ? "" : "s");
    str_format(out, " %s newer than %s: build it again; this report is about the old program",
               a.newer == 1 ? "is" : "are", shown.file);
  }
  for (size_t i = 0; i < a.seen.length; i++)
    mem_free(a.seen.data[i], strlen(a.seen.data[i]) + 1);
  vec_free(&a.seen);
}
