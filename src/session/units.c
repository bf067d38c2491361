#include "session/units.h"
#include "base/bigint.h"
#include "base/check.h"
#include "base/hash.h"
#include "explore/dpor_unit.h"
#include "session/ranges.h"
#include "session/session_internal.h"
#include <stdlib.h>
#include <string.h>

/* Work of a unit before it is divided, in steps: about a tenth of a second.  Twice as much after each WORK_GROWS
 * divisions, at most WORK_DOUBLED times; WORK_CLINGS times as much for units that cling (units_cling). */
#define WORK_MAX 6000000
#define WORK_GROWS 4
#define WORK_DOUBLED 5
#define WORK_CLINGS 100
#define SPENT_ENOUGH (1ul << 40) /* in the text of a unit: it was large already */
/* Failures in one execution take long if they take this part of the work. */
#define WALK_SHARE 4
/* So many executions after a failure in the first one are enough for the unit to be handed on, unless it has settled
 * (units_cling). */
#define HAND_ON_AFTER 20000
/* A search that has started again so often gives nothing away while failures in an execution are explored. */
#define GIVE_AWAY_TRIES 3

static struct {
  struct dpor *dpor;
  uint64_t price;               /* see units_begin */
  const struct unit_form *form; /* NULL: as the reduction writes units */
  struct sharing *sharing;
  const uint64_t *executions; /* of the unit so far, */
  const struct bigint *more;  /* and those that were counted without being walked */
  void (*tell)(struct str *out);
  void (*hear)(const char *text);
  struct str number; /* of the unit */
  struct str text;
  uint64_t again; /* how often the search has started again */
  uint64_t runs;  /* runs of the program in this unit, except those after a failure */
  uint64_t steps; /* of these runs; and of the newest, which is not counted yet */
  uint64_t run_steps;
  struct {
    uint64_t steps, runs, executions;
  } spent;       /* by other workers, on the same unit */
  uint64_t work; /* after so much the unit is divided */
  bool (*clings)(void), (*settled)(void);
  uint64_t only;     /* explore only the first so many runs; 0: all */
  uint64_t expected; /* those runs, as `passed` */
  uint64_t
      covered; /* failures in the first run, which is this one, are explored elsewhere; 0: they are not */
  bool large; /* it was large enough to be divided before another worker went on with it */

  uint64_t run;               /* the run under way (units_cover), */
  uint64_t passed;            /* and all since the unit began: a hash of theirs */
  bool diverged;              /* a run is not the one that others rely on */
  bool covering;              /* failures in an execution are being explored; when that began: */
  uint64_t executions_before; /* *executions */
  struct str learnt;          /* what was known (units_learn) */
  bool left;                  /* the rest of the unit was given away */
  uint64_t executions_base;   /* executions that count as work come after these */
} units;

void units_begin(struct dpor *d, struct sharing *s, uint64_t price,
                 void (*count)(struct results *r), uint64_t *executions, struct bigint *more) {
  static struct choices nothing; /* positions have no order that could be divided */
  units.dpor = d;
  units.sharing = s;
  units.price = price;
  units.executions = executions;
  units.more = more;
  ranges_begin(&nothing, count, executions, more);
}

void units_set_form(const struct unit_form *f) {
  units.form = f;
}

void units_learn(void (*tell)(struct str *out), void (*hear)(const char *text)) {
  units.tell = tell;
  units.hear = hear;
}

void units_add_steps(uint64_t n) {
  units.steps += n;
}

void units_note_run(uint64_t steps) {
  units.run_steps = steps;
}

static void count_run(void) {
  units.steps += units.run_steps;
  units.run_steps = 0;
}

/* ---- what the search is divided into ---- */

void units_reload(void) {
  const char *text = str_text(&units.text);
  CHECK(units.form ? units.form->load(text) : dpor_load(units.dpor, text), "unit %s", text);
  units.runs = units.steps = units.run_steps = units.executions_base = units.passed = 0;
}

static bool divide(struct str *lines) {
  return units.form ? units.form->divide(lines) : dpor_divide(units.dpor, lines);
}

static void tell_rest(struct str *out) {
  if (units.form)
    units.form->tell_rest(out);
  else
    dpor_tell_rest(units.dpor, out);
}

/* ---- what is heard ---- */

