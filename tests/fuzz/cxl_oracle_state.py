"""What cxl_oracle.py keeps: lines, by either coherence rule, and states of the whole system.  Values, never
changed."""

LINE = 64


class Line:
    """A line in a coherent system: what memory holds, what everybody sees, and who has not written
    it back.  Values, never changed."""

    EMPTY = None
    __slots__ = ("memory", "seen", "owner", "poisoned", "key")

    def __init__(self, memory, seen, owner, poisoned):
        self.memory, self.seen, self.owner, self.poisoned = memory, seen, owner, poisoned
        self.key = (memory, seen, owner, poisoned)

    def __hash__(self):
        return hash(self.key)

    def __eq__(self, other):
        return self.key == other.key

    def owners(self):
        return () if self.owner is None else (self.owner,)

    def write_back(self, machine):
        return Line(self.seen, self.seen, None, self.poisoned) if self.owner == machine else self

    def fail(self, machine, rules):
        return Line(self.memory, self.memory, None, rules.poison) if self.owner == machine else self

    def loaded(self, machine, offset, size, rules):
        del offset, size
        mine = self.owner == machine
        writes = rules.flip == "local-load-writes-back" if mine else rules.flip != "remote-load-keeps-dirty"
        return self.write_back(self.owner) if writes else self

    def stored(self, machine, offset, data, rules):
        before = self
        if self.owner != machine and rules.flip != "remote-store-keeps-dirty":
            before = self.write_back(self.owner)
        seen = before.seen[:offset] + data + before.seen[offset + len(data):]
        return Line(before.memory, seen, machine, False)


Line.EMPTY = Line(bytes(LINE), bytes(LINE), None, False)


class PaperLine:
    """A line by the paper's rules: what nobody can lose, then later stores, each of which is
    written back or not: (machine, offset, data, written back).  Poisoned: the newest was lost."""

    EMPTY = None
    __slots__ = ("base", "stores", "poisoned", "key")

    def __init__(self, base, stores, poisoned):
        while stores and stores[0][3]:
            base = overwritten(base, stores[0])
            stores = stores[1:]
        self.base, self.stores, self.poisoned = base, stores, poisoned
        self.key = (base, stores, poisoned)

    def __hash__(self):
        return hash(self.key)

    def __eq__(self, other):
        return self.key == other.key

    @property
    def seen(self):
        line = self.base
        for store in self.stores:
            line = overwritten(line, store)
        return line

    def owners(self):
        return sorted({s[0] for s in self.stores if not s[3]})

    def write_back(self, machine):
        return PaperLine(self.base, tuple((s[0], s[1], s[2], s[3] or s[0] == machine) for s in self.stores),
                         self.poisoned)

    def fail(self, machine, rules):
        lost = [not s[3] and s[0] == machine for s in self.stores]
        poisoned = self.poisoned or (rules.poison and bool(lost) and lost[-1])
        return PaperLine(self.base, tuple(s for s, gone in zip(self.stores, lost) if not gone), poisoned)

    def loaded(self, machine, offset, size, rules):
        del rules
        wanted = set(range(offset, offset + size))
        newest = {}
        for i in reversed(range(len(self.stores))):
            who, at, data, _ = self.stores[i]
            covered = wanted & set(range(at, at + len(data)))
            if covered:
                newest[who] = max(newest.get(who, 0), i + 1)
                wanted -= covered
        return PaperLine(self.base, tuple((s[0], s[1], s[2], s[3] or (s[0] != machine and i < newest.get(s[0], 0)))
                                          for i, s in enumerate(self.stores)), self.poisoned)

    def stored(self, machine, offset, data, rules):
        del rules
        return PaperLine(self.base, self.stores + ((machine, offset, data, False),), False)


def overwritten(line, store):
    _, offset, data, _ = store
    return line[:offset] + data + line[offset + len(data):]


PaperLine.EMPTY = PaperLine(bytes(LINE), (), False)


class State:
    """lines; waiting: ((machine, thread), line, owner) of a clwb that must happen before the thread's
    next fence; failed: set of machines; per machine: the values read (None: failed), the last one, how
    many operations to skip."""

    __slots__ = ("lines", "waiting", "failed", "read", "last", "skip", "key")

    def __init__(self, lines, waiting, failed, read, last, skip):
        self.lines, self.waiting, self.failed, self.read, self.last, self.skip = lines, waiting, failed, read, last, skip
        self.key = (lines, waiting, failed, read, last, skip)

    def __hash__(self):
        return hash(self.key)

    def __eq__(self, other):
        return self.key == other.key

    def replace(self, **fields):
        values = {name: getattr(self, name) for name in State.__slots__[:-1]}
        values.update(fields)
        return State(**values)

    def with_line(self, n, line):
        """What waits for a machine that has nothing left to write back there waits no more."""
        dirty = line.owners()
        return self.replace(lines=at(self.lines, n, line),
                            waiting=frozenset(w for w in self.waiting if w[1] != n or w[2] in dirty))

    def with_read(self, machine, read):
        return self.replace(read=at(self.read, machine, read))

    def write_back(self, n, owner):
        return self.with_line(n, self.lines[n].write_back(owner))

    def fail(self, machine, rules):
        lines = tuple(l.write_back(machine) if rules.gpf else l.fail(machine, rules) for l in self.lines)
        return State(lines, frozenset(w for w in self.waiting if machine not in (w[0][0], w[2])),
                     self.failed | {machine}, at(self.read, machine, None), at(self.last, machine, 0),
                     at(self.skip, machine, 0))

    def value(self, offset, size):
        line = self.lines[offset // LINE].seen
        return line[offset % LINE:offset % LINE + size]


def at(values, n, value):
    return values[:n] + (value,) + values[n + 1:]
