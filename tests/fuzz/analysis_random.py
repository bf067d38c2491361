#!/usr/bin/env python3
"""Random small programs: do the analyses of `tidemark check` say what their definitions say?

    analysis_random.py --seed 1 --count 1000
    analysis_random.py --seed 1 --only 17 -v      one of them, with its source

Programs are generated as C, many functions in one file, an operation on each line, so that a report
names operations.  Robustness, races (prefix and baseline) are compared with analysis_oracle.py: the
same programs are robust, and the same pairs of store and load are named.  Redundant flushes and
fences: without those that are reported the outcomes are the same.  Exit 1 if something differs.
"""
import itertools
import random
import sys

sys.dont_write_bytecode = True
import analysis_accesses
import analysis_oracle
import analysis_programs
from analysis_accesses import Bytes, Words, statement
from analysis_programs import difference

NAME = "analysis_random"
FUNCTIONS_MAX = 4
EXECUTIONS_MAX = 1500

HEAD = analysis_accesses.HEAD + """#include <pthread.h>
static int turn;
static int flags[2];
static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void wait_for(int n) { while (turn != n) sched_yield(); }
"""

MAIN = """
static void *run(void *f) { ((void (*)(void))f)(); return NULL; }
int main(int argc, char **argv) {
  void (**p)(void) = programs[atoi(argv[1])];
  (void)argc;
  m = tidemark_region("m", 512);
  if (tidemark_failures()) { p[tidemark_failures() + 1](); return 0; }
  if (!p[1]) { p[0](); return 0; }
  pthread_t a, b;
  pthread_create(&a, NULL, run, p[0]);
  pthread_create(&b, NULL, run, p[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
"""


class Case:
    """sections: before any failure, after one, after two."""

    def __init__(self, number, rng):
        self.number, self.rng = number, rng
        self.threads = rng.choice([1, 1, 2, 2])
        self.failures = rng.choice([1, 1, 1, 2])
        self.kind = rng.choice([Words, Bytes])(rng)
        size = 7 if self.failures == 1 else 4
        self.sections = [self.operations(size, self.threads, .1 if self.threads == 1 else .3, True)]
        if self.failures == 2:
            self.sections.append(self.operations(3, 1, .5, False))
        self.sections.append([(0, *self.kind.load()) for _ in range(rng.randint(2, 4))])
        self.choose_checksums()

    def operations(self, most, threads, loads, before):
        result = []
        for _ in range(self.rng.randint(3, most)):
            result.append((self.rng.randrange(threads), *self.kind.operation(loads, threads, before)))
        if threads > 1 and isinstance(self.kind, Bytes) and self.rng.random() < .7:
            self.hand_over(result)
        for thread in range(threads) if threads > 1 else ():  # its end is a fence, say so
            last = max((i for i, o in enumerate(result) if o[0] == thread), default=-1)
            result.insert(last + 1, (thread, "S", None, None))
        return result

    def hand_over(self, operations):
        """One thread tells the other, by a lock or by something atomic in ordinary memory."""
        first = self.rng.randrange(1, len(operations))
        second = self.rng.randrange(first, len(operations))
        kinds, thread = self.rng.choice(["PA", "MM", "PM"]), self.rng.randrange(2)  # the last one: not at all
        operations.insert(second, (1 - thread, kinds[1], 0, None))
        operations.insert(first, (thread, kinds[0], 0, None))

    def choose_checksums(self):
        """Which operation must have stored the first byte for it to be right: one that may have."""
        for n, section in enumerate(self.sections):
            for i, o in enumerate(section):
                if o[1] == "C":
                    stores = [(level, j) for level in range(n) for j, s in enumerate(self.sections[level])
                              if s[1] in "sRvnNxc" and s[2] <= o[2] < s[2] + s[3]]
                    section[i] = (*o[:5], self.rng.choice(stores)) if stores else (o[0], "l", *o[2:4])

    def value(self, n, i):
        return 1 + i + sum(len(s) for s in self.sections[:n])

    def is_clear(self):
        """Do values tell who has stored them?  What a copy stores is not its own."""
        memory, was = {}, {}
        for i, (_, kind, start, size, *more) in enumerate(self.sections[0]):
            if kind == "m":
                news = {start + k: memory.get(more[0] + k, 0) for k in range(size)}
            elif kind in "sRvnNxc":
                news = {start + k: self.value(0, i) for k in range(size)}
            else:
                continue
            for byte, value in news.items():
                if value in was.setdefault(byte, {0}):
                    return False
                was[byte].add(value)
            memory.update(news)
        return True

    def program(self, without=()):
        """without: (section, operation) that are left out."""
        kept = [[i for i in range(len(s)) if (n, i) not in without] for n, s in enumerate(self.sections)]
        sections = [[s[i] for i in kept[n]] for n, s in enumerate(self.sections)]
        for section in sections:
            for i, o in enumerate(section):
                if o[1] == "C":
                    section[i] = (*o[:-1], (o[-1][0], kept[o[-1][0]].index(o[-1][1])))
        return analysis_oracle.Program(sections)

    # ---- as C ----

    def write(self, out, where):
        """An operation is (section, number in it)."""
        for n, section in enumerate(self.sections):
            both = n == 0 and self.threads == 2
            for thread in range(2 if both else 1):
                out.append("static void p%d_%d_%d(void) {" % (self.number, n, thread))
                for i, o in enumerate(section):
                    if o[0] != thread and both:
                        continue
                    more = [*o[4:-1], self.value(*o[-1])] if o[1] == "C" else o[4:]
                    text = statement(o[1], o[2], o[3], self.value(n, i), *more)
                    out.append("wait_for(%d); %s turn++;" % (i, text) if both else text)
                    where[len(out)] = (self.number, (n, i))
                out.append("}")
        names = ["p%d_0_0" % self.number, "p%d_0_1" % self.number if self.threads == 2 else "NULL"]
        names += ["p%d_%d_0" % (self.number, n) for n in range(1, len(self.sections))]
        return "{%s}" % ", ".join(names)


