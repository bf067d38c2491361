#!/usr/bin/env python3
"""Random programs for several machines whose survivors forget what they have read: are outcomes, findings, replay
tokens and all counts what they are without merging?

    merge_cxl_random.py --seed 1 --count 500
    merge_cxl_random.py --machines 3 --replay 'PROGRAM' [--failures 2]

As merge_random.py; merge_interpreter.c says what programs look like."""
import argparse
import random
import sys

sys.dont_write_bytecode = True
import merge_random
import random_programs

NAME = "merge_cxl_random"
FORCED = ("recall-after=0", "recall-after=1", "recall-after=3 scout=97", "recall-after=0 memory=1", "scout=61")


class Case:
    def __init__(self, text, machines, failures, *switches):
        self.text, self.machines, self.failures, self.switches = text, machines, failures, switches

    def options(self):
        return ["--model=cxl", "--machines=%d" % self.machines, "--failures=%d" % self.failures, *self.switches]

    def line(self):
        return "--machines %d --failures %d %s --replay '%s'" % (self.machines, self.failures, " ".join(self.switches), self.text)


def expected(case):
    return merge_random.expected(case)


def disagreement(case):
    """None, or what differs; the case remembers how many runs merging has spared."""
    case.spared = 0
    want, runs = merge_random.check(case, merge_random.NEVER)
    for settings in FORCED:
        got, fewer = merge_random.check(case, settings)
        if got != want:
            return "with %s: %s\n  instead of %s" % (settings, got, want)
        case.spared = max(case.spared, runs - fewer)
    for settings, option, environment in ((merge_random.NEVER, "--no-share", {}),
                                          ("recall-after=2 scout=31", "--jobs=1", {"TIDEMARK_SCATTER": "2"})):
        got, _ = merge_random.check(case, settings, option, **environment)
        if got != want:
            return "with %s %s: %s\n  instead of %s" % (option, environment, got, want)
    return None


# Survivors that are the same but for how a machine has ended.
DIRECTED = [Case("=01 t00 t40 =00 t00|l00 !0|l14 o0;q02", 3, 1)]


# ---- generating ----

def stores(r, lines):
    """What leaves something in doubt."""
    a = "%x" % r.randrange(lines)
    piece = ["=%d%d" % (0, r.choice([0, 1, 1, 2, 3])), "t%s0" % a]
    kind = r.random()
    return piece + (["f" + a] if kind < .25 else ["w" + a, "F"] if kind < .35 else [])


def synchronise(r, lines):
    """Operations of merge_sync.h, most of them as programs would."""
    n, kind, inside = r.randrange(4), r.random(), ["x1%x" % r.randrange(lines)] if r.random() < .5 else stores(r, lines)
    keep = r.random() < .15
    if kind < .45:
        consistent = ["?01", "c%d" % n] if n < 2 and r.random() < .6 else []
        return ["=00", r.choice("LLND") + str(n), *consistent, "+20", *inside, *([] if keep else ["U%d" % n])]
    if kind < .55:
        return [r.choice("SSWV") + str(n)]
    if kind < .68:
        return [r.choice("rRd") + str(n), *inside, *([] if keep else ["u%d" % n])]
    if kind < .82:
        return [r.choice("eEGG") + str(n)]
    if kind < .85:
        return ["B"]
    return [r.choice(["h1", "a0", "O%d" % n, "g0", "I1"])]


def thread(r, lines, machines, synchronises):
    ops, synchronised = [], synchronises and machines < 4 and r.random() < .4
    for _ in range(r.randint(2, 7 if not synchronised else 4)):
        if synchronised and r.random() < .6:
            ops += synchronise(r, lines)
        kind = r.random()
        if kind < .15:
            ops += stores(r, lines)
        elif kind < .25:
            ops += ["q%d%d" % (r.randrange(4), r.randrange(machines))]
        elif kind < .28:
            ops += ["y"]
        elif kind < .30:
            ops += ["p%x" % r.randrange(lines)]
        elif kind < .32:
            ops += ["P%x" % r.randrange(lines)]
        else:
            ops += merge_random.piece(r, lines)
            if r.random() < .7:
                ops.append("#%d" % r.choice([0, 0, 0, 1, 2]))
    ops += ["o2"] if synchronised else []
    return ops + r.choice([["o0"], ["#2", "o1"], ["#0"], ["l00", "o0"], ["#0", "l00", "!0"]])


def machine(r, lines, machines, synchronises):
    threads = 1 if r.random() < .8 else 2
    return ";".join(" ".join(thread(r, lines, machines, synchronises)) for _ in range(threads))


def generate(r, synchronises=True):
    machines = r.choice([2, 2, 3, 3, 4])
    failures = r.randint(1, machines - 1)
    lines = r.randint(2, 6 if failures == 1 else 3 if machines < 4 else 2)
    begin = [r.choice(["I0", "I1", "I1"])] if synchronises else []
    first = " ".join(begin + ["=01"] + ["t%x0" % a for a in range(lines)] * r.choice([0, 1, 1]) +
                     sum((stores(r, lines) for _ in range(r.randint(2, lines + 2))), []))
    text = "|".join([first] + [machine(r, lines, machines, synchronises) for _ in range(machines - 1)])
    switches = [s for s in ("--gpf", "--coherence=cxlmc", "--flush=global") if r.random() < .1]
    return Case(text, machines, failures, *switches)


def smaller(case):
    parts = [part.split() for part in case.text.split("|")]
    for which, ops in enumerate(parts):
        for i in range(len(ops)):
            if ";" in ops[i]:
                continue
            fewer = parts[:which] + [ops[:i] + ops[i + 1:]] + parts[which + 1:]
            yield Case("|".join(" ".join(p) for p in fewer), case.machines, case.failures, *case.switches)
    for switch in case.switches:
        yield Case(case.text, case.machines, case.failures, *(s for s in case.switches if s != switch))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    random_programs.add_arguments(parser, ())
    parser.add_argument("--gpf", action="store_true")
    parser.add_argument("--machines", type=int, default=2)
    parser.add_argument("--failures", type=int, default=1)
    parser.add_argument("--coherence")
    parser.add_argument("--flush")
    arguments = parser.parse_args()
    random_programs.build_interpreter("merge_interpreter", "-mclwb")
    if arguments.replay:
        switches = [*(["--gpf"] if arguments.gpf else []), *(["--coherence=" + arguments.coherence] if arguments.coherence else []),
                    *(["--flush=" + arguments.flush] if arguments.flush else [])]
        what = disagreement(Case(arguments.replay, arguments.machines, arguments.failures, *switches))
        print(what or "agree")
        return what is not None
    cases = DIRECTED + [generate(random.Random("%d %d" % (arguments.seed, i))) for i in range(arguments.count)]
    return random_programs.run_merging(sys.modules[__name__], "merge_cxl_random", cases, arguments)


if __name__ == "__main__":
    sys.exit(main())
