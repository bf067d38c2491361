#!/usr/bin/env python3
"""Checks every program in litmus/ and schedules/ and compares its outcomes with the ones its comments
promise.

    run.py [NAME...]            all programs, or those whose name contains one of NAME
    run.py --write [NAME...]    writes their COUNTS anew; look at the difference before you believe it

A program says in comment lines:
    // OUTCOMES: a; b; c      exactly these strings are what tidemark_outcome may be given
    // OPTIONS: ...           options of tidemark check
    // FLAGS: ...             options of tidemark-cc
    // FINDINGS: kind count; ...   what it does wrong; without this line, nothing
    // COUNTS: ...            executions, program runs and failure points, exactly
Each is checked three times, plainly, with --isolate and with --no-share; all three must agree in
outcomes, their counts, and findings.

Those in schedules/ are checked with --schedule=all; FINDINGS are kinds only, and EAGER is the number
of states that --count-eager counts.  Joining executions from the first one on, and trying every schedule
one by one, must give the same outcomes and findings, sampling or a bound of 0 no others, and every finding, also
those of sampled schedules, must show up again in its replay.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from litmus_runner import (BUILD, TIDEMARK, build, check, compare_counts, compare_modes, compare_sets, counts, main,
                           promised)

PROGRAMS = os.path.join(BUILD, "tests", "pm")


def outcomes(source):
    return set(promised(source, "OUTCOMES").split("; "))


def kinds(report):
    return {f["kind"] for f in report["findings"]}


def explores_schedules(source):
    return os.path.basename(os.path.dirname(source)) == "schedules"


def build_for_schedules(source):
    folder = os.path.join(PROGRAMS, "schedules")
    os.makedirs(folder, exist_ok=True)
    return build(source, folder, os.path.join(HERE, "threads.h"))


def compare(source):
    if explores_schedules(source):
        compare_schedules(source)
        return
    command = [build(source, PROGRAMS)]
    options = promised(source, "OPTIONS").split()
    report = check(options, command)
    compare_counts(promised(source, "COUNTS"), report, "counts")
    compare_sets(outcomes(source), set(report["outcomes"]), "outcomes")
    found = "; ".join(sorted("%s %d" % (f["kind"], f["count"]) for f in report["findings"]))
    if found != promised(source, "FINDINGS"):
        raise ValueError("findings: " + found)
    compare_modes(report, options, command)


def compare_schedules(source):
    command = [build_for_schedules(source)]
    options = promised(source, "OPTIONS").split()
    found = set(promised(source, "FINDINGS").split("; ")) - {""}
    for schedule in ("all", "bounded:1000"):
        with_schedule = [*options, "--schedule=" + schedule]
        report = check(with_schedule, command)
        compare_sets(outcomes(source), set(report["outcomes"]), schedule + ": outcomes")
        compare_sets(found, kinds(report), schedule + ": findings")
        replay_findings(report)
        if schedule == "all":
            compare_counts(promised(source, "COUNTS"), report, "counts")
            compare_modes(report, with_schedule, command)
    report = check([*options, "--schedule=all"], command, "join-after=0")
    compare_sets(outcomes(source), set(report["outcomes"]), "joined: outcomes")
    compare_sets(found, kinds(report), "joined: findings")
    report = check([*options, "--schedule=bounded:0"], command)
    compare_sets(set(), set(report["outcomes"]) - outcomes(source), "bounded:0: outcomes")
    compare_sets(set(), kinds(report) - found, "bounded:0: findings")
    if promised(source, "EAGER"):
        report = check([*options, "--schedule=all", "--count-eager"], command)
        compare_sets({promised(source, "EAGER")}, {report["eager_states"]}, "eager states")
    for sampling in (["--schedule=random"], ["--schedule=pct:3", "--seed=7"]):
        report = check([*options, *sampling], command)
        compare_sets(set(), set(report["outcomes"]) - outcomes(source), sampling[0] + ": outcomes")
        compare_sets(found, kinds(report), sampling[0] + ": findings")
        replay_findings(report)


def replay_findings(report):
    if not report["findings"]:
        return
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(report, file)
        file.flush()
        for number, finding in enumerate(report["findings"], 1):
            done = subprocess.run([TIDEMARK, "replay", "--json=-", "--finding=%d" % number, file.name],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=240, check=False)
            if done.returncode != 1:
                raise ValueError("replay of %s: exit status %d" % (finding["replay"], done.returncode))
            again = json.loads(done.stdout)["findings"]
            for key in ("kind", "message", "location", "replay", "trace"):
                if [f[key] for f in again] != [finding[key]]:
                    raise ValueError("replay of %s: %s is %s" % (finding["replay"], key, [f[key] for f in again]))


def with_counts(source):
    options = promised(source, "OPTIONS").split()
    command = [build(source, PROGRAMS)] if not explores_schedules(source) else [build_for_schedules(source)]
    report = check(options + (["--schedule=all"] if explores_schedules(source) else []), command)
    with open(source, encoding="utf-8") as file:
        text = re.sub(r"^// COUNTS: .*\n", "", file.read(), flags=re.M)
    last = list(re.finditer(r"^// (?:OUTCOMES|OPTIONS|FINDINGS|EAGER): .*\n", text, re.M))[-1].end()
    return text[:last] + "// COUNTS: %s\n" % counts(report) + text[last:]


if __name__ == "__main__":
    sys.exit(main(PROGRAMS, [os.path.join(HERE, "litmus"), os.path.join(HERE, "schedules")], compare, with_counts))
