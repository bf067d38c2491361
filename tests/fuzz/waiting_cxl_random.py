#!/usr/bin/env python3
"""Random programs for several machines that wait in loops for what may never come: are they found to hang exactly if the
same programs give up when they count their rounds, and is everything else the same?

    waiting_cxl_random.py --seed 1 --count 300
    waiting_cxl_random.py --replay '--machines=3 X0s21U0 C0r2u0'

A loop that counts never comes back to a state in which it was, so the search goes through all of its rounds, with
failures in each of them; a loop that does not ends as soon as it comes back (src/search/standstill.h).  What machines say
in executions in which nobody waits for ever must be the same, and without --no-share, with it, by two workers and with
--isolate so must all counts.  waiting_interpreter.c says what programs look like."""
import argparse
import random
import sys

sys.dont_write_bytecode = True
import random_programs

NAME = "waiting_interpreter"
ROUNDS = 40
ROUNDS_PATIENT = 400  # others have had their turn by then
GAVE_UP = "gave up"
ISOLATED_MAX = 40  # executions; each decision is a process then


def check(case, rounds, *more):
    options = ["--model=cxl", "--jobs=1", "--timeout=30", "--keep-going", *case[0], *more]
    return random_programs.run_check(options, random_programs.interpreter(NAME), str(rounds), *case[1:])


def summary(report):
    findings = sorted((f["kind"], f["count"]) for f in report["findings"])
    return report["executions"], report["failure_points"], findings, report["outcomes"]


def gives_up(report):
    return any(GAVE_UP in o for o in report["outcomes"])


def hangs(report):
    return any(f["kind"] == "hang" for f in report["findings"])


def disagreement(case):
    """None: they agree; "": it took too long to tell."""
    counting, waiting = check(case, ROUNDS), check(case, 0)
    if not waiting["complete"] or not counting["complete"]:
        return "not done in 30 s" if counting["complete"] and counting["cpu_seconds"] < 3 else ""
    if gives_up(counting) and not hangs(waiting):
        counting = check(case, ROUNDS_PATIENT)
        if not counting["complete"]:
            return ""
    said = {o for o in counting["outcomes"] if GAVE_UP not in o}
    says = set(waiting["outcomes"])
    if gives_up(counting) != hangs(waiting):
        return "hangs: %s, gives up: %s" % (hangs(waiting), gives_up(counting))
    if not said <= says:
        return "not said by those who wait: %s" % sorted(said - says)
    if not hangs(waiting) and summary(waiting) != summary(counting):
        return "%s\n  instead of %s" % (summary(waiting), summary(counting))
    isolated = ["--isolate"] if waiting["executions"] <= ISOLATED_MAX else []
    for option in ["--no-share", "--jobs=2", *isolated]:
        other = check(case, 0, option)
        if not other["complete"]:
            return ""
        if summary(other) != summary(waiting):
            return "with %s: %s\n  instead of %s" % (option, summary(other), summary(waiting))
    return None


# ---- generating ----

def section(r):
    """Something between taking a lock and, mostly, releasing it."""
    kind, lock = r.choice("xXcCtT"), r.randrange(4)
    inside = "".join(r.choice(("s%d%d" % (r.randrange(4), r.randrange(3)), "f%d" % r.randrange(4), "r%d" % r.randrange(4), "y"))
                     for _ in range(r.randint(0, 3)))
    if r.random() < .15:
        return "k2%s%s" % (inside, "n2" if r.random() < .8 else "")
    release = "u%d" % lock + ("f%d" % lock if r.random() < .3 else "")
    return "%s%d%s%s" % (kind, lock, inside, release if r.random() < .85 else "")


def script(r, machines):
    parts = []
    for _ in range(r.randint(1, 3)):
        k = r.random()
        if k < .55:
            parts.append(section(r))
        elif k < .7:
            parts.append("%s%d%d" % (r.choice("wW"), r.randrange(4), r.randrange(2)))
        elif k < .8:
            parts.append("p%d%d" % (r.randrange(4), r.randrange(machines)))
        else:
            parts.append("s%d%d" % (r.randrange(4), r.randrange(3)) + ("f%d" % r.randrange(4) if r.random() < .5 else ""))
    return "".join(parts)


def generate(r):
    machines = r.choice((2, 3, 3))
    options = ["--machines=%d" % machines]
    if machines == 3 and r.random() < .3:
        options.append("--failures=1")
    if r.random() < .15:
        options.append("--gpf")
    if r.random() < .25:
        options.append("--coherence=cxlmc")
    return (options, *(script(r, machines) for _ in range(machines)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--replay")
    arguments = parser.parse_args()
    random_programs.build_interpreter(NAME)
    if arguments.replay:
        words = arguments.replay.split()
        cases = [([w for w in words if w.startswith("-")], *(w for w in words if not w.startswith("-")))]
    else:
        r = random.Random(arguments.seed)
        cases = [generate(r) for _ in range(arguments.count)]
    failed = passed = long = 0
    for case in cases:
        why = disagreement(case)
        if why:
            failed += 1
            print("FAILED --replay '%s'\n  %s" % (" ".join([*case[0], *case[1:]]), why), flush=True)
        elif why is None:
            passed += 1
        else:
            long += 1
    print("waiting_cxl_random: seed %d\n%d passed, %d took too long, %d failed" % (arguments.seed, passed, long, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
