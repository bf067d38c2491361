#include "session/ranges.h"
#include "base/check.h"
#include "base/hash.h"
#include "process/file_turn.h"
#include "session/session_internal.h"
#include "session/verdict.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOWHERE "-"
#define LONG_SECONDS 0.5 /* of CPU time, at one failure: it is put off, */
#define LONG_SHARE 0.05  /* unless that is a smaller share of the search so far; */
#define LONGER 4         /* the next time after so many times as long */
#define TOGETHER_LONGER 16
#define TIMES_MAX 10
#define LOOKS 64 /* positions between looks at the clock */

static struct {
  struct choices *choices;
  void (*count)(struct results *r);
  uint64_t *executions;
  struct bigint *more;
  size_t (*bytes)(void);
  struct results sent; /* counted by the end of the last range */
  bool under_way;
  struct str from; /* if it is: where it begins */
  bool whole;      /* nothing of the search was given away or handed over so far */
  uint32_t times;  /* it was put off so often */
} ranges;

/* The failure under way, with which the executions under way begin. */
static struct {
  uint64_t since; /* choice.since */
  double began;
  uint32_t looks;
  bool late;
} slow;

void ranges_say(const char *what, const char *at, const struct str *results) {
  struct str text = {0};
  str_format(&text, "%s %s %zu\n", what, *at ? at : NOWHERE, results ? results->length : 0);
  if (results)
    str_append_bytes(&text, results->data, results->length);
  session_send(&text);
  str_free(&text);
}

/* ---- results ---- */

static void forget_results(void) {
  struct results *r = &session.results;
  struct results fresh = {
      .complete = true, .no_failures = r->no_failures, .threads = r->threads, .stores = r->stores};
  /* Texts of findings and outcomes belong to verdict.c. */
  r->findings.length = r->outcomes.length = 0;
  vec_free(&r->findings);
  vec_free(&r->outcomes);
  results_free(r);
  *r = fresh;
  verdict_forget();
  bigint_set(&session.eager_states, 0);
}

static void count_range(struct results *r) {
  struct results *sent = &ranges.sent, all;
  ranges.count(r);
  all = *r;
  r->program_runs -= sent->program_runs;
  r->schedules -= sent->schedules;
  if (!r->points_of_longest)
    r->failure_points -= sent->failure_points;
  *sent = all;
  session.executions_before = session.status->executions;
  *ranges.executions = 0;
  bigint_set(ranges.more, 0);
}

void ranges_hand_over(const char *what, const char *at, const char *head) {
  struct str text = {0};
  if (ranges.under_way)
    verdict_range_ends(str_text(&ranges.from));
  count_range(&session.results);
  if (!ranges.whole || strcmp(what, "stopped") != 0)
    session.results.estimate = 0;
  ranges.whole = false;
  str_append(&text, head);
  session_collect(&text);
  ranges_say(what, at, &text);
  str_free(&text);
  forget_results();
}

static void begin_at(const char *from) {
  str_clear(&ranges.from);
  str_append(&ranges.from, from);
  verdict_range_begins(from);
  ranges.under_way = true;
}

/* ---- failures that take long ---- */

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool ranges_is_late(void) {
  const choice_list *stack = ranges.under_way ? &ranges.choices->stack : NULL;
  if (!stack || !stack->length || stack->data[0].kind != CHOICE_FAILURE)
    return false;
  if (stack->data[0].since != slow.since) {
    slow.since = stack->data[0].since;
    slow.began = cpu_seconds();
    slow.late = false;
  } else if (!slow.late && ++slow.looks % LOOKS == 0) {
    double now = cpu_seconds(), most = LONG_SECONDS;
    if (ranges.choices->together) /* nobody else would get on as fast */
      most *= TOGETHER_LONGER;
    for (uint32_t i = 0; i < ranges.times; i++)
      most *= LONGER;
    slow.late = now - slow.began > most && now - slow.began > LONG_SHARE * now;
  }
  return slow.late;
}

/* What follows the failure is left for later, and what comes after that is somebody's at once. */
static void put_off(struct choices *c) {
  struct str rest = {0}, at = {0};
  if (choice_leave(c, &rest))
    ranges_say("split", str_text(&rest), NULL);
  choice_position(c, &at);
  choice_stop(c);
  ranges_hand_over("later", str_text(&at), "");
  ranges.under_way = slow.late = false;
  str_free(&rest);
  str_free(&at);
}

/* ---- requests ---- */

