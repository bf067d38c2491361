#!/usr/bin/env python3
"""Every program of tests/hostile as one machine of two: what it does wrong is reported, for the
right machine, and the other machine (litmus/machines/neighbour.c) does not notice.

    hostile.py [NAME...]        all programs, or those whose name contains one of NAME
"""
import importlib.util
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import run

HERE = os.path.dirname(os.path.abspath(__file__))
HOSTILE = os.path.abspath(os.path.join(HERE, "..", "..", "hostile"))
spec = importlib.util.spec_from_file_location("hostile_run", os.path.join(HOSTILE, "run.py"))
hostile = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hostile)
hostile.BIN = os.path.join(run.BUILD, "bin")
hostile.OUT = os.path.join(run.BUILD, "tests", "hostile")

OUTCOMES = {"6 0", "6 1"}  # the neighbour's, whether the hostile machine has failed or not


def problem(path, neighbour, machine):
    """What is wrong with the hostile program as machine 0 or 1, or None."""
    kind, status, options, _ = hostile.header(path)
    commands = ["--machine=%s/%s.bin" % (hostile.OUT, os.path.basename(path)),
                "--machine=%s %d" % (neighbour, machine)]
    options = ["--keep-going"] + options  # the neighbour is looked at, whatever the other one does
    if kind in ("hang", "refused"):
        options = ["--hang-seconds=1"] + options
    if kind == "hang":  # otherwise it would be waited for in every execution
        options += ["--first"]
    command = [os.path.join(hostile.BIN, "tidemark"), "check", "--model=cxl", "--json=-", *options,
               commands[machine], commands[1 - machine]]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    except subprocess.TimeoutExpired:
        return "hangs"
    if done.returncode != status:
        return "exit status %d instead of %d: %s" % (done.returncode, status, done.stderr.strip()[-300:])
    if kind == "refused":
        return None
    report = json.loads(done.stdout)
    found = {(f["kind"], f["machine"]) for f in report["findings"]}
    if found != (set() if kind == "none" else {(kind, machine)}):
        return "findings: %s" % ["%s on machine %d: %s" % (f["kind"], f["machine"], f["message"]) for f in report["findings"]]
    outcomes = set(report["outcomes"])
    # An endless loop takes the rest of the execution with it.
    if outcomes - OUTCOMES or (outcomes != OUTCOMES and kind != "hang"):
        return "the neighbour's outcomes: %s" % sorted(outcomes)
    return hostile.place_problem(path, report)


def check(path):
    error = hostile.build(path)
    if error:
        return [error]
    neighbour = os.path.join(run.PROGRAMS, "neighbour")
    return ["as machine %d: %s" % (m, p) for m in (0, 1) if (p := problem(path, neighbour, m))]


def main():
    os.makedirs(hostile.OUT, exist_ok=True)
    os.makedirs(run.PROGRAMS, exist_ok=True)
    run.build(os.path.join(HERE, "litmus", "machines", "neighbour.c"))
    names = sys.argv[1:] or [""]
    paths = [os.path.join(HOSTILE, f) for f in sorted(os.listdir(HOSTILE))
             if f.endswith((".c", ".cc")) and any(n in f for n in names)]
    paths = [p for p in paths if "// ONLY: pm" not in open(p, encoding="utf-8").read()]
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for path, problems in zip(paths, pool.map(check, paths)):
            failed += bool(problems)
            for p in problems:
                print("FAILED %s: %s" % (os.path.basename(path), p))
    print("%d passed, %d failed" % (len(paths) - failed, failed))
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
