#!/usr/bin/env python3
"""analyses.py [--build=DIR]: what each analysis adds to a check of the examples, in CPU seconds of the
worker (the least of some repetitions)."""
import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECKS = ["cceh 300 2", "fastfair 200 2", "clht 400 2"]
ANALYSES = ["robustness", "races", "flushes", "robustness,races,flushes"]


def seconds(build, analyses, words, repetitions):
    times = []
    for _ in range(repetitions):
        done = subprocess.run([build / "bin/tidemark", "check", "--quiet", "--json=-", "--analyses=" + analyses,
                               build / "examples" / words[0], *words[1:]], stdout=subprocess.PIPE, check=False)
        times.append(json.loads(done.stdout)["cpu_seconds"])
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--repetitions", type=int, default=7)
    arguments = parser.parse_args()
    print("%-16s %8s %s" % ("check", "none", " ".join("%24s" % a for a in ANALYSES)))
    for check in CHECKS:
        words = check.split()
        plain = seconds(arguments.build, "none", words, arguments.repetitions)
        row = "%-16s %7.3fs" % (check, plain)
        for analyses in ANALYSES:
            row += " %23.0f%%" % (100 * seconds(arguments.build, analyses, words, arguments.repetitions) / plain - 100)
        print(row)


if __name__ == "__main__":
    main()
