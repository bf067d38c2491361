#!/usr/bin/env python3
"""run_expected.py TIDEMARK PROGRAMS [PROGRAM...]: check the examples against expected.txt.

TIDEMARK is the checker, PROGRAMS the folder that examples/Makefile built into; names of programs
(cceh, cceh-BUG_TABLE_OBJECT, ...) restrict the run to these.  Exit 1 if an expectation fails."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[2] / "examples"


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
    if status != 1:
        yield f"exit {status}"
    found = {finding["kind"] for finding in report["findings"]}
    if not found or not found <= set(kinds.split(",")):
        yield f"kinds {sorted(found)}, expected {kinds}"
    lines = list(tagged_lines(tags))
    if not any(re.search(re.escape(line) + r"\b", text) for line in lines):
        yield f"none of {' '.join(lines)} in the report"


def check(tidemark, binary, arguments):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        run = subprocess.run([tidemark, "check", "--json=" + out.name, binary, *arguments],
                             capture_output=True, text=True)
        text = run.stdout + run.stderr
        try:
            report = json.load(open(out.name))
        except ValueError:
            report = {"complete": False, "findings": [], "executions": 0, "cpu_seconds": 0}
        return run.returncode, report, text


def main():
    tidemark, programs, only = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    failed = 0
    for row in (HERE / "expected.txt").read_text().splitlines():
        if not row or row.startswith("#"):
            continue
        program, variant, kinds, tags, *arguments = row.split()
        name = program if variant == "-" else f"{program}-{variant}"
        if only and name not in only:
            continue
        status, report, text = check(tidemark, str(programs / name), arguments)
        wrong = list(complaints(status, report, text, kinds, tags))
        failed += bool(wrong)
        print(f"{'FAIL' if wrong else 'ok  '} {name} {' '.join(arguments)}:"
              f" {report.get('executions')} executions, {report.get('cpu_seconds')} s"
              + "".join(f"\n     {w}" for w in wrong), flush=True)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
