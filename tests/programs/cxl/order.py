#!/usr/bin/env python3
"""The likely bug first: in a search of the cxl model that cannot end, does the bug that needs one failure and one
lost store come soon, and does the report say what was looked at?  And with random schedules, the bug that needs one of
them and no failure?"""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from litmus_runner import BUILD, TIDEMARK, build

SECONDS = 20
NOTE = "at every failure point all executions were looked at in which"


def check(program, *options):
    done = subprocess.run([TIDEMARK, "check", "--json=-", "--model=cxl", "--timeout=%d" % SECONDS, *options, program],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS + 60, check=False)
    return done.returncode, json.loads(done.stdout)


def wrong(program):
    """None, or what is wrong."""
    for jobs in ("--jobs=1", "--jobs=2"):
        status, report = check(program, "--first", jobs)
        kinds = [f["kind"] for f in report["findings"]]
        if status != 1 or kinds != ["assertion"] or report["complete"]:
            return "%s: exit status %d, findings %s" % (jobs, status, kinds)
        if report["findings"][0]["count"] < 1 or not report["findings"][0]["fix"]:
            return "%s: count %s, fix %s" % (jobs, report["findings"][0]["count"], report["findings"][0]["fix"])
        if jobs == "--jobs=1" and not any(note.startswith(NOTE) for note in report["notes"]):
            return "%s: notes %s" % (jobs, report["notes"])
        replay = subprocess.run([TIDEMARK, "replay", "--model=cxl", "--token=" + report["findings"][0]["replay"], program],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
        if replay.returncode != 1:
            return "replay: " + replay.stdout.decode(errors="replace")
    return None


def wrong_sampled(program):
    status, report = check(program, "--first", "--schedule=random", "--seed=2")
    kinds = [f["kind"] for f in report["findings"]]
    return None if status == 1 and kinds == ["assertion"] else "exit status %d, findings %s" % (status, kinds)


def main():
    failed = 0
    folder = os.path.join(BUILD, "tests", "cxl-order")
    os.makedirs(folder, exist_ok=True)
    for name, judge in (("keeps_what_it_reads.c", wrong), ("lost_update.c", wrong_sampled)):
        what = judge(build(os.path.join(HERE, "order", name), folder, os.path.join(HERE, "cxl.h")))
        if what:
            print("FAILED %s: %s" % (name, what))
        failed += bool(what)
    print("%d passed, %d failed" % (2 - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
