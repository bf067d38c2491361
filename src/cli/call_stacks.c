#include "cli/call_stacks.h"
#include "cli/supervisor.h"
#include "finding/job.h"
#include "report/report.h"
#include <string.h>
#include <time.h>

static double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool same_text(const char *a, const char *b) {
  return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Somebody took a turn in code of a library: where was that called? */
static bool has_turns_elsewhere(const struct finding *f) {
  for (size_t i = 0; i < f->turns.length && !f->failures.length; i++)
    if (f->turns.data[i].place.file && !place_is_users_code(&f->turns.data[i].place))
      return true;
  return false;
}

static bool is_replayable(const struct finding *f) {
  return f->token && f->identity && strlen(f->token) < JOB_ARGUMENT_MAX;
}

static bool is_concerned(const struct finding *f) {
  switch (f->kind) {
  case FINDING_DEADLOCK:
    return is_replayable(f) && f->turns.length && !f->failures.length;
  case FINDING_ROBUSTNESS:
  case FINDING_PERSISTENCY_RACE:
  case FINDING_DATA_RACE:
  case FINDING_STORE_BUFFER:
  case FINDING_LOCK_LEAK:
    return is_replayable(f);
  default:
    return is_replayable(f) && has_turns_elsewhere(f);
  }
}

static bool same_place(const struct place *a, const struct place *b) {
  return a->line == b->line && a->column == b->column && a->offset == b->offset &&
         same_text(a->file, b->file) && same_text(a->object, b->object);
}

/* Do both describe the same accesses? */
static bool same_parts(const struct finding *a, const struct finding *b) {
  bool same = a->parts.length == b->parts.length;
  for (size_t i = 0; same && i < a->parts.length; i++) {
    const struct finding_part *x = &a->parts.data[i], *y = &b->parts.data[i];
    same = x->role == y->role && x->execution == y->execution &&
           x->region_offset == y->region_offset && same_place(&x->place, &y->place);
  }
  return same;
}

static void move_stack(place_list *to, place_list *from) {
  if (!from->length)
    return;
  place_list had = *to;
  *to = *from;
  *from = had;
}

static void move_turns(struct finding *to, struct finding *from) {
  bool same = to->turns.length == from->turns.length;
  for (size_t i = 0; same && i < to->turns.length; i++)
    same = same_place(&to->turns.data[i].place, &from->turns.data[i].place);
  for (size_t i = 0; same && i < to->turns.length; i++)
    move_stack(&to->turns.data[i].stack, &from->turns.data[i].stack);
}

static void move_stacks(struct finding *to, struct finding *from) {
  move_stack(&to->stack, &from->stack);
  for (size_t i = 0; i < to->parts.length; i++)
    move_stack(&to->parts.data[i].stack, &from->parts.data[i].stack);
}

/* Where everybody waits is only known in the run that is made for it. */
static bool lacks_parts(const struct finding *f) {
  return f->kind == FINDING_DEADLOCK && !f->parts.length;
}

static void take_parts(struct finding *to, struct finding *from) {
  for (size_t i = 0; i < from->parts.length; i++)
    vec_push(&to->parts, from->parts.data[i]);
  from->parts.length = 0;
  if (!to->fix) {
    to->fix = from->fix;
    from->fix = NULL;
  }
}

/* What the execution with that token has shown once more. */
static void take(struct results *results, const char *token, struct results *again) {
  for (size_t i = 0; i < results->findings.length; i++) {
    struct finding *f = &results->findings.data[i];
    if (!is_concerned(f) || strcmp(f->token, token) != 0)
      continue;
    for (size_t j = 0; j < again->findings.length; j++) {
      struct finding *x = &again->findings.data[j];
      if (!same_text(x->identity, f->identity) || !(same_parts(x, f) || lacks_parts(f)))
        continue;
      if (lacks_parts(f))
        take_parts(f, x);
      else
        move_stacks(f, x);
      move_turns(f, x);
      break;
    }
  }
}

static void push(word_list *words, const char *key, const char *value) {
  struct str text = {0};
  str_format(&text, "%s=%s", key, value);
  words_push(words, str_text(&text));
  str_free(&text);
}

/* The settings of the check; of each the last counts. */
static word_list settings_for(const struct check_job *job, const char *token) {
  word_list words = {0};
  const char *input = run_option(&job->run, "stdin");
  for (size_t i = 0; i < job->settings.length; i++)
    words_push(&words, job->settings.data[i]);
  push(&words, "replay", "1");
  push(&words, "token", token);
  push(&words, "stacks", "1");
  push(&words, "output", "0");
  if (input)
    push(&words, "stdin", input);
  return words;
}

static bool run_again(const char *worker, const struct check_job *job, const char *token,
                      double seconds, struct results *again) {
  word_list settings = settings_for(job, token);
  struct str error = {0};
  struct supervisor s = {
      .worker = worker, .settings = &settings, .words = &job->words, .timeout_seconds = seconds};
  bool done = supervisor_run(&s, again, &error) == SUPERVISOR_RESULTS && again->complete;
  str_free(&error);
  words_free(&settings);
  return done;
}

/* One execution may show several findings. */
static bool is_first(const struct results *r, const bool *silenced, size_t number) {
  const struct finding *f = &r->findings.data[number];
  for (size_t i = 0; i < number; i++)
    if (is_concerned(&r->findings.data[i]) && !silenced[i] &&
        strcmp(r->findings.data[i].token, f->token) == 0)
      return false;
  return true;
}

/* Without them a finding inside of a library is shown there, and several may be one mistake of the program. */
static void tell_missing(struct results *results, const bool *silenced, size_t from) {
  size_t missing = 0;
  for (size_t i = from; i < results->findings.length; i++)
    missing += is_concerned(&results->findings.data[i]) && !silenced[i];
  if (!missing)
    return;
  struct str text = {0};
  str_format(
      &text,
      "there was no time for the call stacks of %zu finding%s: what is in a library's code is "
      "shown there, not at the line that calls it, and may be told several times; with more time "
      "(--timeout) it is not",
      missing, missing == 1 ? "" : "s");
  vec_push(&results->notes, mem_strdup(str_text(&text)));
  str_free(&text);
}

void call_stacks_add(const char *worker, const struct check_job *job, double seconds,
                     const volatile sig_atomic_t *hurry, const bool *silenced,
                     struct results *results) {
  if (results->input_hash && !run_option(&job->run, "stdin"))
    return; /* what it has read from a pipe is gone */
  int runs = 0;
  double end = now_seconds() + seconds, left = seconds;
  bool good = true; /* otherwise something is wrong, or somebody wants it to end */
  size_t i = 0;
  for (; i < results->findings.length && good && runs < CALL_STACKS_MAX; i++) {
    const struct finding *f = &results->findings.data[i];
    if (!is_concerned(f) || silenced[i] || !is_first(results, silenced, i))
      continue;
    struct results again = {0};
    good = run_again(worker, job, f->token, left, &again);
    if (good)
      take(results, f->token, &again);
    results_free(&again);
    runs++;
    left = end - now_seconds();
    good &= left > 0 && !*hurry;
  }
  if (left <= 0)
    tell_missing(results, silenced, i);
}
