#!/usr/bin/env python3
"""fences.py [--build=DIR] [EXAMPLE...]: the fewest fences of --analyses=store-buffers.

Each example is built without any of its fences.  With the diff of --fix it must be store-buffer safe, and without
any one of the added fences it must not be.  Exit 1 if an expectation fails."""
import argparse
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
import json

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCES = ROOT / "examples" / "concurrent"
FENCE = "__atomic_thread_fence(__ATOMIC_SEQ_CST);"
# example: flags that leave its fences out, and how many are needed
EXAMPLES = {
    "bakery": (["BUG_CHOOSING_FENCE", "BUG_NUMBER_FENCE"], 2),
    "chase_lev": (["BUG_NO_FENCE"], 1),
    "dekker": (["BUG_NO_FENCE"], 1),
    "hazard_pointers": (["BUG_NO_FENCE"], 1),
    "idle_flag": (["BUG_CONSUMER_FENCE", "BUG_PRODUCER_FENCE"], 2),
    "lamport_fast": (["BUG_FIRST_FENCE", "BUG_SECOND_FENCE"], 2),
    "peterson": (["BUG_NO_FENCE"], 1),
    "rwlock": (["BUG_NO_FENCE"], 1),
    "szymanski": (["BUG_NO_FENCE"], 1),
    "take_queue": (["BUG_STEAL_FENCE", "BUG_TAKE_FENCE"], 2),
}


def check(build, folder, name, source, flags):
    """(is it store-buffer safe, the report, the diff)"""
    program, diff = folder / "program", folder / "diff"
    subprocess.run([build / "bin" / "tidemark-cc", "-g", "-O1", "-w", "-I", SOURCES, *("-D" + f for f in flags), "-o",
                    program, source], check=True)
    done = subprocess.run([build / "bin" / "tidemark", "check", "--model=sc", "--analyses=store-buffers",
                           "--no-data-races", "--quiet", "--json=-", "--fix=%s" % diff, program], capture_output=True,
                          text=True, timeout=300, check=False)
    report = json.loads(done.stdout)
    if not report["complete"]:
        raise ValueError("%s: the search is not complete" % name)
    return not any(f["kind"] == "store-buffer" for f in report["findings"]), report, diff.read_text()


def added_lines(diff):
    return [line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]


def judge(build, name, flags, wanted):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        source = folder / (name + ".c")
        source.write_text((SOURCES / (name + ".c")).read_text())
        safe, report, diff = check(build, folder, name, source, flags)
        fences = [f for f in added_lines(diff) if f.strip() == FENCE]
        if safe or len(report["fences"]) != wanted or len(fences) != wanted:
            return "%d fences, %d in the diff, expected %d" % (len(report["fences"]), len(fences), wanted)
        subprocess.run(["patch", "-s", source], input=diff, text=True, check=True)
        if not check(build, folder, name, source, flags)[0]:
            return "it is not safe with the fences"
        lines = source.read_text().splitlines(keepends=True)
        for n, line in enumerate(lines):
            if line.strip() != FENCE:
                continue
            source.write_text("".join(lines[:n] + lines[n + 1:]))
            if check(build, folder, name, source, flags)[0]:
                return "the fence in line %d is not needed" % (n + 1)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("example", nargs="*")
    args = parser.parse_args()
    names, failed = args.example or sorted(EXAMPLES), 0
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda n: judge(args.build, n, *EXAMPLES[n]), names)
        for name, wrong in zip(names, results):
            failed += bool(wrong)
            if wrong:
                print("FAILED %s: %s" % (name, wrong), flush=True)
    print("%d passed, %d failed" % (len(names) - failed, failed))
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
