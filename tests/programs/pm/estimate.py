#!/usr/bin/env python3
"""estimate.py [--build=DIR]: after a tenth of a search with failures the estimate of its size is within a factor of 2.
Exit status 1 if not."""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SEARCHES = [("cceh", "64", "2"), ("fastfair", "64", "2"), ("clht", "64", "2"), ("fastfair", "100", "1"), ("clht", "100", "1")]


def check(build, search, *options):
    program = build / "examples" / search[0]
    done = subprocess.run([build / "bin" / "tidemark", "check", "--quiet", "--jobs=1", "--json=-", *options, program,
                           *search[1:]], capture_output=True, text=True, timeout=300, check=False)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    args = parser.parse_args()
    build = args.build.resolve()
    failed = 0
    subprocess.run(["make", "-s", "-C", ROOT / "examples", f"BUILD={build}",
                    *sorted({build / "examples" / search[0] for search in SEARCHES})], check=True)
    for search in SEARCHES:
        count = check(build, search)["executions"]
        for part in (10, 3):
            guess = check(build, search, "--max-executions=%d" % (count // part))["estimated_executions"] or 0
            if not count / 2 <= guess <= count * 2:
                failed += 1
                print("FAILED %s: %d after a part of 1/%d, there are %d" % (" ".join(search), guess, part, count), flush=True)
    print("%d passed, %d failed" % (2 * len(SEARCHES) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
