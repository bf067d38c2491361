#!/usr/bin/env python3
"""Random small programs for several machines: does `tidemark check --model=cxl` find exactly the
outcomes that the definition allows?

    cxl_random.py --seed 1 --count 2000          generate and compare (cxl_regress.txt first)
    cxl_random.py --machines=3 --gpf --replay 'PROGRAM'      one program
    cxl_random.py --flip NAME                    compare with a wrong oracle: must disagree

A disagreement is shrunk, printed with its replay command, and the exit status is 1.  Programs are
texts that cxl_interpreter.c runs and cxl_oracle.py understands.  The options --machines, --gpf,
--poison, --coherence=cxlmc and --flush=global fix what is otherwise random, too.
"""
import argparse
import random
import re
import sys

sys.dont_write_bytecode = True
import cxl_oracle
import random_programs
from random_programs import difference, modes_difference, run_check, trouble

NAME = "cxl_random"
INTERPRETER = random_programs.interpreter("cxl_interpreter")
STATES_MAX = 1500  # programs with more states than this at one time are left to bigger machines


class Case:
    """A program and the options it is checked with."""

    OPTIONS = {"gpf": "--gpf", "poison": "--poison", "paper": "--coherence=cxlmc", "global_flush": "--flush=global"}

    def __init__(self, text, machines=2, failures=None, **switches):
        self.text, self.machines, self.failures = text, machines, failures
        self.want = None  # outcomes, once known
        self.switches = {name for name, on in switches.items() if on}

    def options(self):
        failures = [] if self.failures is None else ["--failures=%d" % self.failures]
        return ["--machines=%d" % self.machines] + failures + [self.OPTIONS[name] for name in sorted(self.switches)]

    def with_(self, text=None, machines=None, failures=0, without=None):
        switches = {name: True for name in self.switches if name != without}
        return Case(self.text if text is None else text, machines or self.machines,
                    self.failures if failures == 0 else failures, **switches)

    def rules(self, flip=None):
        return cxl_oracle.Rules(self.machines, self.failures, flip=flip, **{name: True for name in self.switches})

    def line(self):
        return " ".join(self.options() + ["--replay", "'%s'" % self.text])

    @staticmethod
    def from_line(line):
        options, text = re.match(r"(.*) --replay '(.*)'$", line).groups()
        arguments = parser().parse_args(options.split())
        return case_of(arguments, text)


def case_of(arguments, text):
    return Case(text, arguments.machines or 2, arguments.failures, **switches_of(arguments))


def switches_of(arguments):
    return {"gpf": arguments.gpf, "poison": arguments.poison, "paper": arguments.coherence == "cxlmc",
            "global_flush": arguments.flush == "global"}


def check(case, *extra):
    """The report of one run of the checker."""
    return run_check(["--model=cxl", *case.options(), *extra], INTERPRETER, case.text)


def expected(case, flip=None, limit=None):
    return cxl_oracle.outcomes(case.text, case.rules(flip), limit)


def disagreement(case, flip=None):
    """None, or what differs."""
    want = expected(case, flip) if case.want is None else case.want
    report = check(case)
    got = {cxl_oracle.canonical(outcome) for outcome in report["outcomes"]} - {None}
    return trouble(report) or difference(want, got)


def modes_disagreement(case):
    """None, or how a mode that must not matter does matter."""
    return modes_difference(check, case)


# ---- generating ----

