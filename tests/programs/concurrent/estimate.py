#!/usr/bin/env python3
"""estimate.py [--build=DIR]: after a third of a search the estimate of its size is within a factor of 2.  Exit 1 if not."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAMS = [("bakery", 2), ("dekker", 2), ("peterson", 2), ("ticket_lock", 6)]


def check(build, program, *options):
    done = subprocess.run([build / "bin" / "tidemark", "check", "--model=sc", "--no-data-races", "--quiet", "--json=-",
                           *options, program], capture_output=True, text=True, timeout=240, check=False)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    args = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, rounds in PROGRAMS:
            program = pathlib.Path(folder) / name
            source = ROOT / "examples" / "concurrent" / (name + ".c")
            subprocess.run([args.build / "bin" / "tidemark-cc", "-O1", "-g", "-DROUNDS=%d" % rounds, "-o", program, source],
                           check=True)
            whole = check(args.build, program)
            count = whole["executions"]
            wrong = [] if whole["complete"] and whole["estimated_executions"] == count else ["not complete"]
            for part in (3, 2):
                guess = check(args.build, program, "--max-executions=%d" % (count // part))["estimated_executions"]
                if not count / 2 <= guess <= count * 2:
                    wrong.append("%d after a part of 1/%d, there are %d" % (guess, part, count))
            failed += bool(wrong)
            for complaint in wrong:
                print("FAILED %s: %s" % (name, complaint), flush=True)
    print("%d passed, %d failed" % (len(PROGRAMS) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
