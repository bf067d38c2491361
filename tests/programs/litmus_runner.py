"""What pm/run.py and cxl/run.py share: building the programs of a litmus/ folder, checking them, and
saying which failed."""
import glob
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("TIDEMARK_BUILD", os.path.join(ROOT, "build"))
TIDEMARK = os.path.join(BUILD, "bin", "tidemark")
MODES = ("--isolate", "--no-share")  # must not matter


def promised(source, key):
    with open(source, encoding="utf-8") as text:
        match = re.search(r"^// %s: (.*)$" % key, text.read(), re.M)
    return match.group(1) if match else ""


def build(source, folder, *headers):
    """The program in folder, built anew if it is older than what it is made of."""
    program = os.path.join(folder, os.path.basename(source)[:-2])
    compiler = os.path.join(BUILD, "bin", "tidemark-cc")
    needs = [source, compiler, os.path.join(HERE, "pm", "pm.h"), os.path.join(ROOT, "include", "tidemark.h"), *headers]
    if os.path.exists(program) and os.path.getmtime(program) > max(map(os.path.getmtime, needs)):
        return program
    done = subprocess.run([compiler, "-O2", "-g", *promised(source, "FLAGS").split(), source, "-o", program],
                          stderr=subprocess.PIPE, check=False)
    if done.returncode or done.stderr:
        raise ValueError("compiler: " + done.stderr.decode())
    return program


def check(options, command, settings=""):
    """The report; findings do not count as trouble."""
    environment = dict(os.environ, TIDEMARK_TEST_SETTINGS=settings) if settings else None
    done = subprocess.run([TIDEMARK, "check", "--json=-", *options, *command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=240, check=False, env=environment)
    if done.returncode not in (0, 1):
        raise ValueError("exit status %d: %s" % (done.returncode, done.stderr.decode(errors="replace").strip()))
    report = json.loads(done.stdout)
    if not report["complete"] or (done.returncode == 1) != bool(report["findings"]):
        raise ValueError("exit status %d, complete: %s" % (done.returncode, report["complete"]))
    return report


def compare_sets(want, got, what):
    if got != want:
        raise ValueError("%s: missing {%s}, impossible {%s}" % (what, "; ".join(sorted(want - got)), "; ".join(sorted(got - want))))


def compare_modes(report, options, command, modes=MODES):
    """In every mode the same outcomes, their counts, and findings."""
    def findings(r):
        return [{key: value for key, value in f.items() if key != "run"} for f in r["findings"]]  # "run" has the options

    for mode in modes:
        other = check([*options, mode], command)
        for key in ("outcomes", "executions"):
            if report[key] != other[key]:
                raise ValueError("%s: %s is %s, was %s" % (mode, key, other[key], report[key]))
        if findings(report) != findings(other):
            raise ValueError("%s: other findings: %.300s, were %.300s" % (mode, findings(other), findings(report)))


def counts(report):
    """What a COUNTS line says: how much work a search was, and how much it covered."""
    return "%d executions, %d runs, %d failure points" % (
        report["executions"], report["program_runs"], report["failure_points"])


def compare_counts(want, report, what):
    if counts(report) != want:
        raise ValueError("%s: %s, not %s" % (what, counts(report), want or "counted (run.py --write)"))


def main(folder, sources_in, compare, with_counts):
    """compare(source) raises what is wrong; with_counts(source) is the program's text with COUNTS as
    they are now.  The exit status."""
    os.makedirs(folder, exist_ok=True)
    writes = "--write" in sys.argv
    names = [name for name in sys.argv[1:] if name != "--write"] or [""]
    sources = [s for litmus in sources_in for s in sorted(glob.glob(os.path.join(litmus, "*.c")))
               if any(n in os.path.basename(s) for n in names)]

    def write(source):
        text = with_counts(source)
        with open(source, "w", encoding="utf-8") as out:
            out.write(text)

    def attempt(source):
        try:
            (write if writes else compare)(source)
        except (ValueError, KeyError, OSError, subprocess.TimeoutExpired) as problem:
            return str(problem)
        return None

    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for source, problem in zip(sources, pool.map(attempt, sources)):
            if problem:
                failed += 1
                print("FAILED %s: %s" % (os.path.basename(source), problem))
    print("%d passed, %d failed" % (len(sources) - failed, failed))
    return 1 if failed or not sources else 0
