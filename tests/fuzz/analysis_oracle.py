"""Robustness and persistency races by definition: the second opinion on `tidemark check --analyses`.

Nothing here is clever or shared with the checker.  A program is three lists of operations: before
any failure (one or two threads, in the order in which they happen), after one failure, after two.
An operation is (thread, kind, variable, number); a variable is a word of a cache line, a store writes
the number of its operation.

  weak executions   the power fails after every operation; then each line, independently of the
                    others, has lost any suffix of its stores that no completed flush covers
  strict ones       every thread has stopped somewhere, so that what was done is closed under
                    happens-before (program order and reads-from); memory holds the newest store of
                    that, in the order in which they happened, to each variable
  robust            a weak execution is, if some choice of strict ones gives every load after a
                    failure the same store (thesis, Definition 4.1.1)
  race              Definition 5.3.1, literally
"""
import itertools

STORES = "sR"  # plain, release
INITIAL = None


class Section:
    """Operations of one execution and what is true of all of it."""

    def __init__(self, operations, lines):
        self.operations = operations
        self.line_of = lines
        self.before = self.happens_before()

    def happens_before(self):
        """before[i]: the operations that happen before i, i included."""
        before = []
        for i, (thread, kind, variable, _) in enumerate(self.operations):
            mine = {i}
            for j in range(i):
                if self.operations[j][0] == thread:
                    mine |= before[j]
            if kind == "l":
                source = self.newest(variable, range(i))
                if source is not INITIAL:
                    mine |= before[source]
            before.append(mine)
        return before

    def newest(self, variable, done):
        """The newest store to the variable among these operations."""
        stores = [i for i in done if self.operations[i][1] in STORES and self.operations[i][2] == variable]
        return max(stores) if stores else INITIAL

    def stores_of_line(self, line, end):
        return [i for i in range(end) if self.operations[i][1] in STORES and self.line_of[self.operations[i][2]] == line]

    def certain(self, line, end):
        """How many stores of the line are in memory for certain after `end` operations."""
        stores, covered, waiting = 0, 0, {}
        for thread, kind, variable, _ in self.operations[:end]:
            here = variable is not None and self.line_of[variable] == line
            if kind in STORES and here:
                stores += 1
            elif kind == "f" and here:
                covered = stores
            elif kind == "w" and here:
                waiting[thread] = stores
            elif kind == "S":
                covered = max(covered, waiting.pop(thread, 0))
        return covered

    def points(self):
        """Where a failure makes a difference: before what makes a store certain, and at the end, if
        something was stored since the last such point, or loaded: that is known then."""
        result, stored, loaded, lines = [], False, False, set(self.line_of.values())
        for i, (_, kind, _, _) in enumerate(self.operations):
            persists = any(self.certain(line, i + 1) > self.certain(line, i) for line in lines)
            if persists and stored:
                result.append(i)
                stored = loaded = False
            stored |= kind in STORES
            loaded |= kind == "l"
        if stored or loaded or not result:
            result.append(len(self.operations))
        return result

    def remains(self, end):
        """For every way to lose stores: {variable: store that is left}, without those never stored."""
        lines = sorted(set(self.line_of.values()))
        choices = []
        for line in lines:
            stores = self.stores_of_line(line, end)
            choices.append([stores[:n] for n in range(self.certain(line, end), len(stores) + 1)])
        for kept in itertools.product(*choices):
            left = {}
            for stores in kept:
                for i in stores:
                    left[self.operations[i][2]] = i
            yield left

    def cuts(self):
        """Every set of operations that is closed under happens-before."""
        threads = sorted({o[0] for o in self.operations})
        own = [[i for i, o in enumerate(self.operations) if o[0] == t] for t in threads]
        for lengths in itertools.product(*[range(len(o) + 1) for o in own]):
            done = set()
            for operations, n in zip(own, lengths):
                done |= set(operations[:n])
            if all(self.before[i] <= done for i in done):
                yield done

    def strict_memory(self, done):
        variables = {o[2] for o in self.operations if o[1] in STORES}
        newest = {v: self.newest(v, done) for v in variables}
        return {v: i for v, i in newest.items() if i is not INITIAL}


