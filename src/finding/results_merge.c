#include "finding/results_merge.h"
#include "base/str.h"
#include "finding/prevention.h"
#include <stdlib.h>
#include <string.h>

/* What one has and the other has not. */
static void move_text(char **to, char **from) {
  if (*to)
    return;
  *to = *from;
  *from = NULL;
}

static bool same_text(const char *a, const char *b) {
  return a && b && strcmp(a, b) == 0;
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* ---- decimal numbers of any length ---- */

static char *add_decimals(const char *a, const char *b) {
  size_t m = strlen(a), n = strlen(b), length = (m > n ? m : n) + 1;
  char *sum = mem_alloc(length + 1), *text;
  int carry = 0;
  for (size_t i = 0; i < length; i++) {
    carry += i < m ? a[m - 1 - i] - '0' : 0;
    carry += i < n ? b[n - 1 - i] - '0' : 0;
    sum[length - 1 - i] = (char)('0' + carry % 10);
    carry /= 10;
  }
  text = mem_strdup(sum + (sum[0] == '0'));
  mem_free(sum, length + 1);
  return text;
}

static void text_free(char *text) {
  if (text)
    mem_free(text, strlen(text) + 1);
}

/* A count, and its digits if it is large (finding_total). */
static void add_counts(uint64_t *count, char **digits, uint64_t more, const char *more_digits) {
  struct str a = {0}, b = {0};
  if (!*digits && !more_digits && *count + more <= FINDING_COUNT_MAX) {
    *count += more;
    return;
  }
  str_format(&a, "%lu", (unsigned long)*count);
  str_format(&b, "%lu", (unsigned long)more);
  char *sum =
      add_decimals(*digits ? *digits : str_text(&a), more_digits ? more_digits : str_text(&b));
  text_free(*digits);
  *digits = sum;
  *count = FINDING_COUNT_MAX;
  str_free(&a);
  str_free(&b);
}

static void add_eager_states(struct results *r, struct results *next) {
  if (!r->eager_states || !next->eager_states) {
    move_text(&r->eager_states, &next->eager_states);
    return;
  }
  char *sum = add_decimals(r->eager_states, next->eager_states);
  text_free(r->eager_states);
  r->eager_states = sum;
}

/* ---- lists ---- */

static void join_notes(struct results *r, struct results *next) {
  for (size_t i = 0; i < next->notes.length; i++) {
    bool known = false;
    for (size_t j = 0; j < r->notes.length && !known; j++)
      known = same_text(r->notes.data[j], next->notes.data[i]);
    if (known)
      continue;
    vec_push(&r->notes, next->notes.data[i]);
    next->notes.data[i] = NULL;
  }
}

static void join_outcomes(struct results *r, struct results *next) {
  size_t before = r->outcomes.length;
  for (size_t i = 0; i < next->outcomes.length; i++) {
    struct outcome *o = &next->outcomes.data[i];
    size_t at = 0;
    while (at < before && !same_text(r->outcomes.data[at].text, o->text))
      at++;
    if (at < before) {
      add_counts(&r->outcomes.data[at].count, &r->outcomes.data[at].count_text, o->count,
                 o->count_text);
      continue;
    }
    vec_push(&r->outcomes, *o);
    *o = (struct outcome){0};
  }
}

/* Details are those of the first execution with the least rank, and of these with the fewest
 * failures. */
static bool is_better(const struct finding *f, const struct finding *known) {
  if (!f->count != !known->count) /* one was only seen ahead of the search */
    return f->count;
  if (f->rank != known->rank)
    return f->rank < known->rank;
  return !f->rank && f->failures.length < known->failures.length;
}

static void swap_details(struct finding *a, struct finding *b) {
  struct finding old = *a;
  *a = *b;
  *b = old;
  b->count_text = a->count_text;
  a->count = old.count;
  a->count_text = old.count_text;
}

static void join_finding(struct finding *known, struct finding *f) {
  bool better = is_better(f, known), only_one_counts = !f->count != !known->count;
  add_counts(&known->count, &known->count_text, f->count, f->count_text);
  if (!only_one_counts)
    prevention_join(&known->prevention, &f->prevention);
  if (!better)
    return;
  swap_details(known, f);
  if (!only_one_counts) { /* the joined one, which went with the details */
    known->prevention = f->prevention;
    f->prevention = (struct finding_prevention){0};
  }
}

static void join_findings(struct results *r, struct results *next) {
  size_t before = r->findings.length;
  for (size_t i = 0; i < next->findings.length; i++) {
    struct finding *f = &next->findings.data[i];
    size_t at = 0;
    while (at < before && !same_text(r->findings.data[at].identity, f->identity))
      at++;
    if (at < before) {
      join_finding(&r->findings.data[at], f);
      continue;
    }
    vec_push(&r->findings, *f);
    *f = (struct finding){0};
  }
}

/* ---- the whole ---- */

static void join_failures(struct results *r, struct results *next) {
  r->complete &= next->complete;
  move_text(&r->incomplete_why, &next->incomplete_why);
  if (r->error || !next->error)
    return;
  move_text(&r->error, &next->error);
  for (size_t i = 0; i < next->error_stack.length; i++)
    vec_push(&r->error_stack, next->error_stack.data[i]);
  next->error_stack.length = 0;
}

static void join_foreign(struct results *r, struct results *next) {
  if (same_text(r->foreign, next->foreign)) {
    r->foreign_accesses += next->foreign_accesses;
  } else if (next->foreign_accesses > r->foreign_accesses) {
    text_free(r->foreign);
    r->foreign = next->foreign;
    r->foreign_accesses = next->foreign_accesses;
    next->foreign = NULL;
  }
}

void results_join(struct results *r, struct results *next) {
  join_failures(r, next);
  join_notes(r, next);
  add_counts(&r->executions, &r->executions_text, next->executions, next->executions_text);
  r->program_runs += next->program_runs;
  r->steps += next->steps;
  r->schedules += next->schedules;
  r->estimate = 0; /* each knows about itself alone */
  r->looked_ahead = larger(r->looked_ahead, next->looked_ahead);
  r->cpu_seconds += next->cpu_seconds;
  r->failure_points = r->points_of_longest ? larger(r->failure_points, next->failure_points)
                                           : r->failure_points + next->failure_points;
  r->peak_bytes = larger(r->peak_bytes, next->peak_bytes);
  r->longest = larger(r->longest, next->longest);
  if (!r->shortest || (next->shortest && next->shortest < r->shortest))
    r->shortest = next->shortest;
  r->threads = larger(r->threads, next->threads);
  r->no_failures |= next->no_failures;
  if (!r->stores)
    r->stores = next->stores;
  if (r->points_of_longest)
    r->stores = larger(r->stores, next->stores);
  join_foreign(r, next);
  add_eager_states(r, next);
  join_outcomes(r, next);
  join_findings(r, next);
  results_free(next);
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What was seen ahead of the search, and not by it, was one execution. */
static void settle_glimpses(struct results *r) {
  for (size_t i = 0; i < r->findings.length; i++)
    r->findings.data[i].count += !r->findings.data[i].count;
}

static bool same_place(const struct place *a, const struct place *b) {
  if (a->file || b->file)
    return a->line == b->line && same_text(a->file, b->file);
  return a->offset == b->offset && same_text(a->object, b->object);
}

static const struct place *part_place(const struct finding *f, enum finding_role role) {
  for (size_t i = 0; i < f->parts.length; i++)
    if (f->parts.data[i].role == role)
      return &f->parts.data[i].place;
  return NULL;
}

/* Does that say what becomes of the race: memory is used when it has been freed, or a lock when it has been destroyed?
 * Calls that concern locks have places of their own. */
static bool follows_from(const struct finding *use, const struct finding *race) {
  const struct place *freed = part_place(use, FINDING_ROLE_FREED);
  const struct place *first = part_place(race, FINDING_ROLE_FIRST);
  const struct place *second = part_place(race, FINDING_ROLE_SECOND);
  if (race->kind != FINDING_DATA_RACE || !first || !second)
    return false;
  if (use->kind == FINDING_LOCK_MISUSE)
    return !use->place.file && (same_place(&use->place, first) || same_place(&use->place, second));
  return use->kind == FINDING_USE_AFTER_FREE && freed && same_place(freed, second) &&
         same_place(&use->place, first);
}

static void drop_races_of_uses(struct results *r) {
  size_t kept = 0;
  for (size_t i = 0; i < r->findings.length; i++) {
    bool follows = false;
    for (size_t k = 0; k < r->findings.length && !follows; k++)
      follows = follows_from(&r->findings.data[k], &r->findings.data[i]);
    struct finding f = r->findings.data[i];
    r->findings.data[i] = r->findings.data[kept];
    r->findings.data[kept] = f;
    kept += !follows;
  }
  while (r->findings.length > kept)
    finding_free(&vec_pop(&r->findings));
}

void results_settle(struct results *r) {
  drop_races_of_uses(r);
  settle_glimpses(r);
  if (r->notes.length) /* who came to a note first is chance */
    qsort(r->notes.data, r->notes.length, sizeof *r->notes.data, compare_texts);
  for (size_t i = 0; i < r->findings.length; i++)
    prevention_settle(&r->findings.data[i]);
}
