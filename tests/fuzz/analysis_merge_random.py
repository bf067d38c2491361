#!/usr/bin/env python3
"""Random programs whose recovery forgets what it has read, so that executions become the same: do the analyses of
`tidemark check` say what they say where nothing is joined, and nothing recalled?

    analysis_merge_random.py --seed 1 --count 500
    analysis_merge_random.py --seed 1 --only 17 -v      one of them, with its source

The programs are those of merge_random.py as C, an operation on each line, with atomic stores, loads of parts of words,
loads that are ignored, and checksums.  Findings are compared with their places, windows, tokens and counts, and so are executions
and outcomes, between --no-share, a search that joins nothing, and several that do it at every opportunity."""
import random
import sys

sys.dont_write_bytecode = True
import analysis_programs
import merge_random
import random_programs

NAME = "analysis_merge_random"
FUNCTIONS_MAX = 2
NEVER = "recall-after=-1"
FORCED = ("recall-after=0", "recall-after=3", "recall-after=0 states=1", "recall-after=0 memory=1")
TURNS_MAX = 100

HEAD = """#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <tidemark.h>
static volatile char *bytes; /* loads are made, and plain stores are not merged */
static long r[4], turns;
#define P(a) ((a) % 8 * 64 + (a) / 8 * 8)
#define W(a) (*(volatile long *)(bytes + P(a)))
#define N(a) (*(long *)((char *)bytes + P(a)))
#define H(a, n) (*(volatile uint32_t *)(bytes + P(a) + (n)))
#define B(a, n) (*(volatile uint8_t *)(bytes + P(a) + (n)))
"""

MAIN = """
int main(int argc, char **argv) {
  (void)argc;
  bytes = tidemark_region("m", 512);
  programs[atoi(argv[1])][tidemark_failures() > 0]();
  return 0;
}
"""


def place(c):
    return int(c, 16)


def forget(op):
    return " ".join("r[%d] = 0;" % i for i in range(int(op[1]), 4))


def persist(op):
    if op == "F":
        return "_mm_sfence();"
    return ("_mm_clflush((void *)&W(%d));" if op[0] == "f" else '__asm__ volatile("clwb %%0" : "+m"(W(%d)));') % place(op[1])


def before(op):
    if op[0] == "s":
        return "N(%d) = %s; __asm__ volatile(\"\" ::: \"memory\");" % (place(op[1]), op[3])
    if op[0] == "r":
        return "__atomic_store_n(&N(%d), %s, __ATOMIC_RELEASE);" % (place(op[1]), op[3])
    return persist(op)


def after(op, i):
    kind = op[0]
    simple = {"l": lambda: "r[%s] = W(%d);" % (op[1], place(op[2])),
              "h": lambda: "r[%s] = H(%d, 0);" % (op[1], place(op[2])),
              "b": lambda: "r[%s] = B(%d, 1);" % (op[1], place(op[2])),
              "j": lambda: "tidemark_ignore_begin(); r[%s] = W(%d); tidemark_ignore_end();" % (op[1], place(op[2])),
              "c": lambda: "tidemark_checksum_begin(0, 0); tidemark_checksum_end(W(%d) != %s);" % (place(op[2]), op[1]),
              "=": lambda: "r[%s] = %s;" % (op[1], op[2]),
              "+": lambda: "r[%s] += r[%s];" % (op[1], op[2]),
              "&": lambda: "r[%s] &= %s;" % (op[1], op[2]),
              "?": lambda: "if (!r[%s]) goto l%d;" % (op[1], i + int(op[2]) + 1),
              "@": lambda: "if (r[%s]-- > 1 && turns++ < %d) goto l%d;" % (op[1], TURNS_MAX, max(i - int(op[2]), 0)),
              "#": lambda: forget(op),
              "t": lambda: "N(%d) = r[%s]; __asm__ volatile(\"\" ::: \"memory\");" % (place(op[1]), op[2]),
              "o": lambda: 'tidemark_outcome("%%ld", r[%s]);' % op[1],
              "!": lambda: "tidemark_assert(r[%s] == 0);" % op[1],
              "x": lambda: "r[%s] = __atomic_fetch_add(&N(%d), 1, __ATOMIC_SEQ_CST);" % (op[1], place(op[2]))}
    return simple[kind]() if kind in simple else persist(op)


