#!/usr/bin/env python3
"""analyses.py [--build=DIR]: what each analysis adds to a check of the examples, in CPU seconds of the
worker (the least of some repetitions, in which they take turns)."""
import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECKS = ["cceh 300 2", "fastfair 200 2", "clht 400 2", "cceh-cxl 60 2", "fastfair-cxl 40 2", "clht-cxl 60 2",
          "clht-cxl 120 2"]
ANALYSES = ["robustness", "races", "flushes", "robustness,races,flushes"]


def seconds(build, analyses, words):
    model = "--model=cxl" if words[0].endswith("-cxl") else "--model=pm"
    done = subprocess.run([build / "bin/tidemark", "check", "--quiet", "--json=-", model, "--analyses=" + analyses,
                           build / "examples" / words[0], *words[1:]], stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)["cpu_seconds"]


def least(build, words, repetitions):
    """By analyses; they take turns, so that a busy machine slows all of them down."""
    kinds = ["none"] + ANALYSES
    rounds = [[seconds(build, kind, words) for kind in kinds] for _ in range(repetitions)]
    return [min(column) for column in zip(*rounds)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--repetitions", type=int, default=7)
    arguments = parser.parse_args()
    print("%-18s %8s %s" % ("check", "none", " ".join("%24s" % a for a in ANALYSES)))
    for check in CHECKS:
        words = check.split()
        plain, *others = least(arguments.build, words, arguments.repetitions)
        print("%-18s %7.3fs" % (check, plain) + "".join(" %23.0f%%" % (100 * x / plain - 100) for x in others))


if __name__ == "__main__":
    main()
