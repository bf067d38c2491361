#!/usr/bin/env python3
"""bench/lines.c, in which 2^N executions become the same again and again: counts must be exact, memory and
program runs in proportion to N, also if lines are read several times.  Likewise bench/items.c, with 3^N."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BUILD = os.environ.get("TIDEMARK_BUILD", os.path.join(ROOT, "build"))
PROGRAM = os.path.join(BUILD, "tests", "pm", "lines")
ITEMS = os.path.join(BUILD, "tests", "pm", "items")


def check(n, passes, program, *options):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([os.path.join(BUILD, "bin", "tidemark"), "check", "--json=" + out.name, *options, program, str(n), str(passes)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return json.load(open(out.name, encoding="utf-8"))


def trouble(n, *options, jobs=1, passes=1, word="long"):
    """None, or what is wrong."""
    report = check(n, passes, PROGRAM + "_" + word, "--jobs=%d" % jobs, *options)
    finding = report["findings"][0] if len(report["findings"]) == 1 else {"count": None, "replay": None}
    got = (report["complete"], int(report["executions"]), int(finding["count"] or 0), finding["replay"])
    want = (True, 4 * 2**n + 1, 2**n, "f1.r0*%d.r1" % (n + 1))
    if got != want:
        return "%d lines, %d times %s: %s, not %s" % (n, passes, options, str(got)[:200], str(want)[:200])
    if report["program_runs"] > jobs * passes * (3 * n + 1000):
        return "%d lines: %d program runs" % (n, report["program_runs"])
    if report["peak_bytes"] > 16 << 20 and report["peak_bytes"] > n * passes * (24 << 10):
        return "%d lines: %d MiB" % (n, report["peak_bytes"] >> 20)
    if n > 60 and (report["executions"] != str(4 * 2**n + 1) or finding["count"] != str(2**n)):
        return "numbers beyond 2^53 must be texts"
    return None


def trouble_with_items(n, *options, jobs=1):
    """None, or what is wrong."""
    report = check(n, 1, ITEMS, "--jobs=%d" % jobs, *options)
    finding = report["findings"][0] if len(report["findings"]) == 1 else {"count": None, "replay": None}
    got = (report["complete"], int(report["executions"]), int(finding["count"] or 0), finding["replay"])
    want = (True, 3 * 3**n + 1, 3**n, "f0.r0*%d.r1" % (n + 1))
    if got != want:
        return "%d items %s: %s, not %s" % (n, options, str(got)[:200], str(want)[:200])
    if report["program_runs"] > jobs * (8 * n + 1000):
        return "%d items: %d program runs" % (n, report["program_runs"])
    return None


os.makedirs(os.path.dirname(PROGRAM), exist_ok=True)
subprocess.run([os.path.join(BUILD, "bin", "tidemark-cc"), "-O1", "-g", "-o", ITEMS, os.path.join(ROOT, "bench", "items.c")], check=True)
for kind in ("long", "int", "char", "long -DSTORES"):
    subprocess.run([os.path.join(BUILD, "bin", "tidemark-cc"), "-O1", "-g", *("-DWORD=" + kind).split(), "-o", PROGRAM + "_" + kind.split(" -D")[-1],
                    os.path.join(ROOT, "bench", "lines.c")], check=True)
wrong = [what for what in (trouble(6), trouble(6, "--no-share"), trouble(64), trouble(64, "--memory=1"),
                           trouble(64, jobs=3), trouble(512), trouble(4096), trouble(6, passes=2),
                           trouble(6, "--no-share", passes=2), trouble(64, passes=2), trouble(64, "--memory=1", passes=2),
                           trouble(64, jobs=3, passes=2), trouble(24, passes=4), trouble(200, passes=2),
                           trouble(600, passes=2), trouble(600, jobs=3, passes=2),
                           trouble(128, passes=3), trouble(64, passes=6), trouble_with_items(5), trouble_with_items(5, "--no-share"),
                           trouble_with_items(64, "--memory=1"), trouble_with_items(100, jobs=3), trouble_with_items(600),
                           trouble(64, word="int"), trouble(64, passes=2, word="char"), trouble(6, "--no-share", passes=2, word="STORES"),
                           trouble(600, word="STORES"),
                           trouble(1500, word="STORES")) if what]  # long enough for looks ahead
for what in wrong:
    print("FAILED lines.c: " + what)
print("%d passed, %d failed" % (28 - len(wrong), len(wrong)))
sys.exit(bool(wrong))
