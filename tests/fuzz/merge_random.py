#!/usr/bin/env python3
"""Random programs whose recovery forgets what it has read, so that executions become the same: are
outcomes, findings, replay tokens and all counts what they are without merging?

    merge_random.py --seed 1 --count 500
    merge_random.py --replay 'PROGRAM' [--failures 2]

Each program (merge_interpreter.c says what they look like) is checked with --no-share, which runs every
execution, without merging, with merging at every branch, with little memory, and beginning in the middle
of a walk.  A disagreement is shrunk and printed, and the exit status is 1."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
import random_programs

INTERPRETER = random_programs.interpreter("merge_interpreter")
TIDEMARK = os.path.join(random_programs.BUILD, "bin", "tidemark")
NEVER = "recall-after=-1"
FORCED = ("recall-after=0", "recall-after=3")


def check(program, failures, settings, *options):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        done = subprocess.run([TIDEMARK, "check", "--failures=%d" % failures, "--json=" + out.name, "--allow-empty",
                               "--max-steps=20000", *options, INTERPRETER, program],
                              env={**os.environ, "TIDEMARK_TEST_SETTINGS": settings}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)
        report = json.load(open(out.name, encoding="utf-8"))
    return {"exit": done.returncode, "complete": report["complete"], "error": report["error"],
            "executions": report["executions"], "failure_points": report["failure_points"],
            "outcomes": report["outcomes"],
            "findings": sorted((f["kind"], f["message"], f["count"], f["replay"]) for f in report["findings"]),
            }, report["program_runs"]


def disagreement(program, failures, slow=True):
    """None, or what differs; and how many runs merging has spared."""
    spared = 0
    want, runs = check(program, failures, NEVER)
    for settings in FORCED:
        got, fewer = check(program, failures, settings)
        if got != want:
            return "with %s: %s\n  instead of %s" % (settings, got, want), 0
        spared = max(spared, runs - fewer)
    if slow:
        got, _ = check(program, failures, NEVER, "--no-share")
        if got != want:
            return "with --no-share: %s\n  instead of %s" % (got, want), 0
    return None, spared


# ---- generating ----

def before(r, lines):
    ops = []
    for i in range(r.randint(3, 9)):
        a = "%x" % (i if i < lines else r.randrange(lines))
        kind = r.random()
        if kind < .8:
            ops.append("s%s=%d" % (a, r.choice([0, 1, 1, 1, 2, 3])))
        elif kind < .9:
            ops.append("f" + a)
        else:
            ops += ["w" + a, "F"]
    return ops


def load(r, lines):
    return "l%d%x" % (r.randrange(4), r.randrange(lines))


def piece(r, lines):
    """Some operations of a recovery."""
    kind = r.random()
    a, reg, value = r.randrange(lines), r.randrange(4), r.randrange(3)
    if kind < .30:
        return [load(r, lines), r.choice(["#%d" % r.randrange(4), "=%d%d" % (reg, value), "&%d1" % reg])]
    if kind < .45:
        return [load(r, lines), "?%d2" % reg, load(r, lines), r.choice(["=%d0" % reg, "t%x%d" % (a, reg), "m%d" % reg])]
    if kind < .55:
        return ["=31", load(r, lines), "=%d0" % r.randrange(3), "=3%d" % r.randint(2, 4), load(r, lines), "@31"]
    if kind < .65:
        return ["t%x%d" % (a, reg)] + (["f%x" % a] if r.random() < .5 else [])
    if kind < .72:
        return ["x%d%x" % (reg, a)]
    if kind < .76:
        return ["k%x" % a]
    if kind < .82:
        return ["m%d" % reg, load(r, lines), "M"]
    if kind < .90:
        return ["+%d%d" % (reg, r.randrange(4))]
    if kind < .94:
        return ["o%d" % reg]
    if kind < .98:
        return [load(r, lines), "?%d1" % reg, "=%d0" % reg]
    return ["!%d" % reg]


def generate(r):
    failures = 2 if r.random() < .25 else 1
    lines = r.randint(2, 4 if failures == 2 else 7)
    after = []
    for _ in range(r.randint(2, 4 if failures == 2 else 8)):
        after += piece(r, lines)
        if r.random() < .6:
            after.append("#%d" % r.choice([0, 0, 0, 1, 2]))
    after += r.choice([["o0"], ["#2", "o1"], ["#0"], [load(r, lines), "o%d" % r.randrange(4)], ["#0", "l00", "!0"]])
    return " ".join(before(r, lines)) + "/" + " ".join(after), failures


def smaller(program):
    ops, after = (part.split() for part in program.split("/"))
    for i in range(len(ops)):
        yield " ".join(ops[:i] + ops[i + 1:]) + "/" + " ".join(after)
    for i in range(len(after)):
        yield " ".join(ops) + "/" + " ".join(after[:i] + after[i + 1:])


def shrink(program, failures):
    for _ in range(200):
        for candidate in smaller(program):
            if disagreement(candidate, failures)[0]:
                program = candidate
                break
        else:
            return program
    return program


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--failures", type=int, default=1)
    parser.add_argument("--replay")
    o = parser.parse_args()
    random_programs.build_interpreter("merge_interpreter", "-mclwb")
    if o.replay:
        what = disagreement(o.replay, o.failures)
        print(what)
        return what[0] is not None
    cases = [generate(random.Random("%d %d" % (o.seed, i))) for i in range(o.count)]
    spared = 0
    with ThreadPoolExecutor(o.jobs) as pool:
        for (program, failures), (what, fewer) in zip(cases, pool.map(lambda c: disagreement(*c), cases)):
            spared += fewer
            if what:
                print("DISAGREEMENT --failures=%d --replay '%s'\n  %s" % (failures, program, what))
                program = shrink(program, failures)
                print("shrunk: --failures=%d --replay '%s'\n  %s" % (failures, program,
                                                                   disagreement(program, failures)[0]))
                print("0 passed, 1 failed")
                return 1
    print("merge_random: seed %d, merging spared %d runs" % (o.seed, spared))
    if o.count >= 50 and not spared:
        print("nothing was merged\n0 passed, 1 failed")
        return 1
    print("%d passed, 0 failed" % o.count)
    return 0


sys.exit(main())
