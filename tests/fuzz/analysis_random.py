#!/usr/bin/env python3
"""Random small programs: do the analyses of `tidemark check` say what their definitions say?

    analysis_random.py --seed 1 --count 1000
    analysis_random.py --seed 1 --only 17 -v      one of them, with its source

Programs are generated as C, many functions in one file, an operation on each line, so that a report
names operations.  Robustness, races (prefix and baseline) are compared with analysis_oracle.py: the
same programs are robust, and the same pairs of store and load are named.  Redundant flushes and
fences: without those that are reported the outcomes are the same.  Exit 1 if something differs.
"""
import random
import sys

sys.dont_write_bytecode = True
import analysis_oracle
import analysis_programs
from analysis_programs import difference

NAME = "analysis_random"
FUNCTIONS_MAX = 4
EXECUTIONS_MAX = 1500
VARIABLES = 4

HEAD = """#include <sched.h>
#include <pthread.h>
#include <emmintrin.h>
#include <stdlib.h>
#include <tidemark.h>
static struct { long word[8]; } *m;
static int turn;
static long sink;
static void wait_for(int n) { while (turn != n) sched_yield(); }
"""

MAIN = """
static void *run(void *f) { ((void (*)(void))f)(); return NULL; }
int main(int argc, char **argv) {
  void (**p)(void) = programs[atoi(argv[1])];
  (void)argc;
  m = tidemark_region("m", 512);
  if (tidemark_failures()) { p[tidemark_failures() + 1](); return 0; }
  if (!p[1]) { p[0](); return 0; }
  pthread_t a, b;
  pthread_create(&a, NULL, run, p[0]);
  pthread_create(&b, NULL, run, p[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
"""


class Case:
    """lines: variable -> cache line; sections: before any failure, after one, after two."""

    def __init__(self, number, rng):
        self.number, self.rng = number, rng
        self.threads = rng.choice([1, 1, 2, 2])
        self.failures = rng.choice([1, 1, 1, 2])
        self.lines = {v: rng.randrange(3) for v in range(rng.randint(2, VARIABLES))}
        size = 7 if self.failures == 1 else 4
        self.sections = [self.operations(size, self.threads, .1 if self.threads == 1 else .3)]
        if self.failures == 2:
            self.sections.append(self.operations(3, 1, .5))
        self.sections.append([self.operation(0, "l") for _ in range(rng.randint(2, 4))])

    def operation(self, thread, kind):
        variable = None if kind == "S" else self.rng.choice(list(self.lines))
        return (thread, kind, variable, None)

    def operations(self, most, threads, loads):
        result = []
        for _ in range(self.rng.randint(3, most)):
            kind = self.rng.choices("sRlfwS", [4, 1.5, 6 * loads, 1, 1, .8])[0]
            result.append(self.operation(self.rng.randrange(threads), kind))
        for thread in range(threads) if threads > 1 else ():  # its end is a fence, say so
            last = max((i for i, o in enumerate(result) if o[0] == thread), default=-1)
            result.insert(last + 1, self.operation(thread, "S"))
        return result

    def program(self, without=()):
        """without: (section, operation) that are left out."""
        sections = [[o for i, o in enumerate(s) if (n, i) not in without] for n, s in enumerate(self.sections)]
        return analysis_oracle.Program(sections, self.lines)

    # ---- as C ----

    def write(self, out, where):
        """An operation is (section, number in it)."""
        value = 0
        for n, section in enumerate(self.sections):
            both = n == 0 and self.threads == 2
            for thread in range(2 if both else 1):
                out.append("static void p%d_%d_%d(void) {" % (self.number, n, thread))
                for i, o in enumerate(section):
                    value += 1
                    if o[0] != thread and both:
                        continue
                    text = analysis_programs.statement(o[1], self.lines, o[2], value)
                    out.append("wait_for(%d); %s turn++;" % (i, text) if both else text)
                    where[len(out)] = (self.number, (n, i))
                out.append("}")
        names = ["p%d_0_0" % self.number, "p%d_0_1" % self.number if self.threads == 2 else "NULL"]
        names += ["p%d_%d_0" % (self.number, n) for n in range(1, len(self.sections))]
        return "{%s}" % ", ".join(names)


def small_enough(case):
    try:
        count = 0
        for _ in case.program().weak():
            count += 1
            if count > EXECUTIONS_MAX:
                return False
        return True
    except RecursionError:
        return False


def generate(seed, number):
    for attempt in range(100):
        case = Case(number, random.Random("%d.%d.%d" % (seed, number, attempt)))
        if small_enough(case):
            return case
    raise AssertionError("no small program")


def check(program, index, case, *options):
    return analysis_programs.check(program, index, "--failures=%d" % case.failures, *options)


def verify(program, index, case, where):
    """None, or what differs."""
    model = case.program()
    report = check(program, index, case, "--analyses=robustness,races")
    violations = analysis_programs.violations(report, where)
    if bool(violations) == model.is_robust():
        return "robust: %s" % model.is_robust()
    what = difference("robustness", model.violations(), violations)
    what = what or difference("races", model.races(True), analysis_programs.races(report, where))
    if what:
        return what
    report = check(program, index, case, "--analyses=races", "--races=baseline")
    races = analysis_programs.races(report, where)
    what = difference("baseline", model.races(False), races)
    what = what or difference("racy stores", {s for s, _ in model.races(False, True)}, {s for s, _ in races})
    return what or verify_flushes(program, index, case, where)


def verify_flushes(program, index, case, where):
    if case.threads > 1:
        return None
    report = check(program, index, case, "--analyses=flushes")
    useless = {where[f["location"]["line"]][1] for f in report["findings"] if f["kind"].startswith("redundant")}
    if not useless:
        return None
    if outcomes(case, useless) != outcomes(case, ()):
        return "outcomes differ without %s" % sorted(useless)
    return None


def outcomes(case, without):
    """What loads read, by the operations of the whole program."""
    kept = [[i for i in range(len(s)) if (n, i) not in without] for n, s in enumerate(case.sections)]
    result = set()
    for loads in case.program(without).executions():
        result.add(tuple((level, kept[level][i], source and (source[0], kept[source[0]][source[1]]))
                         for level, i, source in loads))
    return result


if __name__ == "__main__":
    sys.exit(analysis_programs.main(sys.modules[__name__]))
