#!/usr/bin/env python3
"""Random small programs: does `tidemark check` find exactly the outcomes that the definition allows?

    pm_random.py --seed 1 --count 2000           generate and compare (pm_regress.txt first)
    pm_random.py --replay 'PROGRAM' [--failures 2] [--eadr]      one program

A disagreement is shrunk, printed with its replay command, and the exit status is 1.  Programs are
texts that pm_interpreter.c runs and pm_oracle.py understands.
"""
import argparse
import json
import random
import re
import sys

sys.dont_write_bytecode = True
import pm_oracle
import random_programs
from random_programs import difference, modes_difference, run_check, trouble

NAME = "pm_random"
INTERPRETER = random_programs.interpreter("pm_interpreter")
IMAGES_MAX = 600  # programs with more than this many crash images are left to bigger machines
VARYING = ("wall_seconds", "cpu_seconds", "peak_bytes", "said")  # keys of the report that may differ


class Case:
    """A program and the options it is checked with."""

    def __init__(self, text, failures=1, eadr=False):
        self.text, self.failures, self.eadr = text, failures, eadr
        self.want = None  # outcomes, once known

    def options(self):
        return ["--failures=%d" % self.failures] + (["--eadr"] if self.eadr else [])

    def with_text(self, text):
        text = re.sub(r" *([/|&;]) *", r"\1", re.sub(r" +", " ", text.strip()))
        return Case(text, self.failures, self.eadr)

    def line(self):
        return " ".join(self.options() + ["--replay", "'%s'" % self.text])

    @staticmethod
    def from_line(line):
        match = re.match(r"--failures=(\d+)( --eadr)? --replay '(.*)'$", line)
        return Case(match.group(3), int(match.group(1)), bool(match.group(2)))


def check(case, *extra):
    """The report of one run of the checker."""
    report = run_check([*case.options(), *extra], INTERPRETER, case.text)
    if report["complete"] and {f["kind"] for f in report["findings"]} == {"assertion"}:
        report["outcomes"][pm_oracle.AssertionFailed.outcome] = sum(f["count"] for f in report["findings"])
        report["asserted"] = True
    return report


def expected(case, flip=None, limit=None):
    return pm_oracle.outcomes(case.text, case.failures, pm_oracle.Rules(eadr=case.eadr, flip=flip), limit)


def disagreement(case, flip=None):
    """None, or what differs."""
    want = expected(case, flip) if case.want is None else case.want
    report = check(case)
    return (None if "asserted" in report else trouble(report)) or difference(want, set(report["outcomes"]))


def modes_disagreement(case):
    """None, or how a mode that must not matter does matter, or a wrong count."""
    what = modes_difference(check, case)
    if what:
        return what
    states = check(case, "--count-eager").get("eager_states")
    want = str(pm_oracle.eager_states(case.text, pm_oracle.Rules(eadr=case.eadr)))
    if states != want:
        return "--count-eager: %s, not %s" % (states, want)
    return None


def repeated_disagreement(case, runs=20):
    """None, or how one of many runs differs from the first."""
    def once():
        return json.dumps({key: value for key, value in check(case).items() if key not in VARYING})
    first = once()
    for _ in range(runs - 1):
        again = once()
        if again != first:
            return "two runs differ: %s / %s" % (first, again)
    return None


# ---- generating ----

