#!/usr/bin/env python3
"""Random programs with threads: --model=sc and --model=tso against threads_oracle.py.

Outcomes must be equal, there must be one execution for each trace, a program that can get stuck must be a finding, and
--analyses=store-buffers must say "not safe" exactly if store buffers give the program traces that it does not have
without them.

    tests/fuzz/threads_random.py --seed 7 --count 1000
    tests/fuzz/threads_random.py --replay 's8@0=1 l8@8;s8@8=1 l8@0'
"""
import argparse
import random
import re
import sys

import random_programs as common
from threads_oracle import Machine

INTERPRETER, NAME = "threads_interpreter", "threads_random"
STUCK = {"deadlock", "hang"}
FREED = {"use-after-free", "abort"}
TRACED = set("sSlxacfLUyAnNiIjBD")  # traces of the oracle tell of all that these do
SHRUNK = {"lock-leak"}  # only what was made smaller leaves locks locked


class Case:
    def __init__(self, text):
        self.text = text

    def line(self):
        return "--replay '%s'" % self.text

    @staticmethod
    def from_line(line):
        return Case(line)


def random_question(r):
    """What the program asks for, or assumes."""
    kind, at = r.choice("nNNAAA"), "8@%x" % r.choice((0, 8))
    if kind == "n":
        return "n%d" % r.choice((2, 3, 10))
    return "%s%s=%x" % (kind, at, 2 + r.randrange(2) if kind == "N" else r.randrange(3))


def random_op(r, mixed, heap, spins, asks=False):
    if asks and r.random() < 0.4:
        return random_question(r)
    size, offset = 8, r.choice((0, 8, 16, 24)[:4 if heap else 2])
    if heap and r.random() < 0.15:
        return "F%d" % r.randrange(2)
    if spins and r.random() < 0.5:
        kind, at = r.choice("wkkqqWEE"), "8@%x" % r.choice((0, 8))
        if kind == "E":
            return "E%s=%x,%x" % (at, r.randrange(3), r.randrange(3))
        return "%s%s=%x" % (kind, at, 1 + r.randrange(2)) + (",%x" % r.randrange(3) if kind == "W" else "")
    if spins and r.random() < 0.4:
        return "s8@%x=0" % r.choice((0, 8))
    if mixed and r.random() < 0.4:
        size = r.choice((1, 2, 4))
        offset += r.randrange(0, 8, size)
    at = "%d@%x" % (size, offset)
    kind = r.choices("sSlxacfwiIj", (8, 2, 9, 1, 1, 2, 2, 0.4, 2, 0.5, 0.5))[0]
    if kind in "f":
        return "f"
    if kind == "l":
        return "l" + at
    if kind == "c":
        return "c%s=%x,%x" % (at, r.randrange(2), 1 + r.randrange(2))
    return "%s%s=%x" % (kind, at, 1 + r.randrange(2))


def random_thread(r, length, mixed, heap, waits, timed, spins, asks):
    ops, held = [], None
    for _ in range(length):
        if timed and r.random() < 0.4 and (held is None or timed == "M"):
            ops.append("T%d" % held if held is not None and timed == "M" else "%s%d" % (timed, r.randrange(2)))
            timed = timed if timed not in ("Z", "R") else None  # one is large enough
            continue
        if waits and r.random() < 0.4:
            ops += ["G%d" % r.randrange(2)] if held is None else ["C%d" % held]
        elif r.random() < (0.4 if waits else 0.15):
            ops.append("U%d" % held if held is not None else "L%d" % (lock := r.randrange(2)))
            held = None if held is not None else lock
        elif spins and held is None and r.random() < 0.3:
            ops.append("P8@%x=%x" % (r.choice((0, 8)), r.randrange(3)))
        elif held is not None and not waits and not timed and r.random() < 0.3:
            inner = random_op(r, mixed, heap, spins, asks)  # both locks, in the order of this thread
            ops += ["L%d" % (1 - held), inner, "U%d" % (1 - held)]
        else:
            ops.append(random_op(r, mixed, heap, spins, asks))
    if held is not None:
        ops.append("U%d" % held)
    return " ".join(ops)


