#!/usr/bin/env python3
"""Random C programs whose atomics have different sizes on the same memory, up to 16 bytes, against
`tidemark litmus`: an interpreter of all interleavings says what is possible under sequential
consistency; what is possible there must be so under every other model, and every model has executions.

  c_mixed.py --seed 1 --count 20          c_mixed.py --seed 17 --count 1 --show
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from random_programs import shrink

TIDEMARK = os.environ.get("TIDEMARK", os.path.join(os.path.dirname(__file__), "../../build/bin/tidemark"))
TYPES = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "unsigned long", 16: "unsigned __int128"}
LOADS, STORES = ["relaxed", "acquire", "seq_cst"], ["relaxed", "release", "seq_cst"]
BOTH = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]
WEAKER = ["x86tso", "aarch64", "riscv"]


def operation(rng, size):
    bytes_ = rng.choice([b for b in TYPES if b <= size] + [size, size])
    offset = rng.randrange(size // bytes_) * bytes_
    kind = rng.choice(["load", "store", "store", "add", "exchange", "cas"])
    top = 8 * bytes_
    value = rng.choice([1, 2, (1 << top) - 1, 1 << rng.randrange(top), rng.getrandbits(top)])
    order = rng.choice({"load": LOADS, "store": STORES}.get(kind, BOTH))
    return (kind, bytes_, offset, value, order)


class Program:
    def __init__(self, size, threads, wanted):
        self.size, self.threads, self.wanted = size, threads, wanted


def execute(op, memory, seen):
    kind, n, at, value, _ = op
    old = int.from_bytes(memory[at:at + n], "little")
    new = {"load": old, "store": value, "add": (old + value) % (1 << 8 * n), "exchange": value,
           "cas": value if old == 0 else old}[kind]
    memory = memory[:at] + new.to_bytes(n, "little") + memory[at + n:]
    return memory, seen if kind == "store" else seen + (old,)


def outcomes(program):
    start = (bytes(program.size), tuple((0, ()) for _ in program.threads))
    states, found, todo = {start}, set(), [start]
    while todo:
        memory, threads = todo.pop()
        if all(pc == len(program.threads[t]) for t, (pc, _) in enumerate(threads)):
            found.add((memory, tuple(seen for _, seen in threads)))
        for t, (pc, seen) in enumerate(threads):
            if pc < len(program.threads[t]):
                after, now = execute(program.threads[t][pc], memory, seen)
                state = (after, threads[:t] + ((pc + 1, now),) + threads[t + 1:])
                if state not in states:
                    states.add(state)
                    todo.append(state)
    return found


def generate(rng):
    size = rng.choice([2, 4, 8, 16, 16])
    threads = [[operation(rng, size) for _ in range(rng.randrange(1, 4))] for _ in range(2)]
    program = Program(size, threads, None)
    memory, seen = rng.choice(sorted(outcomes(program)))
    if rng.random() < 0.5:  # most likely not possible
        memory = bytes(rng.choice([b, b, b, 0, 1, 255]) for b in memory)
    program.wanted = (memory, seen)
    return program


def constant(value, n):
    if n < 16:
        return f"{value}ul"
    return f"((unsigned __int128){value >> 64}ul << 64 | {value & (1 << 64) - 1}ul)"


def c_operation(op, number):
    kind, n, at, value, order = op
    where, order = f"({TYPES[n]} *)(memory + {at})", f"__ATOMIC_{order.upper()}"
    value = f"({TYPES[n]}){constant(value, n)}"
    result = f"*({TYPES[n]} *)seen{number} = "
    if kind == "load":
        return f"{result}__atomic_load_n({where}, {order});"
    if kind == "store":
        return f"__atomic_store_n({where}, {value}, {order});"
    if kind == "cas":
        failure = {"acq_rel": "ACQUIRE", "release": "RELAXED"}.get(op[4], op[4].upper())
        return (f"{{ {TYPES[n]} e = 0; __atomic_compare_exchange_n({where}, &e, {value}, 0, {order}, "
                f"__ATOMIC_{failure}); {result}e; }}")
    name = {"add": "fetch_add", "exchange": "exchange_n"}[kind]
    return f"{result}__atomic_{name}({where}, {value}, {order});"


def c_text(program):
    lines = ["#include <assert.h>", f"static _Alignas(16) char memory[{program.size}];"]
    checks, number = [], 0
    body = []
    for t, ops in enumerate(program.threads):
        body.append(f"void thread{t}(void) {{")
        wanted = iter(program.wanted[1][t])
        for op in ops:
            if op[0] != "store":
                number += 1
                lines.append(f"static _Alignas(16) char seen{number}[16];")
                checks.append(f"*({TYPES[op[1]]} *)seen{number} == {constant(next(wanted), op[1])}")
            body.append("  " + c_operation(op, number))
        body.append("}")
    whole = int.from_bytes(program.wanted[0], "little")
    for at in range(0, program.size, 8):
        n = min(8, program.size)
        checks.append(f"__atomic_load_n(({TYPES[n]} *)(memory + {at}), __ATOMIC_RELAXED) == "
                      f"{whole >> 8 * at & (1 << 8 * n) - 1}ul")
    return "\n".join(lines + body + ["void final(void) {", f"  assert(!({' && '.join(checks)}));", "}"]) + "\n"


def verdict(path, model):
    done = subprocess.run([TIDEMARK, "litmus", "--quiet", "--core=none", f"--model={model}", path, "--", "-w"],
                          capture_output=True, text=True)
    if "no execution runs to its end" in done.stdout:
        return "no execution"
    return {0: "verified", 1: "violated"}.get(done.returncode, done.stdout + done.stderr)


def disagreement(program, folder):
    path = os.path.join(folder, "p.c")
    with open(path, "w") as f:
        f.write(c_text(program))
    expected = "violated" if program.wanted in outcomes(program) else "verified"
    got = verdict(path, "sc")
    if got != expected:
        return f"sc: expected {expected}, got {got}"
    for model in WEAKER:
        got = verdict(path, model)
        if got not in ("violated", "verified") or (expected == "violated" and got != expected):
            return f"{model}: {got}, but sc: {expected}"
    return None


def smaller(program):
    for t, ops in enumerate(program.threads):
        for i, op in enumerate(ops):
            seen = [s for s in program.wanted[1]]
            if op[0] != "store":
                at = sum(o[0] != "store" for o in ops[:i])
                seen[t] = seen[t][:at] + seen[t][at + 1:]
            threads = program.threads[:t] + [ops[:i] + ops[i + 1:]] + program.threads[t + 1:]
            without = Program(program.size, threads, (program.wanted[0], tuple(seen)))
            for memory, _ in sorted(outcomes(without))[:3] + [(program.wanted[0], None)]:
                yield Program(program.size, threads, (memory, tuple(seen)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seed, args.seed + args.count):
            program = generate(random.Random(seed))
            if args.show:
                print(c_text(program))
            wrong = disagreement(program, folder)
            if wrong:
                failed += 1
                program = shrink(program, smaller, lambda p: disagreement(p, folder))
                print(f"seed {seed}: {disagreement(program, folder)}\n{c_text(program)}")
    print(f"c_mixed: {args.count - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