class Generator:
    def __init__(self, rng):
        self.rng = rng
        self.lines = rng.randint(1, 3)
        self.words = [0, rng.choice([1, 2, 3]), 7]
        self.written = []  # offsets, so that loads and flushes find them

    def offset(self, size, aligned=False):
        r = self.rng
        base = r.randrange(self.lines) * 64 + r.choice(self.words) * 8
        if size < 8 and r.random() < .4:
            base += r.randrange(0, 8, size)
        if not aligned and r.random() < .2:
            base += r.randrange(8)
        return base

    def target(self, size, aligned=False):
        """Where to store."""
        self.written.append(self.offset(size, aligned))
        return self.written[-1]

    def interesting(self, size):
        """Where to load, or what to flush."""
        if self.written and self.rng.random() < .8:
            return self.rng.choice(self.written)
        return self.offset(size)

    def value(self, size):
        r = self.rng
        kind = r.random()
        if kind < .5:
            return r.randint(0, 5)
        if kind < .75:
            return r.randint(1, 255)
        return r.getrandbits(8 * min(size, 8))

    def size(self):
        return self.rng.choice([1, 2, 4, 4, 8, 8, 8, 8])

    def store(self):
        r = self.rng
        kind = r.choice("sssssssssssssmmzynRv")
        if kind in "mzy":
            size = r.choice([2, 7, 8, 12, 16, 20])
            source = self.offset(8) if kind == "y" else r.randint(0, 255)
            return "%s%d@%x=%x" % (kind, size, self.target(8), source)
        size = {"n": r.choice([4, 8]), "v": 16}.get(kind) or self.size()
        return "%s%d@%x=%x" % (kind, size, self.target(size, kind in "nR"), self.value(size))

    def locked(self):
        r = self.rng
        kind = r.choice("AxaccccCC")
        if kind == "C":
            return "C16@%x=%x,%x" % (r.randrange(self.lines) * 64 + r.choice([0, 0, 16, 48]), r.choice([0, 0, 0, 1]), r.randint(0, 9))
        size = self.size()
        at = self.target(size, True)
        if kind == "c":
            return "c%d@%x=%x,%x" % (size, at, r.choice([0, 0, 1, 2]), self.value(size))
        return "%s%d@%x=%x" % (kind, size, at, self.value(size))

    def flush(self):
        return "%s@%x" % (self.rng.choice("ffooowww"), self.interesting(1))

    def fence(self):
        return self.rng.choice("SSSSMML")

    def load(self):
        r = self.rng
        if r.random() < .12:
            size = r.choice([3, 9, 16, 24])
            return "r%d@%x" % (size, self.interesting(8))
        if r.random() < .05:
            return "V16@%x" % self.interesting(8)
        if r.random() < .06:
            return "k%d@%x" % (r.choice([1, 2, 4]), self.interesting(4))
        size = self.size()
        return "l%d@%x" % (size, self.interesting(size))

    def pick(self, weighted):
        return self.rng.choices([w[0] for w in weighted], [w[1] for w in weighted])[0]()

    def before(self, length):
        kinds = [(self.store, 11), (self.flush, 6), (self.fence, 4), (self.locked, 2), (self.load, .5)]
        operations = [self.pick(kinds) for _ in range(length)]
        if self.rng.random() < .3:  # what programs do: store, flush what was stored, perhaps a fence, commit
            at = self.target(8, True)
            operations += ["s8@%x=7" % at, "%s@%x" % (self.rng.choice("fow"), at)]
            operations += self.rng.choice([[], [self.fence()], [self.store()], [self.store(), self.fence()], ["c8@1f8=1,2"]])
            operations += [self.rng.choice([self.store, self.locked])()]
        return operations

    def branch(self):
        return self.rng.choice(["?1", "?2", "!1", "!2", "#"])

    def dependent(self):
        size = self.size()
        return "d%d@%x+%x" % (size, self.target(size), self.rng.randint(0, 3))

    def after(self, length):
        kinds = [(self.load, 10), (self.store, 2), (self.flush, 1.5), (self.fence, .7), (self.locked, 1),
                 (self.branch, 1.5), (self.dependent, 1)]
        return [self.pick(kinds) for _ in range(length)] + [self.load()]

    def section(self, make, longest):
        r = self.rng
        length = r.randint(1, longest)
        if r.random() > .15:
            return " ".join(make(length))
        first, second = make(max(1, length // 2)), make(max(1, length // 2))
        if r.random() < .5:  # one thread flushes, the other has the fence
            at = self.target(8, True)
            first += ["s8@%x=7" % at, "%s@%x" % (r.choice("ow"), at)]
            second = [self.fence(), self.store()] + second
        return " ".join(first) + r.choice("|&&") + " ".join(second)

    def case(self, failures):
        r = self.rng
        sections = [self.section(self.before, 9)]
        for _ in range(2 if failures > 1 and r.random() < .2 else 1):
            sections.append(self.section(self.after, 6))
        return Case("/".join(sections), failures, r.random() < .06)


def generate(rng, failures, flip=None):
    """A case small enough for the oracle, which remembers its outcomes."""
    while True:
        case = Generator(rng).case(failures)
        case.want = expected(case, flip, IMAGES_MAX)
        if case.want is not None:
            return case


# ---- shrinking ----

def smaller(case):
    """Simpler variants of a case, most drastic first."""
    text = case.text
    if case.failures > 1:
        yield Case(text, case.failures - 1, case.eadr)
    if case.eadr:
        yield Case(text, case.failures)
    for at, c in enumerate(text):
        if c in "|&;":
            yield case.with_text(text[:at] + " " + text[at + 1:])
    sections = text.split("/")
    if len(sections) > 2:
        yield case.with_text("/".join(sections[:-1]))
    words = re.split(r"([ /|&;])", text)
    for i in range(0, len(words), 2):
        if words[i]:
            yield case.with_text("".join(words[:i] + words[i + 1:]))
    for i in range(0, len(words), 2):
        for simpler in smaller_operation(words[i]):
            yield case.with_text("".join(words[:i] + [simpler] + words[i + 1:]))


def smaller_operation(word):
    match = re.match(r"([a-zA-Z])(\d*)@([0-9a-f]+)(?:=([0-9a-f]+))?$", word)
    if not match:
        return
    kind, size, at, value = match.groups()
    tail = "" if value is None else "=" + value
    if kind in "mzynARxav":
        yield "s8@%s%s" % (at, tail) if kind not in "mzy" else "s8@%s=1" % at
    if kind in "ow":
        yield "f@" + at
    if kind in "rkV":
        yield "l8@" + at
    if int(at, 16) % 64:
        yield "%s%s@%x%s" % (kind, size, int(at, 16) // 64 * 64, tail)
    if size and size != "8" and kind in "sl":
        yield "%s8@%s%s" % (kind, at, tail)
    if value not in (None, "1") and kind != "y":
        yield "%s%s@%s=1" % (kind, size, at)


# ---- comparing ----

def random_cases(arguments):
    for i in range(arguments.count):
        rng = random.Random("%d.%d" % (arguments.seed, i))
        failures = arguments.failures or rng.choices([1, 2, 3], [8, 3, 1])[0]
        case = generate(rng, failures, arguments.flip)
        yield Case(case.text, case.failures, True) if arguments.eadr else case


def tests(arguments):
    cases = list(random_cases(arguments))
    usual = random_programs.usual_tests(sys.modules[__name__], arguments, cases, "pm_regress.txt", 40)
    repeated = cases[:1] + [case for case in cases if "#" in case.text][:2]
    return usual if arguments.flip else usual + [(repeated_disagreement, repeated)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    random_programs.add_arguments(parser, pm_oracle.FLIPS)
    parser.add_argument("--failures", type=int, default=0, help="0: mostly 1, sometimes 2 or 3")
    parser.add_argument("--eadr", action="store_true", help="always; otherwise now and then")
    parser.add_argument("--foreign", action="store_true", help="loads and stores in code that is built without hooks")
    arguments = parser.parse_args()
    if arguments.foreign:
        global INTERPRETER
        INTERPRETER = random_programs.build_foreign_interpreter("pm_interpreter", "-mcx16")
    else:
        random_programs.build_interpreter("pm_interpreter", "-mcx16")
    case = None
    if arguments.replay is not None:
        case = Case(arguments.replay, arguments.failures or 1, arguments.eadr)
    return random_programs.run(sys.modules[__name__], arguments, case)


if __name__ == "__main__":
    sys.exit(main())
