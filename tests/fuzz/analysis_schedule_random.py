#!/usr/bin/env python3
"""Random small programs of several threads: do the analyses say the same about all schedules, however they
are explored?

    analysis_schedule_random.py --seed 1 --count 200
    analysis_schedule_random.py --seed 1 --only 17 -v      one of them, with its source

With --schedule=all an execution is run for each trace, and the failure is a cut of it (search/traces.h); the
second opinion is the search that visits every state.  Robustness and races must name the same pairs of store
and load.  The search by states has failures only where they leave something else, which is less than every
moment: if stores have equal values it may see only moments at which it cannot tell which of them was read, and
name fewer pairs; races without prefixes are taken literally, and it may name fewer loads.

A flush or fence has no effect if it has none in any schedule: the second opinion goes through them one by one
(bounded:1000), and may miss an effect of a clwb.  Without all that are reported the outcomes are the same.

Without analyses, what came of executions that know the same is not walked again; with a recovery that forgets
what it has read the numbers must be the same as without that.  Exit 1 if something differs.
"""
import random
import sys
import tempfile

sys.dont_write_bytecode = True
import analysis_programs
import random_programs
from analysis_programs import difference

NAME = "analysis_schedule_random"
THREADS = 3
FUNCTIONS_MAX = THREADS + 2
VARIABLES = 4
EXECUTIONS_MAX = 60000  # of the search by states
ONE_BY_ONE = {"TIDEMARK_TEST_SETTINGS": "flushes-anyway=1"}
BY_STATES = {"TIDEMARK_TEST_SETTINGS": "by-states=1"}

HEAD = """#include <pthread.h>
#include <emmintrin.h>
#include <stdlib.h>
#include <tidemark.h>
static struct { long word[8]; } *m;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic long flag;
static __thread long sink;
static int forgets;
#define SAY(v) (forgets ? (void)(sink = sink > 2) : tidemark_outcome("%ld", v))
"""

MAIN = """
static void *run(void *f) { ((void (*)(void))f)(); return NULL; }
int main(int argc, char **argv) {
  void (**p)(void) = programs[atoi(argv[1])];
  forgets = argc > 2;
  m = tidemark_region("m", 512);
  if (tidemark_failures()) { p[%d + tidemark_failures() - 1](); tidemark_outcome("%%ld", sink); return 0; }
  pthread_t threads[%d];
  for (int i = 0; i < %d && p[i]; i++) pthread_create(&threads[i], NULL, run, p[i]);
  for (int i = 0; i < %d && p[i]; i++) pthread_join(threads[i], NULL);
  return 0;
}
""" % (THREADS, THREADS, THREADS, THREADS)

MORE = {"M": "_mm_mfence();",
        "L": "pthread_mutex_lock(&lock);", "U": "pthread_mutex_unlock(&lock);",
        "P": "flag = 1;", "A": "sink += flag;"}


class Case:
    """lines: variable -> cache line; threads, then what comes after one failure, after two."""

    def __init__(self, number, rng):
        self.number, self.rng = number, rng
        self.failures = rng.choice([1, 1, 1, 1, 2])
        self.distinct = rng.random() < .5
        self.without = ()  # (section, number) of operations that are left out
        count = rng.choice([2, 2, 2, 3])
        self.lines = {v: rng.randrange(3) for v in range(rng.randint(2, VARIABLES))}
        size = {2: 4, 3: 3}[count] - (self.failures > 1)
        self.threads = [self.operations(rng.randint(1, size)) for _ in range(count)]
        self.later = [self.operations(2)] if self.failures == 2 else []
        self.later.append([self.operation("l") for _ in range(rng.randint(2, 4))])

    def operation(self, kind):
        return kind, None if kind in "SMLUPA" else self.rng.choice(list(self.lines))

    def operations(self, count):
        r = self.rng
        result = [self.operation(r.choices("sRlfwSMxPAc", [4, 1, 2.5, 1.5, 2, 1.5, .3, .5, .3, .3, .7])[0])
                  for _ in range(count)]
        if r.random() < .1:
            result = [self.operation("L")] + result + [self.operation("U")]
        return result

    def write(self, out, where):
        """An operation is (section, number in it)."""
        value, names = 0, []
        for n, section in enumerate(self.threads + self.later):
            names.append("p%d_%d" % (self.number, n))
            out.append("static void %s(void) {" % names[-1])
            for i, (kind, variable) in enumerate(section):
                value = value + 1 if self.distinct else 1 + (n + i) % 2
                text = self.statement(kind, variable, value)
                if n == len(self.threads) + len(self.later) - 1:
                    text += " SAY(%s);" % self.place(variable)
                out.append(text if (n, i) not in self.without else "")
                where[len(out)] = (self.number, (n, i))
            out.append("}")
        names[len(self.threads):len(self.threads)] = ["NULL"] * (THREADS - len(self.threads))
        return "{%s}" % ", ".join(names)

    def flushes_behind(self):
        """Is there a clwb that waits for something of its own thread?  One by one it comes together with that,
        as soon as it may; it could come later, and cover more."""
        return any(kind == "w" and any(self.lines.get(v) == self.lines[variable] for _, v in section[:i])
                   for section in self.threads + self.later for i, (kind, variable) in enumerate(section))

    def place(self, variable):
        return "m[%d].word[%d]" % (self.lines[variable], variable)

    def statement(self, kind, variable, value):
        if kind == "x":
            return "sink += __atomic_exchange_n(&%s, %d, __ATOMIC_SEQ_CST);" % (self.place(variable), value)
        if kind == "c":
            return "%s = %s + 1;" % (self.place(variable), self.place(min(self.lines)))
        return MORE.get(kind) or analysis_programs.statement(kind, self.lines, variable, value)


