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
  char *missing; /* where a finding is, but not on the disk; NULL: none */
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

static void look_for(struct age *a, const struct place *p) {
  struct timespec when;
  if (!p->file)
    return;
  compare(a, p->file);
  if (a->missing || !place_is_users_code(p))
    return;
  struct place named = place_from_directory(a->report->run, p);
  if (!modified(a->report->run, named.file, &when))
    a->missing = mem_strdup(named.file);
}

static void compare_places(struct age *a, const place_list *places) {
  for (size_t i = 0; i < places->length; i++)
    if (places->data[i].file)
      compare(a, places->data[i].file);
}

static void compare_finding(struct age *a, const struct finding *f) {
  look_for(a, finding_place(f));
  look_for(a, &f->fix_place);
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

static void tell_newer(const struct age *a, const char *program, struct str *out) {
  struct place shown = {.file = (char *)program};
  shown = place_from_directory(a->report->run, &shown);
  str_append(out, a->first);
  if (a->newer > 1)
    str_format(out, " and %zu other source%s", a->newer - 1, a->newer == 2 ? "" : "s");
  str_format(out, " %s newer than %s: build it again; this report is about the old program",
             a->newer == 1 ? "is" : "are", shown.file);
}

void age_notes(const struct report *r, struct symbols *symbols, struct str *newer,
               struct str *missing) {
  struct age a = {.report = r, .symbols = symbols};
  const char *program = r->run->program;
  if (!program || !modified(r->run, program, &a.built))
    return;
  compare_units(&a, program);
  for (size_t i = 0; i < r->results->findings.length; i++)
    compare_finding(&a, &r->results->findings.data[i]);
  if (a.newer)
    tell_newer(&a, program, newer);
  if (a.missing) {
    str_format(missing,
               "%s is not there any more, or may not be read: lines of the program are not shown "
               "where their source is missing",
               a.missing);
    mem_free(a.missing, strlen(a.missing) + 1);
  }
  for (size_t i = 0; i < a.seen.length; i++)
    mem_free(a.seen.data[i], strlen(a.seen.data[i]) + 1);
  vec_free(&a.seen);
}
