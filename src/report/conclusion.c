#include "report/conclusion.h"
#include "base/mem.h"
#include "report/silence.h"
#include <stdlib.h>
#include <string.h>

#define FOREIGN_MIN 100 /* accesses in a run: about a millisecond */
#define MACHINES_DEFAULT 2

static const char *model_of(const struct report *r) {
  return r->run->model ? r->run->model : "pm";
}

static bool is_cxl(const struct report *r) {
  return strcmp(model_of(r), "cxl") == 0;
}

bool report_has_failures(const struct report *r) {
  return is_cxl(r) || strcmp(model_of(r), "pm") == 0;
}

static const char *watched_memory(const struct report *r) {
  return is_cxl(r) ? "CXL" : "persistent";
}

/* By default: every schedule of programs with threads, one where something fails. */
static bool all_schedules(const struct report *r) {
  const char *schedule = run_option(r->run, "schedule");
  return schedule ? strcmp(schedule, "all") == 0 : !report_has_failures(r);
}

static const char *why_incomplete(const struct results *x) {
  return x->incomplete_why ? x->incomplete_why : "no reason was given";
}

static void add_note(struct report *r, struct str *text) {
  vec_push(&r->notes, mem_strdup(str_text(text)));
  str_free(text);
}

/* ---- nothing was checked ---- */

/* A search whose program stored nothing had no failure to try. */
static bool is_empty(const struct report *r) {
  const struct results *x = r->results;
  return report_has_failures(r) && x->complete && !x->no_failures && !x->stores &&
         !x->findings.length;
}

static void conclude_empty(struct report *r) {
  struct results *x = r->results;
  struct str text = {0};
  str_format(&text, "the program stored nothing to %s memory, so nothing was checked",
             watched_memory(r));
  if (r->allow_empty) {
    add_note(r, &text);
    return;
  }
  r->empty = true;
  x->complete = false;
  x->incomplete_why = mem_strdup(str_text(&text));
  str_clear(&text);
  str_format(&text,
             "%s memory is what --pm-path names, what libpmem or libpmem2 maps and what "
             "tidemark_region gives; --allow-empty accepts a program that uses none",
             watched_memory(r));
  add_note(r, &text);
}

/* ---- notes ---- */

/* What an unfinished search knows about everything; of sampled schedules note_schedules says it. */
static void note_looked_ahead(struct report *r) {
  const struct results *x = r->results;
  const char *schedule = run_option(r->run, "schedule");
  struct str text = {0};
  bool sampled = is_cxl(r) && schedule && strcmp(schedule, "fixed") != 0;
  if (x->complete || !x->looked_ahead || sampled)
    return;
  str_append(&text, "at every failure point all executions were looked at in which ");
  if (is_cxl(r))
    str_append(&text, "one machine fails and ");
  if (x->looked_ahead == 1)
    str_append(&text, "every load reads the newest store");
  else if (is_cxl(r))
    str_format(&text,
               "at most %lu time%s a load reads something older than the newest store or another "
               "machine fails",
               (unsigned long)(x->looked_ahead - 1), x->looked_ahead == 2 ? "" : "s");
  else
    str_format(&text, "at most %lu load%s something older than the newest store",
               (unsigned long)(x->looked_ahead - 1), x->looked_ahead == 2 ? " reads" : "s read");
  add_note(r, &text);
}

/* A loop in which threads wait, and store, goes on for longer in each execution. */
#define GROWS 16
#define LONG 1000

static void note_growth(struct report *r) {
  const struct results *x = r->results;
  struct str text = {0};
  if (x->complete || !all_schedules(r) || run_option(r->run, "unroll") || x->longest < LONG ||
      x->longest / GROWS < x->shortest)
    return;
  str_format(&text,
             "executions have between %lu and %lu steps: if they grow without end, because a loop "
             "stores while it waits for other threads, --unroll=N bounds its rounds",
             (unsigned long)x->shortest, (unsigned long)x->longest);
  add_note(r, &text);
}

static void note_no_failures(struct report *r) {
  struct str text = {0};
  if (!r->results->no_failures)
    return;
  str_format(&text, "no failure was tried, because %s",
             is_cxl(r) ? "--failures=0 or a single machine allows none"
                       : "--failures=0 allows none");
  add_note(r, &text);
}

#define ONCE_MIN 4        /* executions that end badly, */
#define ONCE_BEFORE_MAX 2 /* and that do not: the failure came before there was anything */

