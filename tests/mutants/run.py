#!/usr/bin/env python3
"""Would the tests notice?  Applies deliberate mistakes to the sources one by one, in a copy, and runs the
tests that must fail.

    run.py                  all mistakes in *.txt beside this file
    run.py NAME...          those whose name contains one of NAME
    run.py --list           names and what they are about
    run.py --fits           is what they change still there, once?  (part of `make check`)
    run.py --jobs N         of make; 2 unless told

A mistake is killed if one of its tests fails, or takes ten times as long as without the mistake.  A test is
left at the first thing it complains about.  The exit status is 0 if all were killed.  One takes as long as
building a file, linking and the tests named: some seconds on an idle machine.  It is not part of `make
check`.

A mistake, in *.txt, separated by empty lines:
    mistake: name
    what: one line
    file: name.c            in whichever folder of src it lies; of a.c|b.c, the one that has it
    find: regular expression, which must match exactly once ('.' matches no end of line, \\s does)
    put: what to put there instead (\\1 is the first group)
    tests: unit NAME | pm NAME... | cxl NAME... | analysis NAME... | lit REGEX |
           concurrent NAME... | cprog FILE... | random NAME COUNT [SEED] (fuzz/NAME_random.py); more after a ';'
    settings: of the worker (finding/job.h), optional
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD_SECONDS = 900
COMPLAINTS = ("FAILED", "DISAGREEMENT")  # how a line begins after which a test has failed


def open_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_mistakes():
    mistakes = []
    for path in sorted(glob.glob(os.path.join(HERE, "*.txt"))):
        for record in open_text(path).split("\n\n"):
            lines = [line for line in record.splitlines() if line and not line.startswith("#")]
            if lines:
                mistakes.append(dict(line.split(": ", 1) for line in lines))
    return mistakes


def make_copy(folder):
    """The tree as it is, with what was built, so that little has to be built again."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listing, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode().split("\0")
    for name in filter(None, files):
        if os.path.exists(os.path.join(ROOT, name)):
            os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(folder, name))
    if os.path.isdir(os.path.join(ROOT, "build")):
        shutil.copytree(os.path.join(ROOT, "build"), os.path.join(folder, "build"), symlinks=True,
                        ignore=shutil.ignore_patterns("Output"))  # what tests left there


