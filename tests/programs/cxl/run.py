#!/usr/bin/env python3
"""Checks every program in litmus/ and schedules/ and compares its outcomes with the ones its comments promise.

    run.py [NAME...]            all programs, or those whose name contains one of NAME
    run.py --write [NAME...]    writes their COUNTS anew; look at the difference before you believe it

A program says in comment lines, once or more:
    // OPTIONS: ...           options of tidemark check besides --model=cxl
    // MACHINES: a.c x; b.c   optional: what each machine runs, files of litmus/ or litmus/machines/
    // OUTCOMES: a; b; c      exactly these strings are what tidemark_outcome may be given; "a + b" is
                              what two machines said in one execution
    // FINDINGS: kind; ...    optional: exactly these kinds of findings
    // COUNTS: ...            executions, program runs and failure points, exactly
and once, optionally:
    // FLAGS: ...             options of tidemark-cc
Each is checked three times, plainly, with --isolate (not where schedules are explored) and with
--no-share; all three must agree in outcomes, their counts, and findings.  "nothing": no machine says anything.
"""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import litmus_runner
from litmus_runner import BUILD, MODES, TIDEMARK, check, compare_counts, compare_modes, compare_sets, counts

LITMUS = os.path.join(HERE, "litmus")
SCHEDULES = os.path.join(HERE, "schedules")
PROGRAMS = os.path.join(BUILD, "tests", "cxl")
SCENARIO = re.compile(r"// OPTIONS:(.*)\n(?:// MACHINES: (.*)\n)?// OUTCOMES: (.*)\n(?:// FINDINGS: (.*)\n)?"
                      r"(?:// COUNTS: (.*)\n)?")


def build(source):
    return litmus_runner.build(source, PROGRAMS, os.path.join(HERE, "cxl.h"))


def commands(source, machines):
    """The end of the command line: a program, or an option for each machine."""
    if not machines:
        return [build(source)]
    options = []
    for machine in machines.split("; "):
        name, *arguments = machine.split()
        path = os.path.join(LITMUS, name)
        path = path if os.path.exists(path) else os.path.join(LITMUS, "machines", name)
        options.append("--machine=" + " ".join([build(path)] + arguments))
    return options


def replay(report, name):
    """The first finding can be made to happen again."""
    path = os.path.join(PROGRAMS, name + ".json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(report, out)
    done = subprocess.run([TIDEMARK, "replay", path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=240, check=False)
    if done.returncode != 1 or b"error[" + report["findings"][0]["kind"].encode() not in done.stdout:
        raise ValueError("replay: exit status %d: %s" % (done.returncode, done.stdout.decode(errors="replace")))


def compare(source):
    with open(source, encoding="utf-8") as text:
        scenarios = SCENARIO.findall(text.read())
    if not scenarios:
        raise ValueError("promises nothing")
    for given, machines, outcomes, findings, counted in scenarios:
        command, options = commands(source, machines), ["--model=cxl", *given.split()]
        report = check(options, command)
        said = {outcome.replace("; ", " + ") for outcome in report["outcomes"]}
        compare_sets(set(outcomes.split("; ")) - {"nothing"}, said, "outcomes with '%s'" % given.strip())
        kinds = {f["kind"] + ": " + f["message"] for f in report["findings"] if f["kind"] not in findings.split("; ")}
        compare_sets(set(), kinds, "findings")
        compare_sets(set(findings.split("; ")) - {""}, {f["kind"] for f in report["findings"]}, "findings")
        compare_counts(counted, report, "counts with '%s'" % given.strip())
        if findings:
            replay(report, os.path.basename(source)[:-2])
        compare_modes(report, options, command, ["--no-share"] if "--schedule" in given else MODES)


def with_counts(source):
    def scenario(match):
        given, machines, _, _, counted = match.groups()
        line = "// COUNTS: %s\n" % counts(check(["--model=cxl", *given.split()], commands(source, machines)))
        return match.group()[:-len("// COUNTS: \n" + counted)] + line if counted else match.group() + line

    with open(source, encoding="utf-8") as text:
        return SCENARIO.sub(scenario, text.read())


if __name__ == "__main__":
    sys.exit(litmus_runner.main(PROGRAMS, [LITMUS, SCHEDULES], compare, with_counts))
