#!/usr/bin/env python3
"""Random programs over the locks of pthreads: --schedule=all against going through schedules one by one.

Every kind of mutex, read-write locks, semaphores, conditions, spin locks, barriers, pthread_once, with attempts and
deadlines, and few variables.  What a search with at most five preemptions shows, step by step and without the
reduction, --schedule=all has to show as well; under tso there is all that there is under sc.

    tests/fuzz/locks_random.py --seed 7 --count 500
    tests/fuzz/locks_random.py --replay 'L2 L2 U2 U2;T2'
"""
import argparse
import random
import sys

import random_programs as common

NAME = "locks_random"
CALLS = {"kinds": "L0 T0 D0 U0 U0 L1 T1 D1 U1 U1 L2 T2 U2 L3 U3 T3", "refused": "L1 T1 D1 U1 L3 T3 U3 D3 L2 T2 D2 U2",
         "again": "L2 L2 T2 D2 U2 U2 L3 T3 U3", "read": "R0 r0 W0 w0 v0 u0 u0 R1 r1 W1 w1 u1 u1 v1",
         "count": "P0 V0 q0 Q0 g0 P1 V1 q1 Q1", "wait": "L0 L0 C0 C0 c0 S0 B0 U0 C1 S1", "meet": "A0 K0 k0 k0 O0 O1",
         "try": "T0 U0 T1 U1 r0 w0 u0 q0 P0 k0 L0", "look": "l0 s0 i0 l1 s1"}
EXECUTIONS_MAX, REFUSED = 2000, 3


class Case:
    """Words that an interpreter runs; calls_random.py has other ones."""
    interpreter, calls = "locks_interpreter", CALLS

    def __init__(self, text):
        self.text = text

    def line(self):
        return "--replay '%s'" % self.text

    @classmethod
    def from_line(cls, line):
        return cls(line)


def random_case(case, seed, number):
    r = random.Random("%d.%d" % (seed, number))
    calls = " ".join(case.calls[group] for group in r.sample(sorted(case.calls), r.choice((1, 2)))).split()
    calls += case.calls["look"].split() if r.random() < 0.6 else []
    threads = r.choice((2, 2, 3))
    return case(";".join(" ".join(r.choice(calls) for _ in range(r.randint(1, 7 - 2 * (threads - 1)))) for _ in range(threads)))


def smaller(case):
    threads = [thread.split() for thread in case.text.split(";")]
    for i, words in enumerate(threads):
        if len(threads) > 2:
            yield type(case)(";".join(" ".join(w) for w in threads[:i] + threads[i + 1:]))
        for k in range(len(words)):
            if len(words) > 1:
                yield type(case)(";".join(" ".join(words[:k] + words[k + 1:] if n == i else w) for n, w in enumerate(threads)))


def shown(case, model, *options, **environment):
    quiet = ["--no-data-races"] if model == "sc" else []
    report = common.run_check(["--jobs=1", "--model=" + model, *quiet, *options], common.interpreter(case.interpreter), case.text, **environment)
    return report, set(report["outcomes"]) | {f["kind"] for f in report["findings"]}


def disagreement(case, flip=None):
    del flip
    seen = set()
    for model in ("sc", "tso"):
        report, all_that = shown(case, model, "--max-executions=%d" % EXECUTIONS_MAX)
        if report["exit"] == REFUSED:
            return None
        if report["exit"] not in (0, 1, 5):
            return "%s: exit status %d, %s" % (model, report["exit"], report["said"])
        seen |= shown(case, model, "--schedule=bounded:5", "--max-executions=%d" % EXECUTIONS_MAX,
                      TIDEMARK_TEST_SETTINGS="all-first=0")[1]
        if report["complete"] and not seen <= all_that:
            return "%s: %s" % (model, common.difference(seen, all_that))
        seen |= all_that
    return None


def expected(case, *_):
    return shown(case, "tso", "--schedule=bounded:5", TIDEMARK_TEST_SETTINGS="all-first=0")[1]


def modes_disagreement(_case):
    return None


def run(driver, regressions):
    def tests(arguments):
        cases = [random_case(driver.Case, arguments.seed, n) for n in range(arguments.count)]
        return [(disagreement, common.regressions(driver, regressions) + cases)]

    parser = argparse.ArgumentParser(description=driver.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_arguments(parser, ())
    arguments = parser.parse_args()
    common.build_interpreter(driver.Case.interpreter, "-I" + common.ROOT + "/include")
    driver.tests = tests
    return common.run(driver, arguments, driver.Case(arguments.replay) if arguments.replay else None)


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__], "locks_regress.txt"))
