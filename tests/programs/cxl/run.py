#!/usr/bin/env python3
"""Checks every program in litmus/ and compares its outcomes with the ones its comments promise.

    run.py [NAME...]        all programs, or those whose name contains one of NAME

A program says in comment lines, once or more:
    // OPTIONS: ...           options of tidemark check besides --model=cxl
    // MACHINES: a.c x; b.c   optional: what each machine runs, files of litmus/ or litmus/machines/
    // OUTCOMES: a; b; c      exactly these strings are what tidemark_outcome may be given
    // FINDINGS: kind; ...    optional: exactly these kinds of findings
and once, optionally:
    // FLAGS: ...             options of tidemark-cc
Each is checked three times, plainly, with --isolate and with --no-share; all three must agree in
outcomes, their counts, and findings.
"""
import glob
import importlib.util
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("pm_run", os.path.join(HERE, "..", "pm", "run.py"))
pm = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pm)

LITMUS = os.path.join(HERE, "litmus")
pm.PROGRAMS = os.path.join(pm.BUILD, "tests", "cxl")
SCENARIO = re.compile(r"// OPTIONS:(.*)\n(?:// MACHINES: (.*)\n)?// OUTCOMES: (.*)\n(?:// FINDINGS: (.*)\n)?")


def build(source):
    program = os.path.join(pm.PROGRAMS, os.path.basename(source)[:-2])
    newest = max(map(os.path.getmtime, [os.path.join(HERE, "cxl.h"), os.path.join(pm.BUILD, "bin", "tidemark-cc")]))
    if os.path.exists(program) and os.path.getmtime(program) < newest:
        os.remove(program)
    return pm.build(source)


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


def check(options, command):
    """The report; findings do not count as trouble."""
    command = [os.path.join(pm.BUILD, "bin", "tidemark"), "check", "--model=cxl", "--json=-", *options, *command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
    if done.returncode not in (0, 1):
        raise ValueError("exit status %d: %s" % (done.returncode, done.stderr.decode(errors="replace").strip()))
    report = json.loads(done.stdout)
    if not report["complete"] or (done.returncode == 1) != bool(report["findings"]):
        raise ValueError("exit status %d, complete: %s" % (done.returncode, report["complete"]))
    return report


def replay(report, name):
    """The first finding can be made to happen again."""
    path = os.path.join(pm.PROGRAMS, name + ".json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(report, out)
    done = subprocess.run([os.path.join(pm.BUILD, "bin", "tidemark"), "replay", path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60, check=False)
    if done.returncode != 1 or b"error[" + report["findings"][0]["kind"].encode() not in done.stdout:
        raise ValueError("replay: exit status %d: %s" % (done.returncode, done.stdout.decode(errors="replace")))


def difference(want, got, what):
    if got != want:
        raise ValueError("%s: missing {%s}, impossible {%s}" % (what, "; ".join(sorted(want - got)), "; ".join(sorted(got - want))))


def compare(source):
    with open(source, encoding="utf-8") as text:
        scenarios = SCENARIO.findall(text.read())
    if not scenarios:
        raise ValueError("promises nothing")
    for options, machines, outcomes, findings in scenarios:
        command = commands(source, machines)
        report = check(options.split(), command)
        difference(set(outcomes.split("; ")), set(report["outcomes"]), "outcomes with '%s'" % options.strip())
        kinds = {f["kind"] + ": " + f["message"] for f in report["findings"] if f["kind"] not in findings.split("; ")}
        difference(set(), kinds, "findings")
        difference(set(findings.split("; ")) - {""}, {f["kind"] for f in report["findings"]}, "findings")
        if findings:
            replay(report, os.path.basename(source)[:-2])
        for mode in ("--isolate", "--no-share"):
            other = check(options.split() + [mode], command)
            for key in ("outcomes", "executions"):
                if report[key] != other[key]:
                    raise ValueError("%s: %s is %s, was %s" % (mode, key, other[key], report[key]))
            if [f["message"] for f in report["findings"]] != [f["message"] for f in other["findings"]]:
                raise ValueError("%s: other findings" % mode)


def attempt(source):
    try:
        compare(source)
    except (ValueError, KeyError, OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    return None


def main():
    os.makedirs(pm.PROGRAMS, exist_ok=True)
    names = sys.argv[1:] or [""]
    sources = [s for s in sorted(glob.glob(os.path.join(LITMUS, "*.c"))) if any(n in os.path.basename(s) for n in names)]
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
