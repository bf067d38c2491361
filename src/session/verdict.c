#include "session/verdict.h"
#include "base/check.h"
#include "base/intern.h"
#include "finding/prevention.h"
#include "process/share.h"
#include "session/advice.h"
#include "session/describe.h"
#include "session/ending.h"
#include <string.h>

#define NO_FINDING (-1)

struct verdict {
  int finding;     /* index, or NO_FINDING */
  uint32_t ending; /* if there is a finding: executions that show it may differ in details */
  int outcome;     /* index, or -1 */
  bool assumed;    /* tidemark_assume left the execution out */
  bool reported;   /* no end of an execution, but a finding of an analysis (verdict_reported) */
};

/* How much advice has considered in a range that is done. */
struct considered {
  char *from; /* position at which the range begins */
  uint64_t executions, effort;
  bool closed; /* nothing in later ranges is considered */
};

struct found {
  char *identity;
  enum finding_kind kind;
  struct verdict_places at; /* analyses */
  uint64_t rank;            /* analyses: of what is described; the least is kept */
  struct finding_prevention prevention;
  VEC(struct considered) considered;
  struct considered before;          /* all of these that come before the range under way */
  struct finding finding;            /* count > 0: filled in */
  struct bigint more;                /* executions that were not walked; not part of its count */
  bool glimpsed;                     /* filled in without being counted, */
  struct finding_prevention glimpse; /* and what would prevent that execution */
  uint64_t count_before;             /* of the search that started again; filled in likewise */
  uintptr_t function, loop_low,
      loop_high; /* FINDING_HANG: places in the loop that were seen, or 0 */
};

static struct {
  struct intern verdicts; /* of struct verdict */
  VEC(struct found) found;
  struct intern endings; /* of struct ending */
  struct intern texts;   /* of outcomes, in their order */
  VEC(struct outcome) outcomes;
  VEC(struct bigint) outcomes_more; /* likewise */
  uint64_t look_at; /* so many executions of a finding, before others are only counted */
  bool keep;        /* findings of a search that started again */
} all;

/* ---- at the end of a run ---- */

/* Of a use after free: the use, and where it was freed. */
static struct verdict_places places_of(const struct stop *s) {
  if (!s->freed_code)
    return (struct verdict_places){0};
  return (struct verdict_places){.store = verdict_line(s->site, 0),
                                 .load = {.code = s->freed_code}};
}

/* Is the hang in the loop of that finding?  Where the loop was interrupted differs between executions. */
static bool is_that_loop(const struct found *f, enum finding_kind kind, const struct stop *s) {
  return kind == FINDING_HANG && f->kind == kind && f->loop_low && s->loop_low &&
         f->function == ending_function(s) && f->loop_low <= s->loop_high &&
         s->loop_low <= f->loop_high;
}

static int find_finding(const struct stop *why) {
  enum finding_kind kind;
  if (!ending_kind(why, &kind))
    return NO_FINDING;
  struct str identity = {0};
  ending_identify(kind, why, &identity);
  size_t i = 0;
  while (i < all.found.length && strcmp(all.found.data[i].identity, str_text(&identity)) != 0 &&
         !is_that_loop(&all.found.data[i], kind, why))
    i++;
  if (i == all.found.length)
    vec_push(&all.found, ((struct found){.identity = mem_strdup(str_text(&identity)),
                                         .kind = kind,
                                         .function = ending_function(why),
                                         .loop_low = why->loop_low,
                                         .loop_high = why->loop_high,
                                         .at = places_of(why)}));
  str_free(&identity);
  return (int)i;
}

static uint32_t number_of(const struct stop *why, int thread, int machine) {
  struct ending e = {.stop = stop_normal(why), .thread = thread, .machine = machine};
  return intern(&all.endings, &e, sizeof e);
}

static struct ending ending_of(uint32_t number) {
  struct ending e;
  memcpy(&e, all.endings.bytes.data + all.endings.items.data[number - 1].offset, sizeof e);
  return e;
}

static int find_outcome(const char *text) {
  if (!text)
    return -1;
  size_t number = intern(&all.texts, text, strlen(text));
  if (number > all.outcomes.length) {
    vec_push(&all.outcomes, ((struct outcome){.text = mem_strdup(text)}));
    vec_push(&all.outcomes_more, ((struct bigint){0}));
  }
  return (int)number - 1;
}

