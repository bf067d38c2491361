"""Robustness and persistency races by definition: the second opinion on `tidemark check --analyses`.

Nothing here is clever or shared with the checker.  A program is three lists of operations: before
any failure (one or two threads, in the order in which they happen), after one failure, after two.
An operation is (thread, kind, start, size) with bytes as addresses; `steps` says of which steps it
consists.  Memory is known byte by byte: of each, which step has stored it.

  weak executions   the power fails after every step; then each line, independently of the
                    others, has lost any suffix of its stores that no completed flush covers
  strict ones       every thread has stopped somewhere, so that what was done is closed under
                    happens-before (program order, reads-from, release and acquire); memory holds the
                    newest store of that, in the order in which they happened, to each byte
  robust            a weak execution is, if some choice of strict ones gives every load after a
                    failure the same stores (thesis, Definition 4.1.1)
  race              Definition 5.3.1, literally
"""
import itertools
from collections import namedtuple

# s plain store, R release store, v volatile store, n non-temporal store, N a part of one that is not atomic, l load,
# i load that is ignored, f clflush, w clwb, S fence, P release and A acquire of something in ordinary memory (start
# says which), k load of a checksum validation, K its end
Step = namedtuple("Step", "thread kind start size operation")
STORES = "sRvnN"
RELAXED = "sN"  # not atomic
LOADS = "lik"
INITIAL = None
LINE, WORD = 64, 8


def pieces(start, size):
    """A store or load is one of each aligned word, the lowest first."""
    while size:
        part = min(size, WORD - start % WORD)
        yield start, part
        start, size = start + part, size - part


def steps(operations):
    result = []
    for number, (thread, kind, start, size, *more) in enumerate(operations):
        def add(kinds, start, size=0):
            result.extend(Step(thread, k, at, part, number) for k in kinds
                          for at, part in (pieces(start, size) if size else [(start, 0)]))
        if kind in "fwSPA":
            add(kind, start or 0)
        elif kind == "x":  # an exchange
            add("S", 0)
            add("lR", start, size)
        elif kind == "M":  # a mutex is locked and unlocked
            add("SASP", start + 100)
        elif kind == "c":  # memset
            add("s", start, size)
        elif kind == "m":  # memmove from there
            add("l", more[0], size)
            add("s", start, size)
        elif kind == "C":  # two loads of a checksum validation; it is right if the first byte was stored by that operation
            add("k", start, size)
            add("k", *more[0])
            result.append(Step(thread, "K", start, more[1], number))
        else:
            add(kind, start, size)
    return result