static void hear(const char *shared, const char *learnt) {
  CHECK(strcmp(shared, "-") == 0 || sharing_hear(units.sharing, shared),
        "unit %s: relied on what does not hold", str_text(&units.number));
  if (units.hear)
    units.hear(strcmp(learnt, "-") == 0 ? "" : learnt);
}

/* The search starts again: forget what it relied on. */
static void begin_again(uint64_t times) {
  if (units.again != times) {
    sharing_restart(units.sharing);
    if (units.form && units.form->start_over)
      units.form->start_over();
  }
  units.again = times;
}

static void hear_spent(const char *text) {
  char *end;
  units.spent.steps = strtoull(text, &end, 10);
  units.spent.runs = strtoull(end + (*end == '.'), &end, 10);
  units.spent.executions = strtoull(end + (*end == '.'), NULL, 10);
}

/* "unit NUMBER AGAIN LEVEL LARGE COVERED ONLY EXPECTED SPENT TEXT SHARED LEARNT\n", the last two "-" if there is
 * nothing. */
bool units_next(struct unit *u) {
  static struct str line;
  enum {
    VERB,
    NUMBER,
    AGAIN,
    LEVEL,
    LARGE,
    COVERED,
    ONLY,
    EXPECTED,
    SPENT,
    TEXT,
    SHARED,
    LEARNT,
    WORDS
  };
  const char *words[WORDS];
  if (session.results.error || !ranges_read_line(&line))
    return false;
  char *rest = NULL;
  for (int i = 0; i < WORDS; i++)
    words[i] = strtok_r(i ? NULL : line.data, " ", &rest);
  CHECK(words[VERB] && strcmp(words[VERB], "unit") == 0 && words[LEARNT], "an unknown command");
  str_clear(&units.text);
  str_append(&units.text, words[TEXT]);
  units_reload();
  str_clear(&units.number);
  str_append(&units.number, words[NUMBER]);
  units.covering = units.left = units.diverged = false;
  uint64_t doubled = strtoull(words[LEVEL], NULL, 10) / WORK_GROWS;
  units.work = (uint64_t)WORK_MAX << (doubled < WORK_DOUBLED ? doubled : WORK_DOUBLED);
  units.large = strcmp(words[LARGE], "1") == 0;
  units.covered = strtoull(words[COVERED], NULL, 16);
  u->covered = units.covered;
  units.only = strtoull(words[ONLY], NULL, 10);
  units.expected = strtoull(words[EXPECTED], NULL, 16);
  u->whole = strcmp(words[TEXT], DPOR_WHOLE) == 0 && !units.covered && !units.only;
  hear_spent(words[SPENT]);
  begin_again(strtoull(words[AGAIN], NULL, 10));
  hear(words[SHARED], words[LEARNT]);
  return true;
}

/* ---- what is said ---- */

static void put_head(struct str *head, const char *learnt) {
  str_append(head, "facts ");
  sharing_tell_news(units.sharing, head);
  str_append(head, "\nlearnt ");
  if (learnt)
    str_append(head, learnt);
  else if (units.tell)
    units.tell(head);
  str_append(head, "\nwanted");
  for (size_t i = 0; !units.form && i < units.dpor->wanted.length; i++)
    if (units.dpor->wanted.data[i])
      str_format(head, " %zu", i);
  str_append_char(head, '\n');
}

static void put_rest(struct str *head, const char *spent) {
  str_append(head, "rest ");
  tell_rest(head);
  str_format(head, "%s\n\n", spent);
}

/* lines: from dpor_divide; spent: the work so far, if the unit was not divided. */
static void hand_over_rest(const char *what, const char *lines, const char *spent) {
  struct str head = {0};
  put_head(&head, NULL);
  str_append(&head, lines);
  put_rest(&head, spent);
  ranges_hand_over(what, str_text(&units.number), str_text(&head));
  str_free(&head);
}

void units_cling(bool (*clings)(void), bool (*settled)(void)) {
  units.clings = clings;
  units.settled = settled;
}

/* ---- work ---- */

static uint64_t executions(void) {
  uint64_t more;
  if (!bigint_small(units.more, &more) || more > UINT32_MAX)
    more = UINT32_MAX;
  return units.spent.executions + *units.executions + more;
}

static uint64_t runs(void) {
  return units.spent.runs + units.runs;
}

static bool clings(void) {
  return units.clings && units.clings();
}

static uint64_t work(void) {
  return clings() ? units.work * WORK_CLINGS : units.work;
}