def random_word(r):
    """Three threads that store to one word and look at it, as a whole and in halves."""
    def op():
        at = r.choice(("8@0", "8@0", "4@0", "4@4"))
        return "l" + at if r.random() < 0.5 else "%s%s=%x" % (r.choice("sssssSa"), at, 1 + r.randrange(2))

    return Case(";".join(" ".join(op() for _ in range(r.randint(1, 3))) for _ in range(3)))


def random_locked(r):
    """Locked instructions, most of which store only if they find what they look for, by threads that let others go first."""
    def op():
        at = r.choice(("8@0", "8@0", "8@8", "4@0", "4@4"))
        kind = r.choices("cxaSlsy", (8, 3, 1, 1, 2, 2, 5))[0]
        if kind == "c":
            return "c%s=%x,%x" % (at, r.randrange(3), r.randrange(3))
        return kind if kind == "y" else "l" + at if kind == "l" else "%s%s=%x" % (kind, at, r.randrange(3))

    threads = r.choice((2, 3))
    return Case(";".join(" ".join(op() for _ in range(r.randint(1, 9 // threads))) for _ in range(threads)))


def random_meeting(r):
    """Barriers, also of fewer threads than come there, and updates that nobody looks at."""
    threads, looks = r.choice((2, 3, 3)), r.random() < 0.3

    def op():
        at = r.choice(("8@0", "8@0", "8@8", "4@0"))
        kind = r.choices("BiIjlsacSL", (8, 5, 1, 1, 3, 2, 1, 1, 1, 0.5))[0]
        if kind == "B":
            return "%s%d" % (r.choice("BD") if looks else "B", r.choice((2, 2, threads)))
        if kind == "L":
            return "L0 %s U0" % r.choice(("i8@0=1", "l8@0", "s8@8=1", "B2"))
        if kind == "c":
            return "c%s=%x,%x" % (at, r.randrange(3), r.randrange(3))
        return "l" + at if kind == "l" else "%s%s=%x" % (kind, at, 1 + r.randrange(2))

    return Case(";".join(" ".join(op() for _ in range(r.randint(1, 4 if threads == 2 else 3))) for _ in range(threads)))


def random_futex(r):
    """Words that threads sleep on."""
    threads = r.choice((2, 3, 3))

    def op():
        at, kind = r.choice(("4@0", "4@0", "4@0", "4@8")), r.choices("vuwkqVsSlacxL", (3, 3, 2, 1, 1, 6, 3, 3, 2, 2, 2, 1, 1))[0]
        if kind == "L":
            return "L0 %s U0" % r.choice(("s4@0=1", "l4@0", "V4@0=1", "a4@0=1"))
        if kind == "c":
            return "c%s=%x,%x" % (at, r.randrange(3), r.randrange(3))
        return "l" + at if kind == "l" else "%s%s=%x" % (kind, at, 1 + r.randrange(2) if kind in "Va" else r.randrange(3))

    return Case(";".join(" ".join(op() for _ in range(r.randint(1, 4 if threads == 2 else 3))) for _ in range(threads)))


def random_sharing(r):
    """Semaphores, a lock for readers and writers, broadcasts."""
    threads = r.choice((2, 3, 3))

    def access():
        kind, at = r.choices("slaSc", (4, 4, 2, 1, 1))[0], "8@%x" % r.choice((0, 0, 8))
        if kind == "c":
            return "c%s=%x,%x" % (at, r.randrange(2), 1 + r.randrange(2))
        return "l" + at if kind == "l" else "%s%s=%x" % (kind, at, 1 + r.randrange(2))

    def op():
        kind = r.choices("behOXQJHCs", (5, 4, 2, 3, 2, 1, 1, 2, 2, 6))[0]
        if kind in "OX":
            return "%s0 %s o0" % (kind, r.choice((access(), access(), "b0", "e0", "%s %s" % (access(), access()))))
        if kind == "C":
            return "L0 C0 %s U0" % access() if r.random() < 0.6 else "L0 %s H0 U0" % access()
        return access() if kind == "s" else "%s%d" % (kind, kind in "beh" and r.random() < 0.2)

    return Case(";".join(" ".join(op() for _ in range(r.randint(1, 4 if threads == 2 else 2))) for _ in range(threads)))


def random_race(r):
    """Plain accesses, and updates that may or may not order them."""
    threads = r.choice((2, 3, 3))

    def op():
        kind = r.choices("prijIalsSBL", (3, 3, 4, 2, 1, 1, 1, 1, 1, 1, 1))[0]
        if kind == "B":
            return "B%d" % r.choice((2, threads))
        if kind == "L":
            return "L0 %s U0" % op()
        at = "8@8" if kind in "pr" else "8@0"
        return kind + at if kind in "rl" else "%s%s=%x" % (kind, at, 1 + r.randrange(2))

    return Case(";".join(" ".join(op() for _ in range(r.randint(1, 4 if threads == 2 else 3))) for _ in range(threads)))


def random_case(seed, number):
    r = random.Random("%d/%d" % (seed, number))
    if number % 8 == 3:
        return random_race(r)
    if number % 8 == 4:
        return random_meeting(r)
    if number % 16 == 2:
        return random_futex(r)
    if number % 16 == 10:
        return random_sharing(r)
    if number % 8 == 6:
        return random_locked(r)
    if number % 8 == 7:
        return random_word(r)
    threads, mixed, heap, waits = r.choice((2, 2, 3)), r.random() < 0.3, r.random() < 0.3, r.random() < 0.2
    spins, asks = r.random() < 0.4, number % 8 == 5
    most = 4 if threads == 2 else 2
    timed = r.choice("MYRZ" if threads == 2 else "MYR") if r.random() < 0.3 else None
    by_all = timed and timed in "YRZ"  # otherwise by one: whose time is over first is no question
    return Case(";".join(random_thread(r, r.randint(1, most), mixed, heap, waits or timed in ("M", "Y"),
                                       timed if by_all or t == 0 else None, spins, asks) for t in range(threads)))


def smaller(case):
    threads = [t.split() for t in case.text.split(";")]
    for t, ops in enumerate(threads):
        if len(threads) > 1:
            yield Case(";".join(" ".join(o) for i, o in enumerate(threads) if i != t))
        for n in range(len(ops)):
            if len(ops) > 1:
                left = [o if i != t else o[:n] + o[n + 1:] for i, o in enumerate(threads)]
                yield Case(";".join(" ".join(o) for o in left))


def expected(case):
    return Machine(case.text, True).run().outcomes


def check(case, *options, **environment):
    quiet = ["--no-data-races"] if "--model=sc" in options else []
    return common.run_check([*quiet, *options], common.interpreter(INTERPRETER), case.text, **environment)


def model_disagreement(case, model, machine, *options):
    report = check(case, "--model=" + model, *options)
    kinds = {f["kind"] for f in report["findings"]}
    if not report["complete"] or kinds - STUCK - FREED - SHRUNK:
        return "%s: exit status %d, %s" % (model, report["exit"], report["said"])
    what = common.difference(machine.outcomes, set(report["outcomes"])) or redundant(case, model, machine, report)
    if what:
        return "%s: %s" % (model, what)
    if machine.stuck != bool(kinds & STUCK):
        return "%s: stuck by definition: %s, found: %s" % (model, machine.stuck, sorted(kinds))
    if machine.used_after_free != ("use-after-free" in kinds) or machine.freed_twice != ("abort" in kinds):
        return "%s: used after free: %s, freed twice: %s; found: %s" % (model, machine.used_after_free,
                                                                       machine.freed_twice, sorted(kinds))
    return replays(case, model, report, *options)


def redundant(case, model, machine, report):
    """None, or how executions are not as many as traces.  Loads that see a part of what is in their thread's own buffer
    are ordered with the stores of others, more than a trace is."""
    words = case.text.replace(";", " ").split()
    if not {word[0] for word in words} <= TRACED:
        return None
    executions, traces = report["executions"], len(machine.traces)
    exact = model == "sc" or all("8@" in word for word in words if "@" in word)
    if executions < traces or (exact and executions > traces):
        return "%d executions for %d traces" % (executions, traces)
    return None


def replays(case, model, report, *options):
    """Every finding is there again when its token is replayed."""
    for finding in report["findings"]:
        quiet = ["--no-data-races"] if model == "sc" else []
        again = common.run_check(["--token=" + finding["replay"], "--model=" + model, *quiet, *options],
                                 common.interpreter(INTERPRETER), case.text, command="replay")
        if (finding["kind"], finding["message"]) not in {(f["kind"], f["message"]) for f in again["findings"]}:
            return "%s: %s (%s) is not there in a replay: %s" % (model, finding["kind"], finding["replay"], again["said"])
    return None


def races_disagreement(case):
    """Whether there is a data race is the same if steps that commute are explored in both orders, and it is there again
    when it is replayed."""
    report, each = (common.run_check(["--model=sc"], common.interpreter(INTERPRETER), case.text, TIDEMARK_TEST_SETTINGS=setting)
                    for setting in ("", "each-order=1"))
    kinds = [{f["kind"] for f in r["findings"]} for r in (report, each)]
    if kinds[0] != kinds[1] or set(report["outcomes"]) != set(each["outcomes"]) or not report["complete"]:
        return "%s in one order, %s in each" % (sorted(kinds[0]), sorted(kinds[1]))
    if report["executions"] > each["executions"]:
        return "%d executions in one order, %d in each" % (report["executions"], each["executions"])
    for finding in report["findings"]:
        again = common.run_check(["--token=" + finding["replay"], "--model=sc"], common.interpreter(INTERPRETER), case.text, command="replay")
        if finding["kind"] not in {f["kind"] for f in again["findings"]}:
            return "%s (%s) is not there in a replay: %s" % (finding["kind"], finding["replay"], again["said"])
    return None


def disagreement(case, flip=None):
    del flip
    if set("pr") & set(case.text):
        return races_disagreement(case)
    sc, tso = Machine(case.text, False).run(), Machine(case.text, True).run()
    what = model_disagreement(case, "sc", sc) or model_disagreement(case, "tso", tso)
    if not what and "C" in case.text:
        what = model_disagreement(case, "sc", Machine(case.text, False, 1).run(), "--spurious=1") or \
               model_disagreement(case, "tso", Machine(case.text, True, 1).run(), "--spurious=1")
    if not what and ("T" in case.text or "M" in case.text):
        what = model_disagreement(case, "sc", Machine(case.text, False, 0, 0).run(), "--timeouts=0") or \
               model_disagreement(case, "tso", Machine(case.text, True, 0, 2).run(), "--timeouts=2")
    if not what and set("wkqWEPu") & set(case.text):
        what = looks_disagreement(case, "--model=sc") or looks_disagreement(case, "--model=tso")
    if not what and set("iIjBD") & set(case.text):
        what = orders_disagreement(case, "--model=sc") or orders_disagreement(case, "--model=tso")
    if what or set("CGHTMYRZuvVbehOXoQJ") & set(case.text):
        return what
    if "F" in case.text and (sc.used_after_free or sc.freed_twice):
        return None
    report = check(case, "--model=sc", "--analyses=store-buffers")
    unsafe = any(f["kind"] == "store-buffer" for f in report["findings"])
    if unsafe and set("wkqWEP") & set(case.text):
        return None  # what a waiting loop looks at in vain may be a load to the monitor, and is none to the oracle
    if unsafe != (sc.traces != tso.traces):
        return "store buffers: unsafe by definition: %s, found: %s" % (sc.traces != tso.traces, unsafe)
    return None


def may_store_same(case):
    """A store of what is there already, which disturbs nobody: who waits may have looked before or after it, and both are
    executions (src/access/waiting.c)."""
    if not set("wkqWEPu") & set(case.text):
        return False  # nobody waits
    stored = re.findall(r"[sSxWkqc]\d*@(\w+)=(\w+)(?:,(\w+))?", case.text)
    values = [(int(at, 16) // 8, value) for at, *both in stored for value in both if value]
    any_value = set("NaijI") & set(case.text)  # sums, and numbers that are asked for
    return bool(any_value) or len(set(values)) < len(values) or any(int(value, 16) == 0 for _, value in values)


def looks_disagreement(case, model):
    """Looks that are in vain and do not happen change nothing."""
    report, all_looks = check(case, model), check(case, model, TIDEMARK_TEST_SETTINGS="each-look=1")
    for key in ("outcomes", "findings") if may_store_same(case) else ("executions", "outcomes", "findings"):
        both = [[f["kind"] for f in r[key]] if key == "findings" else r[key] for r in (report, all_looks)]
        if both[0] != both[1]:
            return "%s: %s differ if all looks happen: %s, %s" % (model, key, both[0], both[1])
    return None


def orders_disagreement(case, model):
    """Exploring steps that commute in both orders shows the same."""
    report, each = check(case, model), check(case, model, TIDEMARK_TEST_SETTINGS="each-order=1")
    for key in ("outcomes", "findings"):
        both = [{f["kind"] for f in r[key]} if key == "findings" else set(r[key]) for r in (report, each)]
        if both[0] != both[1]:
            return "%s: %s differ if all orders are explored: %s, %s" % (model, key, both[0], both[1])
    return None


def waypoints_disagreement(case, model):
    """Going on from where another execution was is the same as beginning at the start, run by run."""
    start, resumed = (check(case, model, "--jobs=1", TIDEMARK_TEST_SETTINGS="waypoint-steps=%d" % steps) for steps in (0, 1))
    for key in ("executions", "program_runs", "steps", "outcomes", "findings"):
        both = [[(f["kind"], f["count"], f["replay"]) for f in r[key]] if key == "findings" else r[key]
                for r in (start, resumed)]
        if both[0] != both[1]:
            return "%s: %s differ with waypoints: %s, %s" % (model, key, both[0], both[1])
    return None


def modes_disagreement(case):
    if set("pr") & set(case.text):
        return None
    for model in ("--model=sc", "--model=tso"):
        what = waypoints_disagreement(case, model)
        if what:
            return what
        base, other = check(case, model), check(case, model, "--isolate")
        for key in ("outcomes", "executions", "exit"):
            if base.get(key) != other.get(key):
                return "%s: %s differs with --isolate: %s, %s" % (model, key, base.get(key), other.get(key))
        for after in (1, 12, 30):
            short = check(case, model, TIDEMARK_TEST_SETTINGS="plan-whole=%d" % after)
            for key in ("outcomes", "exit") if may_store_same(case) else ("outcomes", "executions", "exit"):
                if base.get(key) != short.get(key):
                    return ("%s: %s differs when beginnings are planned after %d: %s, %s" %
                            (model, key, after, base.get(key), short.get(key)))
        same = Case("=" + " ".join(case.text.split(";")[0].split()[:3]))
        base_same, symmetric = check(same, model), check(same, model, "--symmetry")
        for key in ("outcomes", "findings"):
            names = [{f["kind"] for f in r[key]} if key == "findings" else set(r[key]) for r in (base_same, symmetric)]
            if names[0] != names[1] or symmetric["executions"] > base_same["executions"]:
                return "%s: %s of %s differ with --symmetry: %s, %s" % (model, key, same.text, names[0], names[1])
        # One by one: otherwise it would be the same search.
        bounded = check(case, model, "--schedule=bounded:1", "--max-executions=100000", TIDEMARK_TEST_SETTINGS="all-first=0")
        if not set(bounded["outcomes"]) <= set(base["outcomes"]):
            return "%s: bounded:1 has outcomes that all has not" % model
    return None


def tests(arguments):
    cases = [random_case(arguments.seed, n) for n in range(arguments.count)]
    return common.usual_tests(sys.modules[__name__], arguments, cases, "threads_regress.txt", 10)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.add_arguments(parser, ())
    arguments = parser.parse_args()
    common.build_interpreter(INTERPRETER, "-I" + common.ROOT + "/include")
    case = Case(arguments.replay) if arguments.replay else None
    return common.run(sys.modules[__name__], arguments, case)


if __name__ == "__main__":
    sys.exit(main())
