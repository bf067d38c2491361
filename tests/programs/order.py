#!/usr/bin/env python3
"""order.py MODEL: the likely bug first.  In a search that cannot end, does the bug that needs one lost store (and in
cxl one machine that fails) come soon, and does the report say what was looked at?  With random schedules, in cxl, the bug
that needs one of them and no failure?  With all schedules, in pm, the bug that needs another beginning of the recovery,
or of the schedule?  The programs are MODEL/order/*.c."""
import glob
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from litmus_runner import BUILD, TIDEMARK, build

SECONDS = 90  # on the clock, of a machine that others use, too
SOON = 15  # CPU seconds
SAMPLED = {"lost_update.c"}
SCHEDULES = {"first_reads.c": "--jobs=2", "late_reader.c": "--jobs=1"}  # by traces, looked at with so many workers
NOTE = "at every failure point all executions were looked at in which"


def check(program, model, *options):
    done = subprocess.run([TIDEMARK, "check", "--json=-", model, "--timeout=%d" % SECONDS, *options, program],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS + 240, check=False)
    return done.returncode, json.loads(done.stdout)


def not_replayed(program, report, *options):
    """None, or what replaying the finding says instead."""
    replay = subprocess.run([TIDEMARK, "replay", *options, "--token=" + report["findings"][0]["replay"], program],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240, check=False)
    return None if replay.returncode == 1 else "replay: " + replay.stdout.decode(errors="replace")


def wrong(program, model):
    """None, or what is wrong."""
    for jobs in ("--jobs=1", "--jobs=2"):
        status, report = check(program, model, "--first", jobs)
        kinds = [f["kind"] for f in report["findings"]]
        if status != 1 or kinds != ["assertion"] or report["complete"] or report["cpu_seconds"] > SOON:
            return "%s: exit status %d, findings %s, %.1f s" % (jobs, status, kinds, report["cpu_seconds"])
        if report["findings"][0]["count"] < 1 or not report["findings"][0]["fix"]:
            return "%s: count %s, fix %s" % (jobs, report["findings"][0]["count"], report["findings"][0]["fix"])
        if jobs == "--jobs=1" and not any(note.startswith(NOTE) for note in report["notes"]):
            return "%s: notes %s" % (jobs, report["notes"])
        what = not_replayed(program, report, model)
        if what:
            return what
    return None


def wrong_sampled(program, model):
    status, report = check(program, model, "--first", "--schedule=random", "--seed=2")
    kinds = [f["kind"] for f in report["findings"]]
    return None if status == 1 and kinds == ["assertion"] else "exit status %d, findings %s" % (status, kinds)


def wrong_schedules(program, model):
    status, report = check(program, model, "--first", "--schedule=all", SCHEDULES[os.path.basename(program) + ".c"])
    kinds = [f["kind"] for f in report["findings"]]
    if status != 1 or kinds != ["assertion"] or report["complete"]:
        return "exit status %d, findings %s" % (status, kinds)
    return not_replayed(program, report, model, "--schedule=all")


def main():
    name = sys.argv[1]
    folder = os.path.join(BUILD, "tests", name + "-order")
    os.makedirs(folder, exist_ok=True)
    header = os.path.join(HERE, name, name + ".h")
    sources = sorted(glob.glob(os.path.join(HERE, name, "order", "*.c")))
    failed = 0
    for source in sources:
        base = os.path.basename(source)
        judge = wrong_sampled if base in SAMPLED else wrong_schedules if base in SCHEDULES else wrong
        what = judge(build(source, folder, header), "--model=" + name)
        if what:
            print("FAILED %s: %s" % (base, what))
            failed += 1
    print("%d passed, %d failed" % (len(sources) - failed, failed))
    return 1 if failed or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