def run_until_complaint(command, folder, seconds):
    """The exit status, not 0 also if it takes longer or begins to complain, and what it said."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    environment.pop("TIDEMARK_BUILD", None)
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    ended_early = []

    def end():
        ended_early.append(True)
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(seconds, end)
    timer.start()
    said = ""
    for line in process.stdout:
        line = line.decode(errors="replace")
        said += line
        if line.startswith(COMPLAINTS) and not ended_early:
            end()
    timer.cancel()
    status = process.wait()
    return (-1 if ended_early else status), said


class Copy:
    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder, jobs
        self.usual = {}  # seconds each test takes without a mistake

    def run(self, command, seconds=BUILD_SECONDS):
        return run_until_complaint(command, self.folder, seconds)

    def make(self, *goals):
        """A mistake may leave something unused."""
        return self.run(["make", "-s", "-j%d" % self.jobs, "CFLAGS=-O2 -g -Wno-error=unused -Wno-error=unused-parameter", *goals])

    def command(self, test):
        kind, *arguments = test.split()
        if kind == "unit":
            return ["build/tests/" + arguments[0]]
        if kind == "lit":  # of tests/programs
            lit = os.environ.get("LLVM", "/usr/lib/llvm-19") + "/build/utils/lit/lit.py"
            return [sys.executable, lit, "-q", "tests/programs", "--param",
                    "build=" + os.path.join(self.folder, "build"), "--filter", arguments[0]]
        if kind == "random":
            what, count, *seed = arguments
            return [sys.executable, "tests/fuzz/%s_random.py" % what, "--seed", *(seed or ["1"]), "--count", count]
        if kind == "cprog":
            path = os.path.join(self.folder, "build/bin") + os.pathsep + os.environ["PATH"]
            return ["env", "PATH=" + path, sys.executable, "tests/litmus/cprog/run.py", *arguments]
        return [sys.executable, "tests/programs/%s/run.py" % kind, *arguments]

    def build_for(self, test):
        """A unit test is linked with what it tests and needs nothing else."""
        kind, *arguments = test.split()
        status, said = self.make("build/tests/" + arguments[0] if kind == "unit" else "programs")
        if kind == "concurrent" and not status:
            return self.run(["make", "-s", "-C", "examples", "BUILD=" + os.path.join(self.folder, "build"), "concurrent"])
        return status, said

    def test(self, test):
        began = time.time()
        status, said = self.run(self.command(test), 30 + 10 * self.usual.get(test, BUILD_SECONDS))
        self.usual.setdefault(test, time.time() - began)
        return status, said

    def source(self, names, find):
        """of several names, the one in which there is something to find"""
        found = [path for name in names.split("|") for path in glob.glob(os.path.join(self.folder, "src", "*", name))]
        fitting = [path for path in found if re.search(find, open_text(path))]
        if len(fitting) != 1:
            raise ValueError("%d of %d files called %s have what is to be found" % (len(fitting), len(found), names))
        return fitting[0]


def apply(mistake, text):
    mutated, count = re.subn(mistake["find"], mistake["put"], text)
    if count != 1:
        raise ValueError("'find' matches %d times" % count)
    return mutated


def attempt(copy, mistake, wrong):
    """The test that noticed, or None."""
    if any(test in wrong for test in mistake["tests"].split("; ")):
        raise ValueError("its tests fail without it")
    path = copy.source(mistake["file"], mistake["find"])
    original = open_text(path)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(apply(mistake, original))
        os.environ["TIDEMARK_TEST_SETTINGS"] = mistake.get("settings", "")
        for test in mistake["tests"].split("; "):
            status, said = copy.build_for(test)
            if status:
                raise ValueError("does not build: " + said[-600:])
            if copy.test(test)[0]:
                return test
        return None
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(original)


def misfit(tree, mistake):
    """None, or why it cannot be made."""
    try:
        apply(mistake, open_text(tree.source(mistake["file"], mistake["find"])))
    except ValueError as problem:
        return str(problem)
    return None


def check_fits(mistakes):
    tree = Copy(ROOT, 1)
    problems = {m["mistake"]: misfit(tree, m) for m in mistakes}
    failed = [name for name, problem in problems.items() if problem]
    for name in failed:
        print("FAILED mistake %s: %s" % (name, problems[name]))
    print("%d passed, %d failed" % (len(problems) - len(failed), len(failed)))
    return 1 if failed or not problems else 0


def without_mistake(copy, mistakes):
    """Of tests that are of no use, what is wrong all the same."""
    wrong = {}
    for test in sorted({test for m in mistakes for test in m["tests"].split("; ")}):
        status, said = copy.build_for(test)
        if not status:
            status, said = copy.test(test)
        if status:
            wrong[test] = said
            print("without any mistake, %s: %s" % (test, said[-2000:]), flush=True)
    return wrong


def main():
    arguments = sys.argv[1:]
    jobs = 2
    if "--jobs" in arguments:
        at = arguments.index("--jobs")
        jobs = int(arguments[at + 1])
        del arguments[at:at + 2]
    names = [name for name in arguments if name not in ("--list", "--fits")] or [""]
    mistakes = [m for m in read_mistakes() if any(name in m["mistake"] for name in names)]
    if "--list" in arguments:
        for m in mistakes:
            print("%-28s %s" % (m["mistake"], m["what"]))
        return 0
    if "--fits" in arguments:
        return check_fits(mistakes)
    survived = 0
    with tempfile.TemporaryDirectory(prefix="mutants.") as folder:
        make_copy(folder)
        copy = Copy(folder, jobs)
        wrong = without_mistake(copy, mistakes)
        for m in mistakes:
            try:
                killer = attempt(copy, m, wrong)
                result = "killed by %s" % killer if killer else "SURVIVED: %s" % m["what"]
            except ValueError as problem:
                killer, result = None, "FAILED: %s" % problem
            survived += killer is None
            print("%-28s %s" % (m["mistake"], result), flush=True)
    print("%d passed, %d failed" % (len(mistakes) - survived, survived))
    return 1 if survived or not mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
