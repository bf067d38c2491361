#!/usr/bin/env python3
"""run.py [--build=DIR] [PROGRAM...]: check the examples against expected.txt.

DIR (build) has the checker in bin and what examples/Makefile built in examples; names of programs
(cceh, cceh-cxl-BUG_TABLE_OBJECT, ...) restrict the run to these, -v shows every one.  Correct
programs with few executions are also checked with --isolate, which must agree.  Exit 1 if an
expectation fails."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
EXAMPLES = ROOT / "examples"
ISOLATE_MAX = 200  # executions; each takes a millisecond or two, and more on a busy machine


def rows():
    """(program, options, kinds, tags, arguments) of every check that expected.txt asks for."""
    modes = []
    for row in (HERE / "expected.txt").read_text().splitlines():
        if not row or row.startswith("#"):
            continue
        if row.startswith("["):
            modes = [mode.split() for mode in row.strip("[]").split("|")]
            continue
        program, variant, *rest = row.split()
        kinds, (tags, *arguments) = rest[:len(modes)], rest[len(modes):]
        name = program if variant == "-" else f"{program}-{variant}"
        for options, kind in zip(modes, kinds):
            if kind != "none":
                yield name, options, kind, tags, arguments


def tagged_lines(tags):
    """The "file.c:12" of every line that carries one of the tags."""
    for tag in tags.split(","):
        file, switch = tag.split(":")
        for number, line in enumerate((EXAMPLES / file).read_text().splitlines(), 1):
            if switch + ":" in line:
                yield f"{pathlib.Path(file).name}:{number}"


def complaints(status, report, text, kinds, tags):
    if kinds == "-":
        if status != 0 or not report["complete"] or report["findings"]:
            yield f"not clean: exit {status}, {len(report['findings'])} findings"
        return
    if status != 1 or not report["complete"]:
        yield f"exit {status}, complete: {report['complete']}"
    found = {finding["kind"] for finding in report["findings"]}
    if not found or not found <= set(kinds.split(",")):
        yield f"kinds {sorted(found)}, expected {kinds}"
    lines = list(tagged_lines(tags))
    if not any(re.search(re.escape(line) + r"\b", text) for line in lines):
        yield f"none of {' '.join(lines)} in the report"


def check(build, name, options, arguments):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        run = subprocess.run([build / "bin" / "tidemark", "check", *options, "--json=" + out.name,
                              build / "examples" / name, *arguments], capture_output=True, text=True)
        try:
            report = json.load(open(out.name))
        except ValueError:
            report = {"complete": False, "findings": [], "executions": 0, "cpu_seconds": 0}
        return run.returncode, report, run.stdout + run.stderr


def judge(build, name, options, kinds, tags, arguments):
    status, report, text = check(build, name, options, arguments)
    wrong = list(complaints(status, report, text, kinds, tags))
    if not wrong and "-BUG_" not in name and report["executions"] <= ISOLATE_MAX:
        status, other, _ = check(build, name, [*options, "--isolate"], arguments)
        if status != 0 or other["executions"] != report["executions"]:
            wrong.append(f"--isolate: exit {status}, {other['executions']} executions, not {report['executions']}")
    return wrong, report


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("program", nargs="*")
    args = parser.parse_args()
    chosen = [row for row in rows() if not args.program or row[0] in args.program]
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for row, (wrong, report) in zip(chosen, pool.map(lambda row: judge(args.build, *row), chosen)):
            failed += bool(wrong)
            if wrong or args.verbose:
                print(f"{'FAILED' if wrong else 'ok'} {' '.join([row[0], *row[1], *row[4]])}:"
                      f" {report['executions']} executions, {report['cpu_seconds']} s"
                      + "".join(f"\n     {w}" for w in wrong), flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