/* For tests: as if somebody had asked, at this position or not, whoever comes to it. */
static void scatter(struct choices *c, struct job_status *s) {
  struct str at = {0};
  choice_position(c, &at);
  uint64_t dice = hash_bytes((uint64_t)session.job->scatter, at.data, at.length);
  str_free(&at);
  if (dice % (uint64_t)session.job->scatter)
    return;
  s->split_requested |= dice >> 20 & 1;
  s->cut_requested |= dice >> 21 & 1;
  slow.since = c->stack.length ? c->stack.data[0].since : 0;
  slow.late = dice >> 22 & 1;
  if (dice >> 20 & 3)
    return;
  s->stop_requested = true;
}

bool ranges_is_full(void) {
  return ranges.bytes && session_too_much(ranges.bytes());
}

bool ranges_has_enough(void) {
  int64_t max = session.job->max_executions;
  return (max && session.status->executions >= (uint64_t)max) ||
         (session.job->first && verdict_findings());
}

static void boundary(struct choices *c) {
  struct job_status *s = session.status;
  if (session.job->scatter)
    scatter(c, s);
  struct str at = {0};
  if (s->pieces_requested) {
    choice_pieces(c, s->pieces_requested, &at);
    s->pieces_requested = 0;
    choice_stop(c);
    ranges_say("pieces", "", &at);
    ranges.under_way = false;
    count_range(&session.results);
    forget_results();
  } else if (s->stop_requested || ranges_has_enough() || ranges_is_full()) {
    choice_position(c, &at);
    choice_stop(c);
    ranges_hand_over(ranges_is_full() ? "full" : "stopped", str_text(&at), "");
    ranges.under_way = false;
    s->stop_requested &= !session.job->scatter;
  } else if (ranges_is_late()) {
    put_off(c);
  } else if (s->cut_requested) {
    s->cut_requested = false;
    choice_position(c, &at);
    choice_cut(c);
    ranges_hand_over("part", str_text(&at), "");
    begin_at(str_text(&at));
  } else if (s->split_requested) {
    s->split_requested = false;
    bool given = choice_split(c, &at);
    ranges.whole &= !given;
    ranges_say(given ? "split" : "whole", given ? str_text(&at) : "", NULL);
  }
  str_free(&at);
}

void ranges_begin(struct choices *c, void (*count)(struct results *r), uint64_t *executions,
                  struct bigint *more) {
  ranges.choices = c;
  ranges.count = count;
  ranges.executions = executions;
  ranges.more = more;
  ranges.whole = true;
  c->boundary = boundary;
  c->divides_all = session.job->scatter > 0;
}

void ranges_limit(size_t (*bytes)(void)) {
  ranges.bytes = bytes;
}

bool ranges_read_line(struct str *line) {
  static struct {
    size_t at, length;
    char bytes[1 << 16]; /* a unit may be described at length */
  } heard;
  str_clear(line);
  for (;;) {
    const char *begin = heard.bytes + heard.at;
    size_t length = heard.length - heard.at;
    const char *end = memchr(begin, '\n', length);
    str_append_bytes(line, begin, end ? (size_t)(end - begin) : length);
    heard.at += end ? (size_t)(end - begin) + 1 : length;
    if (end)
      return true;
    file_turn_end(); /* whoever waits is in nobody's way */
    ssize_t n = read(session.results_fd, heard.bytes, sizeof heard.bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    heard.at = 0;
    heard.length = (size_t)n;
  }
}

static char *position(char *word) {
  return strcmp(word, NOWHERE) == 0 ? NULL : word;
}

static void end_range(void) {
  if (!ranges.under_way)
    return;
  if (ranges.choices->diverged)
    session_incomplete("a part of the search was not found again: the program depends on something "
                       "the checker does not control");
  ranges.choices->diverged = false;
  ranges_hand_over("done", "", "");
  ranges.under_way = false;
}

/* "range FROM TO TIMES\n" */
bool ranges_next(void) {
  static struct str line;
  end_range();
  if (session.results.error || !ranges_read_line(&line))
    return false;
  char *rest = NULL;
  const char *verb = strtok_r(line.data, " ", &rest);
  char *from = strtok_r(NULL, " ", &rest), *to = strtok_r(NULL, " ", &rest);
  const char *times = strtok_r(NULL, " ", &rest);
  CHECK(verb && strcmp(verb, "range") == 0 && from && to && times, "an unknown command");
  ranges.times = (uint32_t)strtoul(times, NULL, 10);
  ranges.times = ranges.times < TIMES_MAX ? ranges.times : TIMES_MAX;
  slow.since = 0;
  from = position(from);
  CHECK(choice_set_range(ranges.choices, from ? from : "", position(to)), "range %s", from);
  begin_at(from ? from : "");
  return true;
}

void ranges_fail(void) {
  struct str text = {0};
  session_collect(&text);
  ranges_say("done", "", &text);
  str_free(&text);
}
