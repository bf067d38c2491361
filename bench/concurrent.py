#!/usr/bin/env python3
"""concurrent.py [--build=DIR] [--executions=N]: how many executions of ordinary programs a CPU second takes, and what
data races and store-buffer safety cost.  Behind a rate: runs of the program, also those in which a thread looked in vain
and which do not count."""
import argparse
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = [("peterson", ["-DROUNDS=6"]), ("dekker", ["-DROUNDS=4"]), ("bakery", ["-DROUNDS=4"]),
            ("szymanski", ["-DROUNDS=3"])]  # with fewer rounds the start of the checker takes most of the time
MODES = [["--model=sc", "--no-data-races"], ["--model=sc"],
         ["--model=sc", "--no-data-races", "--analyses=store-buffers"], ["--model=tso"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--executions", type=int, default=50000)
    args = parser.parse_args()
    print("| program | steps | sc | with data races | with store buffers | tso |")
    print("|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, flags in PROGRAMS:
            program = pathlib.Path(folder) / name
            source = ROOT / "examples" / "concurrent" / (name + ".c")
            subprocess.run([args.build / "bin" / "tidemark-cc", "-O1", "-g", *flags, "-o", program, source], check=True)
            row, plain, steps = [], None, 0
            for options in MODES:
                done = subprocess.run([args.build / "bin" / "tidemark", "check", "--quiet", "--json=-",
                                       "--max-executions=%d" % args.executions, *options, program],
                                      capture_output=True, text=True, check=False)
                report = json.loads(done.stdout)
                rate = report["executions"] / max(report["cpu_seconds"], 1e-6)
                steps = steps or report["steps"] / max(1, report["program_runs"])
                row.append("%s/s" % format(round(rate, -2), ",.0f"))
                if not plain:
                    runs = report["program_runs"] / max(report["cpu_seconds"], 1e-6)
                    row[-1] += " of %s" % format(round(runs, -2), ",.0f")
                if plain and options[0] == "--model=sc":
                    row[-1] += " (+%.0f %%)" % (100 * (plain / rate - 1))
                plain = plain or rate
            print("| %s | %.0f | %s |" % (name, steps, " | ".join(row)), flush=True)


if __name__ == "__main__":
    main()
