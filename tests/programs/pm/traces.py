#!/usr/bin/env python3
"""What a search over all schedules costs: K independent threads (bench/independent.c) are one trace, and their 2^K + 1
executions take program runs in proportion to K; 2^K traces (bench/readers.c) take no more memory than a few; attempts in vain to take a
lock are not explored (bench/lockers.c)."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BUILD = os.environ.get("TIDEMARK_BUILD", os.path.join(ROOT, "build"))
OUT = os.path.join(BUILD, "tests", "pm")


def build(name):
    os.makedirs(OUT, exist_ok=True)
    subprocess.run([os.path.join(BUILD, "bin", "tidemark-cc"), "-O1", "-g", "-o", os.path.join(OUT, name),
                    os.path.join(ROOT, "bench", name + ".c")], check=True)


def check(name, threads):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([os.path.join(BUILD, "bin", "tidemark"), "check", "--schedule=all", "--jobs=1", "--json=" + out.name,
                        os.path.join(OUT, name), str(threads)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return json.load(open(out.name, encoding="utf-8"))


def found(report):
    return report["complete"], len(report["findings"]), report["schedules"], int(report["executions"])


def independent(threads):
    """None, or what is wrong."""
    report = check("independent", threads)
    want = (True, 0, 1, 2**threads + 1)
    if found(report) != want:
        return "%d independent threads: %s, not %s" % (threads, found(report), want)
    if report["program_runs"] > 4 * threads + 300:
        return "%d independent threads: %d program runs" % (threads, report["program_runs"])
    return None


def readers(few, many):
    """None, or what is wrong."""
    reports = [check("readers", threads) for threads in (few, many)]
    for threads, report in zip((few, many), reports):
        if found(report)[:3] != (True, 0, 2**threads):
            return "%d readers: %s" % (threads, found(report))
    small, large = (report["peak_bytes"] for report in reports)
    if large > small + (2 << 20):  # what the kernel gives differs by more than a hundred KiB
        return "%d traces: %d KiB, %d traces: %d KiB" % (2**few, small >> 10, 2**many, large >> 10)
    return None


def lockers(threads, traces):
    """None, or what is wrong."""
    report = check("lockers", threads)
    if found(report)[:3] != (True, 0, traces):
        return "%d lockers: %s, not %d traces" % (threads, found(report), traces)
    return None


for program in ("independent", "readers", "lockers"):
    build(program)
results = [independent(1), independent(4), independent(16), independent(60), readers(5, 11), lockers(2, 2), lockers(3, 6)]
for what in filter(None, results):
    print("FAILED traces.py: " + what)
failed = len(list(filter(None, results)))
print("%d passed, %d failed" % (len(results) - failed, failed))
sys.exit(bool(failed))
