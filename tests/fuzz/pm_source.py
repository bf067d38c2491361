#!/usr/bin/env python3
"""The random programs of pm_random.py, written as C or C++ source in many ways.

    pm_source.py --seed 1 --count 500            generate, build, compare with the definition
    pm_source.py --forms 7 --language c++ --flags=-O2 --replay 'PROGRAM' [--failures 2] [--eadr]

pm_random.py interprets its programs, so that every store comes from one place of one program.  Here
each operation is a piece of source that a user might have written: fields, structs, vectors, atomics
of C and C++, builtins, assembly, at every level of optimisation.  Whatever way it is written, the
outcomes are those of the definition (pm_oracle.py).
"""
import argparse
import hashlib
import random
import sys

sys.dont_write_bytecode = True
import pm_oracle
import pm_random
import random_programs
from source_programs import C, CPP, FORMS, LEVELS, add_arguments, run, write

NAME, HEADER = "pm_source", "pm_source.h"
IN_FILE = 50  # programs of one source file


class Case(pm_random.Case):
    """A program, how it is checked, and how it is written and built."""

    def __init__(self, text, failures, eadr, forms, language, flags):
        super().__init__(text, failures, eadr)
        self.forms, self.language, self.flags = forms, language, flags
        self.program, self.number = None, 0

    def with_text(self, text):
        return self.like(super().with_text(text))

    def like(self, other):
        return Case(other.text, other.failures, other.eadr, self.forms, self.language, self.flags)

    def line(self):
        return "--forms=%d --language=%s --flags=%s %s" % (self.forms, self.language, self.flags, super().line())


PLACES = ["region + %#x", "opaque(%#x)", "&((union pm_line *)region)->byte[%d]", "region + (size_t)%d"]


def statement(case, number, operation):
    """One operation as source.  Which form depends on what it says only, so that shrinking leaves the others alone."""
    kind, size, offset, a, b = operation
    rng = random.Random(hashlib.sha256(("%d %s" % (case.forms, operation)).encode()).digest())
    place = rng.choice(PLACES[:2] if offset < 8 else PLACES) % offset
    value = {"c": b, "C": b}.get(kind, a)
    if size and size < 16 and kind in "sRAxacn":
        value %= 256 ** size
    value = "(seen->last + %dULL)" % a if kind == "d" else "%dULL" % value
    text = write(FORMS[kind], rng, case.language, size, offset, place, value, a, "region + %#x" % a)
    return "at%d: __attribute__((unused)); %s" % (number, text)


def thread_source(case, name, operations):
    lines = ["static void %s(void) {" % name]
    for number, operation in enumerate(operations):
        kind, count = operation[0], operation[1]
        if kind in "?!":
            to = min(number + 1 + count, len(operations))
            lines.append("at%d: __attribute__((unused)); if (%s) goto at%d;" % (number, "seen->last % 2 == 0" if kind == "?" else "!seen->last", to))
        else:
            lines.append(statement(case, number, operation))
    return "\n  ".join(lines) + "\n  at%d: __attribute__((unused));\n}\n" % len(operations)


def program_source(case, number):
    sections = pm_oracle.parse(case.text)
    parts, calls = [], []
    for level, (threads, joined) in enumerate(sections):
        names = ["p%d_%d_%d" % (number, level, thread) for thread in range(len(threads))]
        parts += [thread_source(case, name, operations) for name, operations in zip(names, threads)]
        calls.append("run_two(%s, %s, %d);" % (*names, joined) if len(names) == 2 else "%s();" % names[0])
    cases = ["case %d: %s break;" % (level, call) for level, call in enumerate(calls[:-1])]
    parts.append("/* %s */\nstatic void program%d(void) {\n  switch (tidemark_failures()) {\n  %s\n  default: %s\n  }\n}\n"
                 % (case.text.replace("*", "x"), number, "\n  ".join(cases), calls[-1]))
    return "\n".join(parts)


def check(case, *extra):
    report = random_programs.run_check([*case.options(), *extra], case.program, str(case.number))
    if report["complete"] and {f["kind"] for f in report["findings"]} == {"assertion"}:
        report["outcomes"][pm_oracle.AssertionFailed.outcome] = sum(f["count"] for f in report["findings"])
        report["asserted"] = True
    return report


def expected(case, flip=None, limit=None):
    return pm_random.expected(case, flip, limit)


def disagreement(case, flip=None):
    want = expected(case, flip) if case.want is None else case.want
    report = check(case)
    return ((None if "asserted" in report else random_programs.trouble(report)) or
            random_programs.difference(want, set(report["outcomes"])))


def smaller(case):
    for other in pm_random.smaller(case):
        yield case.like(other)


def random_batches(arguments):
    """Batches of one language and level each."""
    for start in range(0, arguments.count, IN_FILE):
        rng = random.Random("%d.%d" % (arguments.seed, start))
        language, flags = rng.choice([C, CPP]), rng.choice(LEVELS)
        cases = []
        for _ in range(min(IN_FILE, arguments.count - start)):
            made = pm_random.generate(rng, rng.choices([1, 2], [8, 2])[0], arguments.flip)
            cases.append(Case(made.text, made.failures, made.eadr, rng.getrandbits(30), language, flags))
            cases[-1].want = made.want
        yield cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, pm_oracle.FLIPS)
    parser.add_argument("--failures", type=int, default=1)
    parser.add_argument("--eadr", action="store_true")
    given = parser.parse_args()
    case = given.replay and Case(given.replay, given.failures, given.eadr, given.forms, given.language, given.flags)
    return run(sys.modules[__name__], given, case)


if __name__ == "__main__":
    sys.exit(main())
