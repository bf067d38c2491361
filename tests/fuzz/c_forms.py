#!/usr/bin/env python3
"""The same random program as a C file and as a litmus test in C: two front ends that have nothing in
common (clang and symbolic execution here, herd's little language there) must give the same answer
under rc11, sc and a model (c_forms.cat) whose closures are needed in both directions.  A disagreement is shrunk by leaving out statements.

  c_forms.py --seed 1 --count 30
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

TIDEMARK = os.environ.get("TIDEMARK", os.path.join(os.path.dirname(__file__), "../../build/bin/tidemark"))
CLOSURES = os.path.join(os.path.dirname(__file__), "c_forms.cat")
VARIABLES = ["x", "y", "z"]


def statement(rng, regs, depth=0):
    kind = rng.choice(["load", "load", "store", "store", "rmw", "fence", "if"])
    where = rng.choice(VARIABLES[:2] if rng.random() < 0.8 else VARIABLES)
    if kind == "load" or (kind in ("if", "rmw") and regs >= 3):
        return ("load", where, rng.choice(["relaxed", "acquire", "seq_cst"])) if regs < 3 else ("fence", "seq_cst")
    if kind == "store":
        value = rng.choice(["1", "2"] + [f"r{i}" for i in range(regs)])
        return ("store", where, value, rng.choice(["relaxed", "release", "seq_cst"]))
    if kind == "rmw":
        return ("rmw", where, rng.choice(["exchange", "fetch_add"]), rng.choice([1, 2]),
                rng.choice(["relaxed", "acquire", "release", "acq_rel", "seq_cst"]))
    if kind == "fence":
        return ("fence", rng.choice(["acquire", "release", "acq_rel", "seq_cst"]))
    if depth or not regs:
        return ("store", where, "1", "relaxed")
    return ("if", rng.randrange(regs), rng.choice([0, 1]), where, rng.choice([1, 2]), rng.choice(["relaxed", "release"]))


def registers(thread):
    return sum(s[0] in ("load", "rmw") for s in thread)


def generate(rng):
    threads = []
    for _ in range(rng.choice([2, 2, 3])):
        thread = []
        for _ in range(rng.randrange(2, 5)):
            thread.append(statement(rng, registers(thread)))
        threads.append(thread)
    names = [("reg", t, r) for t, th in enumerate(threads) for r in range(registers(th))]
    names += [("var", v) for v in VARIABLES[:2]]
    wanted = [(n, rng.choice([0, 0, 1, 2])) for n in rng.sample(names, min(len(names), rng.randrange(1, 4)))]
    return threads, wanted


def code(thread, amp, indent="  "):
    lines, reg = [], 0
    for s in thread:
        if s[0] == "load":
            lines.append(f"int r{reg} = atomic_load_explicit({amp}{s[1]}, memory_order_{s[2]});")
            reg += 1
        elif s[0] == "store":
            lines.append(f"atomic_store_explicit({amp}{s[1]}, {s[2]}, memory_order_{s[3]});")
        elif s[0] == "rmw":
            lines.append(f"int r{reg} = atomic_{s[2]}_explicit({amp}{s[1]}, {s[3]}, memory_order_{s[4]});")
            reg += 1
        elif s[0] == "fence":
            lines.append(f"atomic_thread_fence(memory_order_{s[1]});")
        else:
            lines.append(f"if (r{s[1]} == {s[2]}) {{ atomic_store_explicit({amp}{s[3]}, {s[4]}, memory_order_{s[5]}); }}")
    return "".join(indent + line + "\n" for line in lines)


def as_litmus(program):
    threads, wanted = program
    text = "C random\n{ " + " ".join(f"{v}=0;" for v in VARIABLES) + " }\n"
    for t, thread in enumerate(threads):
        text += f"P{t} (" + ", ".join(f"atomic_int* {v}" for v in VARIABLES) + ") {\n" + code(thread, "") + "}\n"
    parts = [f"{n[1]}:r{n[2]}={v}" if n[0] == "reg" else f"{n[1]}={v}" for n, v in wanted]
    return text + "exists (" + " /\\ ".join(parts) + ")\n"


def as_c(program):
    threads, wanted = program
    text = "#include <assert.h>\n#include <stdatomic.h>\nstatic atomic_int " + ", ".join(VARIABLES) + ";\n"
    seen = [n for n, _ in wanted if n[0] == "reg"]
    for n in seen:
        text += f"static int o{n[1]}_{n[2]};\n"
    for t, thread in enumerate(threads):
        text += f"void thread{t}(void) {{\n" + code(thread, "&")
        text += "".join(f"  o{n[1]}_{n[2]} = r{n[2]};\n" for n in seen if n[1] == t) + "}\n"
    parts = [f"o{n[1]}_{n[2]} == {v}" if n[0] == "reg" else f"{n[1]} == {v}" for n, v in wanted]
    return text + "void final(void) { assert(!(" + " && ".join(parts) + ")); }\n"


def run(*words):
    done = subprocess.run([TIDEMARK, "litmus", "--quiet", "--core=none", *words], capture_output=True, text=True)
    words = done.stdout.split("\n")[0].split()
    return words[-1] if words else f"exit {done.returncode}: {done.stderr}"


def disagreement(program, folder):
    litmus, c = os.path.join(folder, "p.litmus"), os.path.join(folder, "p.c")
    with open(litmus, "w") as f:
        f.write(as_litmus(program))
    with open(c, "w") as f:
        f.write(as_c(program))
    for model in ("rc11", "sc", CLOSURES):
        test, prog = run(f"--model={model}", litmus), run(f"--model={model}", c, "--", "-w")
        if (test, prog) not in (("Allowed", "Violated"), ("Forbidden", "Verified")):
            return f"{model}: the litmus test is {test}, the program {prog}"
    return None


def shrink(program, folder):
    threads, wanted = program
    for t, thread in enumerate(threads):
        for i, s in enumerate(thread):
            if s[0] in ("load", "rmw"):
                continue  # registers keep their numbers
            smaller = (threads[:t] + [thread[:i] + thread[i + 1:]] + threads[t + 1:], wanted)
            if disagreement(smaller, folder):
                return shrink(smaller, folder)
    return program


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    args = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seed, args.seed + args.count):
            program = generate(random.Random(seed))
            wrong = disagreement(program, folder)
            if wrong:
                failed += 1
                program = shrink(program, folder)
                print(f"seed {seed}: {disagreement(program, folder)}\n{as_c(program)}\n{as_litmus(program)}")
    print(f"{args.count - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
