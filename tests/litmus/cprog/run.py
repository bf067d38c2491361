#!/usr/bin/env python3
"""C programs: each has lines that say what `tidemark litmus` must find.

  // CHECK MODEL [--option | compiler flag]...: violated [LINE] | verified | bounded
  // HANG MODEL [flags]...                      and warns that a thread may wait for ever
  // ENDS MODEL [flags]...                      and warns of no such thing
  // UNINITIALISED MODEL [flags]...: LINE       and warns that this line reads what nobody has written, or none
  // WARNS MODEL [flags]...: part of a warning, or none
  // ERROR MODEL [flags]...: part of the message
"""
import functools
import glob
import json
import os
import re
import subprocess
import sys

STATUS = {"violated": 1, "verified": 0, "bounded": 5}


@functools.lru_cache(maxsize=None)
def run(path, model, *rest):
    """Once, whatever is asked about it."""
    options = [w for w in rest if w.startswith("--")]
    flags = [w for w in rest if not w.startswith("--")]
    return subprocess.run(["tidemark", "litmus", "--json=-", "--core=none", f"--model={model}", *options, path,
                           "--", "-w", *flags], capture_output=True, text=True)


def check(path, kind, words, wanted):
    done = run(path, *words)
    if kind == "ERROR":
        return done.returncode == 2 and wanted in done.stderr, done.stderr
    try:
        result = json.loads(done.stdout)[0]
    except (ValueError, IndexError):
        return False, done.stdout + done.stderr
    if "verdict" not in result:
        return False, done.stderr
    if kind in ("HANG", "ENDS"):
        return ("hang" in result) == (kind == "HANG"), done.stdout
    if kind == "WARNS":
        return wanted in "; ".join(result["warnings"] or ["none"]), result["warnings"]
    if kind == "UNINITIALISED":
        return str(result.get("uninitialised", {}).get("line", "none")) == wanted, done.stdout
    verdict, *line = wanted.split()
    fine = result["verdict"] == verdict and done.returncode == STATUS[verdict]
    fine = fine and (not line or result.get("violation", {}).get("line") == int(line[0]))
    fine = fine and (result["witness"] is not None) == (verdict == "violated")
    return fine, f"{result['verdict']}, exit status {done.returncode}, {result.get('violation')}"


def main():
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    passed = failed = 0
    for path in sys.argv[1:] or sorted(glob.glob("*.c") + glob.glob("*.cpp")):
        with open(path) as f:
            lines = re.findall(r"^// (CHECK|HANG|ENDS|UNINITIALISED|WARNS|ERROR) ([^:\n]*)(?:: (.*))?$", f.read(), re.M)
        if not lines:
            print(f"--- {path}: nothing to check")
            failed += 1
        for kind, words, wanted in lines:
            fine, got = check(path, kind, words.split(), wanted)
            passed += fine
            failed += not fine
            if not fine:
                print(f"--- {path} {kind} {words}: expected {wanted}, got {got.strip()[:400]}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
