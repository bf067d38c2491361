#!/usr/bin/env python3
"""Random programs for machines whose survivors forget what they have read: do the analyses say what they say where
nothing is joined, and nothing recalled?

    analysis_merge_cxl_random.py --seed 1 --count 500
    analysis_merge_cxl_random.py --seed 1 --only 17 -v      one of them, with its source

The programs are those of merge_cxl_random.py as C, as analysis_merge_random.py has those of merge_random.py, and are
compared likewise."""
import random
import sys

sys.dont_write_bytecode = True
import analysis_merge_random
import analysis_programs
import merge_cxl_random
from analysis_merge_random import FORCED, NEVER, differs

NAME = "analysis_merge_cxl_random"
FUNCTIONS_MAX = 4
HEAD = analysis_merge_random.HEAD + "#include <sched.h>\n"
MAIN = analysis_merge_random.MAIN.replace("tidemark_failures() > 0", "tidemark_machine()")


def statement(op, i):
    if op[0] == "q":
        return "r[%s] = tidemark_machine_failed(%s);" % (op[1], op[2])
    if op[0] == "y":
        return "sched_yield();"
    if op[0] == "R":
        return "__atomic_store_n(&N(%d), r[%s], __ATOMIC_RELEASE);" % (analysis_merge_random.place(op[1]), op[2])
    return analysis_merge_random.after(op, i)


class Case:
    def __init__(self, number, rng):
        base = merge_cxl_random.generate(rng, synchronises=False)
        self.number, self.lines, self.failures = number, {}, base.failures
        self.machines = [self.vary(rng, text.split(";")[0]) for text in base.text.split("|")]
        self.switches = base.switches

    @staticmethod
    def vary(rng, text):
        ops = [op for op in text.split() if op[0] not in "mMpPki"]
        ops = [analysis_merge_random.Case.vary_load(rng, op) for op in ops]
        return ["R" + op[1:] if op[0] == "t" and rng.random() < .25 else op for op in ops]

    def options(self):
        return ["--model=cxl", "--machines=%d" % len(self.machines), "--failures=%d" % self.failures, *self.switches]

    @property
    def after(self):
        return sum(self.machines, [])

    def write(self, out, where):
        for n, ops in enumerate(self.machines):
            out.append("static void p%d_%d(void) {" % (self.number, n))
            for i, op in enumerate(ops):
                out.append("l%d: %s" % (i, statement(op, i)))
                where[len(out)] = (self.number, (n, i))
            out.append(" ".join("l%d:" % i for i in range(len(ops), len(ops) + 12)) + " return; }")
        return "{%s}" % ", ".join("p%d_%d" % (self.number, n) for n in range(len(self.machines)))


def generate(seed, number):
    return Case(number, random.Random("%d %d" % (seed, number)))


def essence(report):
    """Which survivor has read what is not told apart where survivors are shared, so that another execution may show a
    finding."""
    found = [(f[0], f[1], [p for p in f[3] if p[0] in ("lost", "missed", "torn", "useless")], f[-1]) if len(f) > 4 else f[:2]
             for f in report["findings"]]
    return dict(report, findings=sorted(found, key=str))


spared = 0


def verify(program, index, case, where):
    """None, or what differs."""
    global spared
    del where

    def check(settings, *options, **environment):
        return analysis_merge_random.check(program, index, case, settings, *case.options(), *options, **environment)

    for analyses in ("--analyses=robustness,races,flushes", "--analyses=races --races=baseline", "--analyses=races", "--analyses=robustness"):
        words = analyses.split()
        plain, runs = check(NEVER, "--no-share", *words)
        want, _ = check(NEVER, *words)
        what = differs(essence(plain), essence(want))
        if what:
            return "%s shared: %s" % (analyses, what)
        for settings in FORCED:
            got, fewer = check(settings, *words)
            what = differs(want, got)
            if what:
                return "%s with %s: %s" % (analyses, settings, what)
            spared += max(runs - fewer, 0)
    want, _ = check(NEVER, "--analyses=robustness,races")
    got, _ = check("recall-after=0", "--analyses=robustness,races", "--jobs=1", TIDEMARK_SCATTER="2")
    what = differs(want, got)
    return "in parts: %s" % what if what else None


if __name__ == "__main__":
    STATUS = analysis_programs.main(sys.modules[__name__])
    print("joining spared %d runs" % spared)
    sys.exit(STATUS)