uint32_t verdict_of(const struct stop *why, const char *outcome, int thread, int machine) {
  struct verdict v;
  memset(&v, 0, sizeof v);
  v.assumed = why->kind == STOP_ASSUME;
  v.finding = find_finding(why);
  v.ending = v.finding == NO_FINDING ? 0 : number_of(why, thread, machine);
  v.outcome = v.assumed ? -1 : find_outcome(outcome);
  return intern(&all.verdicts, &v, sizeof v) - 1;
}

static const struct verdict *verdict_at(uint32_t number) {
  CHECK(number < all.verdicts.items.length, "verdict %u", number);
  return (const struct verdict *)(all.verdicts.bytes.data + number * sizeof(struct verdict));
}

/* ---- findings of analyses ---- */

struct verdict_line verdict_line(const struct abi_site *site, uintptr_t code) {
  if (site && *site->file)
    return (struct verdict_line){.file = site->file, .line = site->line};
  return (struct verdict_line){.code = site ? (uintptr_t)site : code};
}

bool verdict_same_line(const struct verdict_line *a, const struct verdict_line *b) {
  if (!a->file || !b->file)
    return a->file == b->file && a->code == b->code;
  return a->line == b->line && a->column == b->column && strcmp(a->file, b->file) == 0;
}

void verdict_line_text(const struct verdict_line *l, struct str *out) {
  if (l->file)
    str_format(out, l->column ? " %s:%u:%u" : " %s:%u", l->file, l->line, l->column);
  else
    ending_add_code(l->code, out);
}

static struct found *find_found(enum finding_kind kind, const struct verdict_places *at) {
  for (size_t i = 0; i < all.found.length; i++) {
    struct found *f = &all.found.data[i];
    if (f->kind == kind && verdict_same_line(&f->at.store, &at->store) &&
        verdict_same_line(&f->at.load, &at->load))
      return f;
  }
  return NULL;
}

bool verdict_knows(enum finding_kind kind, const struct verdict_places *at) {
  struct found *found = find_found(kind, at);
  return found && (found->finding.count || found->glimpsed);
}

bool verdict_again(enum finding_kind kind, const struct verdict_places *at) {
  struct found *found = find_found(kind, at);
  bool known = found && found->finding.count;
  if (known)
    found->finding.count++;
  return known;
}

uint32_t verdict_reported(enum finding_kind kind, const struct verdict_places *at) {
  struct verdict v;
  memset(&v, 0, sizeof v);
  v.finding = (int)(find_found(kind, at) - all.found.data);
  v.outcome = -1;
  v.reported = true;
  return intern(&all.verdicts, &v, sizeof v) - 1;
}

bool verdict_is_report(uint32_t verdict) {
  return verdict_at(verdict)->reported;
}

/* pre of mem_free: descriptions do not go back with the program, so they may be freed while it runs. */
static void forget_description(struct found *f) {
  bool running = mem_loans.program;
  mem_loans.program = false;
  finding_free(&f->finding);
  mem_loans.program = running;
}

static struct found *found_at(enum finding_kind kind, const struct verdict_places *at) {
  struct found *found = find_found(kind, at);
  if (found)
    return found;
  struct str text = {0};
  str_append(&text, finding_kind_text((int)kind));
  verdict_line_text(&at->store, &text);
  verdict_line_text(&at->load, &text);
  vec_push(&all.found,
           ((struct found){.identity = mem_strdup(str_text(&text)), .kind = kind, .at = *at}));
  str_free(&text);
  return &vec_last(&all.found);
}

static struct finding *describe_anew(const struct history *h, struct found *found, uint64_t count) {
  forget_description(found);
  found->finding = (struct finding){.kind = found->kind, .count = count};
  describe_execution(h, &found->finding);
  return &found->finding;
}

struct finding *verdict_found(const struct history *h, enum finding_kind kind,
                              const struct verdict_places *at, uint64_t rank) {
  struct found *found = found_at(kind, at);
  uint64_t count = found->finding.count;
  if (count && rank >= found->rank) {
    found->finding.count++;
    return NULL;
  }
  found->rank = rank;
  return describe_anew(h, found, count + 1);
}

