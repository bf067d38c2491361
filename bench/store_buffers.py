#!/usr/bin/env python3
"""store_buffers.py [--build=DIR] [--timeout=S]: the table of docs/concurrent.md, after figure 4(a) of the paper on
store-buffer safety: dekker, bakery and the take queue, unsafe and fixed, by the bound on preemptions."""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = [("dekker", ["-DROUNDS=2"], ["-DBUG_NO_FENCE"]),
            ("bakery", ["-DROUNDS=3"], ["-DBUG_CHOOSING_FENCE", "-DBUG_NUMBER_FENCE"]),
            ("take_queue", ["-DITEMS=2", "-DSTEALS=2"], ["-DBUG_TAKE_FENCE", "-DBUG_STEAL_FENCE"])]
SCHEDULES = ["bounded:%d" % bound for bound in range(6)] + ["all"]


def build(args, folder, name, flags):
    program = folder / ("-".join([name, *flags]))
    source = ROOT / "examples" / "concurrent" / (name + ".c")
    subprocess.run([args.build / "bin" / "tidemark-cc", "-O1", "-g", *flags, "-o", program, source], check=True)
    return program


def check(args, program, schedule, *options):
    done = subprocess.run([args.build / "bin" / "tidemark", "check", "--quiet", "--json=-", "--model=sc",
                           "--no-data-races", "--timeout=%d" % args.timeout, "--schedule=" + schedule, *options, program],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "TIDEMARK_TEST_SETTINGS": "all-first=0"})  # one by one, as the paper's
    return json.loads(done.stdout)


def number(report):
    return "%s%s" % ("" if report["complete"] else "> ", format(report["executions"], ","))


def seconds(report):
    return "%.3f s" % report["cpu_seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--timeout", type=int, default=40)
    args = parser.parse_args()
    monitor = "--analyses=store-buffers"
    print("| program | bound | executions | unsafe | first after | fixed: executions | with the monitor | without |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, flags, bugs in PROGRAMS:
            unsafe = build(args, pathlib.Path(folder), name, flags + bugs)
            fixed = build(args, pathlib.Path(folder), name, flags)
            for schedule in SCHEDULES:
                found = check(args, unsafe, schedule, monitor)
                first = check(args, unsafe, schedule, monitor, "--first")
                clean, plain = check(args, fixed, schedule, monitor), check(args, fixed, schedule)
                counts = [finding["count"] for finding in found["findings"]]
                row = [name, schedule.replace("bounded:", ""), number(found), format(max(counts, default=0), ","),
                       seconds(first) if first["findings"] else "-",
                       number(clean) + (" NOT SAFE" if clean["findings"] else ""), seconds(clean), seconds(plain)]
                print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
