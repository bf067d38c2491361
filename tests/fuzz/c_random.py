#!/usr/bin/env python3
"""Random C programs against `tidemark litmus`: the oracle below executes them step by step, under
sequential consistency and under x86's total store order, and says whether an assertion can fail.

A program is a list of micro-operations for each thread; it is printed as C for the checker and
interpreted here, so the two know nothing of each other.  A disagreement is shrunk by leaving out
operations and written to a file.

  c_random.py --seed 1 --count 40          c_random.py --seed 17 --count 1 --show
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
MASK = (1 << 64) - 1
TYPES = {"signed char": (8, True), "unsigned char": (8, False), "short": (16, True),
         "unsigned short": (16, False), "int": (32, True), "unsigned": (32, False),
         "long": (64, True), "unsigned long": (64, False)}
ORDERS = ["relaxed", "acquire", "release", "seq_cst"]
REGS = 4


def wrap(value, bits, signed):
    value &= (1 << bits) - 1
    if signed and value >> (bits - 1):
        value -= 1 << bits
    return value & MASK


def as_signed(value):
    return value - (1 << 64) if value >> 63 else value


# ---- programs ------------------------------------------------------------------------------------

class Program:
    """variables: name -> (type, atomic, initial values); threads: lists of operations."""

    def __init__(self, variables, threads, final):
        self.variables, self.threads, self.final = variables, threads, final

    def cells(self):
        return [(n, i) for n, (_, _, init) in self.variables.items() for i in range(len(init))]


def place(rng, program_vars, atomic=None):
    names = [n for n, v in program_vars.items() if atomic is None or v[1] == atomic]
    name = rng.choice(names or list(program_vars))
    length = len(program_vars[name][2])
    if length == 1:
        return (name, 0, None)
    if rng.random() < 0.5:
        return (name, rng.randrange(length), None)
    return (name, None, rng.randrange(REGS))  # index is a register, masked


def constant(rng):
    return rng.choice([0, 1, 1, 2, 3, 255, 65535, MASK, 1 << 31])


def operation(rng, variables, depth):
    kind = rng.choice(["load", "load", "store", "store", "store", "alu", "rmw", "cas", "fence",
                       "if", "loop", "await", "set"])
    if kind in ("rmw", "cas", "await") and not any(v[1] for v in variables.values()):
        kind = "load"
    if kind == "load":
        return ("load", rng.randrange(REGS), place(rng, variables), rng.choice(["relaxed", "acquire", "seq_cst"]))
    if kind == "store":
        source = ("c", constant(rng)) if rng.random() < 0.6 else ("r", rng.randrange(REGS))
        return ("store", place(rng, variables), source, rng.choice(["relaxed", "release", "seq_cst"]))
    if kind == "set":
        return ("set", rng.randrange(REGS), constant(rng))
    if kind == "alu":
        op = rng.choice(["+", "-", "*", "&", "|", "^", "<<", ">>", "==", "<", "s<", "s/", "/", "%", "s%", "cast", "?"])
        return ("alu", op, rng.randrange(REGS), rng.randrange(REGS), rng.randrange(REGS),
                rng.choice(list(TYPES)), rng.randrange(1, 8))
    if kind == "rmw":
        return ("rmw", rng.randrange(REGS), place(rng, variables, True),
                rng.choice(["exchange", "fetch_add", "fetch_sub", "fetch_or", "fetch_and", "fetch_xor"]),
                constant(rng), rng.choice(ORDERS))
    if kind == "cas":
        return ("cas", rng.randrange(REGS), place(rng, variables, True), constant(rng), constant(rng),
                rng.choice(ORDERS), rng.choice(["relaxed", "acquire", "seq_cst"]))
    if kind == "fence":
        return ("fence", rng.choice(ORDERS))
    if kind == "await":
        where = place(rng, variables, True)
        return ("await", (where[0], where[1] or 0, None), rng.choice([0, 1, 2]), rng.choice(["relaxed", "acquire"]))
    if depth:
        return ("set", rng.randrange(REGS), constant(rng))
    body = [operation(rng, variables, depth + 1) for _ in range(rng.randrange(1, 3))]
    if kind == "loop":
        return ("loop", rng.randrange(1, 3), body)
    other = [operation(rng, variables, depth + 1) for _ in range(rng.randrange(0, 2))]
    return ("if", rng.randrange(REGS), constant(rng), body, other)


CHAINED = 77


def chain(rng, variables, ops):
    """ops behind many loads, each of which only happens if the one before has seen the initial value."""
    ops = ops + [("set", 0, CHAINED)]
    for _ in range(rng.choice([4, 12, 30])):
        name, index, _ = place(rng, variables)
        initial = wrap(variables[name][2][index or 0], *TYPES[variables[name][0]])
        reg = rng.randrange(REGS)
        ops = [("loop", 1, [("load", reg, (name, index or 0, None), rng.choice(["relaxed", "acquire"])),
                            ("if", reg, initial, ops, [])])]
    return ops


def generate(rng):
    variables = {}
    for name in "xyz"[:rng.randrange(2, 4)]:
        length = rng.choice([1, 1, 1, 2])
        variables[name] = (rng.choice(list(TYPES)), rng.random() < 0.7, [rng.choice([0, 0, 1]) for _ in range(length)])
    threads = [[operation(rng, variables, 0) for _ in range(rng.randrange(1, 5))]
               for _ in range(rng.choice([2, 2, 2, 3]))]
    if sum(map(weight, sum(threads, []))) > 14:
        threads = [t[:2] for t in threads]
    chained = rng.random() < 0.15
    if chained:
        threads = [chain(rng, variables, threads[0][:1]), threads[1][:2]]
    final = [("reg", t, r) for t in range(len(threads)) for r in range(2)]
    final += [("cell", n, i) for n, v in variables.items() for i in range(len(v[2]))]
    program = Program(variables, threads, None)
    chosen = [final[0]] if chained else rng.sample(final, min(len(final), rng.randrange(1, 4)))
    states = outcomes(program, chosen, rng.random() < 0.5)
    if chained:
        values = (CHAINED,)
    elif states and rng.random() < 0.5:
        values = rng.choice(sorted(states))
    else:
        values = tuple(rng.choice([0, 1, 2, 3]) for _ in chosen)
    program.final = list(zip(chosen, values))
    return program


def weight(op):
    if op[0] == "loop":
        return op[1] * sum(map(weight, op[2]))
    if op[0] == "if":
        return sum(map(weight, op[3] + op[4]))
    return 2 if op[0] in ("rmw", "cas") else 1 if op[0] in ("load", "store", "await") else 0


# ---- C -------------------------------------------------------------------------------------------

def c_place(where, variables):
    name, index, reg = where
    length = len(variables[name][2])
    if length == 1:
        return name
    return f"{name}[{index if reg is None else f'r{reg} & {length - 1}'}]"


def c_operation(op, variables, indent):
    pad = "  " * indent
    kind = op[0]
    if kind == "load":
        where = c_place(op[2], variables)
        value = f"atomic_load_explicit(&{where}, memory_order_{op[3]})" if variables[op[2][0]][1] else where
        return [f"{pad}r{op[1]} = (unsigned long){value};"]
    if kind == "store":
        where, (what, n) = c_place(op[1], variables), op[2]
        typ = variables[op[1][0]][0]
        value = f"({typ})r{n}" if what == "r" else f"({typ}){n}ul"
        if variables[op[1][0]][1]:
            return [f"{pad}atomic_store_explicit(&{where}, {value}, memory_order_{op[3]});"]
        return [f"{pad}{where} = {value};"]
    if kind == "set":
        return [f"{pad}r{op[1]} = {op[2]}ul;"]
    if kind == "alu":
        _, o, d, a, b, typ, n = op
        text = {"+": f"r{a} + r{b}", "-": f"r{a} - r{b}", "*": f"r{a} * r{b}", "&": f"r{a} & r{b}",
                "|": f"r{a} | r{b}", "^": f"r{a} ^ r{b}", "<<": f"r{a} << {n}", ">>": f"r{a} >> {n}",
                "==": f"r{a} == r{b}", "<": f"r{a} < r{b}", "s<": f"(long)r{a} < (long)r{b}",
                "/": f"r{a} / {n}ul", "%": f"r{a} % {n}ul", "s/": f"(unsigned long)((long)r{a} / {n})",
                "s%": f"(unsigned long)((long)r{a} % {n})", "cast": f"(unsigned long)({typ})r{a}",
                "?": f"r{a} ? r{b} : {n}ul"}[o]
        return [f"{pad}r{d} = {text};"]
    if kind == "rmw":
        typ = variables[op[2][0]][0]
        return [f"{pad}r{op[1]} = (unsigned long)atomic_{op[3]}_explicit(&{c_place(op[2], variables)}, "
                f"({typ}){op[4]}ul, memory_order_{op[5]});"]
    if kind == "cas":
        typ = variables[op[2][0]][0]
        return [f"{pad}{{ {typ} e = ({typ}){op[3]}ul; r{op[1]} = atomic_compare_exchange_strong_explicit("
                f"&{c_place(op[2], variables)}, &e, ({typ}){op[4]}ul, memory_order_{op[5]}, memory_order_{op[6]}); }}"]
    if kind == "fence":
        return [f"{pad}atomic_thread_fence(memory_order_{op[1]});"]
    if kind == "await":
        typ = variables[op[1][0]][0]
        return [f"{pad}while (atomic_load_explicit(&{c_place(op[1], variables)}, memory_order_{op[3]}) != ({typ}){op[2]}) {{ }}"]
    if kind == "loop":
        lines = [f"{pad}for (int i = 0; i < {op[1]}; i++) {{"]
        for o in op[2]:
            lines += c_operation(o, variables, indent + 1)
        return lines + [f"{pad}}}"]
    lines = [f"{pad}if (r{op[1]} == {op[2]}ul) {{"]
    for o in op[3]:
        lines += c_operation(o, variables, indent + 1)
    lines.append(f"{pad}}} else {{")
    for o in op[4]:
        lines += c_operation(o, variables, indent + 1)
    return lines + [f"{pad}}}"]


def c_text(program):
    lines = ["#include <assert.h>", "#include <stdatomic.h>"]
    for name, (typ, atomic, init) in program.variables.items():
        typ = f"_Atomic({typ})" if atomic else typ
        if len(init) == 1:
            lines.append(f"{typ} {name} = {init[0]};")
        else:
            lines.append(f"{typ} {name}[{len(init)}] = {{{', '.join(map(str, init))}}};")
    observed = sorted({(t, r) for (k, t, r), _ in program.final if k == "reg"})
    for t, r in observed:
        lines.append(f"unsigned long out_{t}_{r};")
    for t, ops in enumerate(program.threads):
        lines.append(f"void thread{t}(void) {{")
        lines.append("  unsigned long " + ", ".join(f"r{i} = 0" for i in range(REGS)) + ";")
        for op in ops:
            lines += c_operation(op, program.variables, 1)
        for u, r in observed:
            if u == t:
                lines.append(f"  out_{t}_{r} = r{r};")
        lines.append("  " + " ".join(f"(void)r{i};" for i in range(REGS)))
        lines.append("}")
    lines.append("void final(void) {")
    parts = []
    for (kind, a, b), value in program.final:
        if kind == "reg":
            parts.append(f"out_{a}_{b} == {value}ul")
        else:
            where = c_place((a, b, None), program.variables)
            parts.append(f"(unsigned long){where} == {value}ul")
    lines.append(f"  assert(!({' && '.join(parts)}));")
    lines.append("}")
    return "\n".join(lines) + "\n"


# ---- the oracle ------------------------------------------------------------------------------------

def flatten(ops, code):
    for op in ops:
        if op[0] == "loop":
            for _ in range(op[1]):
                flatten(op[2], code)
        elif op[0] == "if":
            at = len(code)
            code.append(None)
            flatten(op[3], code)
            jump = len(code)
            code.append(None)
            code[at] = ("unless", op[1], op[2], jump + 1)
            flatten(op[4], code)
            code[jump] = ("goto", len(code))
        else:
            code.append(op)
    return code


def alu(op, regs):
    _, o, d, a, b, typ, n = op
    x, y = regs[a], regs[b]
    if o in ("s/", "s%"):
        s = as_signed(x)
        q = abs(s) // n * (1 if s >= 0 else -1)
        return (q if o == "s/" else s - q * n) & MASK
    return {"+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "&": lambda: x & y,
            "|": lambda: x | y, "^": lambda: x ^ y, "<<": lambda: x << n, ">>": lambda: x >> n,
            "==": lambda: int(x == y), "<": lambda: int(x < y),
            "s<": lambda: int(as_signed(x) < as_signed(y)), "/": lambda: x // n, "%": lambda: x % n,
            "cast": lambda: wrap(x, *TYPES[typ]), "?": lambda: y if x else n}[o]() & MASK


class Machine:
    def __init__(self, program, tso):
        self.p, self.tso = program, tso
        self.code = [flatten(t, []) for t in program.threads]
        self.cells = program.cells()
        self.index = {c: i for i, c in enumerate(self.cells)}

    def cell(self, where, regs):
        name, index, reg = where
        length = len(self.p.variables[name][2])
        if reg is not None:
            index = regs[reg] & (length - 1)
        return self.index[(name, 0 if length == 1 else index)]

    def value(self, cell, value):
        return wrap(value, *TYPES[self.p.variables[self.cells[cell][0]][0]])

    def initial(self):
        memory = tuple(self.value(i, self.p.variables[n][2][k]) for i, (n, k) in enumerate(self.cells))
        return (memory, tuple((0, (0,) * REGS, ()) for _ in self.code))

    def successors(self, state):
        memory, threads = state
        for t, (pc, regs, buffer) in enumerate(threads):
            def done(pc, regs, buffer, memory=memory):
                return (memory, threads[:t] + ((pc, tuple(regs), buffer),) + threads[t + 1:])
            if buffer:
                cell, value = buffer[0]
                yield done(pc, regs, buffer[1:], memory[:cell] + (value,) + memory[cell + 1:])
            if pc == len(self.code[t]):
                continue
            yield from self.step(self.code[t][pc], pc, list(regs), buffer, memory, done)

    def see(self, cell, buffer, memory):
        for c, v in reversed(buffer):
            if c == cell:
                return v
        return memory[cell]

    def step(self, op, pc, regs, buffer, memory, done):
        kind = op[0]
        if kind == "unless":
            yield done(pc + 1 if regs[op[1]] == op[2] else op[3], regs, buffer)
        elif kind == "goto":
            yield done(op[1], regs, buffer)
        elif kind == "set":
            regs[op[1]] = op[2]
            yield done(pc + 1, regs, buffer)
        elif kind == "alu":
            regs[op[2]] = alu(op, regs)
            yield done(pc + 1, regs, buffer)
        elif kind == "load":
            regs[op[1]] = self.see(self.cell(op[2], regs), buffer, memory)
            yield done(pc + 1, regs, buffer)
        elif kind == "await":
            cell = self.cell(op[1], regs)
            if self.see(cell, buffer, memory) == self.value(cell, op[2]):
                yield done(pc + 1, regs, buffer)
        elif kind == "store":
            cell = self.cell(op[1], regs)
            value = self.value(cell, op[2][1] if op[2][0] == "c" else regs[op[2][1]])
            drains = op[3] == "seq_cst" and self.p.variables[op[1][0]][1]
            if not self.tso:
                yield done(pc + 1, regs, (), memory[:cell] + (value,) + memory[cell + 1:])
            elif not drains:
                yield done(pc + 1, regs, buffer + ((cell, value),))
            elif not buffer:
                yield done(pc + 1, regs, (), memory[:cell] + (value,) + memory[cell + 1:])
        elif kind == "fence":
            if op[1] != "seq_cst" or not buffer:
                yield done(pc + 1, regs, buffer)
        elif not buffer:  # locked instructions wait for the buffer
            cell = self.cell(op[2], regs)
            old = memory[cell]
            if kind == "cas":
                equal = old == self.value(cell, op[3])
                regs[op[1]] = int(equal)
                new = self.value(cell, op[4]) if equal else old
            else:
                n = op[4]
                new = self.value(cell, {"exchange": n, "fetch_add": old + n, "fetch_sub": old - n,
                                        "fetch_or": old | n, "fetch_and": old & n, "fetch_xor": old ^ n}[op[3]])
                regs[op[1]] = old
            yield done(pc + 1, regs, (), memory[:cell] + (new,) + memory[cell + 1:])


def outcomes(program, observed, tso, limit=200000):
    machine = Machine(program, tso)
    seen, work, found = {machine.initial()}, [machine.initial()], set()
    while work:
        state = work.pop()
        memory, threads = state
        if all(pc == len(machine.code[t]) and not b for t, (pc, _, b) in enumerate(threads)):
            found.add(tuple(threads[a][1][b] if k == "reg" else memory[machine.index[(a, b)]] for k, a, b in observed))
        for n in machine.successors(state):
            if n not in seen:
                seen.add(n)
                work.append(n)
        if len(seen) > limit:
            return None
    return found


# ---- comparing -------------------------------------------------------------------------------------

def expected(program, tso):
    states = outcomes(program, [o for o, _ in program.final], tso)
    if states is None:
        return None
    return "Violated" if tuple(v for _, v in program.final) in states else "Verified"


def answers(program, folder, models):
    path = os.path.join(folder, "p.c")
    with open(path, "w") as f:
        f.write(c_text(program))
    result = {}
    for model in models:
        run = subprocess.run([TIDEMARK, "litmus", "--quiet", "--core=none", "--unroll=4", f"--model={model}", path, "--", "-w"],
                             capture_output=True, text=True)
        word = run.stdout.split("\n")[0].split()
        result[model] = word[-1] if run.returncode in (0, 1, 5) and word else f"exit {run.returncode}: {run.stderr}"
    return result


def disagreement(program, folder):
    got = answers(program, folder, ["sc", "x86tso"])
    for model, tso in (("sc", False), ("x86tso", True)):
        want = expected(program, tso)
        if want and got[model] not in (want, "Bounded"):
            return f"{model}: expected {want}, got {got[model]}"
    return None


def smaller(program):
    for t, ops in enumerate(program.threads):
        for i, op in enumerate(ops):
            def replaced(new):
                threads = [list(x) for x in program.threads]
                threads[t][i:i + 1] = new
                return Program(program.variables, threads, program.final)
            yield replaced([])
            if op[0] == "loop":
                yield replaced(op[2])
            if op[0] == "if":
                yield replaced(op[3])
                yield replaced(op[4])
    for i in range(len(program.final)):
        if len(program.final) > 1:
            yield Program(program.variables, program.threads, program.final[:i] + program.final[i + 1:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    failed = violated = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.seed, args.seed + args.count):
            program = generate(random.Random(seed))
            if args.show:
                print(c_text(program))
            wrong = disagreement(program, folder)
            violated += expected(program, True) == "Violated"
            if wrong:
                failed += 1
                program = shrink(program, smaller, lambda p: disagreement(p, folder))
                kept = os.path.join(tempfile.gettempdir(), f"c_random_{seed}.c")
                with open(kept, "w") as f:
                    f.write(c_text(program))
                print(f"seed {seed}: {disagreement(program, folder)}; see {kept}\n{c_text(program)}")
    print(f"c_random: {violated} of {args.count} programs can go wrong under x86tso")
    print(f"{args.count - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
