#!/usr/bin/env python3
"""run.py [--build=DIR] [--write] [PROGRAM...]: ordinary programs with threads, against expected.txt.

The programs are those of examples/concurrent, as examples/Makefile builds them in DIR/examples, and
those beside this file: NAME, and its corrected twin NAME-FIXED (-DFIXED).  Each is checked with

    sc       --model=sc
    buffers  --model=sc --analyses=store-buffers --no-data-races
    tso      --model=tso
    spurious --model=sc --spurious=1 (if it waits for conditions: WAITING)
    symmetry --model=tso --symmetry (if its threads are the same: SAME)
    reuse    --model=sc --reuse (if an address must come again: REUSED)

to the end, and must have exactly the executions and findings of expected.txt.  Every finding is replayed
from its token.  --write brings expected.txt up to date, to be read before it is committed.  Exit 1 if an
expectation fails."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
EXAMPLES = ROOT / "examples" / "concurrent"
EXPECTED = HERE / "expected.txt"
MODES = {"sc": ["--model=sc"],
         "buffers": ["--model=sc", "--analyses=store-buffers", "--no-data-races"],
         "tso": ["--model=tso"],
         "spurious": ["--model=sc", "--spurious=1"],
         "symmetry": ["--model=tso", "--symmetry"],
         "reuse": ["--model=sc", "--reuse"]}
SAME = {"same_threads"}
REUSED = {"same_address", "use_after_free"}
WAITING = {"condition_queue", "cpp_condition", "early_timeout", "idle_flag", "lost_wakeup", "spurious"}
ENDLESS = {"long_loop", "long_loop-FIXED"}  # built here, checked by reports.py
FLAGS = ["-O1", "-g", "-Wall", "-Wextra", "-Werror"]
TIMEOUT_SECONDS = 240
HEADER = """# Written by run.py --write: program, then for each mode its executions and findings (kind@file:line).
"""


def twins():
    """(name, source, flags) of the programs beside this file."""
    for source in sorted([*HERE.glob("*.c"), *HERE.glob("*.cc")]):
        yield source.stem, source, []
        yield source.stem + "-FIXED", source, ["-DFIXED"]


def compile_twin(build, name, source, flags):
    program = build / "tests" / "concurrent" / name
    compiler = build / "bin" / ("tidemark-c++" if source.suffix == ".cc" else "tidemark-cc")
    newest = max(os.path.getmtime(p) for p in (source, HERE / "twin.h", compiler))
    if not program.exists() or os.path.getmtime(program) < newest:
        program.parent.mkdir(parents=True, exist_ok=True)
        standard = ["-std=c++20"] if source.suffix == ".cc" else ["-std=gnu11"]
        subprocess.run([compiler, *FLAGS, *standard, *flags, "-o", program, source], check=True)
    return program


def example_names():
    done = subprocess.run(["make", "-s", "-C", EXAMPLES.parent, "list-concurrent"], capture_output=True, text=True,
                          check=True)
    return done.stdout.split()


def tidemark(build, *arguments):
    done = subprocess.run([build / "bin" / "tidemark", *arguments], capture_output=True, text=True,
                          timeout=TIMEOUT_SECONDS, check=False)
    return done


def place(finding):
    location = finding.get("location") or {}
    return "%s@%s:%s" % (finding["kind"], os.path.basename(location.get("file", "?")), location.get("line"))


def check(build, program, options):
    """(what expected.txt says of it, complaints)"""
    done = tidemark(build, "check", "--quiet", "--json=-", *options, program)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return "", ["exit status %d: %s" % (done.returncode, done.stderr.strip())]
    wrong = []
    if not report["complete"] or done.returncode != bool(report["findings"]):
        wrong.append("exit status %d, complete: %s" % (done.returncode, report["complete"]))
    for finding in report["findings"]:
        again = tidemark(build, "replay", "--quiet", "--json=-", "--token=" + finding["replay"], *options, program)
        kinds = {place(f) for f in json.loads(again.stdout or '{"findings": []}')["findings"]}
        if place(finding) not in kinds:
            wrong.append("%s is not there when it is replayed: %s" % (place(finding), again.stderr.strip() or kinds))
    return ",".join([str(report["executions"]), *sorted(place(f) for f in report["findings"])]), wrong


def judge(build, name, program, expected):
    rows, wrong = {}, []
    for mode, options in MODES.items():
        if name.split("-")[0] not in {"spurious": WAITING, "symmetry": SAME, "reuse": REUSED}.get(mode, {name.split("-")[0]}):
            continue
        rows[mode], complaints = check(build, program, options)
        if expected is not None and rows[mode] != expected.get(mode):
            complaints.append("%s, expected %s" % (rows[mode], expected.get(mode)))
        wrong += ["%s: %s" % (mode, c) for c in complaints]
    return rows, wrong


def read_expected():
    lines = EXPECTED.read_text().splitlines() if EXPECTED.exists() else []
    table = [line.split() for line in lines if line and not line.startswith("#")]
    return {name: dict(row.split("=", 1) for row in rows) for name, *rows in table}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("program", nargs="*")
    args = parser.parse_args()
    expected, failed = read_expected(), 0
    with ThreadPoolExecutor(2) as pool:
        programs = {name: args.build / "examples" / name for name in example_names()}
        found = [t for t in twins() if not args.program or t[0] in args.program]
        programs.update(zip((t[0] for t in found), pool.map(lambda t: compile_twin(args.build, *t), found)))
        names = args.program or sorted((set(programs) | set(expected)) - ENDLESS)
        results = pool.map(lambda n: judge(args.build, n, programs.get(n, pathlib.Path(n)),
                                           None if args.write else expected.get(n, {})), names)
        for name, (rows, wrong) in zip(names, results):
            failed += bool(wrong)
            for complaint in wrong:
                print("FAILED %s: %s" % (name, complaint), flush=True)
            if args.write:
                expected[name] = rows
    if args.write:
        kept = sorted(expected if args.program else names)
        EXPECTED.write_text(HEADER + "".join(
            " ".join([name, *("%s=%s" % row for row in expected[name].items())]) + "\n" for name in kept))
    print("%d passed, %d failed" % (len(names) - failed, failed))
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
