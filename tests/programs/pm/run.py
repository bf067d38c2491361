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
import glob
import json
import os
import re
import subprocess
import sys
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
    for finding in report["findings"]:
        del finding["run"]  # has the options
    if not report["complete"]:
        raise ValueError("incomplete")
    return report


def build(source):
    program = os.path.join(PROGRAMS, os.path.basename(source)[:-2])
    compiler = os.path.join(BUILD, "bin", "tidemark-cc")
    needs = [source, compiler, os.path.join(HERE, "pm.h"), os.path.join(ROOT, "include", "tidemark.h")]
    if os.path.exists(program) and os.path.getmtime(program) > max(map(os.path.getmtime, needs)):
        return program
    done = subprocess.run([compiler, "-O2", "-g", *promised(source, "FLAGS").split(), source, "-o", program],
                          stderr=subprocess.PIPE, check=False)
    if done.returncode or done.stderr:
        raise ValueError("compiler: " + done.stderr.decode())
    return program


def compare(source):
    program = build(source)
    options = promised(source, "OPTIONS").split()
    report = check(program, options)
    want = set(promised(source, "OUTCOMES").split("; "))
    got = set(report["outcomes"])
    if got != want:
        raise ValueError("missing {%s}, impossible {%s}" % ("; ".join(sorted(want - got)), "; ".join(sorted(got - want))))
    found = "; ".join(sorted("%s %d" % (f["kind"], f["count"]) for f in report["findings"]))
    if found != promised(source, "FINDINGS"):
        raise ValueError("findings: " + found)
    for mode in ("--isolate", "--no-share"):
        other = check(program, options + [mode])
        for key in ("outcomes", "executions", "findings"):
            if report[key] != other[key]:
                raise ValueError("%s: %.300s, was %.300s" % (mode, other[key], report[key]))


def attempt(source):
    try:
        compare(source)
    except (ValueError, KeyError, OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    return None


def main():
    os.makedirs(PROGRAMS, exist_ok=True)
    names = sys.argv[1:] or [""]
    sources = [s for s in sorted(glob.glob(os.path.join(HERE, "litmus", "*.c")))
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
