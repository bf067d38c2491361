"""Robustness and persistency races under partial failures (cxl) by definition: the second opinion on
`tidemark check --model=cxl --analyses=robustness,races`.

Nothing here is clever or shared with the checker.  A program is one list of operations in the order in
which they happen, each of one machine: (machine, kind, variable).  A variable is a word of a cache
line, a store writes the number of its operation.

  weak executions   before every operation any machine may fail; of each line it has then lost any
                    suffix of those of its stores that nothing has written back.  What does: its own
                    completed flush (global: anybody's), an access of another machine to the line
                    (cxlmc: only a load, and only up to the store that it reads)
  strict ones       of each failed machine the last operations are left out, any number of them; no
                    store of an operation that is not left out is lost
  robust            a weak execution is, if after each of its operations some strict one gives every
                    load that is left the same store
  race              a load reads a plain store of a failed machine, and nothing that happens after it
                    and must have happened has written its line back
"""
import itertools

STORES = "sR"  # plain, release
INITIAL = None


class Rules:
    def __init__(self, machines, failures, paper=False, global_flush=False):
        self.machines, self.failures, self.paper, self.global_flush = machines, failures, paper, global_flush


class State:
    """stores of each line: [operation, written back]; lost ones are gone.  trace: ("fails", machine, _) or
    ("does", operation, source)."""

    def __init__(self, lines):
        self.lines = {line: [] for line in lines}
        self.waiting, self.failed, self.trace = {}, frozenset(), ()

    def copy(self):
        other = State(())
        other.lines = {line: [list(s) for s in stores] for line, stores in self.lines.items()}
        other.waiting = {key: list(value) for key, value in self.waiting.items()}
        other.failed, other.trace = self.failed, self.trace
        return other


