#!/usr/bin/env python3
"""Random small programs for several machines, in every schedule: does `tidemark check --model=cxl
--schedule=all` find exactly the outcomes that the definition allows?

    cxl_schedule_random.py --seed 1 --count 300      generate and compare (cxl_schedule_regress.txt first)
    cxl_schedule_random.py --machines=3 --replay '*PROGRAM'      one program
    cxl_schedule_random.py --flip NAME               compare with a wrong oracle: must disagree

Every program is compared with cxl_schedule_oracle.py; some also with every schedule one by one (bounded:1000)
and with sampled ones, which may find less, but nothing else.  Disagreements are shrunk and printed with their
replay command; the exit status is 1 then.
"""
import sys

sys.dont_write_bytecode = True
import cxl_oracle
import cxl_random
import cxl_schedule_oracle
import random_programs
from cxl_random import INTERPRETER, Case
from random_programs import difference, run_check, trouble

NAME = "cxl_schedule_random"
STATES_MAX = 3000        # programs with more states than this are left to bigger machines
SECONDS_MAX = 4          # of a search; what was found by then must be possible


def check(case, *extra):
    return run_check(["--model=cxl", *case.options(), *(extra or ["--schedule=all"])], INTERPRETER, case.text)


def rules(case, flip):
    return cxl_schedule_oracle.rules_of(flip, machines=case.machines, failures=case.failures,
                                        **{name: True for name in case.switches})


def expected(case, flip=None, limit=None):
    return cxl_schedule_oracle.outcomes(case.text, rules(case, flip), limit)


def found(report):
    return {cxl_oracle.canonical(outcome) for outcome in report["outcomes"]} - {None}


def disagreement(case, flip=None):
    """None, or what differs."""
    want = expected(case, flip) if case.want is None else case.want
    report = check(case, "--schedule=all", "--timeout=%d" % SECONDS_MAX)
    if report["exit"] == 5:
        return difference(want, found(report) | want)
    return trouble(report) or difference(want, found(report))


def parts_disagreement(case, schedule):
    """In parts, and with every sampled schedule looked at without failures before they are explored: the same report."""
    runs = ["--runs=8"] if schedule[0] in "rp" else []
    reports = [run_check(["--model=cxl", *case.options(), "--schedule=" + schedule, *runs, "--jobs=1",
                          "--timeout=%d" % SECONDS_MAX], INTERPRETER, case.text,
                         TIDEMARK_TEST_SETTINGS=settings, TIDEMARK_SCATTER=scatter)
               for settings, scatter in (("", "0"), ("scout=1", "2"))]
    if any("timeout" in (report.get("incomplete_why") or "") for report in reports):
        return None
    same = [{key: report[key] for key in ("complete", "executions", "failure_points", "outcomes", "exit", "schedules")}
            for report in reports]
    for report, facts in zip(reports, same):
        facts["findings"] = [(f["kind"], f["message"], f["count"], f["replay"]) for f in report["findings"]]
    return None if same[0] == same[1] else "%s in parts: %s instead of %s" % (schedule, same[1], same[0])


def modes_disagreement(case):
    """None, or how another way through the schedules differs."""
    want = expected(case) if case.want is None else case.want
    every = check(case, "--schedule=bounded:1000", "--timeout=%d" % SECONDS_MAX)
    if every["complete"] and found(every) != want:
        return "bounded:1000: " + difference(want, found(every))
    for schedule in ("random", "pct:2"):
        some = check(case, "--schedule=" + schedule, "--runs=50")
        if not found(some) <= want:
            return "%s: impossible: %s" % (schedule, sorted(found(some) - want))
    return next(filter(None, (parts_disagreement(case, s) for s in ("random", "pct:3", "bounded:1", "all"))), None)


def smaller(case):
    """Simpler variants of a case, most drastic first."""
    for simpler in cxl_random.smaller(case.with_(case.text.lstrip("*"))):
        yield simpler.with_("*" + simpler.text)


class Generator(cxl_random.Generator):
    def __init__(self, rng, machines):
        super().__init__(rng, machines)
        self.calls = False
        self.lines = rng.choice([1, 2, 2])
        self.threads = machines == 2 and rng.random() < .15

    def store(self):
        return "s8@%x=%x" % (self.offset(8, True), self.value()) if self.rng.random() < .8 else \
            "d8@%x+%x" % (self.offset(8, True), self.value())

    def load(self):
        size = self.size()
        return "l%d@%x" % (size, self.offset(size, True))

    def order(self, at):
        """What keeps a store or a flush before what follows, or does not."""
        flush = "%s@%x" % (self.rng.choice("foww"), at)
        return self.rng.choices(([], [flush], [flush, "S"], [self.fence()], ["a8@%x=1" % at]), (3, 2, 3, 2, 1))[0]

    def both(self, a, b):
        """Both store, and look whether the other one did."""
        for machine, mine, other in ((0, a, b), (1, b, a)):
            for word in ["s8@%x=1" % mine, *self.order(mine), "l8@%x" % other]:
                yield machine, word

    def tell(self, a, b):
        """One stores, makes it last or not, and says so; the other looks."""
        for word in ["s8@%x=%x" % (a, self.value()), *self.order(a), "s8@%x=1" % b]:
            yield 0, word
        for word in ["l8@%x" % b, *self.rng.choice([[], ["q@0"], ["S"]]), "l8@%x" % a]:
            yield 1, word

    def look(self, a, b):
        """What was there once is there again, or is not, if who stored it has failed."""
        r = self.rng
        for word in ["s8@%x=%x" % (a, self.value()), *self.order(a)]:
            yield 0, word
        for word in ["l8@%x" % a, *r.choice([[], ["q@0"], ["s8@%x=1" % b]]), "l8@%x" % a]:
            yield 1, word

    def anything(self, _a, _b):
        for _ in range(self.rng.randint(2, 7 if self.machines == 2 else 6)):
            yield self.rng.randrange(self.machines), self.pick(10, 8, 4, 2, 2, 1.5, .4)

    def program(self):
        r = self.rng
        a, b = r.sample([line * 64 + word for line in range(2) for word in (0, 8)], 2)
        motif = r.choices((self.both, self.tell, self.look, self.anything), (2, 2, 2, 5))[0]
        who = r.sample(range(self.machines), self.machines)
        words = [self.thread(who[machine]) + word for machine, word in motif(a, b)]
        return "*" + " ".join(words)


def random_case(rng, fixed):
    machines = fixed.machines or 2  # the more machines, the more of them see each other fail
    failures = fixed.failures
    if failures is None and rng.random() < .15:
        failures = rng.randint(0, machines)
    switches = cxl_random.switches_of(fixed)
    if not any(switches.values()):
        kind = rng.choices([(), ("gpf",), ("poison",), ("paper",), ("global_flush",)], [10, 2, 2, 2, 2])[0]
        switches = {name: True for name in kind}
    return Case(Generator(rng, machines).program(), machines, failures, **switches)


def tests(arguments):
    driver = sys.modules[__name__]
    cases = list(random_programs.small_cases(driver, arguments, random_case, STATES_MAX))
    return random_programs.usual_tests(driver, arguments, cases, "cxl_schedule_regress.txt", 20)


if __name__ == "__main__":
    parser = cxl_random.parser(__doc__, cxl_schedule_oracle.FLIPS)
    sys.exit(cxl_random.run(sys.modules[__name__], parser.parse_args()))
