"""What threads of several machines may read in any schedule, by definition: the second opinion on
`tidemark check --model=cxl --schedule=all`.

Nothing here is clever or shared with the checker.  The threads of a program (see cxl_interpreter.c, programs
that begin with a *) and their buffers form a state machine, all of whose states are visited one by one.  In
every state a thread may do its next step, any entry may leave a buffer that no earlier one holds back
(schedule_oracle.kept), any line may be written back, and any machine may fail: then its threads and buffers
are gone, and what it has not written back.  Lines and coherence are those of cxl_oracle_state.py.

`Rules(flip=...)` of cxl_oracle.py apply where they make sense here.
"""
import sys

import cxl_oracle
from cxl_oracle import canonical_parts, parse, pieces
from cxl_oracle_state import LINE, Line, PaperLine
from schedule_oracle import FENCE, FLUSH, FLUSH_OPT, STORE, kept

FLIPS = {
    "no-buffer": "stores reach the cache at once",
    "no-forwarding": "a thread does not see its own buffered stores",
    "fail-in-turn": "machines fail only before they have stored anything",
    "remote-load-keeps-dirty": "a load by another machine writes nothing back",
    "sfence-does-not-complete": "sfence leaves clwb and clflushopt waiting",
}


class Thread:
    """A value.  at: its next operation; skip: so many are skipped."""
    __slots__ = ("at", "part", "skip", "last", "read", "buffer", "key")

    def __init__(self, at=0, part=0, skip=0, last=0, read=(), buffer=()):
        self.at, self.part, self.skip, self.last, self.read, self.buffer = at, part, skip, last, read, buffer
        self.key = (at, part, skip, last, read, buffer)

    def replace(self, **fields):
        values = dict(zip(Thread.__slots__, self.key))
        values.update(fields)
        return Thread(**values)


