#include "cli/cmd_status.h"
#include "cli/help.h"
#include "cli/output_file.h"
#include "cli/saved.h"
#include "cli/session.h"
#include "report/report.h"
#include <stdio.h>
#include <string.h>

#define ROUGH_MOST 0.9 /* while more is left nothing can be said */

/* "1 h 5 min", "12 s" */
static void put_duration(double seconds, struct str *out) {
  unsigned long s = (unsigned long)seconds;
  if (s >= 3600)
    str_format(out, "%lu h %lu min", s / 3600, s % 3600 / 60);
  else if (s >= 60)
    str_format(out, "%lu min %lu s", s / 60, s % 60);
  else if (s >= 1)
    str_format(out, "%lu s", s);
  else
    str_append(out, "less than a second");
}

static void put_left(const char *about, double seconds, struct str *out) {
  str_format(out, "\n  to go          %s", seconds < 1 ? "" : about);
  put_duration(seconds, out);
}

static void put_command(const struct saved_search *s, struct str *out) {
  size_t i = 0;
  for (const char *w; (w = saved_word(&s->job, "option", &i));)
    str_format(out, " --%s", w);
  i = 0;
  for (const char *w; (w = saved_word(&s->job, "word", &i));)
    str_format(out, " %s", w);
  i = 0;
  const char *shard = saved_word(&s->job, "shard", &i);
  if (shard)
    str_format(out, " (shard %s)", shard);
}

static void put_state(const struct saved_search *s, bool all, bool in_use, struct str *out) {
  str_append(out, all      ? "finished"
                  : in_use ? "running"
                  : s->ended
                      ? "stopped"
                      : "stopped without a word: the process was killed, or the machine failed");
  if (!all && !in_use && s->ended &&
      s->reason) /* otherwise the reason is that of an earlier stop */
    str_format(out, ": %s", s->reason);
}

static uint64_t points_done(const struct saved_search *s) {
  uint64_t n = 0;
  for (size_t i = 0; i < s->parts.list.length; i++)
    if (!s->parts.list.data[i].results.points_of_longest)
      n += s->parts.list.data[i].results.failure_points;
  return n;
}

/* How much is left is known only where failure points of the first execution are counted (pm). */
static void put_rest(const struct saved_search *s, struct str *out) {
  uint64_t done = points_done(s), all = s->points;
  size_t i = 0;
  if (!done || !all || done >= all || saved_word(&s->job, "shard", &i))
    return;
  str_append(out, "\n  failure points ");
  count_text(done, out);
  str_append(out, " of ");
  count_text(all, out);
  put_left("about ", s->seconds * (double)(all - done) / (double)done, out);
}

/* Parts of a search over schedules are found on the way.  If both sides of each division were equally large, so much
 * would be left: rather too much, because most turn out smaller than they could be. */
static void put_units(const struct saved_search *s, struct str *out) {
  size_t open = 0;
  double left = 0;
  if (!s->parts.units)
    return;
  for (size_t i = 0; i < s->parts.list.length; i++) {
    const struct part *p = &s->parts.list.data[i];
    if (p->state != PART_OPEN && p->state != PART_WAITING)
      continue;
    open++;
    left += p->level < 60 ? 1.0 / (double)((uint64_t)1 << p->level) : 0;
  }
  str_append(out, "\n  parts          ");
  count_text(s->units.length, out);
  str_append(out, " done, ");
  count_text(open, out);
  str_append(out, " known to be left");
  if (!open || left >= ROUGH_MOST || s->parts.sharded)
    return;
  put_left("at a rough guess ", s->seconds * left / (1 - left), out);
}

static void put_findings(const struct saved_search *s, struct str *out) {
  word_list seen = {0};
  for (size_t i = 0; i < s->parts.list.length; i++) {
    const struct results *r = &s->parts.list.data[i].results;
    for (size_t j = 0; j < r->findings.length; j++) {
      struct str line = {0};
      bool known = false;
      finding_headline(&r->findings.data[j], &line);
      for (size_t k = 0; k < seen.length && !known; k++)
        known = strcmp(seen.data[k], str_text(&line)) == 0;
      if (!known)
        words_push(&seen, str_text(&line));
      str_free(&line);
    }
  }
  str_format(out, "\n  findings       %zu", seen.length);
  for (size_t i = 0; i < seen.length; i++)
    str_format(out, "\n    %s", seen.data[i]);
  words_free(&seen);
}

static bool show(const char *directory, struct str *error) {
  struct saved_search s = {0};
  struct str text = {0};
  if (!saved_read(&s, directory, error)) {
    saved_search_free(&s);
    return false;
  }
  bool all = parts_all_done(&s.parts);
  str_format(&text, "%s:", directory);
  put_command(&s, &text);
  str_append(&text, "\n  state          ");
  put_state(&s, all, saved_in_use(directory), &text);
  str_append(&text, "\n  executions     ");
  count_text(s.executions, &text);
  if (s.seconds > 0) {
    str_append(&text, " (");
    count_text((uint64_t)((double)s.executions / s.seconds), &text);
    str_append(&text, "/s)");
  }
  str_append(&text, "\n  time           ");
  put_duration(s.seconds, &text);
  if (s.runs_of > 1)
    str_format(&text, ", begun %lu times", (unsigned long)s.runs_of);
  put_rest(&s, &text);
  put_units(&s, &text);
  put_findings(&s, &text);
  printf("%s\n", str_text(&text));
  str_free(&text);
  saved_search_free(&s);
  return true;
}

int cmd_status(int argc, char **argv) {
  struct options o = {0};
  struct str error = {0};
  if (!options_parse(&o, USE_STATUS, argc, argv, &error))
    return session_fail(EXIT_STATUS_USAGE, &error);
  if (o.help)
    return help_show("status");
  if (!o.word_count)
    str_append(&error, "which search? usage: tidemark status DIR");
  for (int i = 0; i < o.word_count && !error.length; i++)
    show(o.words[i], &error);
  return error.length || !output_flush(&error) ? session_fail(EXIT_STATUS_USAGE, &error)
                                               : EXIT_STATUS_CLEAN;
}
