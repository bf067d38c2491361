#!/usr/bin/env python3
"""Random small programs for machines that share memory: do robustness and races under partial failures
say what their definitions say (analysis_cxl_oracle.py)?

    analysis_cxl_random.py --seed 1 --count 1000
    analysis_cxl_random.py --seed 1 --only 17 -v      one of them, with its source

As analysis_random.py: many programs in one C file, an operation on each line, so that a report names
operations.  Machines take turns by sched_yield: an operation of an earlier machine than the one before
begins a new round.  The same pairs of store and load must be named, with --no-share and with --isolate, too.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
import analysis_cxl_oracle
from analysis_random import PER_FILE, difference, run_check
from random_programs import BUILD

TRACES_MAX = 1200
PLACE = "m[%d].word[%d]"

HEAD = """#include <sched.h>
#include <emmintrin.h>
#include <stdlib.h>
#include <tidemark.h>
static struct { long word[8]; } *m;
static long sink;
"""

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
        self.lines = {v: rng.randrange(3) for v in range(rng.randint(2, 4))}
        self.operations, machine = [], 0
        for _ in range(rng.randint(4, 9)):
            machine = rng.randrange(machines) if rng.random() < .4 else machine
            kind = rng.choices("sRlfwS", [4, 1.2, 5, .7, .8, .5])[0]
            self.operations.append((machine, kind, None if kind == "S" else rng.choice(list(self.lines))))

    def program(self):
        return analysis_cxl_oracle.Program(self.operations, self.lines, self.rules)

    def options(self):
        return ["--model=cxl", "--machines=%d" % self.rules.machines, "--failures=%d" % self.rules.failures,
                "--coherence=" + ("cxlmc" if self.rules.paper else "cxl3"),
                "--flush=" + ("global" if self.rules.global_flush else "local")]

    def statement(self, i):
        _, kind, variable = self.operations[i]
        place = None if variable is None else PLACE % (self.lines[variable], variable)
        return {"s": "%s = %d;" % (place, i + 1),
                "R": "__atomic_store_n(&%s, %d, __ATOMIC_RELEASE);" % (place, i + 1),
                "l": "sink += %s;" % place,
                "f": "_mm_clflush(&%s);" % place,
                "w": '__asm__ volatile("clwb %%0" : "+m"(%s));' % place,
                "S": "_mm_sfence();"}[kind]

    def write(self, out, where):
        """Append lines to `out`; where[line number] = (program, operation)."""
        for machine in range(self.rules.machines):
            out.append("static void p%d_%d(void) {" % (self.number, machine))
            before = 0
            for i, (who, _, _) in enumerate(self.operations):
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


def build(cases, folder):
    out, where, rows = HEAD.splitlines(), {}, []
    for case in cases:
        rows.append(case.write(out, where))
    out.append("static void (*programs[][3])(void) = {%s};" % ", ".join(rows))
    out += MAIN.splitlines()
    source = os.path.join(folder, "programs.c")
    with open(source, "w") as f:
        f.write("\n".join(out) + "\n")
    subprocess.run([os.path.join(BUILD, "bin", "tidemark-cc"), "-g", "-O1", "-w", "-o", source[:-2], source], check=True)
    return source[:-2], where


def pairs(report, kind, roles, where):
    found = set()
    for f in report["findings"]:
        if f["kind"] == kind:
            lines = {part["role"]: part["location"]["line"] for part in f["parts"]}
            found.add(tuple(where[lines[role]][1] for role in roles))
    return found


def verify(program, index, case, where):
    """None, or what differs."""
    model = case.program()
    robust = model.violations()
    races = None if case.rules.paper else model.races(True)  # there, only what was dirty counts
    for mode in [[], ["--no-share"]] + [["--isolate"]] * (index % 10 == 0):
        report = run_check(program, index, [*case.options(), "--analyses=robustness,races", *mode])
        what = difference("robustness %s" % mode, robust, pairs(report, "robustness", ("lost", "missed"), where))
        if races is not None:
            found = pairs(report, "persistency-race", ("torn", "read"), where)
            what = what or difference("races %s" % mode, races, found)
        if what:
            return what
    if races is None:
        return None
    report = run_check(program, index, [*case.options(), "--analyses=races", "--races=baseline"])
    return difference("baseline", model.races(False), pairs(report, "persistency-race", ("torn", "read"), where))


def compare(cases, verbose):
    with tempfile.TemporaryDirectory() as folder:
        program, where = build(cases, folder)
        for index, case in enumerate(cases):
            what = verify(program, index, case, where)
            if what or verbose:
                for i, o in enumerate(case.operations):
                    print("  %d  machine %d: %s" % (i, o[0], case.statement(i)))
                print("  %s" % " ".join(case.options()))
            if what:
                print("DISAGREEMENT in program %d: %s" % (case.number, what))
                return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int)
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    numbers = range(arguments.count) if arguments.only is None else [arguments.only]
    files = [numbers[i:i + PER_FILE] for i in range(0, len(numbers), PER_FILE)]

    def one(part):
        return compare([generate(arguments.seed, n) for n in part], arguments.verbose)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        failed = sum(pool.map(one, files))
    if not failed:
        print("analysis_cxl_random: seed %d" % arguments.seed)
        print("%d passed, 0 failed" % len(numbers))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