/* A program that creates what it needs, and is run once, cannot do so again. */
static void note_only_once(struct report *r) {
  const struct results *x = r->results;
  if (is_cxl(r) || run_option(r->run, "recover") || x->executions_text)
    return;
  for (size_t i = 0; i < x->findings.length; i++) {
    const struct finding *f = &x->findings.data[i];
    if (f->failures.length != 1 || f->count_text || f->count < ONCE_MIN ||
        f->count + 1 + ONCE_BEFORE_MAX < x->executions)
      continue;
    vec_push(
        &r->notes,
        mem_strdup(
            "nearly every execution after a failure ends badly in the same way: if the program is "
            "not meant to run again on what it has left, --recover='CMD ARGS' says what "
            "runs after a failure instead"));
    return;
  }
}

static long machines_of(const struct run *run) {
  long machines = 0;
  for (size_t i = 0; i < run->options.length; i++)
    machines += strcmp(run->options.data[i].name, "machine") == 0;
  const char *given = run_option(run, "machines");
  return machines ? machines : given ? strtol(given, NULL, 10) : MACHINES_DEFAULT;
}

static void note_schedules(struct report *r) {
  const struct results *x = r->results;
  const char *schedule = run_option(r->run, "schedule");
  struct str text = {0};
  if (!schedule)
    schedule = "fixed";
  if (!strcmp(schedule, "random") || !strncmp(schedule, "pct:", 4)) {
    count_text(x->schedules, &text);
    str_format(&text, " schedule%s sampled", x->schedules == 1 ? " was" : "s were");
    if (x->looked_ahead && !x->complete) {
      str_append(&text, ", and ");
      count_text(x->looked_ahead, &text);
      str_append(&text, " without failures");
    }
    str_append(&text, "; nothing is known about others");
  } else if (x->every_schedule && x->complete) {
    str_append(&text,
               "every schedule was explored, also those with more preemptions: that was less work");
  } else if (!strncmp(schedule, "bounded:", 8)) {
    str_format(&text,
               "schedules with at most %s preemption%s %s explored; nothing is known about others",
               schedule + 8, strcmp(schedule, "bounded:1") == 0 ? "" : "s",
               x->complete ? "were" : "were to be");
  } else if (strcmp(schedule, "fixed") != 0) {
    return;
  } else if (is_cxl(r) && machines_of(r->run) > 1) {
    str_format(
        &text,
        "its %ld machines ran in one schedule, changed only by failures; --schedule=random or all "
        "explores others",
        machines_of(r->run));
  } else if (x->threads > 1 && r->empty) {
    str_append(&text, "its ");
    count_text(x->threads, &text);
    str_append(&text,
               " threads can be checked without such memory: --model=sc explores every schedule");
  } else if (x->threads > 1) {
    str_append(&text, "its ");
    count_text(x->threads, &text);
    str_append(&text, " threads ran in one schedule; --schedule=random or all explores others");
  } else {
    return;
  }
  add_note(r, &text);
}

