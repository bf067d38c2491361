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
import random
import sys

sys.dont_write_bytecode = True
import cxl_oracle
import cxl_random
import cxl_schedule_oracle
import random_programs
from cxl_random import INTERPRETER, Case, case_of
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


def disagreement(case, flip=None, want=None):
    """None, or what differs."""
    want = expected(case, flip) if want is None else want
    report = check(case, "--schedule=all", "--timeout=%d" % SECONDS_MAX)
    if report["exit"] == 5:
        return difference(want, found(report) | want)
    return trouble(report) or difference(want, found(report))


def modes_disagreement(case):
    """None, or how another way through the schedules differs."""
    want = case.want or expected(case)
    every = check(case, "--schedule=bounded:1000", "--timeout=%d" % SECONDS_MAX)
    if every["complete"] and found(every) != want:
        return "bounded:1000: " + difference(want, found(every))
    for schedule in ("random", "pct:2"):
        some = check(case, "--schedule=" + schedule, "--runs=50")
        if not found(some) <= want:
            return "%s: impossible: %s" % (schedule, sorted(found(some) - want))
    return None


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

    def program(self):
        r = self.rng
        words = []
        for _ in range(r.randint(2, 7 if self.machines == 2 else 6)):
            words.append(self.thread(r.randrange(self.machines)) + self.pick(10, 8, 4, 2, 2, 1.5, .4))
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


def random_cases(arguments):
    for i in range(arguments.count):
        rng = random.Random("%d.%d" % (arguments.seed, i))
        case, want = None, None
        while want is None:
            case = random_case(rng, arguments)
            want = expected(case, arguments.flip, STATES_MAX)
        case.want = want
        yield case


def tests(arguments):
    cases = list(random_cases(arguments))

    def fails(case):
        return disagreement(case, arguments.flip, case.want)

    if arguments.flip:
        return [(fails, cases)]
    return [(fails, random_programs.regressions(sys.modules[__name__], "cxl_schedule_regress.txt") + cases),
            (modes_disagreement, cases[::20])]


def main():
    parser = cxl_random.parser()
    for action in parser._actions:
        if action.dest == "flip":
            action.choices = sorted(cxl_schedule_oracle.FLIPS)
    arguments = parser.parse_args()
    random_programs.build_interpreter("cxl_interpreter", "-mcx16", "-lpmem")
    case = None if arguments.replay is None else case_of(arguments, arguments.replay)
    return random_programs.run(sys.modules[__name__], arguments, case)


if __name__ == "__main__":
    sys.exit(main())