class Generator:
    def __init__(self, rng, machines):
        self.rng, self.machines = rng, machines
        self.lines = rng.choice([1, 1, 2, 2, 3])
        self.words = [0, rng.choice([1, 2, 7])]
        self.threads = rng.random() < .25
        self.calls = rng.random() < .5  # calls of library functions and 16-byte atomics, too
        self.written = []  # offsets of stores so far, for copies to start at

    def offset(self, size, aligned=False):
        r = self.rng
        base = r.randrange(self.lines) * 64 + r.choice(self.words) * 8
        if size < 8 and r.random() < .4:
            base += r.randrange(0, 8, size)
        if not aligned and r.random() < .08:
            base += r.randrange(8)
        return base

    def value(self):
        return self.rng.randint(1, 9) if self.rng.random() < .8 else self.rng.randint(0, 255)

    def size(self):
        return self.rng.choice([1, 2, 4, 8, 8, 8, 8])

    def place(self, size):
        """for something of that size: anywhere, but often across the end of a line"""
        r = self.rng
        at = self.offset(8) if r.random() < .7 else r.randrange(1, self.lines + 1) * 64 - r.choice([1, 4, 8])
        return at if at + size <= 256 else 0

    def copied(self, size):
        """to and from, which may overlap"""
        r = self.rng
        known = self.written and r.random() < .8
        source = max(r.choice(self.written) - r.choice([0, 0, 3, 8]) if known else self.place(size), 0)
        to = source + r.choice([-9, -8, -3, 3, 8, 9]) if r.random() < .3 else self.place(size)
        return max(to, 0), source

    def flags(self):
        return self.rng.choice([0, 0, 1, 2, 2, 3, 0x20])

    def call_store(self):
        r = self.rng
        kind, size = r.choice("yyyypPIzkK"), r.choice([2, 3, 8, 8, 12, 16])
        if kind in "yp":
            to, source = self.copied(size)
            return "%s%d@%x=%x%s" % (kind, size, to, source, ",%x" % self.flags() if kind == "p" else "")
        if kind == "K":
            return "K@%x=%x" % self.copied(8)
        flags = ",%x" % self.flags() if kind == "P" else ""
        return "%s%d@%x=%x%s" % (kind, size, self.place(size), r.randint(1, 9), flags)

    def call_load(self):
        r = self.rng
        kind, size = r.choice("OnnheE"), r.choice([2, 3, 8, 9])
        if kind in "eE":
            return "%s%s@%x=%x" % ((kind, size if kind == "e" else "") + self.copied(size))
        if kind == "n":
            return "n@%x" % self.place(8)
        return "%s%d@%x%s" % (kind, size, self.place(size), "=%x" % r.randint(0, 9) if kind == "h" else "")

    def call_locked(self):
        r = self.rng
        kind, at = r.choice("AAXCC"), r.randrange(self.lines) * 64 + r.choice([0, 0, 16, 48])
        if kind == "X":
            return "X16@%x" % at
        if kind == "A":
            return "A16@%x=%x" % (at, self.value())
        return "C16@%x=%x,%x" % (at, r.choice([0, 0, 1, 2]), self.value())

    def store(self):
        if self.calls and self.rng.random() < .35:
            return self.call_store()
        kind = self.rng.choice("ssssssssdm")
        size = self.rng.choice([3, 8, 12]) if kind == "m" else self.size()
        at = self.offset(8 if kind == "m" else size)
        self.written.append(at)
        return "%s%d@%x%s%x" % (kind, size, at, "=+"[kind == "d"], self.value())

    def load(self):
        if self.calls and self.rng.random() < .3:
            return self.call_load()
        if self.rng.random() < .07:
            return "r%d@%x" % (self.rng.choice([3, 9, 16]), self.offset(8))
        size = self.size()
        return "l%d@%x" % (size, self.offset(size))

    def locked(self):
        r = self.rng
        if self.calls and r.random() < .5:
            return self.call_locked()
        kind, size = r.choice("xaccc"), self.size()
        at = self.offset(size, True)
        if kind == "c":
            return "c%d@%x=%x,%x" % (size, at, r.choice([0, 0, 1, 2]), self.value() % 256)
        return "%s%d@%x=%x" % (kind, size, at, self.value())

    def flush(self):
        return "%s@%x" % (self.rng.choice("ffow"), self.rng.randrange(self.lines) * 64 + self.rng.choice([0, 1, 63]))

    def fence(self):
        return self.rng.choice("SSML")

    def ask(self):
        return "q@%x" % self.rng.randrange(self.machines)

    def branch(self):
        return "?1"

    def thread(self, machine):
        return "abc"[machine] if self.threads and self.rng.random() < .4 and machine < 3 else "%d" % machine

    def pick(self, *weights):
        """weights of store, load, flush, fence, locked, ask, branch"""
        makers = (self.store, self.load, self.flush, self.fence, self.locked, self.ask, self.branch)
        return self.rng.choices(makers, weights)[0]()

    def any_order(self, length):
        r = self.rng
        machine = 0
        for _ in range(length):
            if r.random() < .45:
                machine = r.randrange(self.machines)
            yield self.thread(machine) + self.pick(10, 8, 4, 2.5, 2, 1, .4)
        observer = self.machines - 1 if r.random() < .7 else r.randrange(self.machines)
        for _ in range(r.randint(1, 2)):
            yield "%d%s" % (observer, self.load())

    def commit(self, length):
        """Something is stored and perhaps flushed; a store to another line tells; somebody looks."""
        r = self.rng
        writer, other, observer = r.sample(range(self.machines), 2) + [r.randrange(self.machines)]
        words = (r.choice(self.words) * 8, 64 + r.choice(self.words) * 8)
        self.lines = 1
        first = r.choices(["s8@%x=%x", "m12@%x=%x", "m8@%x=%x"], [8, 1, 1])[0]
        at = words[0] + r.choice([0, 0, 0, 4])
        self.written.append(at)
        yield "%d%s" % (writer, first % (at, self.value()))
        for _ in range(length):
            machine = writer if r.random() < .65 else other
            yield self.thread(machine) + self.pick(2, 2, 6, 4, 2.5, 1, 0)
        yield "%ds8@%x=%x" % (writer, words[1], self.value())
        if r.random() < .3:
            yield "%df@40" % writer
        yield "%dl8@%x" % (observer, words[1])
        yield "%d%s@%x" % (observer, r.choices(["l8", "r16"], [4, 1])[0], words[0])

    def copies(self, length):
        """Something is stored, copied, perhaps flushed, and what arrived is looked at."""
        r = self.rng
        writer, copier, observer = (r.randrange(self.machines) for _ in range(3))
        source = r.choice([0, 0, 8, 0x34, 0x38])
        size, to = r.choice([9, 12, 16]), r.choice([source + 8, source - 8, 0x40, 0x78, 0x80])
        to = max(to, 0)
        yield "%d%s16@%x=%x" % (writer, r.choice("mmIz"), source, self.value())
        for _ in range(length // 2):
            yield self.thread(r.choice([writer, copier])) + self.pick(1, 2, 6, 3, 1, 1, 0)
        kind = r.choice("yyyyppK")
        flags = ",%x" % self.flags() if kind == "p" else ""
        yield "%s%s%s@%x=%x%s" % (self.thread(copier), kind, "" if kind == "K" else size, to, source, flags)
        for _ in range(length - length // 2):
            yield self.thread(r.choice([writer, copier])) + self.pick(1, 2, 6, 3, 1, 1, 0)
        yield "%d%s%d@%x" % (observer, r.choice("rrO"), size, to)

    def program(self):
        r = self.rng
        if self.calls and r.random() < .3:
            return " ".join(self.copies(r.randint(0, 4)))
        if r.random() < .4:
            return " ".join(self.commit(r.randint(1, 5)))
        return " ".join(self.any_order(r.randint(2, 9 if self.machines == 2 else 8)))


def random_case(rng, fixed):
    """fixed: the options that are not random"""
    machines = fixed.machines or rng.choice([2, 2, 3])
    failures = fixed.failures
    if failures is None and rng.random() < .15:
        failures = rng.randint(0, machines)
    switches = switches_of(fixed)
    if not any(switches.values()):
        kind = rng.choices([(), ("gpf",), ("poison",), ("paper",), ("global_flush",), ("paper", "global_flush"),
                            ("poison", "paper"), ("poison", "global_flush"), ("gpf", "paper")],
                           [10, 1.5, 2, 3, 3, 1, 2, 1, .5])[0]
        switches = {name: True for name in kind}
    return Case(Generator(rng, machines).program(), machines, failures, **switches)


# ---- shrinking ----

def smaller(case):
    """Simpler variants of a case, most drastic first."""
    for switch in sorted(case.switches):
        yield case.with_(without=switch)
    words = case.text.split()
    if case.machines > 2 and not any(w[0] in "%d%s" % (case.machines - 1, "abc"[case.machines - 1]) for w in words):
        yield case.with_(machines=case.machines - 1, failures=None)
    if case.failures is not None:
        yield case.with_(failures=None)
    for i in range(len(words)):
        yield case.with_(" ".join(words[:i] + words[i + 1:]))
    for i, word in enumerate(words):
        if word[0].isalpha():
            yield case.with_(" ".join(words[:i] + ["%d%s" % (ord(word[0]) - ord("a"), word[1:])] + words[i + 1:]))
        for simpler in smaller_operation(word):
            yield case.with_(" ".join(words[:i] + [simpler] + words[i + 1:]))


def smaller_operation(word):
    match = re.match(r"([0-9a-c])([a-zA-Z])(\d*)@([0-9a-f]+)(?:[=+]([0-9a-f]+))?(?:,([0-9a-f]+))?$", word)
    if not match:
        return
    machine, kind, size, at, value, _ = match.groups()
    if kind in "mdxacyzpPIkKAC":
        yield "%ss8@%s=1" % (machine, at)
    if kind in "OnheEX":
        yield "%sl8@%s" % (machine, at)
    if kind == "p":
        yield "%sy%s@%s=%s" % (machine, size, at, value)
    if kind in "ypeOIzh" and int(size) > 1:
        for fewer in {int(size) // 2, int(size) - 1}:
            yield word.replace("%s%s@" % (kind, size), "%s%d@" % (kind, fewer), 1)
    if kind in "ow":
        yield "%sf@%s" % (machine, at)
    if kind == "r":
        yield "%sl8@%s" % (machine, at)
    if kind == "q":
        return
    rest = "" if value is None else "=" + value
    if int(at, 16) % 64 and kind in "slf":
        yield "%s%s%s@%x%s" % (machine, kind, size, int(at, 16) // 64 * 64, rest)
    if size and size != "8" and kind in "sl":
        yield "%s%s8@%s%s" % (machine, kind, at, rest)


# ---- comparing ----

def tests(arguments):
    driver = sys.modules[__name__]
    cases = list(random_programs.small_cases(driver, arguments, random_case, STATES_MAX))
    return random_programs.usual_tests(driver, arguments, cases, "cxl_regress.txt", 40)


def parser(description=__doc__, flips=cxl_oracle.FLIPS):
    result = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    random_programs.add_arguments(result, flips)
    result.add_argument("--machines", type=int)
    result.add_argument("--failures", type=int)
    result.add_argument("--gpf", action="store_true")
    result.add_argument("--poison", action="store_true")
    result.add_argument("--coherence", choices=["cxl3", "cxlmc"], default="cxl3")
    result.add_argument("--flush", choices=["local", "global"], default="local")
    return result


def run(driver, arguments):
    random_programs.build_interpreter("cxl_interpreter", "-mcx16", "-lpmem")
    case = None if arguments.replay is None else case_of(arguments, arguments.replay)
    return random_programs.run(driver, arguments, case)


if __name__ == "__main__":
    sys.exit(run(sys.modules[__name__], parser().parse_args()))
