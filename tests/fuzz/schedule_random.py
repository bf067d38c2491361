#!/usr/bin/env python3
"""Random small programs of several threads: does `tidemark check --schedule=all` find exactly the
outcomes that the definition allows?

    schedule_random.py --seed 1 --count 300      generate and compare (schedule_regress.txt first)
    schedule_random.py --replay 'PROGRAM' [--failures 2] [--eadr]      one program

Every program is compared with schedule_oracle.py; some of them also with every schedule one by one
(bounded:1000), with sampled schedules (which may find less, but nothing else), and with the modes
that must not matter.  A disagreement is shrunk, printed with its replay command, and the exit
status is 1.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
import pm_random
import random_programs
import schedule_oracle
from pm_random import INTERPRETER, Case, smaller
from random_programs import BUILD

NAME = "schedule_random"
STATES_MAX = 4000    # programs with more states than this are left to bigger machines
UNDIVIDED_RUNS_MAX = 200  # a larger search may be divided: after WORK_MAX steps (src/session/units.c),
UNDIVIDED_EXECUTIONS_MAX = 1400  # an execution counts as EXECUTION_STEPS (src/session/session_pm.c)
EXECUTIONS_MAX = 200000  # of a search through every schedule one by one
PARTS_EXECUTIONS_MAX = 20000  # of one that is done in parts


def check(case, *options, **environment):
    """The report of one run of the checker."""
    words = ",".join("%x" % at for at in schedule_oracle.words_of(case.text))
    command = [os.path.join(BUILD, "bin", "tidemark"), "check", "--allow-empty", "--json=-", *case.options(),
               *(options or ["--schedule=all"]), INTERPRETER, case.text, words]
    done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=300, check=False)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        report = {"outcomes": {}, "findings": [], "complete": False}
    report["exit"] = done.returncode
    if done.returncode not in (0, 5) or report["findings"]:
        report["trouble"] = "exit status %d, %s" % (done.returncode, (report["findings"] or [done.stderr.decode()])[:1])
    return report


KNOWN = {}  # what the oracle says about the newest programs: several comparisons ask


def expected(case, flip=None, states=None):
    key = (case.text, case.failures, case.eadr, flip)
    want = KNOWN.get(key)
    if want is None:
        want = schedule_oracle.outcomes(case.text, case.failures, schedule_oracle.Rules(eadr=case.eadr, flip=flip), states)
        if len(KNOWN) > 100:
            KNOWN.clear()
        if want is not None:
            KNOWN[key] = want
    return want


def difference(report, want):
    """None, or what differs.  Somebody may wait for ever, in what a disagreement is shrunk to."""
    if want is None:
        return None
    if "trouble" in report:
        return report["trouble"]
    if not report["complete"]:
        return "incomplete"
    got = set(report["outcomes"])
    if got == want:
        return None
    return "missing: {%s}  impossible: {%s}" % (", ".join(sorted(want - got)), ", ".join(sorted(got - want)))


def disagreement(case, flip=None):
    return difference(check(case), expected(case, flip))


def modes_disagreement(case):
    """None, or how a mode that must not matter does matter."""
    base = check(case)
    # How a search is divided decides which execution stands for a trace, and with it what is counted.
    divided = (os.environ.get("TIDEMARK_SCATTER") or base["program_runs"] > UNDIVIDED_RUNS_MAX
               or base["executions"] > UNDIVIDED_EXECUTIONS_MAX)
    keys = ("exit",) if divided else ("outcomes", "executions", "failure_points", "exit")
    for option, settings in (("--isolate", ""), ("--no-share", ""), (None, "recall-after=0"), (None, "recall-after=-1"),
                             (None, "scout=1"), (None, "scout=5")):
        options = ["--schedule=all", option] if option else ["--schedule=all"]
        other = check(case, *options, TIDEMARK_TEST_SETTINGS=settings)
        for key in keys:
            if base.get(key) != other.get(key):
                return "%s differs with %s: %s, %s" % (key, option or settings, base.get(key), other.get(key))
        if set(base["outcomes"]) != set(other["outcomes"]):
            return "outcomes differ with %s: %s, %s" % (option or settings, base["outcomes"], other["outcomes"])
    return None


def searches_disagreement(case):
    """None, or what the search by states or executions in processes of their own find instead.  Three threads with locks
    can have too many states."""
    want = expected(case)
    for what, options, settings in (("by states", ["--timeout=60"], "by-states=1"), ("--isolate", ["--isolate"], "")):
        report = check(case, "--schedule=all", *options, TIDEMARK_TEST_SETTINGS=settings)
        if what == "by states" and report["exit"] == 5:
            continue
        differs = difference(report, want)
        if differs:
            return "%s, %s" % (what, differs)
    return None


def joins_disagreement(case):
    """None, or what differs if executions that come to the same state are joined from the beginning.  Who takes what is
    handed on changes no count."""
    counts = []
    for settings, jobs in (("join-after=0", 2), ("join-after=0 hands-on=2", 1), ("join-after=0 hands-on=2", 3),
                           ("join-after=0 scatter=3", 2), ("join-after=0 scout=2", 2)):
        report = check(case, "--schedule=all", "--jobs=%d" % jobs, TIDEMARK_TEST_SETTINGS=settings)
        differs = difference(report, expected(case))
        if differs:
            return "%s, %s" % (settings, differs)
        if "hands-on" in settings:
            counts.append([report.get(key) for key in ("executions", "failure_points", "schedules")])
    return None if counts[0] == counts[1] else "handed on, counts of one worker and of three: %s" % counts


def one_by_one_disagreement(case):
    """None, or what differs if every schedule is tried."""
    report = check(case, "--schedule=bounded:1000", "--max-executions=%d" % EXECUTIONS_MAX)
    if not report["complete"] and report["exit"] == 5:
        return None  # too many
    what = difference(report, expected(case))
    return what and "bounded:1000, " + what


def samples_disagreement(case):
    """None, or what only a sampled schedule or a bounded search finds."""
    want = expected(case)
    if want is None:
        return None
    for options in (["--schedule=random", "--runs=20"], ["--schedule=pct:3", "--runs=20", "--seed=5"],
                    ["--schedule=bounded:1", "--max-executions=%d" % EXECUTIONS_MAX], ["--schedule=fixed"]):
        report = check(case, *options)
        if "trouble" in report:
            return "%s: %s" % (options, report["trouble"])
        if not set(report["outcomes"]) <= want:
            return "%s, impossible: {%s}" % (options, ", ".join(sorted(set(report["outcomes"]) - want)))
    return None


def parts_disagreement(case):
    """None, or what differs if a search over bounded schedules is done in parts."""
    keys = ("complete", "executions", "failure_points", "outcomes", "exit", "schedules")
    whole = check(case, "--schedule=bounded:1", "--jobs=1", "--max-executions=%d" % PARTS_EXECUTIONS_MAX, TIDEMARK_SCATTER="")
    if not whole["complete"] and whole["exit"] == 5:
        return None  # too many
    for scatter in ("1", "3"):
        report = check(case, "--schedule=bounded:1", "--jobs=1", TIDEMARK_SCATTER=scatter)
        for key in keys:
            if report.get(key) != whole.get(key):
                return "bounded:1 in parts, %s: %s instead of %s" % (key, report.get(key), whole.get(key))
    return None


ALL_TESTS = [disagreement, searches_disagreement, joins_disagreement, one_by_one_disagreement, modes_disagreement, samples_disagreement,
             parts_disagreement]


# ---- generating ----

class Generator(pm_random.Generator):
    """Few words, so that threads meet."""

    def __init__(self, rng):
        super().__init__(rng)
        places = [line * 64 + word * 8 for line in range(self.lines) for word in (0, 1)]
        self.places = rng.sample(places, min(len(places), rng.randint(2, 4)))
        self.ordinary = rng.random() < .25
        self.locks = rng.random() < .15
        self.waits = rng.random() < .2
        self.word = rng.choice([0x18, 0x58, 0x1008]) if rng.random() < .15 else 0  # that is a lock

    def offset(self, size, aligned=False):
        r = self.rng
        at = r.choice(self.places)
        if size < 8 and r.random() < .4:
            at += r.randrange(0, 8, size)
        if not aligned and r.random() < .04:
            at += r.randrange(1, 8)
        return at

    def size(self):
        return self.rng.choice([1, 2, 4, 8, 8, 8, 8, 8, 8])

    def value(self, size):
        return self.rng.randint(1, 3)

    def place(self, size, aligned=True):
        return 0x1000 if self.ordinary and self.rng.random() < .3 else self.offset(size, aligned)

    def load(self):
        size = self.size()
        at = self.place(size, False)
        return "l%d@%x" % (8 if at == 0x1000 else size, at)

    def store(self):
        r = self.rng
        kind = r.choices("sRndm", [12, 1, 2, 3, .5])[0]
        if kind == "m":
            return "m%d@%x=%x" % (r.choice([12, 16]), r.choice(self.places), self.value(1))
        size = {"n": r.choice([4, 8])}.get(kind) or self.size()
        at = self.offset(size, kind in "nR") if kind == "n" else self.place(size, kind == "R")
        return "%s%d@%x%s%x" % (kind, size, at, "+" if kind == "d" else "=", self.value(size))

    def locked(self):
        r = self.rng
        kind, size = r.choice("Axaccc"), self.size()
        at = self.place(size)
        if kind == "c":
            return "c%d@%x=%x,%x" % (size, at, r.choice([0, 0, 1]), self.value(size))
        return "%s%d@%x=%x" % (kind, size, at, self.value(size))

    def flush(self):
        return "%s@%x" % (self.rng.choice("ffoow"), self.offset(1))

    def fence(self):
        return self.rng.choice("SSSMML")

    def branch(self):
        return self.rng.choice(["?1", "!1", "!2"])

    def order(self):
        """What keeps a flush or a store before what follows, or does not."""
        r = self.rng
        return r.choice([[], ["S"], ["S"], ["M"], ["c8@%x=7,1" % r.choice(self.places)], [self.store()]])

    def publish(self):
        """Store, flush what was stored, tell the others."""
        r = self.rng
        at, flag = r.choice(self.places), r.choice(self.places + [0x1000] * self.ordinary)
        flushes = r.choice([[], [], ["f@%x" % at], ["o@%x" % at], ["w@%x" % at], ["o@%x" % at, self.flush()]])
        tell = r.choice(["s8@%x=1", "R8@%x=1", "s8@%x=2"]) % flag
        return ["s8@%x=%x" % (at, self.value(8))] + flushes + self.order() + [tell]

    def follow(self):
        """Look at what others did, make it persistent or not, say so."""
        r = self.rng
        flag = r.choice(self.places + [0x1000] * self.ordinary)
        then = r.choice([[], [self.flush()], [self.flush()], [self.flush(), self.flush()]]) + self.order()
        then.append(r.choice(["s8@%x=1", "d8@%x+0"]) % r.choice(self.places))
        look = r.choice("iij") if self.waits and r.random() < .7 else "l"
        return [look + "8@%x" % flag] + r.choice([[], ["!%d" % len(then)]]) + then

    def ask(self):
        """Store, and look whether the other one did."""
        r = self.rng
        return ["s8@%x=1" % r.choice(self.places)] + self.order() + ["l8@%x" % r.choice(self.places)]

    def exclusive(self):
        """Under a lock."""
        at = self.rng.choice(self.places)
        return ["K"] + self.rng.choice([["l8@%x" % at, "d8@%x+1" % at], self.anything()[:2]]) + self.rng.choice([[], [self.flush()]]) + ["U"]

    def owning(self):
        """While a word says so, or if the lock is free."""
        r = self.rng
        inside = [o for o in r.choice([self.publish, self.follow, self.anything])() if o[0] not in "?!ij"][:3]
        if r.random() < .3 and self.locks:
            return ["T", "!%d" % (len(inside) + 1)] + inside + ["U"]
        take = r.choice(["q8@%x", "Q8@%x", "g8@%x=2", "g8@%x=3"]) % self.word
        return [take] + inside + [r.choice("Rs") + "8@%x=0" % self.word]

    def anything(self):
        kinds = [(self.store, 9), (self.load, 6), (self.flush, 6), (self.fence, 3), (self.locked, 1.5), (self.branch, 1)]
        return [self.pick(kinds) for _ in range(self.rng.randint(1, 3))]

    def thread(self, longest):
        motifs = [(self.publish, 2), (self.follow, 2), (self.ask, 1), (self.anything, 2)]
        operations = (self.pick(motifs) + (self.pick(motifs) if self.rng.random() < .5 else []))[:longest]
        if self.locks and self.rng.random() < .7:  # in front, where nothing skips the unlocking
            operations = ([o for o in self.exclusive() if o[0] not in "?!"] + operations)[:longest + 3]
        if self.word and self.rng.random() < .7:  # likewise
            rest = operations[:longest // 2]
            operations = self.owning() + (rest if rest.count("K") == rest.count("U") else [])
        return " ".join(operations)

    def threads(self, total):
        count = self.rng.choices([2, 3], [4, 1])[0]
        return ";".join(self.thread(max(2, total // count)) for _ in range(count))

    def case(self, failures):
        r = self.rng
        sections = [self.threads(r.choice([8, 10, 12]))]
        self.word = 0  # after a failure nobody may be left to release it
        if r.random() < .2 or failures > 1:
            sections.append(self.threads(4))
        return Case("/".join(sections) + "/", failures, r.random() < .05)


def generate(rng, failures, flip=None):
    """A case small enough for the oracle."""
    while True:
        case = Generator(rng).case(failures)
        if expected(case, flip, STATES_MAX) is not None:
            return case


# ---- comparing ----

DRIVER = sys.modules[__name__]


def compare(arguments):
    """0 if everything agrees."""
    seen = collections.Counter()

    def fails(case):
        return disagreement(case, arguments.flip)

    def fresh(number):
        rng = random.Random("%d.%d" % (arguments.seed, number))
        case = generate(rng, arguments.failures or rng.choices([1, 2], [8, 1])[0], arguments.flip)
        tests = [joins_disagreement] if arguments.joins else [fails]
        if arguments.joins:
            return case, first_failing(case, tests)
        if arguments.searches:
            tests += [searches_disagreement]
        elif not arguments.flip:
            tests += [joins_disagreement] * (number % 3 == 1)
            tests += [one_by_one_disagreement] * (number % 3 == 0)
            tests += [modes_disagreement, samples_disagreement, parts_disagreement] * (number % 10 == 0)
        return case, first_failing(case, tests)

    def known(case):
        tests = [fails] if arguments.flip else ALL_TESTS
        return case, first_failing(case, tests)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        regressions = [] if arguments.searches or arguments.joins else random_programs.regressions(DRIVER, "schedule_regress.txt")
        results = list(pool.map(known, regressions))
        for case, failing in results:
            if failing:
                random_programs.report_failure(DRIVER, case, *failing)
                return 1
        for case, failing in pool.map(fresh, range(arguments.count)):
            if failing:
                pool.shutdown(cancel_futures=True)
                random_programs.report_failure(DRIVER, case, *failing)
                return 1
            seen.update(features(case))
    if arguments.searches or arguments.joins:
        print("  ".join("%s: %d" % item for item in sorted(seen.items())))
    return 0


def features(case):
    """What there is in a program, for the summary of a long comparison."""
    before = case.text.split("/")[0]
    names = ["%d threads" % (1 + before.count(";"))]
    names += ["locks"] * bool(re.search("[KT]", before))
    names += ["locks that are words"] * bool(re.search(r"\b[qQ]8@", before))
    names += ["attempts that are counted"] * bool(re.search(r"\bg8@", before))
    names += ["waiting loops"] * bool(re.search(r"\b[ij]8@", case.text))
    names += ["mixed sizes"] * (len(set(re.findall(r"\b[a-zA-Z](\d+)@", case.text))) > 1)
    names += ["several failures"] * (case.failures > 1)
    names += ["threads after a failure"] * (";" in case.text[len(before):])
    return names


def first_failing(case, tests):
    """None, or (what is wrong, the test that says so)."""
    for test in tests:
        what = test(case)
        if what:
            return what, test
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--failures", type=int, default=0, help="0: mostly 1, sometimes 2")
    parser.add_argument("--eadr", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--searches", action="store_true", help="compare each with the search by states and --isolate, and nothing else")
    parser.add_argument("--joins", action="store_true", help="join executions wherever that can be done, and nothing else")
    parser.add_argument("--replay", metavar="PROGRAM")
    parser.add_argument("--flip", choices=sorted(schedule_oracle.FLIPS), help="compare with a wrong oracle")
    arguments = parser.parse_args()
    random_programs.build_interpreter("pm_interpreter", "-mcx16")
    if arguments.replay is not None:
        case = Case(arguments.replay, arguments.failures or 1, arguments.eadr)
        flipped = [lambda c: disagreement(c, arguments.flip)]
        failing = first_failing(case, flipped if arguments.flip else ALL_TESTS)
        print(failing[0] if failing else "agree: {%s}" % ", ".join(sorted(expected(case))))
        return 1 if failing else 0
    began = time.time()
    status = compare(arguments)
    if not status:
        print("schedule_random: seed %d, %.1f s" % (arguments.seed, time.time() - began))
        print("%d passed, 0 failed" % arguments.count)
    return status


if __name__ == "__main__":
    sys.exit(main())
