#!/usr/bin/env python3
"""counting_random.py [--build=DIR] [--seed N] [--count N]: loops that count while they wait.

The compiler driver lets such loops give up after the first look in vain (src/instrument/counting.h).  Random programs
with loops of two to four rounds are built twice: as they are, and with -DKEEP, where the number of rounds is told to an
empty assembly statement behind the loop, so that nothing is left out.  Both must have the same outcomes.  Several programs are
built at once.  Exit 1 if two differ."""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
AT_ONCE = 12  # programs in one file: a program costs more to build than to check
HEAD = """#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <tidemark.h>
#ifdef KEEP
#define KNOWN(n) __asm__ volatile("" : : "r"(n))
#else
#define KNOWN(n)
#endif
static atomic_int x, y;
static volatile int v;
static inline void relax(void) { __builtin_ia32_pause(); }
static inline int is_set(void) { return atomic_load_explicit(&y, memory_order_acquire); }
"""
MAIN = """int main(int argc, char **argv) {
  (void)argc;
  switch (atoi(argv[1])) {
%s  }
}
"""


def look(r):
    """A condition that ends the loop, in C, and whether it looks only once."""
    variable, value = r.choice("xy"), r.randrange(1, 3)
    return r.choice([
        "atomic_load(&%s) == %d" % (variable, value),
        "atomic_load_explicit(&%s, memory_order_relaxed) >= %d" % (variable, value),
        "v == %d" % value,
        "is_set()",
        "(old = atomic_load(&%s)) > 0 && atomic_compare_exchange_strong(&%s, &old, old - 1)" % (variable, variable),
        "(old = %d, atomic_compare_exchange_strong(&%s, &old, %d))" % (value, variable, r.randrange(4)),
        "atomic_load(&x) == %d && atomic_load(&y) == %d" % (value, r.randrange(2)),
        "atomic_exchange(&%s, %d) == %d" % (variable, r.randrange(3), value),
    ])


def pause(r):
    return r.choice(["", "relax();", "sched_yield();", "__asm__ volatile(\"pause\" ::: \"memory\");",
                     "for (int k = 0; k < delay; k++) relax(); delay *= 2;",
                     "if (n > 1) sched_yield(); else relax();",
                     "if (delay < 8) delay += delay; else atomic_thread_fence(memory_order_seq_cst);"])


def waits(r):
    rounds, end = r.randrange(2, 5), r.choice(["break;", "return 1;", "{ got = old + 2; break; }", "{ got = n; break; }"])
    body = "if (%s) %s %s" % (look(r), end, pause(r))
    loop = r.choice(["int n; for (n = 0; n < %d; n++) { %s }", "int n = %d; while (--n >= 0) { %s }",
                     "int n = %d; do { %s } while (--n);", "unsigned n = 0; while (n != %d) { n++; %s }"])
    text = loop % (rounds, body)
    return "int got = 0, old = 0, delay = 1; (void)old; (void)delay; %s KNOWN(n); return got;" % text


def acts(r):
    return " ".join(r.choice(["atomic_store(&x, %d);", "atomic_store(&y, %d);", "v = %d;", "atomic_fetch_add(&x, %d);"])
                    % r.randrange(1, 3) for _ in range(r.randrange(1, 4)))


def program(r, number):
    """Its functions: two that wait, or one, and the others act; then all say what they got."""
    threads = [r.choice((waits, waits, acts))(r) for _ in range(r.randrange(1, 3))] + [waits(r), acts(r)]
    text = ""
    for i, body in enumerate(threads):
        end = body if "return got;" in body else body + " return 0;"
        text += "static int f%d_%d(void) { %s }\n" % (number, i, end)
        text += "static void *t%d_%d(void *a) { (void)a; return (void *)(long)f%d_%d(); }\n" % (number, i, number, i)
    text += "static void p%d(void) { pthread_t t[%d]; void *got[%d];\n" % (number, len(threads), len(threads))
    for i in range(len(threads)):
        text += "  pthread_create(&t[%d], 0, t%d_%d, 0);\n" % (i, number, i)
    for i in range(len(threads)):
        text += "  pthread_join(t[%d], &got[%d]); tidemark_outcome(\"%%ld\", (long)got[%d]);\n" % (i, i, i)
    return text + "  tidemark_outcome(\"%d %d\", atomic_load(&x), atomic_load(&y));\n}\n"


def outcomes(tidemark, binary, number, model):
    done = subprocess.run([tidemark, "check", "--model=" + model, "--quiet", "--json=-", "--max-executions=20000",
                           *(["--no-data-races"] if model == "sc" else []), binary, str(number)],
                          capture_output=True, text=True, check=False, timeout=300)
    report = json.loads(done.stdout)
    kinds = sorted({f["kind"] for f in report["findings"]})
    return report["complete"], report["executions"], (sorted(report["outcomes"]), kinds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=24)
    args = parser.parse_args()
    tidemark, compiler = args.build / "bin" / "tidemark", args.build / "bin" / "tidemark-cc"
    wrong = shorter = unknown = 0
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, args.count, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, args.count))
            bodies = [program(random.Random("%d %d" % (args.seed, n)), n) for n in numbers]
            source = pathlib.Path(folder, "all.c")
            source.write_text(HEAD + "".join(bodies) + MAIN % "".join("  case %d: p%d(); break;\n" % (n, n) for n in numbers))
            optimise = "-O%d" % random.Random("%d %d" % (args.seed, first)).randrange(3)
            for name, flags in (("short", []), ("long", ["-DKEEP"])):
                subprocess.run([compiler, "-g", "-w", optimise, "-pthread", "-I", ROOT / "include", *flags, "-o",
                                pathlib.Path(folder, name), source], check=True)
            for n, body in zip(numbers, bodies):
                model = ("sc", "tso")[n % 2]
                short = outcomes(tidemark, pathlib.Path(folder, "short"), n, model)
                full = outcomes(tidemark, pathlib.Path(folder, "long"), n, model)
                shorter += short[1] < full[1]
                if not short[0] or not full[0]:
                    unknown += 1
                elif short[2] != full[2]:
                    wrong += 1
                    print("--seed %d, program %d, %s %s: %s, but %s\n%s" % (args.seed, n, model, optimise, short[2], full[2], body))
    print("counting_random: %d programs, %d have fewer executions, %d are too long" % (args.count, shorter, unknown))
    print("%d passed, %d failed" % (args.count - wrong, wrong))
    return 1 if wrong or not shorter else 0


if __name__ == "__main__":
    sys.exit(main())