class Program:
    def __init__(self, operations, lines, rules):
        self.operations, self.line_of, self.rules = operations, lines, rules

    def machine(self, i):
        return self.operations[i][0]

    # ---- weak executions ----

    def executions(self):
        """Every trace."""
        states = [State(set(self.line_of.values()))]
        for i in range(len(self.operations)):
            states = [after for state in states for before in self.failing(state) for after in [self.do(before, i)]]
        return {state.trace for state in states}

    def failing(self, state):
        """The state, and all that follow from failures here."""
        yield state
        if len(state.failed) == self.rules.failures:
            return
        for machine in range(self.rules.machines):
            if machine not in state.failed:
                for after in self.losses(state, machine):
                    yield from self.failing(after)

    def losses(self, state, machine):
        choices = []
        for line, stores in sorted(state.lines.items()):
            doubtful = [s[0] for s in stores if not s[1] and self.machine(s[0]) == machine]
            choices.append([(line, doubtful[n:]) for n in range(len(doubtful) + 1)])
        for lost in itertools.product(*choices):
            after = state.copy()
            for line, gone in lost:
                after.lines[line] = [[s[0], s[1] or self.machine(s[0]) == machine]
                                     for s in after.lines[line] if s[0] not in gone]
            after.failed |= {machine}
            after.trace += (("fails", machine, None),)
            yield after

    def write_back(self, state, line, concerns):
        for s in state.lines[line]:
            s[1] |= concerns(s[0])

    def do(self, before, i):
        machine, kind, variable = self.operations[i]
        if machine in before.failed:
            return before
        state = before.copy()
        line = self.line_of.get(variable)
        source = INITIAL

        def others(s):
            return self.machine(s) != machine

        def flushed(s):
            return self.rules.global_flush or self.machine(s) == machine
        if kind in STORES:
            if not self.rules.paper:
                self.write_back(state, line, others)
            state.lines[line].append([i, False])
        elif kind == "l":
            read = [s[0] for s in state.lines[line] if self.operations[s[0]][2] == variable]
            source = read[-1] if read else INITIAL
            if not self.rules.paper:
                self.write_back(state, line, others)
            elif source is not INITIAL and others(source):
                owner = self.machine(source)
                self.write_back(state, line, lambda s: self.machine(s) == owner and s <= source)
        elif kind == "f":
            self.write_back(state, line, flushed)
        elif kind == "w":
            covered = [s[0] for s in state.lines[line] if flushed(s[0])]
            state.waiting.setdefault(machine, []).extend(covered)
        elif kind == "S":
            done = state.waiting.pop(machine, [])
            for one in state.lines:
                self.write_back(state, one, lambda s: s in done)
        state.trace += (("does", i, source),)
        return state

    # ---- what must have happened ----

    @staticmethod
    def done(trace):
        return [i for what, i, _ in trace if what == "does"]

    @staticmethod
    def gone(trace):
        return {m for what, m, _ in trace if what == "fails"}

    @staticmethod
    def sources(trace):
        return {i: source for what, i, source in trace if what == "does"}

    def before(self, trace, operations):
        """These and all that happens before them."""
        sources, result, todo = self.sources(trace), set(), list(operations)
        while todo:
            i = todo.pop()
            if i in result:
                continue
            result.add(i)
            todo += [j for j in sources if j < i and self.machine(j) == self.machine(i)]
            if sources[i] is not INITIAL:
                todo.append(sources[i])
        return result

    def required(self, trace):
        return self.before(trace, [i for i in self.done(trace) if self.machine(i) not in self.gone(trace)])

    # ---- robustness ----

    def is_robust_now(self, trace):
        """Is there a strict execution for this beginning?"""
        sources, gone = self.sources(trace), sorted(self.gone(trace))
        own = [[i for i in sources if self.machine(i) == m] for m in gone]
        for lengths in itertools.product(*[range(len(o) + 1) for o in own]):
            left_out = {i for operations, n in zip(own, lengths) for i in operations[n:]}
            kept = [i for i in sources if i not in left_out]
            if all(self.strict_source(i, kept) == sources[i] for i in kept if self.operations[i][1] == "l"):
                return True
        return False

    def strict_source(self, load, kept):
        stores = [i for i in kept if i < load and self.operations[i][1] in STORES
                  and self.operations[i][2] == self.operations[load][2]]
        return max(stores) if stores else INITIAL

    def first_violation(self, trace):
        """The shortest beginning that is not robust, or None."""
        for n in range(1, len(trace) + 1):
            if trace[n - 1][0] == "does" and not self.is_robust_now(trace[:n]):
                return trace[:n]
        return None

    def violations(self):
        """{(lost store, load that missed it)}, the first such load that counts."""
        found = set()
        for trace in self.executions():
            beginning = self.first_violation(trace)
            if beginning is not None:
                found |= self.contradictions(beginning)
        return found

    def contradictions(self, trace):
        required, found, seen = self.required(trace), set(), set()
        for n, (what, i, source) in enumerate(trace):
            if what != "does" or self.operations[i][1] != "l":
                continue
            for lost in self.done(trace[:n]):
                newer = source is INITIAL or lost > source
                same = self.operations[lost][1] in STORES and self.operations[lost][2] == self.operations[i][2]
                if newer and same and lost not in seen and {lost, i} <= required:
                    seen.add(lost)
                    found.add((lost, i))
        return found

    # ---- races ----

    def races(self, prefixes):
        """{(store, load)}, the first load of the store after its machine has failed."""
        found = set()
        for trace in self.executions():
            seen = set()
            for n, (what, i, source) in enumerate(trace):
                if what != "does" or source is INITIAL or self.machine(source) not in self.gone(trace[:n]) or source in seen:
                    continue
                seen.add(source)
                if self.is_race(trace[:n], source, prefixes):
                    found.add((source, i))
        return found

    def is_race(self, trace, store, prefixes):
        owner, kind, variable = self.operations[store]
        if kind != "s" or owner not in self.gone(trace):
            return False
        line = self.line_of[variable]
        lived = trace[:trace.index(("fails", owner, None))]
        counts = self.required(trace) if prefixes else set(self.done(trace))
        for what, i, source in trace[len(lived):]:  # a later release store of the line was read
            if what == "does" and source is not INITIAL and self.operations[source][1] == "R" and \
                    self.machine(source) == owner and self.line_of[self.operations[source][2]] == line and \
                    store in self.before(trace, [source]):
                return False
        for what, i, _ in lived:
            if what == "does" and store in self.before(trace, [i]) and i != store and \
                    self.persists(lived, i, line, owner, counts):
                return False
        return True

    def persists(self, lived, i, line, owner, counts):
        """Has operation i, while the owner lived, written the line back for certain?"""
        machine, kind, variable = self.operations[i]
        if variable is None or self.line_of[variable] != line:
            return False
        mine = machine == owner or self.rules.global_flush
        if kind == "f":
            return mine and i in counts
        if kind == "w":
            return mine and any(j > i and self.operations[j][:2] == (machine, "S") and j in counts
                                for j in self.done(lived))
        return machine != owner and i in counts