def overlay(older, newer, level):
    """What memory holds when an execution that left `newer` followed one that left `older`."""
    memory = dict(older)
    memory.update({v: (level, i) for v, i in newer.items()})
    return memory


class Program:
    def __init__(self, sections, lines):
        self.sections = [Section(s, lines) for s in sections]
        self.line_of = lines

    def weak(self, everywhere=True):
        """Every (ends, loads): where each execution failed, and what the loads after a failure read:
        [(level, operation, source)], source (level, store) or INITIAL.  Failures everywhere, or only
        where they make a difference: then more loads of a recovery come before its failure, and
        another one may be the first to show something."""
        yield from self.weak_from(0, {}, (), (), everywhere)

    def weak_from(self, level, memory, ends, loads, everywhere):
        section = self.sections[level]
        last = level == len(self.sections) - 1
        points = range(len(section.operations) + 1) if everywhere else section.points()
        if level and not last:  # no further failure
            yield ends, loads + tuple(self.loads_of(level, len(section.operations), memory))
        for end in [len(section.operations)] if last else points:
            seen = loads
            if level:
                seen += tuple(self.loads_of(level, end, memory))
            if last:
                yield ends, seen
                continue
            for left in section.remains(end):
                yield from self.weak_from(level + 1, overlay(memory, left, level), ends + (end,), seen, everywhere)

    def loads_of(self, level, end, memory):
        """Only the first load of a variable: later ones read the same."""
        section = self.sections[level]
        seen = set()
        for i in range(end):
            _, kind, variable, _ = section.operations[i]
            if kind == "l" and section.newest(variable, range(i)) is INITIAL and variable not in seen:
                seen.add(variable)
                yield level, i, memory.get(variable, INITIAL)

    def strict(self):
        """Every memory that strict executions give to the loads after them: one for each level."""
        options = [[s.strict_memory(done) for done in s.cuts()] for s in self.sections[:-1]]
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
        return any(all(m[level - 1].get(self.sections[level].operations[i][2], INITIAL) == source
                       for level, i, source in loads) for m in strict)

    def is_robust(self):
        strict = list(self.strict())
        return all(self.robust(loads, strict) for loads in self.executions())

    # ---- what a report should say ----

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
            read = [s for _, _, s in loads[:n] if s is not INITIAL]
            for level, i, source in loads[:n]:
                variable = self.sections[level].operations[i][2]
                for lost in self.missed(level, variable, source, read):
                    found.add((lost, (level, i)))
        return found

    def missed(self, level, variable, source, read):
        for at, store in read:
            section = self.sections[at]
            for i in section.before[store]:
                newer = source is INITIAL or (at, i) > source
                if section.operations[i][1] in STORES and section.operations[i][2] == variable and newer and at < level:
                    yield at, i

    def races(self, prefixes, everywhere=False):
        """{((level, store), (level, load))} by Definition 5.3.1; with prefixes, a flush counts only if
        something was read that happens after its completion."""
        found = set()
        for ends, loads in self.weak(everywhere):
            read = []
            for level, i, source in loads:
                if source is not INITIAL and self.is_race(source, ends[source[0]], read, prefixes):
                    found.add((source, (level, i)))
                if source is not INITIAL:
                    read.append(source)
        return found

    def is_race(self, source, end, read, prefixes):
        level, store = source
        section = self.sections[level]
        _, kind, variable, _ = section.operations[store]
        line = self.line_of[variable]
        if kind != "s":
            return False
        done = set(range(end))
        if prefixes:
            done = set().union(*[section.before[i] for at, i in read if at == level])
        for at, i in read:
            other = section.operations[i] if at == level else None
            if other and other[1] == "R" and self.line_of[other[2]] == line and store in section.before[i]:
                return False
        for i in range(store + 1, end):
            thread, kind, v, _ = section.operations[i]
            if kind not in "fw" or self.line_of[v] != line or store not in section.before[i]:
                continue
            if kind == "f" and i in done:
                return False
            if kind == "w" and any(j in done and section.operations[j][:2] == (thread, "S") for j in range(i + 1, end)):
                return False
        return True
