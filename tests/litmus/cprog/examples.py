#!/usr/bin/env python3
"""The programs with threads that `tidemark check` is tested with, under `tidemark litmus`: where
tests/programs/concurrent/expected.txt has a failed assertion, a crash or a wait for ever, so has this.
Programs that litmus refuses (C++, condition variables, read-write locks of pthreads ...) are counted.
tidemark must be in PATH.

  examples.py [PROGRAM...]
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
TWINS = ROOT / "tests" / "programs" / "concurrent"
MODELS = {"sc": "sc", "tso": "x86tso"}
WRONG = {"assertion", "segfault", "use-after-free"}
WAITS = {"hang", "deadlock"}
UNROLL = {"treiber_stack": 2}  # enough, and much faster


def programs():
    """(name, source, flags, findings by mode)"""
    for line in (TWINS / "expected.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, *modes = line.split()
        stem, _, flag = name.partition("-")
        source = next((f for f in (ROOT / "examples" / "concurrent" / f"{stem}.c", TWINS / f"{stem}.c") if f.exists()), None)
        findings = {}
        for mode in modes:
            key, _, rest = mode.partition("=")
            findings[key] = set(re.findall(r"([a-z-]+)@", rest))
        if source and (len(sys.argv) < 2 or stem in sys.argv[1:]):
            yield name, source, [f"-D{flag}"] if flag else [], findings


def run(source, flags, model):
    done = subprocess.run(["tidemark", "litmus", "--json=-", "--core=none", f"--unroll={UNROLL.get(source.stem, 3)}", f"--model={model}",
                           source, "--", "-w", *flags], capture_output=True, text=True)
    return json.loads(done.stdout)[0], done.stderr


def main():
    passed = failed = refused = 0
    for name, source, flags, findings in programs():
        for mode, model in MODELS.items():
            result, errors = run(source, flags, model)
            if "verdict" not in result:
                refused += 1
                if "internal" in errors:
                    print(f"--- {name} {model}: {errors}")
                    failed += 1
                continue
            # abort() ends a path here, as exit does; glibc's about a block that was freed twice is ours to find
            kinds = WRONG | {"abort"} if source.stem in ("double_free", "second_free") else WRONG
            wrong, waits = bool(findings[mode] & kinds), bool(findings[mode] & WAITS)
            fine = result["verdict"] == ("violated" if wrong else "verified") and (wrong or waits == ("hang" in result))
            passed += fine
            failed += not fine
            if not fine:
                print(f"--- {name} {model}: {result['verdict']}{', waits' * ('hang' in result)}, but check found "
                      f"{sorted(findings[mode])} ({result.get('violation')})")
    print(f"{passed} passed, {failed} failed, {refused} refused")
    sys.exit(failed != 0 or not passed)


main()
