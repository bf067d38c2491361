#!/usr/bin/env python3
"""fixes.py: --fix --verify-fix over every program that has a robustness finding: the seeded bugs of examples/, for
persistent memory and for machines that share it, and the programs beside this file.

Of each: how many findings the diff has a change for, how many of them it removes, how many are left, and how many are new;
and for how many there is no change.  It fails if one is left or new, or if there is neither a change nor a word about it."""
import os
import re
import subprocess
import sys
import tempfile

import examples
import run

LINE = re.compile(r"(\d+) of (\d+) findings? (?:is|are) fixed, (\d+) still there, (\d+) new")


def verify(program, options, arguments):
    """(fixed, all, still there, new, without a change, what was said)"""
    command = [os.path.join(run.BIN, "tidemark"), "check", "--quiet", "--fix=/dev/null", "--verify-fix", *options,
               program, *arguments]
    said = subprocess.run(command, stderr=subprocess.PIPE, timeout=600, check=False).stderr.decode()
    match = LINE.search(said)
    without = said.count("no change for ")
    return (*(int(n) for n in match.groups()), without, said) if match else (0, 0, 0, 0, without, said)


def seeded():
    for line in (examples.SEEDED.strip() + examples.SEEDED_CXL.rstrip()).splitlines():
        analysis, program, switch, arguments = line.split()[:4]
        if analysis == "robustness":
            name = "%s-%s" % (program, switch)
            yield name, os.path.join(run.BUILD, "examples", name), ["--analyses=robustness", *examples.model(program)], \
                arguments.split("_")


def beside(folder):
    for name in sorted(n for n in os.listdir(run.HERE) if n.endswith(".c")):
        path = os.path.join(run.HERE, name)
        for number, (flags, checks) in enumerate(run.read(path)[1]):
            wanted = [options for options, findings, _ in checks if any(f[0] == "robustness" for f in findings)]
            if not wanted:
                continue
            program = os.path.join(folder, "%s-%d" % (name[:-2], number))
            subprocess.run([os.path.join(run.BIN, "tidemark-cc"), "-g", "-mclwb", *flags, path, "-o", program], check=True)
            for options in wanted:
                yield " ".join([name, *flags, *options]), program, options, []


def main():
    passed = failed = 0
    print("%-90s %7s %5s %5s %5s %9s" % ("", "changes", "fixed", "left", "new", "no change"))
    with tempfile.TemporaryDirectory() as folder:
        for source in (seeded(), beside(folder)):
            for name, program, options, arguments in source:
                fixed, count, left, new, without, said = verify(program, options, arguments)
                good = fixed == count and count + without > 0 and left == new == 0
                passed, failed = passed + good, failed + (not good)
                print("%-90s %7d %5d %5d %5d %9d%s" % (name, count, fixed, left, new, without, "" if good else "  FAILED"),
                      flush=True)
                if not good:
                    print("     " + said.strip().replace("\n", "\n     "))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