def small_enough(case):
    return sum(1 for _ in itertools.islice(case.program().weak(), EXECUTIONS_MAX + 1)) <= EXECUTIONS_MAX


def generate(seed, number):
    for attempt in range(100):
        case = Case(number, random.Random("%d.%d.%d" % (seed, number, attempt)))
        if case.is_clear() and small_enough(case):
            return case
    raise AssertionError("no small program")


def check(program, index, case, *options):
    return analysis_programs.check(program, index, "--failures=%d" % case.failures, *options)


def verify(program, index, case, where):
    """None, or what differs."""
    model = case.program()
    report = check(program, index, case, "--analyses=robustness,races")
    violations = analysis_programs.violations(report, where)
    if bool(violations) == model.is_robust():
        return "robust: %s" % model.is_robust()
    what = difference("robustness", model.violations(), violations)
    what = what or difference("races", model.races(True), analysis_programs.races(report, where))
    if what:
        return what
    report = check(program, index, case, "--analyses=races", "--races=baseline")
    races = analysis_programs.races(report, where)
    what = difference("baseline", model.races(False), races)
    what = what or difference("racy stores", {s for s, _ in model.races(False, True)}, {s for s, _ in races})
    return what or verify_flushes(program, index, case, where)


def verify_flushes(program, index, case, where):
    if case.threads > 1:
        return None
    report = check(program, index, case, "--analyses=flushes")
    useless = {where[f["location"]["line"]][1] for f in report["findings"] if f["kind"].startswith("redundant")}
    if not useless:
        return None
    if outcomes(case, useless) != outcomes(case, ()):
        return "outcomes differ without %s" % sorted(useless)
    return None


def outcomes(case, without):
    """What loads read, by the operations of the whole program."""
    kept = [[i for i in range(len(s)) if (n, i) not in without] for n, s in enumerate(case.sections)]
    program = case.program(without)

    def name(level, step):
        s = program.sections[level].steps[step]
        return level, kept[level][s.operation], s.kind, s.start

    return {tuple((name(level, i), tuple((byte, source and name(*source)) for byte, source in sources))
                  for level, i, sources in loads) for loads in program.executions()}


if __name__ == "__main__":
    sys.exit(analysis_programs.main(sys.modules[__name__]))