class System:
    """A state.  waiting: (thread, line, owner) of a clwb that must happen before the thread's next fence."""

    def __init__(self, world, lines, waiting, failed, threads):
        self.world, self.lines, self.waiting, self.failed, self.threads = world, lines, waiting, failed, threads
        self.key = (lines, waiting, failed, tuple(t and t.key for t in threads))

    def with_(self, **fields):
        values = {"lines": self.lines, "waiting": self.waiting, "failed": self.failed, "threads": self.threads}
        values.update(fields)
        return System(self.world, **values)

    def with_thread(self, i, thread):
        return self.with_(threads=self.threads[:i] + (thread,) + self.threads[i + 1:])

    def with_line(self, n, line):
        dirty = line.owners()
        return self.with_(lines=self.lines[:n] + (line,) + self.lines[n + 1:],
                          waiting=frozenset(w for w in self.waiting if w[1] != n or w[2] in dirty))

    # ---- what happens by itself ----

    def fail(self, machine):
        world = self.world
        lines = tuple(l.write_back(machine) if world.rules.gpf else l.fail(machine, world.rules) for l in self.lines)
        threads = tuple(None if world.machine(i) == machine else t for i, t in enumerate(self.threads))
        waiting = frozenset(w for w in self.waiting if world.machine(w[0]) != machine and w[2] != machine)
        return System(world, lines, waiting, self.failed | {machine}, threads)

    def by_themselves(self):
        world = self.world
        for n, line in enumerate(self.lines):
            for owner in line.owners():
                yield self.with_line(n, line.write_back(owner))
        if len(self.failed) >= world.rules.failures:
            return
        for machine in range(world.rules.machines):
            idle = all(t is None or t.at == 0 for t in (self.threads[i] for i in world.threads_of(machine)))
            if machine not in self.failed and (world.rules.flip != "fail-in-turn" or idle):
                yield self.fail(machine)

    # ---- buffers ----

    def flushed(self, i, n, certain):
        system = self
        for owner in self.lines[n].owners():
            if owner != self.world.machine(i) and not self.world.rules.global_flush:
                continue
            if certain:
                system = system.with_line(n, system.lines[n].write_back(owner))
            else:
                system = system.with_(waiting=system.waiting | {(i, n, owner)})
        return system

    def fence_feasible(self, i):
        return not any(w[0] == i for w in self.waiting)

    def left(self, i, entry):
        """None: it cannot leave yet"""
        if entry[0] == STORE:
            line = self.lines[entry[1]].stored(self.world.machine(i), entry[2] % LINE, entry[3], self.world.rules)
            return self.with_line(entry[1], line)
        if entry[0] == FENCE:
            complete = self.world.rules.flip == "sfence-does-not-complete" or self.fence_feasible(i)
            return self if complete else None
        return self.flushed(i, entry[1], entry[0] == FLUSH)

    def drains(self, i):
        thread = self.threads[i]
        for index, entry in enumerate(thread.buffer):
            if any(kept(e, entry) for e in thread.buffer[:index]):
                continue
            after = self.left(i, entry)
            if after is not None:
                yield after.with_thread(i, thread.replace(buffer=thread.buffer[:index] + thread.buffer[index + 1:]))

    # ---- steps of threads ----

    def load(self, i, offset, size):
        """the state after it, and the bytes"""
        n, thread, own = offset // LINE, self.threads[i], {}
        for entry in thread.buffer if self.world.rules.flip != "no-forwarding" else ():
            if entry[0] == STORE:
                own.update((entry[2] + k, byte) for k, byte in enumerate(entry[3]))
        if all(offset + k in own for k in range(size)):
            return self, bytes(own[offset + k] for k in range(size)), False
        poisoned = self.lines[n].poisoned
        system = self.with_line(n, self.lines[n].loaded(self.world.machine(i), offset % LINE, size, self.world.rules))
        seen = system.lines[n].seen
        return system, bytes(own.get(offset + k, seen[(offset + k) % LINE]) for k in range(size)), poisoned

    def noted(self, i, data, poisoned, **fields):
        thread, value = self.threads[i], int.from_bytes(data, "little")
        read = thread.read + (("P",) if poisoned else ()) + ("%x" % value,)
        return self.with_thread(i, thread.replace(last=value, read=read, at=thread.at + 1, part=0, **fields))

    def locked(self, i, size, offset, change):
        if self.threads[i].buffer or not self.fence_feasible(i):
            return None
        system, data, poisoned = self.load(i, offset, size)
        new = change(int.from_bytes(data, "little"))
        if new is not None:
            new = (new % 256 ** size).to_bytes(size, "little")
            line = system.lines[offset // LINE].stored(self.world.machine(i), offset % LINE, new, self.world.rules)
            system = system.with_line(offset // LINE, line)
        return system.noted(i, data, poisoned)

    def step(self, i):
        """the state after the next step of the thread; None: it cannot go on now"""
        thread, program = self.threads[i], self.world.programs[i]
        if thread.at == len(program):
            return None
        _, kind, size, offset, a, b = program[thread.at]
        done = thread.replace(at=thread.at + 1)
        if thread.skip:
            return self.with_thread(i, done.replace(skip=thread.skip - 1))
        if kind == "?":
            return self.with_thread(i, done.replace(skip=0 if thread.last % 2 else size))
        if kind == "L":
            return self.with_thread(i, done)
        if kind in "sd":
            data = ((thread.last + a if kind == "d" else a) % 256 ** size).to_bytes(size, "little")
            new = tuple((STORE, at // LINE, at, data[at - offset:at - offset + n]) for at, n in pieces(offset, size))
            return self.enter(i, done, new)
        if kind in "fow":
            return self.enter(i, done, ((FLUSH if kind == "f" else FLUSH_OPT, offset // LINE),))
        if kind == "S":
            return self.enter(i, done, ((FENCE,),))
        if kind == "M":
            return None if thread.buffer or not self.fence_feasible(i) else self.with_thread(i, done)
        if kind == "l":
            system, data, poisoned = self.load(i, offset, size)
            return system.noted(i, data, poisoned)
        if kind == "q":
            return self.noted(i, bytes([offset in self.failed]), False)
        change = {"x": lambda old: a, "a": lambda old: old + a, "c": lambda old: b if old == a else None}[kind]
        return self.locked(i, size, offset, change)

    def enter(self, i, done, entries):
        system = self.with_thread(i, done.replace(buffer=done.buffer + entries))
        if self.world.rules.flip != "no-buffer":
            return system
        for entry in entries:
            system = system.left(i, entry)
            if system is None:
                return None
        return system.with_thread(i, done)

    def following(self):
        yield from self.by_themselves()
        for i, thread in enumerate(self.threads):
            if thread is not None:
                yield from self.drains(i)
                after = self.step(i)
                if after is not None:
                    yield after

    def ended(self):
        return all(t is None or t.at == len(p) for t, p in zip(self.threads, self.world.programs))

    def outcome(self):
        parts = {}
        for machine in set(range(self.world.rules.machines)) - self.failed:
            main, other = (self.threads[i] for i in self.world.threads_of(machine))
            parts[machine] = "%s|%s" % (" ".join(main.read) or "-", "".join(" " + r for r in other.read))
        return canonical_parts(parts, self.failed)


class World:
    """What does not change: the program of each thread, two for each machine, and the rules."""

    def __init__(self, rules, operations):
        self.rules = rules
        self.programs = [[o for o in operations if o[0] == (i // 2, i % 2)] for i in range(2 * rules.machines)]
        self.line_count = max([o[3] + o[2] for o in operations if o[1] != "q"] + [0]) // LINE + 2

    @staticmethod
    def machine(i):
        return i // 2

    @staticmethod
    def threads_of(machine):
        return (2 * machine, 2 * machine + 1)

    def first(self):
        empty = (PaperLine if self.rules.paper else Line).EMPTY
        return System(self, (empty,) * self.line_count, frozenset(), frozenset(), (Thread(),) * len(self.programs))


def outcomes(text, rules, limit=None):
    """The set of outcomes, or None if there are more than `limit` states."""
    first = World(rules, parse(text.lstrip("*"))).first()
    seen, todo, result = {first.key}, [first], set()
    while todo:
        system = todo.pop()
        if system.ended() and len(system.failed) < rules.machines:
            result.add(system.outcome())
        for after in system.following():
            if after.key not in seen:
                seen.add(after.key)
                todo.append(after)
                if limit and len(seen) > limit:
                    return None
    return result


def rules_of(flip=None, **fields):
    """The rules of cxl_oracle.py, with a flip of either file."""
    known = flip if flip in cxl_oracle.FLIPS else None
    rules = cxl_oracle.Rules(flip=known, **fields)
    rules.flip = flip
    return rules


if __name__ == "__main__":
    for line in sorted(outcomes(sys.argv[1], rules_of(machines=int(sys.argv[2]) if len(sys.argv) > 2 else 2))):
        print(line)
