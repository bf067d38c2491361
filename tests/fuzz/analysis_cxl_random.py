#!/usr/bin/env python3
"""Random small programs for machines that share memory: do robustness and races under partial failures
say what their definitions say (analysis_cxl_oracle.py)?

    analysis_cxl_random.py --seed 1 --count 1000
    analysis_cxl_random.py --seed 1 --only 17 -v      one of them, with its source

As analysis_random.py: many programs in one C file, an operation on each line, so that a report names
operations.  Machines take turns by sched_yield: an operation of an earlier machine than the one before
begins a new round.  The same pairs of store and load must be named, with --no-share and with --isolate, too.
"""
import random
import sys

sys.dont_write_bytecode = True
import analysis_accesses
import analysis_cxl_oracle
import analysis_programs
from analysis_programs import check, difference

NAME = "analysis_cxl_random"
FUNCTIONS_MAX = 3
TRACES_MAX = 1200

HEAD = analysis_accesses.HEAD

MAIN = """
int main(int argc, char **argv) {
  (void)argc;
  m = tidemark_region("m", 512);
  programs[atoi(argv[1])][tidemark_machine()]();
  return 0;
}
"""


class Case:
    def __init__(self, number, rng):
        self.number = number
        machines = rng.choice([2, 2, 3])
        failures = rng.choice([1, 1, 2]) if machines == 3 else rng.choice([1, 1, 1, 2])
        self.rules = analysis_cxl_oracle.Rules(machines, failures, rng.random() < .2, rng.random() < .2)
        accesses = rng.choice([analysis_accesses.Words, analysis_accesses.Bytes])(rng)
        self.operations, machine = [], 0
        for _ in range(rng.randint(4, 7)):
            machine = rng.randrange(machines) if rng.random() < .4 else machine
            self.add(machine, accesses.operation(.5))
        stored = [o for o in self.operations if o[1] in "sRvnNxc"]
        for who, _, start, size in rng.sample(stored, min(len(stored), rng.randint(1, 3))):  # somebody else looks at it
            self.add((who + 1) % machines, ("l", start, max(n for n in (1, 2, 4, 8) if n <= size)))

    def add(self, machine, operation):
        if operation[0] == "C":  # checksums are for failures of everything
            operation = ("l", *operation[1:3])
        self.operations.append((machine, *operation))

    def program(self):
        return analysis_cxl_oracle.Program(self.operations, self.rules)

    def options(self):
        return ["--model=cxl", "--machines=%d" % self.rules.machines, "--failures=%d" % self.rules.failures,
                "--coherence=" + ("cxlmc" if self.rules.paper else "cxl3"),
                "--flush=" + ("global" if self.rules.global_flush else "local")]

    def statement(self, i):
        return analysis_accesses.statement(*self.operations[i][1:4], i + 1)

    def write(self, out, where):
        for machine in range(self.rules.machines):
            out.append("static void p%d_%d(void) {" % (self.number, machine))
            before = 0
            for i, (who, *_) in enumerate(self.operations):
                if who < before:
                    out.append("sched_yield();")
                before = who
                if who == machine:
                    out.append(self.statement(i))
                    where[len(out)] = (self.number, i)
            out += ["sched_yield();", "}"]
        return "{%s}" % ", ".join("p%d_%d" % (self.number, m) for m in range(self.rules.machines))


def generate(seed, number):
    for attempt in range(100):
        case = Case(number, random.Random("cxl.%d.%d.%d" % (seed, number, attempt)))
        if len(case.program().executions()) <= TRACES_MAX:
            return case
    raise AssertionError("no small program")


def compare_robustness(what, case, want, got):
    """Nor does it fail between its loads: a pair that shows only then is not listed, the store is with its load."""
    def is_hidden(store, load):
        return case.rules.failures > 1 and any(
            s == store and other < load and case.operations[other][0] != case.operations[load][0] for s, other in got)
    return difference(what, {pair for pair in want if pair in got or not is_hidden(*pair)}, got)


def compare_races(what, case, want, got):
    """A machine that has only looked so far is not asked to fail before it looks again: with several failures another
    load of the same store may be the first."""
    if case.rules.failures > 1:
        want = {pair for pair in want if pair in got} | {(store, None) for store, _ in want}
        got = got | {(store, None) for store, _ in got}
    return difference(what, want, got)


def verify(program, index, case, where):
    """None, or what differs."""
    model = case.program()
    robust = model.violations()
    races = None if case.rules.paper else model.races(True)  # there, only what was dirty counts
    for mode in [[], ["--no-share"]] + [["--isolate"]] * (index % 10 == 0):
        report = check(program, index, *case.options(), "--analyses=robustness,races", *mode)
        what = compare_robustness("robustness %s" % mode, case, robust, analysis_programs.violations(report, where))
        if races is not None:
            what = what or compare_races("races %s" % mode, case, races, analysis_programs.races(report, where))
        if what:
            return what
    if races is None:
        return None
    report = check(program, index, *case.options(), "--analyses=races", "--races=baseline")
    return compare_races("baseline", case, model.races(False), analysis_programs.races(report, where))


def show(case, _program, _where):
    for i, o in enumerate(case.operations):
        print("  %d  machine %d: %s" % (i, o[0], case.statement(i)))
    print("  %s" % " ".join(case.options()))


if __name__ == "__main__":
    sys.exit(analysis_programs.main(sys.modules[__name__]))
