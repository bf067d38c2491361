#!/usr/bin/env python3
"""Random programs whose recovery forgets what it has read, so that executions become the same: are
outcomes, findings, replay tokens and all counts what they are without merging?

    merge_random.py --seed 1 --count 500
    merge_random.py --replay 'PROGRAM' [--failures 2]

Each program (merge_interpreter.c says what they look like) is checked with --no-share, which runs every
execution, without merging, with merging at every branch, with little memory, beginning in the middle of a walk,
and with looks ahead in between, also in parts.  A disagreement is shrunk and printed, and the exit status is 1."""
import argparse
import random
import sys

sys.dont_write_bytecode = True
import random_programs
from pm_random import Case

NAME = "merge_random"
INTERPRETER = random_programs.interpreter("merge_interpreter")
NEVER = "recall-after=-1"
FORCED = ("recall-after=0", "recall-after=3", "states=1", "recall-after=0 states=1", "recall-after=3 states=1 scout=2", "recall-after=0 memory=1", "scout=3", "recall-after=0 scout=1")


def check(case, settings, *options, **environment):
    """What must be the same, and how many runs of the program that took."""
    report = random_programs.run_check([*case.options(), "--max-steps=20000", *options], INTERPRETER, case.text,
                                       TIDEMARK_TEST_SETTINGS=settings, **environment)
    same = {key: report[key] for key in ("exit", "complete", "error", "executions", "failure_points", "outcomes")}
    same["findings"] = sorted((f["kind"], f["message"], f["count"], f["replay"]) for f in report["findings"])
    return same, report["program_runs"]


def expected(case):
    return check(case, NEVER, "--no-share")[0]["outcomes"]


def disagreement(case):
    """None, or what differs; the case remembers how many runs merging has spared."""
    case.spared = 0
    want, runs = check(case, NEVER)
    for settings in FORCED:
        got, fewer = check(case, settings)
        if got != want:
            return "with %s: %s\n  instead of %s" % (settings, got, want)
        case.spared = max(case.spared, runs - fewer)
    got, _ = check(case, NEVER, "--no-share")
    if got != want:
        return "with --no-share: %s\n  instead of %s" % (got, want)
    want, _ = check(case, NEVER, "--schedule=all")
    for settings in FORCED[:3]:
        got, _ = check(case, settings, "--schedule=all")
        if got != want:
            return "--schedule=all with %s: %s\n  instead of %s" % (settings, got, want)
    want, _ = check(case, NEVER, "--checksums=*")  # as if all loads went into checksums
    for settings in (FORCED[0], FORCED[3], FORCED[7]):
        got, _ = check(case, settings, "--checksums=*")
        if got != want:
            return "checksums with %s: %s\n  instead of %s" % (settings, got, want)
    want, _ = check(case, NEVER)
    for settings in ("scout=2", "recall-after=0 states=1 scout=2"):
        got, _ = check(case, settings, "--jobs=1", TIDEMARK_SCATTER="2")
        if got != want:
            return "in parts, with %s: %s\n  instead of %s" % (settings, got, want)
    return None


# What each part of a state, and forgetting, is for.
DIRECTED = [Case("s0=1 s1=1/l00 =00 l11 =10 l00 o0"),  # reads again what was forgotten
            Case("s0=1 s1=1/l00 t20 =00 l11 =10 l22 o2"),  # its own stores
            Case("s0=1 s1=1/l00 o0 =00 o0 l11 =10"),  # what it has said, of which its stack shows the end
            Case("s0=1 s1=1/l00 m0 =00 l11 =10 M l00 o0"),  # its heap
            Case("s0=1 s1=1 f0 s0=2 s2=1 f1 s3=1/l00 =00 l11 =10 l22 =20 l33 =30 l00 +01 l11 +01 o0"),
            Case("s0=1 s1=1 s2=1 f2 s0=0 s1=2/l11 =10 l00 =00 l12 =10 l01 l11 +01 o0"),
            # by traces: where the power failed, which it has read and forgotten
            Case("s0=1 f0 s1=1 s0=2/l11 #0 l00 o0"), Case("s0=1 f0 s1=1 f1 s0=2 f0 s2=1 s1=2/l22 #0 l11 #0 l00 o0"),
            Case("s0=1 s1=1/l00 t20 f2 =00 l11 t31 =10 l22 l33 +23 o2", 2),  # and failures after them,
            # where it matters how often a line was stored to
            Case("*s0=1 s1=1/l22 o2 l33 o3 #0 l00 =11 +10 &11 =21 ?01 t22 ?11 =00 =22 t22 #0 l11 #0 f2 =31 t33", 2),
            # a line that is read again, of which stores but not values are in doubt, while checksums are told apart
            Case("s0=1 s1=3 s2=0 s3=2 s0=0/l02 l00 b22 l11 b03")]


# ---- generating ----

def before(r, lines):
    ops, stores = [], r.choice([.8, .8, .5])
    for i in range(r.randint(3, 9)):
        a = "%x" % (i if i < lines and stores > .5 else r.randrange(lines))
        kind = r.random()
        if kind < stores:
            ops.append("s%s=%d" % (a, r.choice([0, 1, 1, 1, 2, 3])))
        elif kind < .9:
            ops.append("f" + a)
        else:
            ops += ["w" + a, "F"]
    return ops


def load(r, lines):
    return "%s%d%x" % (r.choice("llib"), r.randrange(4), r.randrange(lines))


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
    if kind < .745:
        return ["k%x" % a]
    if kind < .77:
        return ["p%x" % a]
    if kind < .82:
        return ["m%d" % reg, load(r, lines), "M"]
    if kind < .90:
        return ["+%d%d" % (reg, r.randrange(4))]
    if kind < .94:
        return ["o%d" % reg, "=%d0" % reg, "o%d" % reg] if r.random() < .5 else ["o%d" % reg]
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
    alike = "*" if failures == 2 and r.random() < .5 else ""
    return Case(alike + " ".join(before(r, lines)) + "/" + " ".join(after), failures)


def smaller(case):
    ops, after = (part.split() for part in case.text.split("/"))
    for i in range(len(ops)):
        yield Case(" ".join(ops[:i] + ops[i + 1:]) + "/" + " ".join(after), case.failures)
    for i in range(len(after)):
        yield Case(" ".join(ops) + "/" + " ".join(after[:i] + after[i + 1:]), case.failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    random_programs.add_arguments(parser, ())
    parser.add_argument("--failures", type=int, default=1)
    arguments = parser.parse_args()
    random_programs.build_interpreter("merge_interpreter", "-mclwb")
    if arguments.replay:
        what = disagreement(Case(arguments.replay, arguments.failures))
        print(what or "agree")
        return what is not None
    cases = DIRECTED + [generate(random.Random("%d %d" % (arguments.seed, i))) for i in range(arguments.count)]
    return random_programs.run_merging(sys.modules[__name__], "merge_random", cases, arguments)


if __name__ == "__main__":
    sys.exit(main())
