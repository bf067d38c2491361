#!/usr/bin/env python3
"""Random C programs without threads: what they compute when they run is what `tidemark litmus` must be able to prove,
and nothing else.  Integers of all sizes, bit fields, unions, structs by value and by reference, casts, shifts,
division, loops, switch, recursion, function pointers, memcpy, memset, malloc.

Each program computes a number from all its variables.  The compiler runs it; then `assert(number == that)` must be
verified and `assert(number != that)` violated, as it is compiled without and with optimisation.

  c_sequential.py --seed 1 --count 20          c_sequential.py --seed 17 --count 1 --show
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

TIDEMARK = os.environ.get("TIDEMARK", os.path.join(os.path.dirname(__file__), "../../build/bin/tidemark"))
CLANG = os.path.join(os.environ.get("LLVM", "/usr/lib/llvm-19"), "bin/clang")
INTEGERS = ["int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"]
TYPES = INTEGERS + ["_Bool"]
SECONDS = 120

FUNCTIONS = """\
static uint64_t mix(uint64_t h, uint64_t x) { return h ^ (x + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2)); }
static int32_t again(int32_t n) { return n <= 0 ? 1 : (int32_t)((uint32_t)again(n - 1) * 3u + (uint32_t)n); }
static uint32_t add(uint32_t a, uint32_t b) { return a + b; }
static uint32_t subtract(uint32_t a, uint32_t b) { return a - b; }
static uint32_t (*const of_two[2])(uint32_t, uint32_t) = {add, subtract};
"""

RESULT = """\
  for (int i = 0; i < 3; i++) {
    h = mix(mix(mix(h, (uint64_t)s[i].a), (uint64_t)s[i].b[0]), (uint64_t)s[i].b[2]);
    h = mix(mix(mix(h, s[i].u.word), s[i].f), (uint64_t)(int64_t)s[i].g);
    h = mix(h, (uint64_t)(int64_t)s[i].in.x);
  }
  for (int i = 0; i < 5; i++)
    h = mix(h, (uint64_t)list[i]);
  return h;
}
"""


class Program:
    """Nothing in it is undefined: signed numbers are made unsigned before they may overflow."""

    def __init__(self, rng):
        self.rng = rng
        self.variables = rng.randint(3, 6)

    def one(self, *forms):
        return self.rng.choice(forms)

    def variable(self):
        return "v%d" % self.rng.randrange(self.variables)

    def field(self):
        s = "s[%d]." % self.rng.randrange(3)
        return s + self.one("a", "b[%d]" % self.rng.randrange(3), "u.byte[%d]" % self.rng.randrange(4), "u.half[%d]" % self.rng.randrange(2),
                            "u.word", "f", "g", "in.x", "in.y")

    def value(self):
        return self.one(self.variable(), self.variable(), self.field(), str(self.rng.randint(-70, 70)),
                        "list[(uint32_t)(%s) %% 5]" % self.variable(), "local")

    def place(self):
        return self.one(self.variable(), self.variable(), self.field(), "s[%d].b[(uint32_t)(%s) %% 3]" % (self.rng.randrange(3), self.value()),
                        "list[%d]" % self.rng.randrange(5), "local")

    def expression(self, depth):
        if not depth:
            return self.value()
        a, b, c = (self.expression(depth - 1) for _ in range(3))
        wide = self.one("uint32_t", "uint32_t", "uint64_t")
        return self.one(
            "((%s)(%s) %s (%s)(%s))" % (wide, a, self.rng.choice("+-*^&|"), wide, b),
            "((%s)(%s) %s (%s)(%s))" % (wide, a, self.rng.choice("+-*^&|"), wide, b),
            "((%s)(%s) %s ((uint32_t)(%s) & 31))" % (wide, a, self.one("<<", ">>"), b),
            "((int32_t)(%s) >> ((uint32_t)(%s) & 15))" % (a, b),
            "((uint32_t)(%s) %s (uint32_t)((%s) | 1))" % (a, self.rng.choice("/%"), b),
            "((int64_t)(int16_t)(%s) %s (int64_t)((uint8_t)(%s) + 1))" % (a, self.rng.choice("/%"), b),
            "((%s) %s (%s))" % (a, self.one("<", ">", "<=", ">=", "==", "!=", "&&", "||"), b),
            "((%s) ? (%s) : (%s))" % (a, b, c),
            "(%s)(%s)" % (self.rng.choice(TYPES), a),
            "of_two[(uint32_t)(%s) & 1]((uint32_t)(%s), (uint32_t)(%s))" % (a, b, self.value()),
            "(~(uint32_t)(%s))" % a)

    def assign(self):
        return "%s = %s;" % (self.place(), self.expression(2))

    def statement(self, depth):
        if not depth or self.rng.random() < .6:
            return self.assign()
        first, second, third = (self.statement(depth - 1) for _ in range(3))
        e, i = self.expression(1), "i%d" % depth
        return self.one(
            "if (%s) { %s } else { %s }" % (e, first, second),
            "for (int %s = 0; %s < %d; %s++) { %s if ((uint8_t)list[%s] == %d) break; list[%s] = (uint32_t)list[%s] * 5u + 1u; }"
            % (i, i, self.rng.randint(1, 4), i, first, i, self.rng.randint(0, 9), i, i),
            "switch ((uint32_t)(%s) & 3) { case 0: %s break; case 1: %s case 2: %s break; default: %s }" % (e, first, second, third, self.assign()),
            "s[%d] = s[%d];" % (self.rng.randrange(3), self.rng.randrange(3)),
            "memcpy(&s[%d].u, list, sizeof list < 4 ? sizeof list : 4);" % self.rng.randrange(3),
            "memset(&s[%d].b, %d, sizeof s[0].b);" % (self.rng.randrange(3), self.rng.randint(0, 255)),
            "{ struct item *p = &s[(uint32_t)(%s) %% 3]; p->a = %s; p->in.x = (int8_t)(%s); }" % (e, self.expression(1), self.value()),
            "local = (uint32_t)again((int32_t)((uint32_t)(%s) & 3));" % e,
            "{ uint16_t *q = malloc(3 * sizeof *q); q[0] = (uint16_t)(%s); q[1] = q[0]; q[2] = (uint16_t)(q[1] + 1); local = q[2]; free(q); }" % e)

    def text(self):
        integer = lambda: self.rng.choice(INTEGERS)  # noqa: E731
        out = ["#include <assert.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>",
               "struct item { %s a; %s b[3]; union { uint32_t word; uint8_t byte[4]; int16_t half[2]; } u;" % (integer(), integer()),
               "  unsigned f : %d; int g : %d; struct { int8_t x, y; } in; };" % (self.rng.randint(1, 20), self.rng.randint(2, 30)),
               "static struct item s[3];", "static %s list[5];" % integer()]
        for i in range(self.variables):
            kind = self.rng.choice(TYPES)
            out.append("static %s v%d = (%s)%d;" % (kind, i, kind, self.rng.randint(-300, 300)))
        out += [FUNCTIONS, "static uint64_t work(void) {\n  uint32_t local = %d;" % self.rng.randint(0, 99)]
        out += ["  " + self.statement(2) for _ in range(self.rng.randint(3, 7))]
        out += ["  uint64_t h = local;"] + ["  h = mix(h, (uint64_t)v%d);" % i for i in range(self.variables)]
        return "\n".join(out) + "\n" + RESULT


def native(folder, text):
    source, program = os.path.join(folder, "native.c"), os.path.join(folder, "native")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text + 'int main(void) { printf("%lu", (unsigned long)work()); }\n')
    subprocess.run([CLANG, "-w", "-O0", "-o", program, source], check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True, timeout=SECONDS).stdout


def proves(folder, text, condition, level):
    source = os.path.join(folder, "checked.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text + "int main(void) { assert(work() %su); }\n" % condition)
    done = subprocess.run([TIDEMARK, "litmus", "--model=sc", "--unroll=8", source, "--", level, "-w"], capture_output=True, text=True,
                          timeout=SECONDS, check=False)
    return done.returncode, done.stdout + done.stderr


def check(text):
    """None, or what is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        number = native(folder, text)
        for level in ("-O0", "-O1"):
            for condition, want in (("== " + number, 0), ("!= " + number, 1)):
                status, said = proves(folder, text, condition, level)
                if status != want:
                    return "%s, assert(work() %s): exit status %d\n%s" % (level, condition, status, said)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    failed = 0
    for i in range(arguments.count):
        text = Program(random.Random(arguments.seed + i)).text()
        if arguments.show:
            print(text)
        wrong = check(text)
        if wrong:
            failed += 1
            print("DISAGREEMENT: c_sequential.py --seed %d --count 1 --show\n  %s" % (arguments.seed + i, wrong))
    print("%d passed, %d failed" % (arguments.count - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
