#!/usr/bin/env python3
"""Random C programs under both checkers: `tidemark litmus`, which decides what a model allows without
running anything, and `tidemark check`, which runs the program in every schedule.  They share no code; under
sequential consistency and under x86's total store order the same assertions must fail, and, where none
does, the same programs must be able to wait for ever.

The programs are in turn those of c_random.py, with main and pthreads around them, and those of
c_programs.py.  A disagreement is shrunk by leaving out operations.

  c_checkers.py --seed 1 --count 40          c_checkers.py --seed 17 --count 1 --show
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import c_programs
import c_random
from random_programs import shrink

BIN = os.path.dirname(os.path.abspath(c_random.TIDEMARK))
MODELS = {"sc": "sc", "tso": "x86tso"}  # of check, of litmus
WAITS = {"hang", "deadlock"}
WRONG = {"assertion", "use-after-free", "wrong-unlock"}
NOT_ASKED = {"lock-leak"}  # of litmus


def generate(seed):
    rng = random.Random(seed)
    return c_random.generate(rng) if seed % 2 else c_programs.generate(rng)


def smaller(program):
    return (c_random if isinstance(program, c_random.Program) else c_programs).smaller(program)


def text_of(program):
    if isinstance(program, c_programs.Program):
        return c_programs.text_of(program)
    lines = ["#include <pthread.h>", c_random.c_text(program)]
    count = len(program.threads)
    for t in range(count):
        lines.append(f"static void *run{t}(void *p) {{ thread{t}(); return p; }}")
    lines.append("int main(void) {")
    lines.append(f"  pthread_t t[{count}];")
    lines += [f"  pthread_create(&t[{t}], 0, run{t}, 0);" for t in range(count)]
    lines += [f"  pthread_join(t[{t}], 0);" for t in range(count)]
    return "\n".join(lines + ["  final();", "  return 0;", "}"]) + "\n"


def by_litmus(path, model):
    done = subprocess.run([c_random.TIDEMARK, "litmus", "--json=-", "--core=none", "--unroll=4", f"--model={model}",
                           path, "--", "-w"], capture_output=True, text=True)
    try:
        result = json.loads(done.stdout)[0]
        return result["verdict"], "hang" in result
    except (ValueError, IndexError, KeyError):
        return f"exit {done.returncode}: {done.stderr}", False


def by_check(program, model):
    races = ["--no-data-races"] if model == "sc" else []
    done = subprocess.run([c_random.TIDEMARK, "check", f"--model={model}", *races, "--json=-", "--max-executions=20000",
                           program], capture_output=True, text=True)
    try:
        result = json.loads(done.stdout)
        kinds = {f["kind"] for f in result["findings"]}
    except (ValueError, KeyError):
        return f"exit {done.returncode}: {done.stderr}", False
    strange = kinds - WAITS - WRONG - NOT_ASKED
    if strange:
        return f"findings {sorted(strange)}", False
    if kinds & WRONG:
        return "violated", False
    return ("verified" if result["complete"] else "unknown"), bool(kinds & WAITS)


def disagreement(program, folder, counts=None):
    path, binary = os.path.join(folder, "p.c"), os.path.join(folder, "p")
    with open(path, "w") as f:
        f.write(text_of(program))
    subprocess.run([os.path.join(BIN, "tidemark-cc"), "-O0", "-g", "-w", "-o", binary, path], check=True)
    for check, litmus in MODELS.items():
        (a, a_waits), (b, b_waits) = by_check(binary, check), by_litmus(path, litmus)
        if counts is not None:
            counts[b] = counts.get(b, 0) + 1
            counts["waits"] = counts.get("waits", 0) + b_waits
        if a == "unknown" or b == "bounded":
            continue
        weaker = check == "tso" and isinstance(program, c_programs.Program) and program.uses_library()
        if weaker and a == "verified":
            continue
        if a != b or (a == "verified" and a_waits != b_waits):
            return f"{check}: check says {a}{' and waits' * a_waits}, litmus {b}{' and waits' * b_waits}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    failed, counts = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seed, args.seed + args.count):
            program = generate(seed)
            if args.show:
                print(text_of(program))
            if disagreement(program, folder, counts):
                failed += 1
                program = shrink(program, smaller, lambda p: disagreement(p, folder))
                print(f"seed {seed}: {disagreement(program, folder)}\n{text_of(program)}", flush=True)
    print("c_checkers: " + ", ".join(f"{n} {w}" for w, n in sorted(counts.items())))
    print(f"{args.count - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