def generate(seed, number):
    return Case(number, random.Random("%d.%d" % (seed, number)))


def check(program, index, case, *options, **environment):
    report = random_programs.run_check(
        ["--schedule=all", "--failures=%d" % case.failures, "--max-executions=%d" % EXECUTIONS_MAX, *options],
        program, str(index), **environment)
    report["too many"] = not report["complete"] and report["executions"] >= EXECUTIONS_MAX
    if not report["complete"] and not report["too many"]:
        raise AssertionError("incomplete: %s" % report["said"])
    return report


def compare_pairs(program, index, case, where):
    want = check(program, index, case, "--analyses=robustness,races", **BY_STATES)
    got = check(program, index, case, "--analyses=robustness,races")
    if want["too many"] or got["too many"]:
        return None
    for name in ("violations", "races"):
        wanted, found = (getattr(analysis_programs, name)(r, where) for r in (want, got))
        what = difference(name, wanted, found)
        if what and (case.distinct or wanted - found):
            return what
    return None


def compare_baseline(program, index, case, where):
    options = ["--analyses=races", "--races=baseline"]
    want = check(program, index, case, *options, **BY_STATES)
    got = check(program, index, case, *options)
    if want["too many"] or got["too many"]:
        return None
    want, got = (analysis_programs.races(r, where) for r in (want, got))
    if want - got:
        return difference("baseline", want, got)
    return case.distinct and difference("racy stores", {s for s, _ in want}, {s for s, _ in got}) or None


def useless(report, where):
    return {where[f["location"]["line"]][1] for f in report["findings"] if f["kind"].startswith("redundant")}


def outcomes_without(case, operations):
    case.without = operations
    with tempfile.TemporaryDirectory() as folder:
        program, _ = analysis_programs.build(sys.modules[__name__], [case], folder)
        case.without = ()
        return set(check(program, 0, case)["outcomes"])


def compare_flushes(program, index, case, where):
    got = check(program, index, case, "--analyses=flushes")
    want = check(program, index, case, "--analyses=flushes", "--schedule=bounded:1000", **ONE_BY_ONE)
    if want["too many"] or got["too many"]:
        return None
    want, found = useless(want, where), useless(got, where)
    if found - want or (want != found and not case.flushes_behind()):
        return difference("flushes", want, found)
    if found and case.rng.random() < .1 and outcomes_without(case, found) != set(got["outcomes"]):
        return "outcomes differ without %s" % sorted(found)
    return None


def compare_recall(program, index, case):
    reports = [random_programs.run_check(["--schedule=all", "--failures=%d" % case.failures], program, str(index),
                                         "forget", TIDEMARK_TEST_SETTINGS="recall-after=%d" % after)
               for after in (-1, 0, 3)]
    want = {key: reports[0][key] for key in ("executions", "outcomes", "complete", "failure_points")}
    for report in reports[1:]:
        got = {key: report[key] for key in want}
        if got != want:
            return "recall: %s instead of %s" % (got, want)
    return None


def verify(program, index, case, where):
    """None, or what differs."""
    return (compare_recall(program, index, case) or compare_pairs(program, index, case, where) or
            compare_baseline(program, index, case, where) or compare_flushes(program, index, case, where))


if __name__ == "__main__":
    sys.exit(analysis_programs.main(sys.modules[__name__]))