class Section:
    """Steps of one execution and what is true of all of it."""

    def __init__(self, operations):
        self.steps = steps(operations)
        self.before = self.happens_before()
        self.lines = sorted({s.start // LINE for s in self.steps if s.kind in STORES})

    def happens_before(self):
        """before[i]: the steps that happen before i, i included."""
        before, newest, released, last = [], {}, {}, {}
        for i, s in enumerate(self.steps):
            mine = {i} | last.get(s.thread, set())
            if s.kind in LOADS:
                for byte in range(s.start, s.start + s.size):
                    mine |= before[newest[byte]] if byte in newest else set()
            if s.kind == "A":
                mine |= released.get(s.start, set())
            if s.kind == "P":
                released[s.start] = mine
            if s.kind in STORES:
                newest.update((byte, i) for byte in range(s.start, s.start + s.size))
            last[s.thread] = mine
            before.append(mine)
        return before

    def stores_of_line(self, line, end):
        return [i for i in range(end) if self.steps[i].kind in STORES and self.steps[i].start // LINE == line]

    def certain(self, line, end):
        """How many stores of the line are in memory for certain after `end` steps."""
        stores, covered, waiting = 0, 0, {}
        for s in self.steps[:end]:
            here = s.start // LINE == line
            if s.kind in STORES and here:
                stores += 1
            if s.kind == "f" and here:
                covered = stores
            elif s.kind in "wnN" and here:
                waiting[s.thread] = stores
            elif s.kind == "S":
                covered = max(covered, waiting.pop(s.thread, 0))
        return covered

    def points(self):
        """Where a failure makes a difference: before what makes a store certain, and at the end, if
        something was stored since the last such point, or loaded: that is known then."""
        result, stored, loaded = [], False, False
        for i, s in enumerate(self.steps):
            persists = any(self.certain(line, i + 1) > self.certain(line, i) for line in self.lines)
            if persists and stored:
                result.append(i)
                stored = loaded = False
            stored |= s.kind in STORES
            loaded |= s.kind in LOADS
        if stored or loaded or not result:
            result.append(len(self.steps))
        return result

    def memory(self, done):
        """{byte: its newest store among these steps}"""
        return {byte: i for i in sorted(done) if self.steps[i].kind in STORES
                for byte in range(self.steps[i].start, self.steps[i].start + self.steps[i].size)}

    def remains(self, end):
        """For every way to lose stores: what is left."""
        choices = []
        for line in self.lines:
            stores = self.stores_of_line(line, end)
            choices.append([stores[:n] for n in range(self.certain(line, end), len(stores) + 1)])
        for kept in itertools.product(*choices):
            yield self.memory(i for stores in kept for i in stores)

    def cuts(self):
        """Every set of steps that is closed under happens-before."""
        threads = sorted({s.thread for s in self.steps})
        own = [[i for i, s in enumerate(self.steps) if s.thread == t] for t in threads]
        for lengths in itertools.product(*[range(len(o) + 1) for o in own]):
            done = {i for of_thread, n in zip(own, lengths) for i in of_thread[:n]}
            if all(self.before[of_thread[n - 1]] <= done for of_thread, n in zip(own, lengths) if n):
                yield done


def overlay(older, newer, level):
    """What memory holds when an execution that left `newer` followed one that left `older`."""
    memory = dict(older)
    memory.update({byte: (level, i) for byte, i in newer.items()})
    return memory


class Program:
    def __init__(self, sections):
        self.sections = [Section(s) for s in sections]

    def weak(self, everywhere=True):
        """Every (ends, loads): where each execution failed, and what the loads after a failure read:
        [(level, step, ((byte, source), ...))], source (level, store) or INITIAL.  Failures everywhere, or only
        where they make a difference: then more loads of a recovery come before its failure, and
        another one may be the first to show something."""
        yield from self.weak_from(0, {}, (), (), everywhere)

    def weak_from(self, level, memory, ends, loads, everywhere):
        section = self.sections[level]
        last = level == len(self.sections) - 1
        points = range(len(section.steps) + 1) if everywhere else section.points()
        if level and not last:  # no further failure
            yield ends, loads + tuple(self.loads_of(level, len(section.steps), memory))
        for end in [len(section.steps)] if last else points:
            seen = loads
            if level:
                seen += tuple(self.loads_of(level, end, memory))
            if last:
                yield ends, seen
                continue
            for left in section.remains(end):
                yield from self.weak_from(level + 1, overlay(memory, left, level), ends + (end,), seen, everywhere)

    def loads_of(self, level, end, memory):
        """Only the first load of a byte: later ones read the same.  Neighbouring bytes of a word are loaded at once.
        Those of a checksum validation count when it turns out to be right."""
        section = self.sections[level]
        seen, postponed = set(), []
        for i in range(end):
            s = section.steps[i]
            bytes_of = () if s.kind == "K" else range(s.start, s.start + s.size)
            if s.kind in STORES:
                seen.update(bytes_of)
            elif s.kind == "K":
                first = memory.get(s.start, INITIAL) if s.start not in section.memory(range(i)) else INITIAL
                if first is not INITIAL and (first[0], self.sections[first[0]].steps[first[1]].operation) == s.size:
                    yield from postponed
                    seen.update(byte for _, _, sources in postponed for byte, _ in sources)
                postponed = []
            elif s.kind in "lk":
                known = seen | {byte for _, _, sources in postponed for byte, _ in sources}
                fresh = [byte for byte in bytes_of if byte not in known]
                for run in runs(fresh):
                    fact = level, i, tuple((byte, memory.get(byte, INITIAL)) for byte in run)
                    if s.kind == "k":
                        postponed.append(fact)
                    else:
                        yield fact
                if s.kind == "l":
                    seen.update(fresh)

    def strict(self):
        """Every memory that strict executions give to the loads after them: one for each level."""
        options = [[s.memory(done) for done in s.cuts()] for s in self.sections[:-1]]
        for chosen in itertools.product(*options):
            memories, memory = [], {}
            for level, left in enumerate(chosen):
                memory = overlay(memory, left, level)
                memories.append(memory)
            yield memories

    def executions(self):
        """All sequences of loads that are possible, each once."""
        return {loads for _, loads in self.weak()}

    def robust(self, loads, strict):
        return any(all(m[level - 1].get(byte, INITIAL) == source for level, _, sources in loads for byte, source in sources)
                   for m in strict)

    def is_robust(self):
        strict = list(self.strict())
        return all(self.robust(loads, strict) for loads in self.executions())

    def operation(self, level, step):
        return level, self.sections[level].steps[step].operation

    # ---- what a report should say: pairs of operations ----

    def violations(self):
        """{((level, lost store), (level, load that missed it))}: at the first load after which an
        execution is not robust, every store that was missed although a store that was read happens
        after it."""
        strict = list(self.strict())
        found = set()
        for loads in {loads for _, loads in self.weak(False)}:
            n = next((n for n in range(1, len(loads) + 1) if not self.robust(loads[:n], strict)), None)
            if n is None:
                continue
            read = {s for _, _, sources in loads[:n] for _, s in sources if s is not INITIAL}
            for level, i, sources in loads[:n]:
                for byte, source in sources:
                    for lost in self.missed(level, byte, source, read):
                        found.add((self.operation(*lost), self.operation(level, i)))
        return found

    def missed(self, level, byte, source, read):
        for at, store in read:
            section = self.sections[at]
            for i in section.before[store]:
                s = section.steps[i]
                newer = source is INITIAL or (at, i) > source
                if s.kind in STORES and s.start <= byte < s.start + s.size and newer and at < level:
                    yield at, i

    def races(self, prefixes, everywhere=False):
        """{((level, store), (level, load))} by Definition 5.3.1; with prefixes, a flush counts only if
        something was read that happens after its completion.  What a right checksum has read is whole, for all
        that is known of it."""
        found = set()
        for ends, loads in self.weak(everywhere):
            read = set()
            for level, i, sources in loads:
                stores = {source for _, source in sources if source is not INITIAL}
                trusted = self.sections[level].steps[i].kind == "k"
                for source in stores if not trusted else ():
                    if self.is_race(source, ends[source[0]], read, prefixes):
                        found.add((self.operation(*source), self.operation(level, i)))
                read |= stores
        return found

    def is_race(self, source, end, read, prefixes):
        level, store = source
        section = self.sections[level]
        line = section.steps[store].start // LINE
        if section.steps[store].kind not in RELAXED:
            return False
        done = set(range(end))
        if prefixes:
            done = set().union(*[section.before[i] for at, i in read if at == level])
        for at, i in read:
            other = section.steps[i] if at == level else None
            if other and other.kind == "R" and other.start // LINE == line and store in section.before[i]:
                return False
        for i in range(store, end):
            s = section.steps[i]
            if s.kind not in "fwnN" or s.start // LINE != line or store not in section.before[i]:
                continue
            if s.kind == "f" and i in done:
                return False
            if s.kind != "f" and any(j in done and section.steps[j][:2] == (s.thread, "S") for j in range(i + 1, end)):
                return False
        return True


def runs(numbers):
    """Those that follow each other, together."""
    result = []
    for n in numbers:
        if result and result[-1][-1] == n - 1:
            result[-1].append(n)
        else:
            result.append([n])
    return result
