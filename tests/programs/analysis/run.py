#!/usr/bin/env python3
"""run.py [NAME...]: what the analyses of `tidemark check` must say about the programs beside this file.

Each program says it in comments:

    // BUILD flags                 how it is built; the lines that follow are about this build
    // CLEAN options               exit status 0
    // FIND options: FINDING; ...  exit status 1 and exactly these findings
    // FIND options: FINDING; ...  of the kinds that are named there, others do not matter, if it ends in "..."

A FINDING is a kind followed by facts.  TAG stands for the line that ends in the comment "//@TAG".

    at=TAG in=FUNCTION             its place
    lost= survived= missed= read= torn=TAG   its parts
    after=TAG before=TAG           the first window; thread=N: its thread; needs=flush+fence or fence
    fix=TEXT                       the sentence begins with that (_ for a space); -: there is none
    or=TAG..TAG                    a further window
    field:ROLE=TEXT type:ROLE=TEXT what debug information says about a part (~ for a space)
    stack:ROLE=F<G<main            the functions of its stack, innermost first

Every check is also made with --isolate and with --no-share, which must say the same, and every finding
is replayed from its token."""
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BUILD = os.environ.get("TIDEMARK_BUILD", os.path.join(ROOT, "build"))
BIN = os.path.join(BUILD, "bin")


def read(path):
    """(tags, [(flags, [(options, expected or None, exact)])])"""
    tags, builds = {}, []
    with open(path) as f:
        for number, line in enumerate(f, 1):
            tags.update((tag, number) for tag in re.findall(r"//@(\w+)", line))
            match = re.match(r"// (BUILD|CLEAN|FIND)\b(.*)", line)
            if not match:
                continue
            word, rest = match.groups()
            if word == "BUILD":
                builds.append((rest.split(), []))
                continue
            options, _, findings = rest.partition(":")
            exact = not findings.strip().endswith("...")
            wanted = [x.split() for x in findings.replace("...", "").split(";") if x.strip()]
            builds[-1][1].append((options.split(), wanted, exact))
    return tags, builds


def check(program, options):
    done = subprocess.run([os.path.join(BIN, "tidemark"), "check", "--json=-", "--quiet", *options, program],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=240, check=False)
    report = json.loads(done.stdout) if done.stdout else {"findings": [], "complete": False}
    return done.returncode, report, done.stderr.decode()


def line_of(location):
    return location and location["line"]


def stack_of(part):
    return "<".join(frame["function"] or "?" for frame in part["stack"])


def stacks_missing(report):
    """Parts of findings that do not say how the program came there."""
    return ["%s at %s: %s" % (p["role"], line_of(p["location"]), stack_of(p))
            for f in report["findings"] if f["kind"] in ("robustness", "persistency-race")
            for p in f["parts"] if line_of(p["location"]) not in [line_of(x) for x in p["stack"]]]


def value_of(finding, key):
    parts = {p["role"]: line_of(p["location"]) for p in finding["parts"]}
    window = finding["fix_windows"][0] if finding["fix_windows"] else {}
    if key == "in":
        return finding["location"]["function"].replace("<...>", "<>")
    if key == "at":
        return line_of(finding["location"])
    if key in ("after", "before"):
        return line_of(window.get(key))
    if key == "thread":
        return str(window.get("thread"))
    if key == "needs":
        return "+".join(k for k in ("flush", "fence") if window.get(k))
    if key == "or":
        return [(line_of(w["after"]), line_of(w["before"])) for w in finding["fix_windows"][1:]]
    return parts.get(key)


def fits(finding, words, tags):
    kind, *facts = words
    if finding["kind"] != kind:
        return False
    for fact in facts:
        key, _, want = fact.partition("=")
        if ":" in key:
            what, _, role = key.partition(":")
            parts = [p for p in finding["parts"] if p["role"] == role]
            if want.replace("~", " ") not in [stack_of(p) if what == "stack" else p[what] for p in parts]:
                return False
            continue
        got = value_of(finding, key)
        if key == "fix":
            if not (finding["fix"] or "-").startswith(want.replace("_", " ")):
                return False
        elif key == "or":
            if tuple(tags[t] for t in want.split("..")) not in got:
                return False
        elif got != (want if key in ("thread", "needs", "in") else tags[want]):
            return False
    return True


def compare(report, wanted, exact, tags):
    """None, or what is wrong."""
    left = list(report["findings"])
    for words in wanted:
        found = next((f for f in left if fits(f, words, tags)), None)
        if found is None:
            return "no %s among %s" % (" ".join(words), [describe(f) for f in report["findings"]])
        left.remove(found)
    kinds = {words[0] for words in wanted}
    left = [f for f in left if exact or f["kind"] in kinds]
    return "not expected: %s" % [describe(f) for f in left] if left else None


def describe(f):
    return "%s at %s: %s, windows %s" % (
        f["kind"], line_of(f["location"]), {p["role"]: line_of(p["location"]) for p in f["parts"]},
        [(line_of(w["after"]), line_of(w["before"]), w["thread"]) for w in f["fix_windows"]])


def replay(program, options, finding):
    """Does a replay show the finding again?"""
    done = subprocess.run([os.path.join(BIN, "tidemark"), "replay", "--json=-", "--quiet", "--token=" + finding["replay"],
                           *options, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=240, check=False)
    again = json.loads(done.stdout)["findings"] if done.stdout else []
    return any(f["kind"] == finding["kind"] and f["location"] == finding["location"] for f in again)


def verify(program, options, wanted, exact, tags):
    for mode in ([], ["--isolate"], ["--no-share"]):
        status, report, said = check(program, options + mode)
        if not report["complete"]:
            return "%s: incomplete, exit status %d: %s" % (mode, status, said)
        if status != (1 if wanted else 0):
            return "%s: exit status %d, %s" % (mode, status, [describe(f) for f in report["findings"]])
        what = compare(report, wanted, exact, tags)
        if what:
            return "%s %s" % (mode, what)
        missing = stacks_missing(report)
        if missing:
            return "%s without a stack: %s" % (mode, missing)
        for f in report["findings"] if not mode else ():
            if f["kind"].startswith("redundant"):
                if f["replay"] is not None:
                    return "%s is about all executions, but there is one to replay" % f["kind"]
            elif not replay(program, options, f):
                return "the replay of %s does not show it" % f["replay"]
    return None


def run(path):
    """[(what, None or what is wrong)]"""
    tags, builds = read(path)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for flags, checks in builds:
            program = os.path.join(folder, "program")
            compiler = os.path.join(BIN, "tidemark-cc" if path.endswith(".c") else "tidemark-c++")
            subprocess.run([compiler, "-g", "-mclwb", *flags, path, "-o", program], check=True)
            for options, wanted, exact in checks:
                name = "%s %s %s" % (os.path.basename(path), " ".join(flags), " ".join(options))
                results.append((name, verify(program, options, wanted, exact, tags)))
    return results


def main():
    names = sorted(n for n in os.listdir(HERE) if n.endswith((".c", ".cc")) and all(a in n for a in sys.argv[1:]))
    failed = passed = 0
    with ThreadPoolExecutor(2) as pool:
        for results in pool.map(lambda n: run(os.path.join(HERE, n)), names):
            for name, what in results:
                passed, failed = passed + (what is None), failed + (what is not None)
                if what:
                    print("FAILED %s\n     %s" % (name, what))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