class Case:
    def __init__(self, number, rng):
        self.number, self.lines = number, {}
        base = merge_random.generate(rng)
        self.failures = base.failures
        first, second = base.text.lstrip("*").split("/")
        self.before = [self.vary_store(rng, op) for op in first.split()]
        self.after = [self.vary_load(rng, op) for op in second.split() if op[0] not in "mMpk"]
        if rng.random() < .5:
            self.add_certain(rng)

    def add_certain(self, rng):
        """Words that are persistent soon, in between, and read in a row at first."""
        words = rng.sample("abcdef", rng.randint(2, 4))
        for word in words:
            at = rng.randint(0, len(self.before))
            self.before[at:at] = [rng.choice("sr") + word + "=1", "f" + word]
        self.after[0:0] = ["l0" + word for word in words] + ["#0"]

    @staticmethod
    def vary_store(rng, op):
        if op[0] != "s":
            return op
        second = "%x" % (place(op[1]) % 8 + 8 * (rng.random() < .25))
        return rng.choice("sssr") + second + op[2:]

    @staticmethod
    def vary_load(rng, op):
        if op[0] != "l":
            return op
        second = "%x" % (place(op[2]) % 8 + 8 * (rng.random() < .25))
        return rng.choice("lllllllhbjc") + op[1] + second

    def write(self, out, where):
        for n, ops in enumerate((self.before, self.after)):
            out.append("static void p%d_%d(void) {" % (self.number, n))
            for i, op in enumerate(ops):
                out.append("l%d: %s" % (i, after(op, i) if n else before(op)))
                where[len(out)] = (self.number, (n, i))
            out.append(" ".join("l%d:" % i for i in range(len(ops), len(ops) + 12)) + " return; }")
        return "{p%d_0, p%d_1}" % (self.number, self.number)


def generate(seed, number):
    return Case(number, random.Random("%d %d" % (seed, number)))


def facts(finding, counts):
    """Without sizes, and counts only if loads are of whole words: where nothing is forgotten a load reads those bytes only
    that are not known, perhaps in several pieces."""
    parts = sorted((p["role"], p["location"]["line"], p["execution"]) for p in finding["parts"])
    windows = [(w["after"]["line"], w["before"]["line"], w["flush"]) for w in finding["fix_windows"] or []]
    of_runs = finding["kind"].startswith("redundant")
    count = finding["count"] if counts and not of_runs else None
    if not parts:  # likely fixes follow from the executions that were walked
        return (finding["kind"], finding["message"], finding["replay"], count)
    return (finding["kind"], finding["message"], finding["replay"] or "", parts, windows, finding["fix"], count)


def check(program, index, case, settings, *options, **environment):
    report = random_programs.run_check(["--failures=%d" % case.failures, "--max-steps=20000", *options], program, str(index),
                                       TIDEMARK_TEST_SETTINGS=settings, **environment)
    same = {key: report.get(key) for key in ("exit", "complete", "error", "executions", "failure_points", "outcomes")}
    counts = not any(op[0] in "hb" for op in case.after)
    same["findings"] = sorted((facts(f, counts) for f in report["findings"]), key=str)
    return same, report.get("program_runs", 0)


def differs(want, got):
    if want == got:
        return None
    for key in want:
        if want[key] != got[key] and key != "findings":
            return "%s: %s instead of %s" % (key, got[key], want[key])
    return "missing %s, wrong %s" % ([f for f in want["findings"] if f not in got["findings"]],
                                     [f for f in got["findings"] if f not in want["findings"]])


spared = 0


def verify(program, index, case, where):
    """None, or what differs."""
    global spared
    del where
    for analyses in ("--analyses=robustness,races,flushes", "--analyses=races --races=baseline", "--analyses=robustness", "--analyses=flushes"):
        words = analyses.split()
        want, runs = check(program, index, case, NEVER, "--no-share", *words)
        for settings in (NEVER,) + FORCED:
            got, fewer = check(program, index, case, settings, *words)
            what = differs(want, got)
            if what:
                return "%s with %s: %s" % (analyses, settings, what)
            spared += max(runs - fewer, 0) if settings != NEVER else 0
    want, _ = check(program, index, case, NEVER, "--analyses=robustness,races")
    got, _ = check(program, index, case, "recall-after=0", "--analyses=robustness,races", "--jobs=1", TIDEMARK_SCATTER="2")
    what = differs(want, got)
    return "in parts: %s" % what if what else None


if __name__ == "__main__":
    STATUS = analysis_programs.main(sys.modules[__name__])
    print("joining spared %d runs" % spared)
    sys.exit(STATUS)
