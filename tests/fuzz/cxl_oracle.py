"""What machines that share CXL memory may see, by definition: the second opinion on
`tidemark check --model=cxl`.

Nothing here is clever or shared with the checker.  A program (see cxl_interpreter.c) is executed
operation by operation on *all* states at once.  Between any two atomic steps, every line may be
written back and every machine may fail, in any combination and any number of times, and each
combination is a state of its own (`moments`).  So a load never has to ask what it may read: in a
given state there is one answer.

Rules:
  store       aligned 8-byte words are atomic; anything larger or across such a boundary is a
              sequence of stores, lowest address first; loads are cut in the same way
  coherence   a load or store by another machine first writes the line back (class Line).
              cxlmc: a load writes back only what the machine whose store is read had stored to the
              line up to then, a store nothing (class PaperLine)
  clflush     the executing machine's (global: everybody's) stores to the line are written back
  clflushopt, clwb   the same, but only known to have happened at the next fence: an execution in
              which it has not happened by then does not exist
  sfence, mfence, locked instruction (failed compare-and-swap, too)   fences; lfence: nothing
  copies      inside shared memory: all is loaded, by words as above, then all is stored; libpmem flushes
              afterwards as its flags say; reading and writing files are stores and loads
  non-temporal stores   a store with a clflushopt of its line
  strings     are loaded byte by byte, as far as needed: strlen and strcpy to the end, comparisons of one
              byte here and one there to the first difference, memchr to what it looks for
  16 bytes    atomic accesses of 16 bytes are one step; told of poison once
  failure     what the machine has not written back is gone for everybody; gpf: it is written back
  poison      a line that lost something is poisoned until somebody stores to it

An outcome is what the machines that are alive have read and who has failed, as the last machine to
report sees it; machines that failed do not count, whatever they reported before.

`Rules(flip=...)` turns one rule into a plausible mistake, to show that the comparison notices.
"""
import re
import sys

from cxl_oracle_state import LINE, Line, PaperLine, State, at

OPERATION = re.compile(r"([0-9a-c])([a-zA-Z?])(\d*)(?:@([0-9a-f]+))?(?:[=+]([0-9a-f]+))?(?:,([0-9a-f]+))?$")

TWO_PLACES = "ypKeE"  # operations on two places in the region
PMEM_NODRAIN, PMEM_NONTEMPORAL, PMEM_NOFLUSH = 1, 2, 0x20

FLIPS = {
    "remote-load-keeps-dirty": "a load by another machine writes nothing back",
    "remote-store-keeps-dirty": "a store by another machine writes nothing back",
    "local-load-writes-back": "a load by the machine itself writes the line back",
    "flush-of-any-machine": "a flush reaches the caches of other machines (or, with --flush=global, does not)",
    "first-store-survives": "the first store of each machine is never lost",
    "sfence-does-not-complete": "sfence leaves clwb and clflushopt waiting",
    "failed-cas-is-no-fence": "a failed compare-and-swap leaves them waiting",
    "clwb-is-immediate": "clwb needs no fence",
    "no-tearing": "stores of any size and alignment are atomic within a line",
    "fence-of-any-thread": "a fence completes the flushes of all threads of its machine",
    "copy-is-atomic": "a copy stores at once what it has loaded at once",
    "copy-descends": "a copy stores its highest word first",
    "16-bytes-tear": "16-byte atomic stores are two stores",
    "streaming-is-immediate": "non-temporal stores need no fence",
    "strings-by-words": "strlen loads whole words",
    "one-failure": "only one machine ever fails",
    "gpf-never-fails": "with gpf no machine fails",
}


class Rules:
    def __init__(self, machines=2, failures=None, gpf=False, poison=False, paper=False, global_flush=False, flip=None):
        assert flip is None or flip in FLIPS, flip
        self.machines = machines
        self.failures = machines - 1 if failures is None else failures
        if flip == "one-failure":
            self.failures = min(1, self.failures)
        if flip == "gpf-never-fails" and gpf:
            self.failures = 0
        self.gpf, self.poison, self.paper = gpf, poison, paper
        self.global_flush = global_flush != (flip == "flush-of-any-machine")
        self.flip = flip


