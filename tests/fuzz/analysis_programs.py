"""What analysis_random.py and analysis_cxl_random.py share: many random programs are functions of one C file,
an operation on each line, so that a report names operations, and their findings are compared.

A driver is a module with NAME, HEAD and MAIN (what is around the functions), FUNCTIONS_MAX (of a program),
generate(seed, number), verify(program, index, case, where) and perhaps show(case, program, where).  A case has a
number and write(out, where), which appends lines to `out`, says in where[line number] = (program, operation)
what is there, and returns its row of the table of functions.
"""
import argparse
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import random_programs

PER_FILE = 100


def statement(kind, lines, variable, value):
    """lines: variable -> cache line; fences have no variable"""
    place = None if variable is None else "m[%d].word[%d]" % (lines[variable], variable)
    return {"s": "%s = %d;" % (place, value),
            "R": "__atomic_store_n(&%s, %d, __ATOMIC_RELEASE);" % (place, value),
            "l": "sink += %s;" % place,
            "f": "_mm_clflush(&%s);" % place,
            "w": '__asm__ volatile("clwb %%0" : "+m"(%s));' % place,
            "S": "_mm_sfence();"}[kind]


def build(driver, cases, folder):
    out, where = driver.HEAD.splitlines(), {}
    rows = [case.write(out, where) for case in cases]
    out.append("static void (*programs[][%d])(void) = {%s};" % (driver.FUNCTIONS_MAX, ", ".join(rows)))
    out += driver.MAIN.splitlines()
    source = os.path.join(folder, "programs.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")
    compiler = os.path.join(random_programs.BUILD, "bin", "tidemark-cc")
    subprocess.run([compiler, "-g", "-O1", "-w", "-o", source[:-2], source], check=True)
    return source[:-2], where


def check(program, index, *options):
    report = random_programs.run_check(options, program, str(index))
    if not report["complete"]:
        raise AssertionError("incomplete: %s" % report["said"])
    return report


def pairs(report, kind, roles, where):
    """{(operation, operation)} that findings of this kind name."""
    found = set()
    for f in report["findings"]:
        if f["kind"] == kind:
            lines = {part["role"]: part["location"]["line"] for part in f["parts"]}
            found.add(tuple(where[lines[role]][1] for role in roles))
    return found


def violations(report, where):
    return pairs(report, "robustness", ("lost", "missed"), where)


def races(report, where):
    return pairs(report, "persistency-race", ("torn", "read"), where)


def difference(what, want, got):
    if want == got:
        return None
    return "%s: missing %s, wrong %s" % (what, sorted(want - got), sorted(got - want))


def compare(driver, cases, verbose):
    """How many programs disagree: 1 is enough."""
    with tempfile.TemporaryDirectory() as folder:
        program, where = build(driver, cases, folder)
        for index, case in enumerate(cases):
            what = driver.verify(program, index, case, where)
            if what or verbose:
                getattr(driver, "show", show)(case, program, where)
            if what:
                print("DISAGREEMENT in program %d: %s" % (case.number, what))
                return 1
    return 0


def show(case, program, where):
    """Its lines, with their numbers in the whole."""
    with open(program + ".c", encoding="utf-8") as f:
        lines = f.read().splitlines()
    for n in sorted(n for n in where if where[n][0] == case.number):
        print("  %s  %s" % (where[n][1], lines[n - 1]))
    print("  lines of variables %s, failures %d" % (getattr(case, "lines", "as above"), case.failures))


def main(driver):
    parser = argparse.ArgumentParser(description=driver.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int)
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    numbers = range(arguments.count) if arguments.only is None else [arguments.only]
    files = [numbers[i:i + PER_FILE] for i in range(0, len(numbers), PER_FILE)]

    def one(part):
        return compare(driver, [driver.generate(arguments.seed, n) for n in part], arguments.verbose)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        failed = sum(pool.map(one, files))
    if not failed:
        print("%s: seed %d" % (driver.NAME, arguments.seed))
        print("%d passed, 0 failed" % len(numbers))
    return 1 if failed else 0