/* What follows a failure is no reason to divide a unit that clings: a part would begin without the states, and go
 * through more executions, which takes longer. */
static bool is_large(void) {
  if (units.large)
    return true;
  if (session.job->scatter)
    return runs() >= (uint64_t)session.job->scatter;
  uint64_t counted = clings() ? 0 : executions() - units.executions_base;
  counted = runs() > counted ? runs() : counted;
  return units.spent.steps + units.steps + counted * units.price >= work();
}

/* What was explored while the unit clung is not counted later, either: whoever it was handed on to does not know it. */
static void begin_counting(void) {
  if (clings())
    units.executions_base = executions();
}

/* Others may rely on what the first runs of the unit are. */
static void note_execution(uint64_t execution) {
  units.run = execution ? execution : 1;
  units.passed = hash_u64(units.passed, units.run);
  bool first = units.runs == 0, last = units.runs + 1 == units.only;
  units.diverged |= (first && units.covered && units.covered != units.run) ||
                    (last && units.expected != units.passed);
}

void units_cover(uint64_t execution) {
  note_execution(execution);
  count_run();
  begin_counting();
  units.covering = true;
  units.executions_before = executions();
  str_clear(&units.learnt);
  if (units.tell)
    units.tell(&units.learnt);
  units.left = units.only && units.runs + 1 == units.only;
}

static uint64_t executions_here(void) {
  return executions() - units.executions_before;
}

/* Do failures in the execution under way take long, in a unit that will be divided anyway? */
static bool is_long(void) {
  if (session.job->scatter)
    return runs() + 1 >= (uint64_t)session.job->scatter && runs() % 2;
  return !clings() && executions_here() * units.price * WALK_SHARE >= work() && is_large();
}

/* Only after the first run: which ones come later depends on which states are found to be the same, and the frames of
 * our own that are a part of them are never quite what they were.  Not with several failures: executions between two of
 * them find out on the way who shares what. */
static bool is_to_be_handed_on(void) {
  if (units.runs || units.covered || !clings() || session.job->failures != 1)
    return false;
  return session.job->hands_on || units.settled() || executions_here() >= HAND_ON_AFTER;
}

/* all: not only the rest, but all of the unit is explored elsewhere, except for what follows this execution, its first
 * one. */
static void give_away(bool all) {
  struct str head = {0};
  put_head(&head, str_text(&units.learnt));
  str_format(&head, "%s %lu %lx %lx\n", all ? "until" : "only", (unsigned long)units.runs + 1,
             (unsigned long)units.passed, (unsigned long)units.run);
  put_rest(&head, "");
  str_format(&head, "cpu-nanoseconds %lu\n", (unsigned long)(session_seconds() * 1e9));
  ranges_say("going", str_text(&units.number), &head);
  str_free(&head);
  units.left = true;
}

void units_look(void) {
  if (!units.covering || units.left || units.only || units.again >= GIVE_AWAY_TRIES)
    return;
  if (is_to_be_handed_on())
    give_away(true);
  else if (is_long())
    give_away(false);
}

bool units_is_left(void) {
  return units.left || units.diverged;
}

static void put_spent(struct str *out) {
  unsigned long enough = units.large ? SPENT_ENOUGH : 0;
  str_format(out, " %lu.%lu.%lu", enough + (unsigned long)(units.spent.steps + units.steps),
             enough + (unsigned long)runs(), (unsigned long)(executions() - units.executions_base));
}

bool units_go_on(void) {
  struct str lines = {0}, spent = {0};
  bool full = ranges_is_full(),
       stop = session.status->stop_requested || ranges_has_enough() || full;
  count_run();
  begin_counting();
  units.covering = false;
  units.runs++;
  if (units.only && stop) /* the rest is none that begins here */
    units_end(UNIT_PARTIAL);
  if (units.only || (!stop && !is_large()))
    return !stop;
  bool divided = !stop && divide(&lines);
  if (stop)
    put_spent(&spent);
  if (stop || divided)
    hand_over_rest(full   ? "full"
                   : stop ? "stopped"
                          : "divided",
                   str_text(&lines), str_text(&spent));
  str_free(&lines);
  str_free(&spent);
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
  units.covering = false;
  put_head(&head, NULL);
  str_append_char(&head, '\n');
  ranges_hand_over(words[units.diverged ? UNIT_BROKEN : how], str_text(&units.number),
                   str_text(&head));
  str_free(&head);
}