struct finding *verdict_foreseen(const struct history *h, enum finding_kind kind,
                                 const struct verdict_places *at) {
  struct found *found = found_at(kind, at);
  found->glimpsed = true;
  return describe_anew(h, found, 0);
}

bool verdict_is_finding(uint32_t verdict) {
  return verdict_at(verdict)->finding != NO_FINDING;
}

bool verdict_is_new(uint32_t verdict) {
  int finding = verdict_at(verdict)->finding;
  return finding != NO_FINDING && !all.found.data[finding].finding.count;
}

bool verdict_is_unseen(uint32_t verdict) {
  return verdict_is_new(verdict) && !all.found.data[verdict_at(verdict)->finding].glimpsed;
}

static void count_outcome(const struct verdict *v) {
  if (v->outcome >= 0)
    all.outcomes.data[v->outcome].count++;
}

/* Have ranges before this one enough executions of the finding, so that advice does not consider those here? */
static bool is_late(const struct found *f) {
  const struct considered *b = &f->before;
  return b->closed || prevention_is_closed(&f->prevention) ||
         b->executions + f->prevention.executions >= PREVENTION_EXECUTIONS_MAX ||
         b->effort + f->prevention.effort >= PREVENTION_EFFORT_MAX;
}

void verdict_count(const struct history *h, uint32_t verdict) {
  struct verdict v = *verdict_at(verdict);
  count_outcome(&v);
  if (v.finding == NO_FINDING)
    return;
  struct found *found = &all.found.data[v.finding];
  uint64_t count = found->finding.count;
  struct ending e = ending_of(v.ending);
  if (!e.stop.stale && found->kind != FINDING_NONDETERMINISM && !is_late(found))
    advice_consider(&found->prevention, h);
  found->prevention.executions++;
  if (count && h->failures.length >= found->finding.failures.length) {
    found->finding.count++;
    return;
  }
  finding_free(&found->finding); /* this execution shows it with fewer failures */
  found->finding = (struct finding){.kind = found->kind, .count = count + 1};
  describe_ending(h, &e, &found->finding);
}

void verdict_glimpse(const struct history *h, uint32_t verdict) {
  struct verdict v = *verdict_at(verdict);
  if (v.finding == NO_FINDING)
    return;
  struct found *found = &all.found.data[v.finding];
  if (found->finding.count || found->glimpsed)
    return;
  struct ending e = ending_of(v.ending);
  finding_free(&found->finding);
  found->finding = (struct finding){.kind = found->kind};
  found->glimpsed = true;
  if (!e.stop.stale && found->kind != FINDING_NONDETERMINISM)
    advice_consider(&found->glimpse, h);
  found->glimpse.executions++;
  describe_ending(h, &e, &found->finding);
}

/* Have enough of its executions been looked at one by one? */
static bool is_known(const struct found *f) {
  return f->finding.count > 0 &&
         (is_late(f) || f->before.executions + f->prevention.executions >= all.look_at);
}

bool verdict_known(uint32_t verdict) {
  struct verdict v = *verdict_at(verdict);
  if (v.reported)
    return all.found.data[v.finding].finding.count > 0;
  return (v.outcome < 0 || all.outcomes.data[v.outcome].count) &&
         (v.finding == NO_FINDING || is_known(&all.found.data[v.finding]));
}

void verdict_look_at(uint64_t executions) {
  all.look_at = executions;
}

static void repeat_outcome(const struct verdict *v, const struct bigint *times) {
  if (v->outcome >= 0)
    bigint_add(&all.outcomes_more.data[v->outcome], times);
}

void verdict_repeat(uint32_t verdict, const struct bigint *times) {
  struct verdict v = *verdict_at(verdict);
  repeat_outcome(&v, times);
  if (v.finding == NO_FINDING)
    return;
  bigint_add(&all.found.data[v.finding].more, times);
}

/* Does one of the verdicts before number n show its finding, too? */
static bool is_shown_before(const uint32_t *verdicts, size_t n) {
  int finding = verdict_at(verdicts[n])->finding;
  for (size_t i = 0; i < n && finding != NO_FINDING; i++)
    if (verdict_at(verdicts[i])->finding == finding)
      return true;
  return false;
}

