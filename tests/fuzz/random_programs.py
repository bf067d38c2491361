"""What drivers of random programs share: they generate programs (cases), this compares them.

A driver is a module with NAME, Case (text, line(), from_line()), smaller(case), expected(case, flip, limit),
disagreement(case, flip), modes_disagreement(case) and tests(arguments).
"""
import json
import os
import random
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("TIDEMARK_BUILD", os.path.join(ROOT, "build"))


def interpreter(name):
    return os.path.join(BUILD, "tests", name)


def build_interpreter(name, *flags, program=None):
    source, program = os.path.join(HERE, name + ".c"), program or interpreter(name)
    compiler = os.path.join(BUILD, "bin", "tidemark-cc")
    needs = [source, compiler, os.path.join(HERE, "interpreter.h"), os.path.join(HERE, "foreign.c"),
             os.path.join(ROOT, "tests", "programs", "pm", "pm.h")]
    if os.path.exists(program) and os.path.getmtime(program) > max(map(os.path.getmtime, needs)):
        return
    os.makedirs(os.path.dirname(program), exist_ok=True)
    subprocess.run([compiler, "-O1", "-g", *flags, "-o", program + ".new", source], check=True)
    os.replace(program + ".new", program)


def build_foreign_interpreter(name, *flags):
    """Its loads and stores are built without hooks."""
    program = interpreter(name + "_foreign")
    os.makedirs(os.path.dirname(program), exist_ok=True)
    clang = os.path.join(os.environ.get("LLVM", "/usr/lib/llvm-19"), "bin", "clang")
    subprocess.run([clang, "-O1", "-DFOREIGN", "-c", "-o", program + ".o", os.path.join(HERE, "foreign.c")], check=True)
    build_interpreter(name, "-DFOREIGN", *flags, program + ".o", program=program)
    return program


def run_check(options, program, *arguments, command="check", timeout=300, **environment):
    """The report of one run of the checker, with its exit status and what it said."""
    options = ["--allow-empty", *options] if command == "check" else options
    settings = {**os.environ, **environment}.get("TIDEMARK_TEST_SETTINGS", "")
    environment["TIDEMARK_TEST_SETTINGS"] = (settings + " scribble=1").strip()
    words = [os.path.join(BUILD, "bin", "tidemark"), command, "--json=-", *options, program, *arguments]
    done = subprocess.run(words, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=timeout, check=False)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        report = {"outcomes": {}, "findings": [], "complete": False}
    report["exit"] = done.returncode
    report["said"] = [f["message"] for f in report["findings"]] or done.stderr.decode()
    return report


def trouble(report):
    """None, or why the outcomes do not count."""
    if report["exit"] or not report["complete"]:
        return "exit status %d, %s" % (report["exit"], report["said"])
    return None


def difference(want, got):
    """None, or what differs between two sets of outcomes."""
    if got == want:
        return None
    return "missing: {%s}  impossible: {%s}" % (" | ".join(sorted(want - got)), " | ".join(sorted(got - want)))


def modes_difference(check, case):
    """None, or how a mode that must not matter does matter."""
    base = check(case)
    for option in ("--isolate", "--no-share"):
        other = check(case, option)
        for key in ("outcomes", "executions", "failure_points", "exit"):
            if base.get(key) != other.get(key):
                return "%s differs with %s: %s, %s" % (key, option, base.get(key), other.get(key))
        if [f["message"] for f in base["findings"]] != [f["message"] for f in other["findings"]]:
            return "findings differ with %s" % option
    return None


def shrink(case, smaller, fails):
    again = True
    while again:
        again = False
        for candidate in smaller(case):
            try:
                failing = fails(candidate)
            except (AttributeError, ValueError, IndexError):
                failing = None  # not a program
            if failing:
                case, again = candidate, True
                break
    return case


def report_failure(driver, case, what, fails):
    print("DISAGREEMENT %s\n  %s" % (case.line(), what))
    small = shrink(case, driver.smaller, fails)
    print("shrunk:  %s.py %s\n  %s" % (driver.NAME, small.line(), fails(small)))
    print("  by definition: {%s}" % " | ".join(sorted(driver.expected(small))))
    print("0 passed, 1 failed")


def regressions(driver, name):
    with open(os.path.join(HERE, name), encoding="utf-8") as lines:
        return [driver.Case.from_line(line.strip()) for line in lines if line.strip() and line[0] != "#"]


def small_cases(driver, arguments, random_case, limit):
    """As many as asked for, small enough for the definition; they remember the outcomes it allows."""
    for number in range(arguments.count):
        rng = random.Random("%d.%d" % (arguments.seed, number))
        case, want = None, None
        while want is None:
            case = random_case(rng, arguments)
            want = driver.expected(case, arguments.flip, limit)
        case.want = want
        yield case


def usual_tests(driver, arguments, cases, regressions_name, modes_every):
    """All cases, after those of old disagreements; some of them in other modes, too."""
    def fails(case):
        return driver.disagreement(case, arguments.flip)

    if arguments.flip:
        return [(fails, cases)]
    return [(fails, regressions(driver, regressions_name) + cases), (driver.modes_disagreement, cases[::modes_every])]


def first_failure(cases, fails, jobs):
    with ThreadPoolExecutor(jobs) as pool:
        for case, what in zip(cases, pool.map(fails, cases)):
            if what:
                return case, what
    return None


def run_tests(driver, tests, jobs):
    """tests: (what is wrong with a case, cases); 0 if nothing is."""
    for test, cases in tests:
        failure = first_failure(cases, test, jobs)
        if failure:
            report_failure(driver, *failure, test)
            return 1
    return 0


def run_merging(driver, name, cases, arguments):
    """Cases that count what merging has spared (case.spared): that it never does would be no test."""
    if run_tests(driver, [(driver.disagreement, cases)], arguments.jobs):
        return 1
    spared = sum(case.spared for case in cases)
    print("%s: seed %d, merging spared %d runs" % (name, arguments.seed, spared))
    if arguments.count >= 50 and not spared:
        print("nothing was merged\n0 passed, 1 failed")
        return 1
    print("%d passed, 0 failed" % arguments.count)
    return 0


def add_arguments(parser, flips):
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--replay", metavar="PROGRAM")
    parser.add_argument("--flip", choices=sorted(flips), help="compare with a wrong oracle")


def run(driver, arguments, case):
    """case: the one to look at, or None: as many random ones as asked for.  The exit status."""
    if case:
        what = driver.disagreement(case, arguments.flip) or driver.modes_disagreement(case)
        print(what or "agree: {%s}" % " | ".join(sorted(driver.expected(case))))
        return 1 if what else 0
    began = time.time()
    status = run_tests(driver, driver.tests(arguments), arguments.jobs)
    if not status:
        print("%s: seed %d, %.1f s" % (driver.NAME, arguments.seed, time.time() - began))
        print("%d passed, 0 failed" % arguments.count)
    return status
