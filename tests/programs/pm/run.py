#!/usr/bin/env python3
"""Checks every program in litmus/ and schedules/ and compares its outcomes with the ones its comments promise.

    run.py [NAME...]        all programs, or those whose name contains one of NAME

A program says in comment lines:
    // OUTCOMES: a; b; c      exactly these strings are what tidemark_outcome may be given
    // OPTIONS: ...           options of tidemark check
    // FLAGS: ...             options of tidemark-cc
    // FINDINGS: kind count; ...   what it does wrong; without this line, nothing
Each is checked three times, plainly, with --isolate and with --no-share; all three must agree in
outcomes, their counts, and findings.

Those in schedules/ are checked with --schedule=all; FINDINGS are kinds only.  Trying every schedule
one by one must give the same outcomes and findings, sampling no others, and every finding, also
those of sampled schedules, must show up again in its replay.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BUILD = os.environ.get("TIDEMARK_BUILD", os.path.join(ROOT, "build"))
PROGRAMS = os.path.join(BUILD, "tests", "pm")


def promised(source, key):
    with open(source, encoding="utf-8") as text:
        match = re.search(r"^// %s: (.*)$" % key, text.read(), re.M)
    return match.group(1) if match else ""


def check(program, options):
    command = [os.path.join(BUILD, "bin", "tidemark"), "check", "--json=-", *options, program]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
    if done.returncode not in (0, 1):
        raise ValueError("exit status %d: %s" % (done.returncode, done.stderr.decode(errors="replace").strip()))
    report = json.loads(done.stdout)
    if not report["complete"]:
        raise ValueError("incomplete")
    return report


def build(source):
    program = os.path.join(PROGRAMS, os.path.relpath(source, HERE)[:-2].replace("/", "_"))
    compiler = os.path.join(BUILD, "bin", "tidemark-cc")
    needs = [source, compiler, os.path.join(HERE, "pm.h"), os.path.join(HERE, "threads.h"), os.path.join(ROOT, "include", "tidemark.h")]
    if os.path.exists(program) and os.path.getmtime(program) > max(map(os.path.getmtime, needs)):
        return program
    done = subprocess.run([compiler, "-O2", "-g", *promised(source, "FLAGS").split(), source, "-o", program],
                          stderr=subprocess.PIPE, check=False)
    if done.returncode or done.stderr:
        raise ValueError("compiler: " + done.stderr.decode())
    return program


def without_run(findings):
    """What must not depend on the options."""
    return [{key: value for key, value in f.items() if key != "run"} for f in findings]


def kinds(report):
    return {f["kind"] for f in report["findings"]}


def compare(source):
    program = build(source)
    options = promised(source, "OPTIONS").split()
    schedules = os.path.basename(os.path.dirname(source)) == "schedules"
    report = check(program, options + ["--schedule=all"] * schedules)
    compare_outcomes(source, report)
    if schedules:
        found = "; ".join(sorted(kinds(report)))
    else:
        found = "; ".join(sorted("%s %d" % (f["kind"], f["count"]) for f in report["findings"]))
    if found != promised(source, "FINDINGS"):
        raise ValueError("findings: " + found)
    for mode in ("--isolate", "--no-share"):
        other = check(program, options + ["--schedule=all"] * schedules + [mode])
        for key in ("outcomes", "executions"):
            if report[key] != other[key]:
                raise ValueError("%s: %.300s, was %.300s" % (mode, other[key], report[key]))
        if without_run(report["findings"]) != without_run(other["findings"]):
            raise ValueError("%s: other findings" % mode)
    if schedules:
        replay_findings(report)
        compare_schedules(source, program, options)


def compare_outcomes(source, report):
    want = set(promised(source, "OUTCOMES").split("; "))
    got = set(report["outcomes"])
    if got != want:
        raise ValueError("missing {%s}, impossible {%s}" % ("; ".join(sorted(want - got)), "; ".join(sorted(got - want))))


def compare_schedules(source, program, options):
    """Other ways to choose schedules."""
    want = set(promised(source, "OUTCOMES").split("; "))
    found = set(promised(source, "FINDINGS").split("; ")) - {""}
    report = check(program, options + ["--schedule=bounded:1000"])
    compare_outcomes(source, report)
    if kinds(report) != found:
        raise ValueError("bounded:1000: %s" % kinds(report))
    replay_findings(report)
    for sampling in (["--schedule=random"], ["--schedule=pct:3", "--seed=7"]):
        report = check(program, options + sampling)
        if not set(report["outcomes"]) <= want:
            raise ValueError("%s: impossible {%s}" % (sampling, "; ".join(sorted(set(report["outcomes"]) - want))))
        if kinds(report) != found:
            raise ValueError("%s: %s" % (sampling, kinds(report)))
        replay_findings(report)


def replay_findings(report):
    if not report["findings"]:
        return
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(report, file)
        file.flush()
        for number, finding in enumerate(report["findings"], 1):
            command = [os.path.join(BUILD, "bin", "tidemark"), "replay", "--json=-", "--finding=%d" % number, file.name]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
            if done.returncode != 1:
                raise ValueError("replay of %s: exit status %d" % (finding["replay"], done.returncode))
            again = json.loads(done.stdout)["findings"]
            for key in ("kind", "message", "location", "replay", "trace"):
                if [f[key] for f in again] != [finding[key]]:
                    raise ValueError("replay of %s: %s is %s" % (finding["replay"], key, [f[key] for f in again]))


def attempt(source):
    try:
        compare(source)
    except (ValueError, KeyError, OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    return None


def main():
    os.makedirs(PROGRAMS, exist_ok=True)
    names = sys.argv[1:] or [""]
    sources = [s for folder in ("litmus", "schedules") for s in sorted(glob.glob(os.path.join(HERE, folder, "*.c")))
               if any(name in os.path.basename(s) for name in names)]
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for source, problem in zip(sources, pool.map(attempt, sources)):
            if problem:
                failed += 1
                print("FAILED %s: %s" % (os.path.basename(source), problem))
    print("%d passed, %d failed" % (len(sources) - failed, failed))
    return 1 if failed or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
