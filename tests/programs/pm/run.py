#!/usr/bin/env python3
"""Checks every program in litmus/ and compares its outcomes with the ones its comments promise.

    run.py [NAME...]        all programs, or those whose name contains one of NAME

A program says in comment lines:
    // OUTCOMES: a; b; c      exactly these strings are what tidemark_outcome may be given
    // OPTIONS: ...           options of tidemark check
    // FLAGS: ...             options of tidemark-cc
    // FINDINGS: kind count; ...   what it does wrong; without this line, nothing
Each is checked three times, plainly, with --isolate and with --no-share; all three must agree in
outcomes, their counts, and findings.
"""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from litmus_runner import BUILD, build, check, compare_modes, compare_sets, main, promised

PROGRAMS = os.path.join(BUILD, "tests", "pm")


def compare(source):
    command = [build(source, PROGRAMS)]
    options = promised(source, "OPTIONS").split()
    report = check(options, command)
    compare_sets(set(promised(source, "OUTCOMES").split("; ")), set(report["outcomes"]), "outcomes")
    found = "; ".join(sorted("%s %d" % (f["kind"], f["count"]) for f in report["findings"]))
    if found != promised(source, "FINDINGS"):
        raise ValueError("findings: " + found)
    compare_modes(report, options, command)


if __name__ == "__main__":
    sys.exit(main(PROGRAMS, os.path.join(HERE, "litmus"), compare))