/* Nobody builds these anew, and they have no fences that matter. */
static bool is_system_library(const char *path) {
  static const char *const names[] = {"libc.so", "libm.so", "libstdc++.so", "libgcc_s.so",
                                      "ld-linux"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(path_basename(path), names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

/* Code that is stepped through is watched all the same, but costs time, and its fences are not seen. */
static void note_foreign(struct report *r) {
  const struct results *x = r->results;
  uint64_t accesses = x->program_runs ? x->foreign_accesses / x->program_runs : 0;
  struct str text = {0};
  if (!x->foreign || !x->foreign_accesses || strcmp(x->foreign, "/proc/self/exe") == 0)
    return; /* the checker stands in for libc, and nobody can build that otherwise */
  if (accesses >= FOREIGN_MIN) {
    str_format(&text, "%s was not built with tidemark-cc; a run makes about ", x->foreign);
    count_text(accesses, &text);
    str_format(&text, " accesses to %s memory there, which are slow: build it with tidemark-cc",
               watched_memory(r));
  } else if (!is_system_library(x->foreign)) {
    str_format(&text,
               "%s was not built with tidemark-cc: what it stores to %s memory is seen, its fences "
               "are not",
               x->foreign, watched_memory(r));
  } else {
    return;
  }
  add_note(r, &text);
}

/* Programs come with tests for stress, of a million rounds: too much for a search of any kind. */
static void note_nothing_ended(struct report *r) {
  const struct results *x = r->results;
  struct str text = {0};
  if (x->complete || x->executions || x->program_runs || x->findings.length)
    return;
  str_append(&text, "not even one execution has ended: give the program less to do (fewer threads, "
                    "rounds and data), or the search more time");
  if (!report_has_failures(r) && all_schedules(r))
    str_append(&text, "; --schedule=fixed looks at one schedule alone");
  add_note(r, &text);
}

/* What to try if there are too many schedules.  Whoever has set a number of executions knows. */
static void note_too_many(struct report *r) {
  static const char *const reasons[] = {"the timeout", "interrupted", "terminated", "--memory"};
  const struct results *x = r->results;
  const char *why = why_incomplete(x);
  bool too_many = false;
  if (x->complete || !x->executions || x->findings.length || report_has_failures(r) ||
      !all_schedules(r))
    return;
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    too_many |= strncmp(why, reasons[i], strlen(reasons[i])) == 0;
  if (too_many)
    vec_push(&r->notes,
             mem_strdup("what gets further: fewer threads and operations, one test case at a time; "
                        "or a part of the schedules, by --schedule=bounded:2, or pct:3 with "
                        "--runs=10000"));
}

static void note_data_races(struct report *r) {
  if (strcmp(model_of(r), "tso") != 0)
    return;
  vec_push(&r->notes, mem_strdup("data races are looked for with --model=sc only"));
}

/* Perhaps it lacks an argument, and has only said so. */
static void note_one_thread(struct report *r) {
  const struct results *x = r->results;
  if (report_has_failures(r) || x->stores || !x->complete || x->findings.length)
    return;
  vec_push(&r->notes,
           mem_strdup("the program started no thread, so there were no schedules to explore"));
}

/* The fewest fences for all findings about store buffers. */
static void note_fences(struct report *r) {
  const place_list *fences = &r->results->fences;
  struct str text = {0};
  if (!fences->length)
    return;
  str_format(&text,
             "%zu full fence%s would make it store-buffer safe, and fewer would not: behind ",
             fences->length, fences->length == 1 ? "" : "s");
  for (size_t i = 0; i < fences->length; i++) {
    str_append(&text, i ? ", " : "");
    place_text(&fences->data[i], false, &text);
  }
  add_note(r, &text);
}

/* Of the program itself; a library's lines are not missed. */
static void note_no_lines(struct report *r) {
  const struct results *x = r->results;
  for (size_t i = 0; i < x->findings.length; i++) {
    const struct place *at = finding_place(&x->findings.data[i]);
    if (at->file || !at->object ||
        strcmp(path_basename(at->object), path_basename(r->run->program)) != 0)
      continue;
    vec_push(&r->notes,
             mem_strdup("places without a line are in code that has no debug information "
                        "(-g0, an assembly file)"));
    return;
  }
}

/* An option of ours behind the program goes to the program, which may not mind. */
static void note_late_options(struct report *r) {
  static const char *const ours[] = {
      "--model=", "--schedule=", "--analyses=", "--failures=", "--machines=", "--pm-path="};
  for (size_t i = 0; i < r->run->arguments.length; i++)
    for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
      if (strncmp(r->run->arguments.data[i], ours[k], strlen(ours[k])) == 0) {
        struct str text = {0};
        str_format(&text, "%s went to the program: options of tidemark come before it",
                   r->run->arguments.data[i]);
        add_note(r, &text);
      }
}

void report_conclude(struct report *r) {
  const struct results *x = r->results;
  if (!r->replay && !x->error) {
    if (is_empty(r))
      conclude_empty(r);
    note_late_options(r);
    note_no_lines(r);
    note_nothing_ended(r);
    note_too_many(r);
    note_looked_ahead(r);
    note_growth(r);
    note_no_failures(r);
    note_only_once(r);
    note_schedules(r);
    note_one_thread(r);
    note_data_races(r);
    note_fences(r);
    note_foreign(r);
    silence_note(r);
  }
  for (size_t i = 0; i < x->notes.length; i++)
    vec_push(&r->notes, mem_strdup(x->notes.data[i]));
}

/* ---- verdict ---- */

static void append_silenced(const struct report *r, struct str *out) {
  if (!r->silenced.length)
    return;
  str_append(out, "; ");
  silence_text(r, out);
}

void report_verdict(const struct report *r, struct str *head, struct str *rest) {
  const struct results *x = r->results;
  size_t n = x->findings.length;
  if (x->error) {
    str_append(head, r->internal_error ? "internal error" : "the program could not be checked");
    str_format(rest, ": %s", x->error);
  } else if (r->empty) {
    str_append(head, "nothing was checked");
    str_format(rest, ": the program stored nothing to %s memory", watched_memory(r));
  } else if (n) {
    str_format(head, "%zu finding%s", n, n == 1 ? "" : "s");
    append_silenced(r, rest);
    str_append(rest, x->complete ? "; the search is complete" : "; the search is incomplete: ");
    str_append(rest, x->complete ? "" : why_incomplete(x));
  } else if (x->complete) {
    str_append(head, "no findings");
    append_silenced(r, rest);
    str_append(rest, "; the search is complete");
  } else {
    str_append(head, "the search is incomplete");
    str_format(rest, ": %s; nothing %swas found so far, the rest is not known", why_incomplete(x),
               r->silenced.length ? "else " : "");
    append_silenced(r, rest);
  }
}

int report_exit_status(const struct report *r) {
  const struct results *x = r->results;
  if (x->error)
    return r->internal_error ? 4 : 3;
  return x->findings.length ? 1 : x->complete ? 0 : 5;
}
