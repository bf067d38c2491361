"""Robustness and persistency races under partial failures (cxl) by definition: the second opinion on
`tidemark check --model=cxl --analyses=robustness,races`.

Nothing here is clever or shared with the checker.  A program is one list of operations in the order in
which they happen, each of one machine: (machine, kind, start, size) with bytes as addresses; analysis_oracle.py says
of which steps it consists, and what their kinds are.  Memory is known byte by byte.

  weak executions   before every step any machine may fail; of each line it has then lost any
                    suffix of those of its stores that nothing has written back.  What does: its own
                    completed flush (global: anybody's), an access of another machine to the line
                    (cxlmc: only a load, and only up to the store that it reads)
  strict ones       of each failed machine the last steps are left out, any number of them; no
                    store of a step that is not left out is lost
  robust            a weak execution is, if after each of its steps some strict one gives every
                    load that is left the same store
  race              a load reads a plain store of a failed machine, and nothing that happens after it
                    and must have happened has written its line back

Of a load that is ignored only counts that it reads what a live machine has stored: that has happened.
"""
import itertools

from analysis_oracle import INITIAL, LINE, LOADS, RELAXED, STORES, runs, steps


class Rules:
    def __init__(self, machines, failures, paper=False, global_flush=False):
        self.machines, self.failures, self.paper, self.global_flush = machines, failures, paper, global_flush


