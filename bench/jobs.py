#!/usr/bin/env python3
"""What dividing a search costs: CPU seconds, program runs and memory of one worker and of several.

    bench/jobs.py [--build DIR] [--jobs 1,2,4]

Workers do not share what they learn, so some program runs are made more than once: "shared" is the CPU time of one worker
by that of all.  "efficiency" is the CPU time of one worker by that of the busiest of all, by their number: the busiest is
what passes where each has a core.  Neither depends much on what else the machine does; "wall s" does.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time

SEARCHES = (
    ("fastfair", "1024", "2"),
    ("cceh", "2048", "2"),
    ("--model=cxl", "--machines=3", "--failures=2", "cceh-cxl", "40", "2"),
    ("--model=cxl", "--machines=4", "--failures=2", "cceh-cxl", "20", "2"),
    ("--model=cxl", "--machines=4", "--failures=3", "cceh-cxl", "10", "2"),
    ("--model=cxl", "--machines=4", "--failures=3", "fastfair-cxl", "15", "2"),
    ("--schedule=all", "fastfair", "7", "2"),
    ("--schedule=all", "cceh", "6", "2"),
    ("--schedule=random", "--runs=400", "cceh", "30", "2"),
    ("--model=sc", "readers.c", "16"),
    ("--model=tso", "readers.c", "15"),
    ("--model=tso", "--schedule=pct:3", "--runs=60000", "ms_queue"),
)
POLL_SECONDS = 0.05


def children(process):
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as f:
            return f.read().split()
    except OSError:
        return []


def cpu_seconds(process):
    """0: it has ended."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as f:
            user, system = f.read().rsplit(")", 1)[1].split()[11:13]
    except OSError:
        return 0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def run(build, words, jobs):
    """The report, and CPU seconds of the busiest worker."""
    program = next(i for i, w in enumerate(words) if not w.startswith("--"))
    words = list(words)
    busiest = {}
    with tempfile.TemporaryDirectory() as folder:
        name = words[program]
        words[program] = os.path.join(folder if name.endswith(".c") else os.path.join(build, "examples"), name.split(".")[0])
        if name.endswith(".c"):
            subprocess.run([os.path.join(build, "bin/tidemark-cc"), "-g", "-O1", os.path.join(os.path.dirname(__file__), name),
                            "-o", words[program]], check=True)
        path = os.path.join(folder, "r.json")
        with subprocess.Popen([os.path.join(build, "bin/tidemark"), "check", "--quiet", f"--jobs={jobs}",
                               "--json=" + path] + words) as check:
            while check.poll() is None:
                for worker in children(check.pid):
                    busiest[worker] = max(busiest.get(worker, 0), cpu_seconds(worker))
                time.sleep(POLL_SECONDS)
        with open(path, encoding="utf-8") as f:
            return json.load(f), max(busiest.values(), default=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(os.path.dirname(__file__), "../build"))
    parser.add_argument("--jobs", default="1,2")
    options = parser.parse_args()
    print(f"{'search':62} {'jobs':>4} {'CPU s':>8} {'runs':>8} {'MiB':>6} {'shared':>6} {'efficiency':>10} {'wall s':>8}")
    for words in SEARCHES:
        one = None
        for jobs in options.jobs.split(","):
            r, busiest = run(os.path.abspath(options.build), words, jobs)
            one = one or r["cpu_seconds"]
            print(f"{' '.join(words):62} {jobs:>4} {r['cpu_seconds']:8.2f} {r['program_runs']:8}"
                  f" {r['peak_bytes'] >> 20:6} {one / r['cpu_seconds']:6.2f}"
                  f" {one / max(busiest, 0.01) / int(jobs):10.2f} {r['wall_seconds']:8.2f}", flush=True)


if __name__ == "__main__":
    main()
