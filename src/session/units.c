#include "session/units.h"
#include "base/check.h"
#include "explore/dpor_unit.h"
#include "session/ranges.h"
#include "session/session_internal.h"
#include <stdlib.h>
#include <string.h>

#define RUN_STEPS 1000   /* what a run, or an execution that needs none, costs besides steps */
#define WORK_MAX 6000000 /* in steps, about a tenth of a second; */
#define WORK_GROWS 4     /* twice as much after so many divisions, but */
#define WORK_DOUBLED 3   /* not more often than that */

static struct {
  struct dpor *dpor;
  struct sharing *sharing;
  const uint64_t *executions;
  void (*tell)(struct str *out);
  void (*hear)(const char *text);
  struct str number; /* of the unit */
  struct str text;
  uint64_t again; /* the search has begun again so often */
  uint64_t runs;  /* of the program in it */
  uint64_t work;  /* after which it is divided */
} units;

void units_begin(struct dpor *d, struct sharing *s, void (*count)(struct results *r),
                 uint64_t *executions, struct bigint *more) {
  static struct choices nothing; /* positions have no order that could be divided */
  units.dpor = d;
  units.sharing = s;
  units.executions = executions;
  ranges_begin(&nothing, count, executions, more);
}

void units_learn(void (*tell)(struct str *out), void (*hear)(const char *text)) {
  units.tell = tell;
  units.hear = hear;
}

void units_reload(void) {
  CHECK(dpor_load(units.dpor, str_text(&units.text)), "unit %s", str_text(&units.text));
}

static void hear(const char *shared, const char *learnt) {
  CHECK(strcmp(shared, "-") == 0 || sharing_hear(units.sharing, shared),
        "unit %s: relied on what does not hold", str_text(&units.number));
  if (units.hear)
    units.hear(strcmp(learnt, "-") == 0 ? "" : learnt);
}

/* What was relied on before the search began again is nothing any more. */
static void begin_again(uint64_t times) {
  if (units.again != times)
    sharing_restart(units.sharing);
  units.again = times;
}

/* "unit NUMBER AGAIN LEVEL TEXT SHARED LEARNT\n", the last two "-" if there is nothing. */
bool units_next(bool *whole) {
  static struct str line;
  if (session.results.error || !ranges_read_line(&line))
    return false;
  char *rest = NULL;
  const char *verb = strtok_r(line.data, " ", &rest), *number = strtok_r(NULL, " ", &rest);
  const char *again = strtok_r(NULL, " ", &rest), *level = strtok_r(NULL, " ", &rest);
  const char *text = strtok_r(NULL, " ", &rest), *shared = strtok_r(NULL, " ", &rest);
  const char *learnt = strtok_r(NULL, " ", &rest);
  CHECK(verb && strcmp(verb, "unit") == 0 && learnt, "an unknown command");
  str_clear(&units.text);
  str_append(&units.text, text);
  units_reload();
  str_clear(&units.number);
  str_append(&units.number, number);
  units.runs = 0;
  uint64_t doubled = strtoull(level, NULL, 10) / WORK_GROWS;
  units.work = (uint64_t)WORK_MAX << (doubled < WORK_DOUBLED ? doubled : WORK_DOUBLED);
  *whole = strcmp(text, DPOR_WHOLE) == 0;
  begin_again(strtoull(again, NULL, 10));
  hear(shared, learnt);
  return true;
}

static void put_head(struct str *head) {
  str_append(head, "facts ");
  sharing_tell_news(units.sharing, head);
  str_append(head, "\nlearnt ");
  if (units.tell)
    units.tell(head);
  str_append(head, "\nwanted");
  for (size_t i = 0; i < units.dpor->wanted.length; i++)
    if (units.dpor->wanted.data[i])
      str_format(head, " %zu", i);
  str_append_char(head, '\n');
}

/* lines: of the nodes that are shared from now on. */
static void hand_over_rest(const char *what, const char *lines) {
  struct str head = {0};
  put_head(&head);
  str_append(&head, lines);
  str_append(&head, "rest ");
  dpor_tell_rest(units.dpor, &head);
  str_append(&head, "\n\n");
  ranges_hand_over(what, str_text(&units.number), str_text(&head));
  str_free(&head);
}

static bool is_large(void) {
  if (session.job->scatter)
    return units.runs >= (uint64_t)session.job->scatter;
  uint64_t counted = units.runs > *units.executions ? units.runs : *units.executions;
  return session.results.steps + counted * RUN_STEPS >= units.work;
}

bool units_go_on(void) {
  struct str lines = {0};
  bool full = ranges_is_full(),
       stop = session.status->stop_requested || ranges_has_enough() || full;
  units.runs++;
  if (!stop && !is_large())
    return true;
  bool divided = !stop && dpor_divide(units.dpor, &lines);
  if (stop || divided)
    hand_over_rest(full ? "full" : stop ? "stopped" : "divided", str_text(&lines));
  str_free(&lines);
  return !stop && !divided;
}

void units_end(enum unit_end how) {
  static const char *const words[] = {[UNIT_DONE] = "done",
                                      [UNIT_BROKEN] = "broken",
                                      [UNIT_PARTIAL] = "partial",
                                      [UNIT_UNDIVIDED] = "undivided"};
  struct str head = {0};
  if (session.results.error)
    return;
  put_head(&head);
  str_append_char(&head, '\n');
  ranges_hand_over(words[how], str_text(&units.number), str_text(&head));
  str_free(&head);
}