def pieces(offset, size, unit=8):
    while size:
        n = min(size, unit - offset % unit)
        yield offset, n
        offset, size = offset + n, size - n


def show_number(data):
    value = int.from_bytes(data, "little")
    return "%x" % value, value


def show_words(data):
    low, high = int.from_bytes(data[:8], "little"), int.from_bytes(data[8:], "little")
    return "%x %x" % (low, high), high


def show_index(data, byte):
    index = data.index(byte) if byte in data else len(data)
    return "%x" % index, index


class TooMany(Exception):
    pass


class Execution:
    def __init__(self, rules, operations, limit):
        self.rules = rules
        self.limit = limit
        kind = PaperLine if rules.paper else Line
        ends = [o[3] + o[2] for o in operations if o[1] != "q"]
        ends += [o[4] + o[2] for o in operations if o[1] in TWO_PLACES]
        count = max(ends + [0]) // LINE + (3 if any(o[1] == "K" for o in operations) else 2)
        none = (0,) * rules.machines
        self.states = {State((kind.EMPTY,) * count, frozenset(), frozenset(), ((),) * rules.machines, none, none)}
        self.first_stores = set()

    # ---- what may happen between two steps ----

    def moments(self):
        rules = self.rules
        todo = list(self.states)
        while todo:
            state = todo.pop()
            for following in self.following(state, rules):
                if following not in self.states:
                    self.states.add(following)
                    todo.append(following)
            if self.limit and len(self.states) > self.limit:
                raise TooMany

    def following(self, state, rules):
        for n, line in enumerate(state.lines):
            for owner in line.owners():
                yield state.write_back(n, owner)
        if len(state.failed) >= rules.failures:
            return
        for machine in range(rules.machines):
            if machine not in state.failed:
                yield state.fail(machine, rules)

    def step(self, machine, function):
        """function: state -> state, or None if that cannot be"""
        after = set()
        for state in self.states:
            if machine in state.failed or state.skip[machine]:
                after.add(state)
            else:
                result = function(state)
                if result is not None:
                    after.add(result)
        self.states = after
        self.moments()

    # ---- operations ----

    def load_piece(self, state, machine, offset, size):
        """state after the load; its bytes are the newest entry of `read`, which they extend"""
        n = offset // LINE
        read, so_far = state.read[machine][:-1], state.read[machine][-1]
        if state.lines[n].poisoned:
            read += ("P",)
        state = state.with_line(n, state.lines[n].loaded(machine, offset % LINE, size, self.rules))
        return state.with_read(machine, read + (so_far + state.value(offset, size),))

    def store_piece(self, state, machine, offset, data):
        n = offset // LINE
        state = state.with_line(n, state.lines[n].stored(machine, offset % LINE, data, self.rules))
        if self.rules.flip == "first-store-survives" and machine not in self.first_stores:
            state = state.write_back(n, machine)
        return state

    def begin_load(self, state, machine):
        return state.with_read(machine, state.read[machine] + (b"",))

    def end_load(self, state, machine, show):
        text, last = show(state.read[machine][-1])
        return state.replace(read=at(state.read, machine, state.read[machine][:-1] + (text,)),
                             last=at(state.last, machine, last))

    def load(self, machine, offset, size, show):
        """show: bytes -> text, value"""
        parts = list(pieces(offset, size))
        for part in parts:
            def one(state, part=part):
                if part == parts[0]:
                    state = self.begin_load(state, machine)
                state = self.load_piece(state, machine, *part)
                return self.end_load(state, machine, show) if part == parts[-1] else state
            self.step(machine, one)

    def store(self, machine, offset, data_of, size):
        unit = LINE if self.rules.flip == "no-tearing" else 8
        for where, n in pieces(offset, size, unit):
            def one(state, where=where, n=n):
                data = data_of(state)[where - offset:where - offset + n]
                return self.store_piece(state, machine, where, data)
            self.step(machine, one)
            self.first_stores.add(machine)

    def flushed(self, state, thread, n, immediate):
        for owner in state.lines[n].owners():
            if owner != thread[0] and not self.rules.global_flush:
                continue
            if immediate:
                state = state.write_back(n, owner)
            else:
                state = state.replace(waiting=state.waiting | {(thread, n, owner)})
        return state

    def flush(self, thread, offset, immediate):
        self.step(thread[0], lambda state: self.flushed(state, thread, offset // LINE, immediate))

    # ---- copies ----

    def stored_by_copy(self, state, thread, where, data, streaming):
        state = self.store_piece(state, thread[0], where, data)
        if streaming:
            state = self.flushed(state, thread, where // LINE, self.rules.flip == "streaming-is-immediate")
        return state

    def copy(self, thread, to, source, size_of, streaming=False):
        """size_of: state -> bytes.  In the meantime what was loaded is the newest entry of `read`."""
        machine, flip = thread[0], self.rules.flip
        self.step(machine, lambda state: self.begin_load(state, machine))
        words = max([len(list(pieces(source, size_of(s)))) for s in self.states] + [0]) + 1

        def load(state, i):
            parts = list(pieces(source, size_of(state)))
            return self.load_piece(state, machine, *parts[i]) if i < len(parts) else state

        def store(state, i):
            parts = list(pieces(to, size_of(state)))
            if flip == "copy-descends":
                parts.reverse()
            if i >= len(parts):
                return state
            where, n = parts[i]
            data = state.read[machine][-1][where - to:where - to + n]
            return self.stored_by_copy(state, thread, where, data, streaming)

        def whole(state):
            for action in (load, store):
                for i in range(words):
                    state = action(state, i)
            return state

        if flip == "copy-is-atomic":
            self.step(machine, whole)
        else:
            for action in (load, store):
                for i in range(words):
                    self.step(machine, lambda state, action=action, i=i: action(state, i))
        self.step(machine, lambda state: state.with_read(machine, state.read[machine][:-1]))
        self.first_stores.add(machine)

    def store_streaming(self, thread, offset, data):
        for where, n in pieces(offset, len(data)):
            def one(state, where=where, n=n):
                return self.stored_by_copy(state, thread, where, data[where - offset:where - offset + n], True)
            self.step(thread[0], one)

    def end_pmem(self, thread, offset, size, flags):
        if not flags & (PMEM_NOFLUSH | PMEM_NONTEMPORAL):
            for n in range(offset // LINE, (offset + size - 1) // LINE + 1):
                self.flush(thread, n * LINE, self.rules.flip == "clwb-is-immediate")
        if not flags & (PMEM_NODRAIN | PMEM_NOFLUSH) and self.rules.flip != "sfence-does-not-complete":
            self.fence(thread)

    # ---- strings: loads until what was loaded tells that it is enough ----

    def scan(self, machine, place, ended, show):
        """place: i -> offset of the i-th byte; ended: bytes loaded so far -> bool; show as in load"""
        self.step(machine, lambda state: self.begin_load(state, machine))

        def running(state):
            return machine not in state.failed and not state.skip[machine] and not ended(state.read[machine][-1])

        def one(state):
            return self.load_piece(state, machine, place(len(state.read[machine][-1])), 1) if running(state) else state

        while any(running(state) for state in self.states):
            self.step(machine, one)
        self.step(machine, lambda state: self.end_load(state, machine, show))

    def length(self, machine, offset):
        if self.rules.flip == "strings-by-words":
            self.step(machine, lambda state: self.load_piece(self.begin_load(state, machine), machine, offset,
                                                             8 - offset % 8))
            self.step(machine, lambda state: state.with_read(machine, state.read[machine][:-1]))
        self.scan(machine, lambda i: offset + i, lambda data: data[-1:] == b"\0",
                  lambda data: ("%x" % (len(data) - 1), len(data) - 1))

    def compare(self, machine, offset, other, ended):
        def over(data):
            pair = data[-2:]
            return len(data) % 2 == 0 and (ended(data) or (len(data) > 0 and pair[0] != pair[1]))

        def show(data):
            pair = data[-2:] or b"\0\0"
            result = 0 if pair[0] == pair[1] else 1 if pair[0] > pair[1] else 2
            return "%x" % result, result
        self.scan(machine, lambda i: (other if i % 2 else offset) + i // 2, over, show)

    def fence(self, thread):
        self.step(thread[0], lambda s: s if self.fence_feasible(s, thread) else None)

    def fence_feasible(self, state, thread):
        any_thread = self.rules.flip == "fence-of-any-thread"
        return not any(w[0] == thread or (any_thread and w[0][0] == thread[0]) for w in state.waiting)

    def locked(self, thread, offset, size, change, show=show_number):
        """change: old value -> new value or None; size up to 16, within an aligned word of that size"""
        machine = thread[0]

        def one(state):
            state = self.load_piece(self.begin_load(state, machine), machine, offset, size)
            old = int.from_bytes(state.value(offset, size), "little")
            new = change(old)
            if new is not None or self.rules.flip != "failed-cas-is-no-fence":
                if not self.fence_feasible(state, thread):
                    return None
            if new is not None:
                state = self.store_piece(state, machine, offset, (new % 256 ** size).to_bytes(size, "little"))
            return self.end_load(state, machine, show)
        self.step(machine, one)
        self.first_stores.add(machine)

    def store16(self, thread, offset, word):
        data = word.to_bytes(8, "little")

        def fenced(state):
            return self.store_piece(state, thread[0], offset, data * 2) if self.fence_feasible(state, thread) else None

        if self.rules.flip == "16-bytes-tear":
            self.fence(thread)
            self.store(thread[0], offset, lambda state: data * 2, 16)
        else:
            self.step(thread[0], fenced)
            self.first_stores.add(thread[0])

    def ask(self, machine, about):
        def one(state):
            return self.end_load(self.begin_load(state, machine), machine,
                                 lambda _: ("%x" % (about in state.failed), int(about in state.failed)))
        self.step(machine, one)

    def operation(self, operation):
        thread, kind, size, offset, a, b = operation
        machine = thread[0]
        flip = self.rules.flip
        if kind in "sd":
            def data_of(state):
                value = a if kind == "s" else state.last[machine] + a
                return (value % 256 ** size).to_bytes(size, "little")
            self.store(machine, offset, data_of, size)
        elif kind == "m":
            self.store(machine, offset, lambda state: bytes((a + i) % 256 for i in range(size)), size)
        elif kind == "l":
            self.load(machine, offset, size, show_number)
        elif kind == "r":
            self.load(machine, offset, size, lambda data: (data.hex(), data[0]))
        elif kind == "x":
            self.locked(thread, offset, size, lambda old: a)
        elif kind == "a":
            self.locked(thread, offset, size, lambda old: old + a)
        elif kind == "c":
            self.locked(thread, offset, size, lambda old: b if old == a else None)
        elif kind in "fow":
            self.flush(thread, offset, kind == "f" or (kind == "w" and flip == "clwb-is-immediate"))
        elif kind == "S":
            if flip != "sfence-does-not-complete":
                self.fence(thread)
        elif kind == "M":
            self.fence(thread)
        elif kind == "q":
            self.ask(machine, offset)
        elif kind in "yzpPIOkKnheEAXC":
            self.other_operation(operation)
        elif kind == "?":
            self.step(machine, lambda s: s if s.last[machine] % 2 else s.replace(skip=at(s.skip, machine, size + 1)))
        elif kind != "L":
            raise ValueError(kind)
        # An operation that was skipped, or the ? itself.
        self.states = {s.replace(skip=at(s.skip, machine, s.skip[machine] - 1)) if s.skip[machine] else s
                       for s in self.states}

    def other_operation(self, operation):
        thread, kind, size, offset, a, b = operation
        machine = thread[0]
        streaming = kind in "pP" and b & PMEM_NONTEMPORAL and not b & PMEM_NOFLUSH
        if kind in "yp":
            self.copy(thread, offset, a, lambda state: size, streaming)
        elif kind == "K":
            self.length(machine, a)  # noted when all is done
            self.step(machine, lambda state: state.with_read(machine, state.read[machine][:-1]))
            self.copy(thread, offset, a, lambda state: state.last[machine] + 1)
            self.step(machine, lambda s: s.with_read(machine, s.read[machine] + ("%x" % s.last[machine],)))
        elif kind == "P" and streaming:
            self.store_streaming(thread, offset, bytes([a]) * size)
        elif kind in "zP":
            self.store(machine, offset, lambda state: bytes([a]) * size, size)
        elif kind == "k":
            self.store(machine, offset, lambda state: bytes([a]) * size + b"\0", size + 1)
        elif kind == "I":
            self.store(machine, offset, lambda state: bytes((a + i) % 256 for i in range(size)), size)
        elif kind == "O":
            self.load(machine, offset, size, lambda data: (data.hex(), data[0]))
        elif kind == "n":
            self.length(machine, offset)
        elif kind == "h":
            self.scan(machine, lambda i: offset + i, lambda data: len(data) == size or data[-1:] == bytes([a]),
                      lambda data: show_index(data, a))
        elif kind == "e":
            self.compare(machine, offset, a, lambda data: len(data) == 2 * size)
        elif kind == "E":
            self.compare(machine, offset, a, lambda data: data[-1:] == b"\0")
        elif kind == "A":
            self.store16(thread, offset, a)
        elif kind == "X":
            self.locked(thread, offset, 16, lambda old: None, show_words)
        else:
            self.locked(thread, offset, 16, lambda old: b << 64 | b if old == a << 64 | a else None, show_words)
        if kind in "pP":
            self.end_pmem(thread, offset, size, b)

    def run(self, operations):
        self.moments()
        for operation in operations:
            self.operation(operation)
        return self.report()

    def report(self):
        result = set()
        for state in self.states:
            if len(state.failed) < self.rules.machines:
                result.add(canonical_parts({m: " ".join(r) or "-" for m, r in enumerate(state.read) if r is not None},
                                           state.failed))
        return result


def canonical_parts(parts, failed):
    return "; ".join("%d: %s" % (m, parts[m]) if m not in failed else "%d failed" % m
                     for m in sorted(set(parts) | set(failed)))


def canonical(outcome):
    """An outcome as the checker reports it, without what does not count; None if nobody is left
    who knows about all machines."""
    parts, gone, count = {}, set(), 0
    for report in outcome.split("; "):
        machine, rest = report.split(":", 1)
        parts[int(machine)], failed = rest.rsplit("/", 1)
        gone |= {m for m, flag in enumerate(failed) if flag == "1"}
        count = len(failed)
    if any(m not in parts and m not in gone for m in range(count)):
        return None
    return canonical_parts({m: p for m, p in parts.items() if m not in gone}, gone)


def parse(text):
    operations = []
    for word in text.split():
        thread, kind, size, offset, a, b = OPERATION.match(word).groups()
        who = (int(thread), 0) if thread.isdigit() else (ord(thread) - ord("a"), 1)
        operations.append((who, kind, int(size or 0), int(offset or "0", 16), int(a or "0", 16), int(b or "0", 16)))
    return operations


def outcomes(text, rules, limit=None):
    """The set of outcomes, or None if more than `limit` states are possible at one time."""
    operations = parse(text)
    try:
        return Execution(rules, operations, limit).run(operations)
    except (TooMany, IndexError):  # or strings that run over the end
        return None


if __name__ == "__main__":
    for line in sorted(outcomes(sys.argv[1], Rules(machines=int(sys.argv[2]) if len(sys.argv) > 2 else 2))):
        print(line)