void verdict_count_all(const struct history *h, const uint32_t *verdicts, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (is_shown_before(verdicts, i))
      count_outcome(verdict_at(verdicts[i]));
    else
      verdict_count(h, verdicts[i]);
}

void verdict_repeat_all(const uint32_t *verdicts, size_t count, const struct bigint *times) {
  for (size_t i = 0; i < count; i++)
    if (is_shown_before(verdicts, i))
      repeat_outcome(verdict_at(verdicts[i]), times);
    else
      verdict_repeat(verdicts[i], times);
}

static void forget_outcomes(void) {
  for (size_t i = 0; i < all.outcomes.length; i++) {
    all.outcomes.data[i].count = 0;
    bigint_set(&all.outcomes_more.data[i], 0);
  }
}

void verdict_reset(void) {
  for (size_t i = 0; i < all.found.length; i++) {
    struct found *f = &all.found.data[i];
    f->count_before = f->finding.count ? f->finding.count : f->count_before;
    f->glimpsed |= all.keep && f->finding.count;
    f->finding.count = 0;
    bigint_set(&f->more, 0);
    f->prevention = (struct finding_prevention){0};
  }
  forget_outcomes();
}

void verdict_forget(void) {
  for (size_t i = 0; i < all.found.length; i++) {
    struct found *f = &all.found.data[i];
    f->finding.prevention = f->prevention;
    finding_free(&f->finding);
    f->finding = (struct finding){0};
    f->prevention = (struct finding_prevention){0};
    bigint_set(&f->more, 0);
    f->glimpsed = false;
    f->glimpse = (struct finding_prevention){0};
    f->count_before = 0;
  }
  forget_outcomes();
}

/* Ranges do not overlap, so their order is that of their beginnings. */
void verdict_range_begins(const char *from) {
  for (size_t i = 0; i < all.found.length; i++) {
    struct found *f = &all.found.data[i];
    f->before = (struct considered){0};
    for (size_t k = 0; k < f->considered.length; k++) {
      const struct considered *c = &f->considered.data[k];
      if (token_compare_texts(c->from, from) >= 0)
        continue;
      f->before.executions += c->executions;
      f->before.effort += c->effort;
      f->before.closed |= c->closed;
    }
  }
}

void verdict_range_ends(const char *from) {
  for (size_t i = 0; i < all.found.length; i++) {
    struct found *f = &all.found.data[i];
    const struct finding_prevention *p = &f->prevention;
    bool closed = prevention_is_closed(p);
    if (p->executions && !f->before.closed)
      vec_push(&f->considered, ((struct considered){.from = mem_strdup(from),
                                                    .executions = p->executions,
                                                    .effort = p->effort,
                                                    .closed = closed}));
  }
}

void verdict_keep(void) {
  all.keep = true;
}

size_t verdict_findings(void) {
  size_t n = 0;
  for (size_t i = 0; i < all.found.length; i++)
    n += all.found.data[i].finding.count > 0 || all.found.data[i].glimpsed;
  return n;
}

void verdict_collect(struct results *r) {
  for (size_t i = 0; i < all.found.length; i++) {
    struct finding f = all.found.data[i].finding;
    if (!f.count && !r->complete && !all.keep) /* there was no time to come to it again */
      f.count = all.found.data[i].count_before;
    f.identity = all.found.data[i].identity;
    f.rank = all.found.data[i].rank;
    f.prevention = f.count ? all.found.data[i].prevention : all.found.data[i].glimpse;
    f.count_text = finding_total(&f.count, &all.found.data[i].more);
    if (f.count || all.found.data[i].glimpsed)
      vec_push(&r->findings, f);
  }
  for (size_t i = 0; i < all.outcomes.length; i++)
    if (all.outcomes.data[i].count) {
      struct outcome o = all.outcomes.data[i];
      o.count_text = finding_total(&o.count, &all.outcomes_more.data[i]);
      vec_push(&r->outcomes, o);
    }
}

void verdict_share(void) {
  share_register(&all, sizeof all);
}
