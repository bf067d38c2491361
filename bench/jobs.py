#!/usr/bin/env python3
"""What dividing a search costs: CPU seconds, program runs and memory of one worker and of several.

    bench/jobs.py [--build DIR] [--jobs 1,2,4]

Workers do not share what they learn, so some program runs are made more than once: "CPU" is the CPU time of one
worker by that of all, which does not depend on what else the machine does.  "efficiency" is the time that one worker took by the
time that all took, by their number; it means something on an idle machine with so many cores only.
"""
import argparse
import json
import os
import subprocess
import tempfile

SEARCHES = (
    ("fastfair", "1024", "2"),
    ("cceh", "2048", "2"),
    ("--model=cxl", "--machines=4", "--failures=3", "cceh-cxl", "10", "2"),
    ("--model=cxl", "--machines=4", "--failures=3", "fastfair-cxl", "15", "2"),
    ("--schedule=all", "fastfair", "7", "2"),
    ("--schedule=all", "cceh", "5", "2"),
)


def run(build, words, jobs):
    program = next(i for i, w in enumerate(words) if not w.startswith("--"))
    words = list(words)
    words[program] = os.path.join(build, "examples", words[program])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r.json")
        subprocess.run([os.path.join(build, "bin/tidemark"), "check", "--quiet", f"--jobs={jobs}",
                        "--json=" + path] + words, check=False)
        with open(path, encoding="utf-8") as f:
            return json.load(f)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(__file__), "../build"))
    parser.add_argument("--jobs", default="1,2")
    options = parser.parse_args()
    print(f"{'search':56} {'jobs':>4} {'CPU s':>8} {'runs':>8} {'MiB':>6} {'CPU':>5} {'wall s':>8} {'efficiency':>10}")
    for words in SEARCHES:
        one = None
        for jobs in options.jobs.split(","):
            r = run(os.path.abspath(options.build), words, jobs)
            one = one or r
            print(f"{' '.join(words):56} {jobs:>4} {r['cpu_seconds']:8.2f} {r['program_runs']:8}"
                  f" {r['peak_bytes'] >> 20:6} {one['cpu_seconds'] / r['cpu_seconds']:5.2f} {r['wall_seconds']:8.2f}"
                  f" {one['wall_seconds'] / r['wall_seconds'] / int(jobs):10.2f}", flush=True)


if __name__ == "__main__":
    main()
