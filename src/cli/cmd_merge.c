#include "cli/cmd_merge.h"
#include "cli/help.h"
#include "cli/saved.h"
#include "cli/session.h"
#include "cli/units_merge.h"
#include "finding/results_merge.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct merge {
  struct options options;
  word_list job; /* what was searched: of the first directory, without its shard */
  struct parts parts;
  struct units_merge units;
  word_list program;
  VEC(int) shards; /* that are there, */
  int shard_count; /* of so many */
  struct str unfinished;
};

/* ---- shards ---- */

static void drop_shard(word_list *job) {
  size_t kept = 0;
  for (size_t i = 0; i < job->length; i++)
    if (strncmp(job->data[i], "shard ", 6) != 0)
      job->data[kept++] = job->data[i];
  job->length = kept;
}

/* Everything that is done there counts once. */
static bool take_parts(struct merge *m, struct saved_search *s, const char *directory,
                       struct str *error) {
  for (size_t i = 0; i < s->parts.list.length; i++) {
    struct part *p = &s->parts.list.data[i];
    if (p->state != PART_DONE || parts_mark(&m->parts, p->from, p->to, &p->results))
      continue;
    str_format(error, "%s: a part of it is in another of these directories, too", directory);
    return false;
  }
  return true;
}

/* For the case that something is missing. */
static void note_shard(struct merge *m, const struct saved_search *s, const char *directory) {
  size_t i = 0;
  const char *shard = saved_word(&s->job, "shard", &i), *slash = shard ? strchr(shard, '/') : NULL;
  if (slash) {
    vec_push(&m->shards, (int)strtol(shard, NULL, 10));
    m->shard_count = (int)strtol(slash + 1, NULL, 10);
  }
  if (!parts_all_done(&s->parts))
    str_format(&m->unfinished, "; %s is not finished (tidemark check --resume=%s ...)", directory,
               directory);
}

static bool has_shard(const struct merge *m, int number) {
  for (size_t i = 0; i < m->shards.length; i++)
    if (m->shards.data[i] == number)
      return true;
  return false;
}

static void tell_missing(const struct merge *m, struct str *out) {
  const char *before = "some shards are missing: ";
  for (int i = 1; i <= m->shard_count; i++)
    if (!has_shard(m, i)) {
      str_format(out, "%s%d/%d", before, i, m->shard_count);
      before = ", ";
    }
  if (m->unfinished.length)
    str_append(out, str_text(&m->unfinished) + (out->length ? 0 : strlen("; ")));
  if (!out->length)
    str_append(out, "some shards are missing, or not finished");
}

static bool take_directory(struct merge *m, const char *directory, struct str *error) {
  struct saved_search s = {0};
  struct str what = {0};
  bool good = saved_read(&s, directory, error);
  if (good)
    note_shard(m, &s, directory);
  drop_shard(&s.job);
  if (good && !m->job.length) {
    m->job = s.job;
    s.job = (word_list){0};
  } else if (good && saved_differs(&m->job, &s.job, &what)) {
    str_format(error, "%s is of another search. %s", directory, str_text(&what));
    good = false;
  }
  bool units = s.parts.units != NULL;
  good = good && (units || take_parts(m, &s, directory, error));
  str_free(&what);
  if (good && units)
    units_merge_add(&m->units, &s);
  else
    saved_search_free(&s);
  return good;
}

/* ---- the job, as if it had been typed ---- */

static bool take_options(struct merge *m, struct str *error) {
  size_t i = 0;
  for (const char *text; (text = saved_word(&m->job, "option", &i));) {
    char *name = mem_strdup(text), *equals = strchr(name, '=');
    if (equals)
      *equals = 0;
    if (!options_set(&m->options, USE_SEARCH, name, equals ? equals + 1 : NULL, error))
      return false; /* the name stays: options refer to it */
  }
  return true;
}

static void take_program(struct merge *m) {
  size_t i = 0, argc = 0;
  for (const char *text; (text = saved_word(&m->job, "setting", &i));)
    if (strncmp(text, "argc=", 5) == 0)
      argc = strtoull(text + 5, NULL, 10);
  i = 0;
  for (const char *word; m->program.length < argc && (word = saved_word(&m->job, "word", &i));)
    words_push(&m->program, word);
}

static void go_to_directory(const struct merge *m) {
  size_t i = 0;
  const char *directory = saved_word(&m->job, "directory", &i);
  if (directory && chdir(directory) != 0)
    fprintf(stderr, "tidemark: warning: cannot go to %s, where the check was made: %s\n", directory,
            strerror(errno));
}

/* ---- the whole ---- */

static int report(struct merge *m, struct str *error) {
  struct check_job job = {0};
  struct results results = {0};
  bool machines = m->options.machines.length > 0;
  enum check_job_error why = check_job_build(&job, &m->options, machines ? NULL : m->program.data,
                                             machines ? 0 : (int)m->program.length, error);
  if (why == CHECK_JOB_PROGRAM) /* it is not here: what was found can be told all the same */
    str_clear(error);
  else if (why != CHECK_JOB_OK)
    return session_fail((enum exit_status)why, error);
  struct str missing = {0};
  if (m->units.searches.length && !units_merge_join(&m->units, &m->parts))
    str_append(&missing,
               "threads share more than some shards knew: search without shards (--jobs, MPI)");
  else
    tell_missing(m, &missing);
  parts_collect(&m->parts, &results);
  if (!results.complete && !results.incomplete_why)
    results.incomplete_why = mem_strdup(str_text(&missing));
  str_free(&missing);
  results_settle(&results);
  bool same = why == CHECK_JOB_OK && saved_is_of(&m->job, &job);
  if (!same)
    vec_push(&results.notes,
             mem_strdup("the program, or what it reads, is not what was checked any "
                        "more, or not here: call stacks and fences are left out"));
  int status = session_report(&job, &m->options, same, &results);
  results_free(&results);
  check_job_free(&job);
  return status;
}

int cmd_merge(int argc, char **argv) {
  struct merge m = {0};
  struct str error = {0};
  if (!options_parse(&m.options, USE_MERGE, argc, argv, &error))
    return session_fail(EXIT_STATUS_USAGE, &error);
  if (m.options.help)
    return help_show("merge");
  if (!m.options.word_count) {
    str_append(&error, "which searches? usage: tidemark merge DIR...");
    return session_fail(EXIT_STATUS_USAGE, &error);
  }
  parts_init(&m.parts, "", NULL);
  for (int i = 0; i < m.options.word_count; i++)
    if (!take_directory(&m, m.options.words[i], &error))
      return session_fail(EXIT_STATUS_USAGE, &error);
  if (!take_options(&m, &error))
    return session_fail(EXIT_STATUS_USAGE, &error);
  take_program(&m);
  go_to_directory(&m);
  int status = report(&m, &error);
  words_free(&m.job);
  words_free(&m.program);
  vec_free(&m.shards);
  str_free(&m.unfinished);
  return status;
}