class State:
    """stores of each line: [step, written back]; lost ones are gone.  trace: ("fails", machine, _) or
    ("does", step, {(byte, source)})."""

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
    def __init__(self, operations, rules):
        self.steps, self.rules = steps(operations), rules
        self.exchanges = {i for i, o in enumerate(operations) if o[1] == "x"}

    def machine(self, i):
        return self.steps[i].thread

    def line(self, i):
        return self.steps[i].start // LINE

    def has(self, i, byte):
        """Does it store to that one?"""
        s = self.steps[i]
        return s.kind in STORES and s.start <= byte < s.start + s.size

    def is_inside(self, i):
        """An exchange is one step."""
        return i > 0 and self.steps[i].operation in self.exchanges and \
            self.steps[i].operation == self.steps[i - 1].operation

    # ---- weak executions ----

    def executions(self):
        """Every trace."""
        states = [State({self.line(i) for i, s in enumerate(self.steps) if s.kind != "S"})]
        for i in range(len(self.steps)):
            states = [self.do(before, i) for state in states
                      for before in ([state] if self.is_inside(i) else self.failing(state))]
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
        step = self.steps[i]
        machine, kind = step.thread, step.kind
        if machine in before.failed:
            return before
        state = before.copy()
        line = self.line(i)
        sources = frozenset()

        def others(s):
            return self.machine(s) != machine

        def flushed(s):
            return self.rules.global_flush or self.machine(s) == machine
        if kind in STORES:
            if not self.rules.paper:
                self.write_back(state, line, others)
            state.lines[line].append([i, False])
        elif kind in LOADS:
            sources = frozenset(
                (byte, max((s[0] for s in state.lines[line] if self.has(s[0], byte)), default=INITIAL))
                for byte in range(step.start, step.start + step.size))
            if not self.rules.paper:
                self.write_back(state, line, others)
            for _, source in sources if self.rules.paper else ():
                if source is not INITIAL and others(source):
                    self.write_back(state, line, lambda s, up_to=source:
                                    self.machine(s) == self.machine(up_to) and s <= up_to)
        elif kind == "f":
            self.write_back(state, line, flushed)
        elif kind == "S":
            done = state.waiting.pop(machine, [])
            for one in state.lines:
                self.write_back(state, one, lambda s: s in done)
        if kind in "wnN":
            state.waiting.setdefault(machine, []).extend(s[0] for s in state.lines[line] if flushed(s[0]))
        state.trace += (("does", i, sources),)
        return state

    # ---- what must have happened ----

    @staticmethod
    def done(trace):
        return [i for what, i, _ in trace if what == "does"]

    @staticmethod
    def gone(trace):
        return {m for what, m, _ in trace if what == "fails"}

    def sources(self, trace):
        """{step: what it has read, as far as that counts}"""
        result, gone = {}, set()
        for what, i, sources in trace:
            if what == "fails":
                gone.add(i)
                continue
            ignored = self.steps[i].kind == "i"
            result[i] = {(byte, s) for byte, s in sources
                         if not ignored or (s is not INITIAL and self.machine(s) not in gone)}
        return result

    def before(self, trace, some):
        """These steps and all that happens before them."""
        sources, result, todo = self.sources(trace), set(), list(some)
        while todo:
            i = todo.pop()
            if i in result:
                continue
            result.add(i)
            todo += [j for j in sources if j < i and self.machine(j) == self.machine(i)]
            todo += [s for _, s in sources[i] if s is not INITIAL]
        return result

    def required(self, trace):
        return self.before(trace, [i for i in self.done(trace) if self.machine(i) not in self.gone(trace)])

    # ---- robustness ----

    def is_robust_now(self, trace):
        """Is there a strict execution for this beginning?"""
        sources, gone = self.sources(trace), sorted(self.gone(trace))
        own = [[i for i in sources if self.machine(i) == m] for m in gone]
        for lengths in itertools.product(*[range(len(o) + 1) for o in own]):
            left_out = {i for of_machine, n in zip(own, lengths) for i in of_machine[n:]}
            kept = [i for i in sources if i not in left_out]
            if all(self.is_explained(i, byte, source, kept) for i in kept for byte, source in sources[i]):
                return True
        return False

    def is_explained(self, load, byte, source, kept):
        if self.steps[load].kind == "i":  # it may miss what it likes
            return source in kept
        return self.strict_source(load, byte, kept) == source

    def strict_source(self, load, byte, kept):
        return max((i for i in kept if i < load and self.has(i, byte)), default=INITIAL)

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
        for n, (what, i, sources) in enumerate(trace):
            if what != "does" or self.steps[i].kind != "l":
                continue
            for lost in self.done(trace[:n]):
                missed = any(self.has(lost, byte) and (source is INITIAL or lost > source) for byte, source in sources)
                if missed and lost not in seen and {lost, i} <= required:
                    seen.add(lost)
                    found.add((self.steps[lost].operation, self.steps[i].operation))
        return found

    # ---- races ----

    def races(self, prefixes):
        """{(store, load)}, the first load of the store after its machine has failed."""
        found = set()
        for trace in self.executions():
            seen, known = set(), set()  # stores that were read; bytes that are known since the last failure
            for n, (what, i, sources) in enumerate(trace):
                if what != "does" or self.steps[i].kind == "i":
                    continue
                settled = len(self.gone(trace[:n])) == self.rules.failures
                read = []  # by this load
                for part in self.parts(sources, known) if settled else [dict(sources)]:
                    stores = {s for s in part.values() if s is not INITIAL and self.machine(s) in self.gone(trace[:n])}
                    for store in stores - seen:
                        if self.is_race(trace[:n] + (("does", i, read),) * bool(read), store, prefixes):
                            found.add((self.steps[store].operation, self.steps[i].operation))
                    seen |= stores
                    read += part.items()
                step = self.steps[i]
                known.update(range(step.start, step.start + step.size) if settled else ())
        return found

    @staticmethod
    def parts(sources, known):
        """As in analysis_oracle.Program.loads_of: neighbouring bytes that are new are loaded at once, the lowest first."""
        sources = dict(sources)
        return [{byte: sources[byte] for byte in run} for run in runs(sorted(set(sources) - known))]

    def is_race(self, trace, store, prefixes):
        owner, line = self.machine(store), self.line(store)
        if self.steps[store].kind not in RELAXED:
            return False
        lived = trace[:trace.index(("fails", owner, None))]
        counts = self.required(trace) if prefixes else set(self.done(trace))
        for what, i, sources in trace[len(lived):]:  # a later release store of the line was read
            for _, s in sources if what == "does" and self.steps[i].kind != "i" else ():
                if s is not INITIAL and self.steps[s].kind == "R" and self.machine(s) == owner and \
                        self.line(s) == line and store in self.before(trace, [s]):
                    return False
        return not any(what == "does" and store in self.before(trace, [i]) and
                       self.persists(lived, i, line, owner, counts) for what, i, _ in lived)

    def persists(self, lived, i, line, owner, counts):
        """Has step i, while the owner lived, written the line back for certain?"""
        machine, kind = self.machine(i), self.steps[i].kind
        if kind == "S" or self.line(i) != line:
            return False
        mine = machine == owner or self.rules.global_flush
        if kind == "f":
            return mine and i in counts
        if kind in "wnN" and mine and any(
                j > i and self.steps[j][:2] == (machine, "S") and j in counts for j in self.done(lived)):
            return True
        return kind != "w" and machine != owner and i in counts
