#include "finding/prevention.h"
#include "base/str.h"
#include <string.h>

bool prevention_is_closed(const struct finding_prevention *p) {
  return p->executions >= PREVENTION_EXECUTIONS_MAX || p->effort >= PREVENTION_EFFORT_MAX ||
         (p->cases.length && vec_last(&p->cases).hopeless);
}

static bool has_remedy(const struct finding_case *c, const char *remedy) {
  for (size_t i = 0; i < c->remedies.length; i++)
    if (strcmp(c->remedies.data[i], remedy) == 0)
      return true;
  return false;
}

/* Whatever prevents `earlier` prevents `later`. */
static bool implies(const struct finding_case *earlier, const struct finding_case *later) {
  for (size_t i = 0; i < earlier->remedies.length; i++)
    if (!has_remedy(later, earlier->remedies.data[i]))
      return false;
  return !earlier->hopeless && !later->hopeless;
}

bool prevention_knows(const struct finding_prevention *p, const struct finding_case *c) {
  bool known = prevention_is_closed(p);
  for (size_t i = 0; i < p->cases.length && !known; i++)
    known = implies(&p->cases.data[i], c);
  return known;
}

void prevention_add(struct finding_prevention *p, struct finding_case *c) {
  if (prevention_knows(p, c))
    finding_case_free(c);
  else
    vec_push(&p->cases, *c);
}

void prevention_join(struct finding_prevention *p, struct finding_prevention *next) {
  uint64_t executions = p->executions, effort = p->effort;
  for (size_t i = 0; i < next->cases.length; i++) {
    struct finding_case c = next->cases.data[i];
    p->executions = c.before += executions;
    p->effort = c.effort += effort;
    prevention_add(p, &c);
  }
  p->executions = executions + next->executions;
  p->effort = effort + next->effort;
  vec_free(&next->cases);
  *next = (struct finding_prevention){0};
}

static bool is_prevented(const struct finding_case *c, const struct finding_prevention *p,
                         const bool *taken) {
  for (size_t i = 0; i < p->cases.length; i++)
    if (taken[i] && p->cases.data[i].remedies.length &&
        has_remedy(c, p->cases.data[i].remedies.data[0]))
      return true;
  return false;
}

/* Which cases need something of their own, in order; what is done is done once for all.  False:
 * nothing helps. */
static bool choose(const struct finding_prevention *p, bool *taken, bool *unsure) {
  for (size_t i = 0; i < p->cases.length; i++) {
    const struct finding_case *c = &p->cases.data[i];
    if (c->hopeless || (!is_prevented(c, p, taken) && !c->text)) {
      *unsure = c->unsure;
      return false;
    }
    taken[i] = !is_prevented(c, p, taken);
  }
  return true;
}

static char *copy(const char *text) {
  return text ? mem_strdup(text) : NULL;
}

static struct place copy_place(const struct place *p) {
  struct place new = *p;
  new.file = copy(p->file);
  new.function = copy(p->function);
  new.object = copy(p->object);
  return new;
}

/* Were there executions that nobody has looked at? */
static bool is_partial(const struct finding *f) {
  const struct finding_prevention *p = &f->prevention;
  return p->effort >= PREVENTION_EFFORT_MAX || p->executions > PREVENTION_EXECUTIONS_MAX ||
         f->count > PREVENTION_EXECUTIONS_MAX || f->count_text;
}

static void describe(struct finding *f, const bool *taken) {
  const struct finding_prevention *p = &f->prevention;
  struct str text = {0};
  size_t places = 0;
  for (size_t i = 0; i < p->cases.length; i++) {
    const struct finding_case *c = &p->cases.data[i];
    if (!taken[i])
      continue;
    if (places++ == 0) {
      str_append(&text, c->text);
      f->fix_place = copy_place(&c->place);
    }
    if (!c->window.fence)
      continue;
    struct finding_window w = c->window;
    w.after = copy_place(&c->window.after);
    w.before = copy_place(&c->window.before);
    vec_push(&f->windows, w);
  }
  if (places > 1)
    str_format(&text, "; and likewise at %zu other place%s", places - 1, places > 2 ? "s" : "");
  if (is_partial(f))
    str_append(
        &text,
        ". That prevents the first executions that show this; the others were not looked at");
  f->fix = mem_strdup(str_text(&text));
  str_free(&text);
}

#define LEAVES_THE_SAME \
  "a failure between two stores, or between the parts of one that is not 8 aligned bytes or " \
  "less, " \
  "leaves the same. Look at the order of the stores, and at what is done after a failure"

static const char *no_advice(const struct finding_prevention *p) {
  for (size_t i = 0; i < p->cases.length; i++)
    if (!p->cases.data[i].hopeless && p->cases.data[i].text)
      return "a flush or fence prevents some executions that show this, but not all: in "
             "others " LEAVES_THE_SAME;
  return "no flush or fence prevents this: " LEAVES_THE_SAME;
}

void prevention_settle(struct finding *f) {
  size_t count = f->prevention.cases.length;
  if (f->fix || !count)
    return;
  bool unsure = false, *taken = mem_alloc(count * sizeof *taken);
  if (choose(&f->prevention, taken, &unsure))
    describe(f, taken);
  else if (!unsure)
    f->fix = mem_strdup(no_advice(&f->prevention));
  mem_free(taken, count * sizeof *taken);
}
