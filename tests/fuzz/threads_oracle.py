"""What threads over ordinary memory can do, by definition: every step of every thread in every order, with
and without store buffers.  Shares nothing with the checker.

A store is (thread, number); memory is the store that each byte holds, so that an end of the search is a trace:
who read from whom, the order of stores, the order in which locks are taken, and who meets whom at barriers.  Updates
of one kind that nobody looks at are one store, by those who take part.
"""
from collections import namedtuple

LEFT_OUT = -1  # where a thread is that has come to what cannot be, as the program says
BYTES, HEAP, BLOCK = 32, 16, 8  # two heap blocks behind ordinary memory
FUTEXES = 2  # queues: of two conditions, then of two words
SEMAPHORES, RWLOCK = 2, 4  # locks: two mutexes, two semaphores, one for readers and writers
Op = namedtuple("Op", "kind size offset a b")


def parse(text):
    return [[parse_op(word) for word in thread.split()] for thread in text.split(";")]


def parse_op(word):
    kind, rest = word[0], word[1:]
    size, offset, a, b = 8, 0, 0, 0
    if "," in rest:
        rest, b = rest.split(",")
        b = int(b, 16)
    if "=" in rest:
        rest, a = rest.split("=")
        a = int(a, 16)
    if "@" in rest:
        rest, offset = rest.split("@")
        offset = int(offset, 16)
    return Op(kind, int(rest) if rest else size, offset, int(a), int(b))


class Machine:
    def __init__(self, text, buffers, spurious=0, timeouts=1):
        self.program, self.buffers, self.spurious, self.timeouts = parse(text), buffers, spurious, timeouts
        self.mixed = False  # some look at who was the last at a barrier, and others who meet them do not
        self.outcomes, self.traces, self.stuck = set(), set(), False
        self.used_after_free = self.freed_twice = False

    def value(self, cells, op):
        return sum(cells[op.offset + i][1] << 8 * i for i in range(op.size))

    def cells_of(self, op, value, name):
        return {op.offset + i: (name, value >> 8 * i & 255) for i in range(op.size)}

    def view(self, memory, buffer):
        cells = list(memory)
        for stores in buffer:
            for at, cell in stores:
                cells[at] = cell
        return cells

    def update(self, memory, order, op, name):
        """An update that nobody looks at, after others like it: in which order makes no difference."""
        old, mask = self.value(memory, op), (1 << 8 * op.size) - 1
        new = (old ^ op.a if op.kind == "I" else old + op.a) & mask
        memory, order, kind = list(memory), list(order), (op.kind == "I", op.offset, op.size)
        for i, at in enumerate(range(op.offset, op.offset + op.size)):
            before = memory[at][0]
            goes_on = before[:2] == ("updates", kind) and order[at] and order[at][-1] == before
            after = ("updates", kind, (before[2] if goes_on else frozenset()) | {name})
            memory[at] = (after, new >> 8 * i & 255)
            order[at] = (order[at][:-1] if goes_on else order[at]) + (after,)
        return tuple(memory), tuple(order)

    def meets(self, t, op, state):
        """Barriers: the rounds so far, each with who took part and who was the last."""
        counters, memory, order, buffers, locks, loads, freed, (phases, *others) = state
        if buffers[t] or phases[t]:
            return
        rounds = freed[op.size]
        here = rounds[-1][0] if rounds and len(rounds[-1][0]) < op.size else frozenset()
        done, here = rounds[:-1] if here else rounds, here | {(t, counters[t])}
        complete = len(here) == op.size
        self.mixed |= len({self.program[who][at].kind for who, at in here}) > 1
        now = done + ((here, (t, counters[t]) if complete else None),)
        freed = freed[:op.size] + (now,) + freed[op.size + 1:]
        if not complete:
            yield (counters, memory, order, buffers, locks, loads, freed, (phases[:t] + (50,) + phases[t + 1:], *others))
            return
        met = {who for who, _ in here}
        for who, at in here:
            if self.program[who][at].kind == "D":
                loads = loads | {((who, at), (("serial", int(who == t)),))}
        yield (tuple(c + (i in met) if c is not None else c for i, c in enumerate(counters)), memory, order, buffers, locks,
               loads, freed, (tuple(0 if i in met else p for i, p in enumerate(phases)), *others))

    def put(self, memory, order, stores):
        memory, order = list(memory), list(order)
        for at, cell in stores:
            memory[at] = cell
            order[at] += (cell[0],)
        return tuple(memory), tuple(order)

    def freed_by(self, freed, offset):
        return freed[(offset - HEAP) // BLOCK] if offset >= HEAP else None

    def steps(self, state):
        """Every state that can follow.  A thread that uses what is freed stops there (counter None); a store that
        leaves a buffer is too late if another thread has freed its block."""
        counters, memory, order, buffers, locks, loads, freed, waits = state
        for t, program in enumerate(self.program):
            if buffers[t]:
                left = buffers[:t] + (buffers[t][1:],) + buffers[t + 1:]
                self.used_after_free |= self.freed_by(freed, buffers[t][0][0][0]) not in (None, t)
                yield (counters, *self.put(memory, order, buffers[t][0]), left, locks, loads, freed, waits)
            if counters[t] in (None, LEFT_OUT, len(program)):
                continue
            op = program[counters[t]]
            if op.kind in "CGTH":
                yield from self.condition(t, op, state)
                continue
            if op.kind in "MY":
                yield from self.tries(t, op, state)
                continue
            if op.kind in "RZ":
                yield from self.tries_again(t, op, state)
                continue
            if op.kind in "kqWE":
                yield from self.waits_and_takes(t, op, state)
                continue
            if op.kind == "P":
                yield from self.polls(t, op, state)
                continue
            if op.kind in "BD":
                yield from self.meets(t, op, state)
                continue
            if op.kind in "uvV":
                yield from self.futex(t, op, state)
                continue
            if op.kind in "behOXoQJ":
                yield from self.shares(t, op, state)
                continue
            stops = counters[:t] + (None,) + counters[t + 1:]
            drains = op.kind in "SxaciIjLUf" and buffers[t]
            if op.kind == "F":
                after = counters[:t] + (counters[t] + 1,) + counters[t + 1:]
                block = op.size % 2
                self.freed_twice |= freed[block] is not None
                marked = freed[:block] + (t,) + freed[block + 1:]
                known = tuple(o + (("freed", t),) if (at - HEAP) // BLOCK == block else o for at, o in enumerate(order))
                yield (after if freed[block] is None else stops, memory, known, buffers, locks, loads, marked, waits)
            elif op.kind in "sSlxaciIjw" and self.freed_by(freed, op.offset) is not None and not drains and not (
                    op.kind == "s" and self.buffers and self.freed_by(freed, op.offset) != t):
                self.used_after_free = True
                yield (stops, memory, order, buffers, locks, loads, freed, waits)
            else:
                for following in self.carry_out(t, state[:-2]):
                    yield (*following, freed, waits)

    def condition(self, t, op, state):
        """Waiting is a step that releases the mutex, and one that takes it again once the thread was woken: by a
        signal, which finds any of those in the queue, or by nobody, a few times; or its time is over (phase 3)."""
        counters, memory, order, buffers, locks, loads, freed, (phases, queues, used, late) = state
        after = counters[:t] + (counters[t] + 1,) + counters[t + 1:]
        which = op.size % 2
        set_in = lambda tuple_, at, value: tuple_[:at] + (value,) + tuple_[at + 1:]
        if buffers[t]:
            return
        owner, who = locks[which]
        if op.kind == "G":
            queue = queues[which]
            for n in range(len(queue)):
                yield (after, memory, order, buffers, locks, loads, freed,
                       (set_in(phases, queue[n], 2), set_in(queues, which, queue[:n] + queue[n + 1:]), used, late))
            if not queue:
                yield (after, memory, order, buffers, locks, loads, freed, (phases, queues, used, late))
        elif op.kind == "H":
            woken = tuple(2 if i in queues[which] else p for i, p in enumerate(phases))
            yield (after, memory, order, buffers, locks, loads, freed, (woken, set_in(queues, which, ()), used, late))
        elif phases[t] == 0:
            released = set_in(locks, which, (None, who))
            yield (counters, memory, order, buffers, released, loads, freed,
                   (set_in(phases, t, 1), set_in(queues, which, queues[which] + (t,)), used, late))
            if used[t] < self.spurious:
                yield (counters, memory, order, buffers, released, loads, freed,
                       (set_in(phases, t, 2), queues, set_in(used, t, used[t] + 1), late))
            if op.kind == "T" and late[t][0] < self.timeouts:
                yield (counters, memory, order, buffers, released, loads, freed,
                       (set_in(phases, t, 3), queues, used, set_in(late, t, (late[t][0] + 1, late[t][1]))))
        elif phases[t] >= 2 and owner is None:
            taken = set_in(locks, which, (t, who + (t,)))
            seen = loads | {((t, counters[t]), (("time", phases[t] - 2),))} if op.kind == "T" else loads
            yield (after, memory, order, buffers, taken, seen, freed, (set_in(phases, t, 0), queues, used, late))

    def tries(self, t, op, state):
        """A lock that is held is given up at once, or (M) when the time is over: early, a few times, or else when
        nobody can go on.  One that was had is released in a step of its own."""
        counters, memory, order, buffers, locks, loads, freed, (phases, queues, used, late) = state
        if buffers[t]:
            return
        after = counters[:t] + (counters[t] + 1,) + counters[t + 1:]
        which = op.size % 2
        set_in = lambda tuple_, at, value: tuple_[:at] + (value,) + tuple_[at + 1:]
        owner, who = locks[which]
        said = lambda value: loads | {((t, counters[t]), (("time", value),))}
        if phases[t] == 4:
            yield (after, memory, order, buffers, set_in(locks, which, (None, who)), loads, freed,
                   (set_in(phases, t, 0), queues, used, late))
        elif owner is None:
            yield (counters, memory, order, buffers, set_in(locks, which, (t, who + (t,))), said(0), freed,
                   (set_in(phases, t, 4), queues, used, late))
        elif op.kind == "Y" or late[t][1] < self.timeouts:
            more = set_in(late, t, (late[t][0], late[t][1] + (op.kind == "M")))
            yield (after, memory, order, buffers, locks, said(1), freed, (phases, queues, used, more))

    def tries_again(self, t, op, state):
        """Until it is had.  Z: one is locked and the other tried; if that fails it is released, and it is the other
        way round (phases 10 and 11: to lock the first, 12 and 13: to try the second, 14 and 15: to release)."""
        counters, memory, order, buffers, locks, loads, freed, (phases, queues, used, late) = state
        if buffers[t]:
            return
        after = counters[:t] + (counters[t] + 1,) + counters[t + 1:]
        set_in = lambda tuple_, at, value: tuple_[:at] + (value,) + tuple_[at + 1:]
        give = lambda locks, which, owner: set_in(locks, which, (owner, locks[which][1]))
        to = lambda counters, locks, phase: (counters, memory, order, buffers, locks, loads, freed,
                                             (set_in(phases, t, phase), queues, used, late))
        phase = phases[t] or (10 + op.size % 2 if op.kind == "Z" else 20)
        first, free = phase % 2, lambda which: locks[which][0] is None
        if phase == 20 and free(op.size % 2):
            yield to(counters, give(locks, op.size % 2, t), 21)
        elif phase == 21:
            yield to(after, give(locks, op.size % 2, None), 0)
        elif phase in (10, 11) and free(first):
            yield to(counters, give(locks, first, t), 12 + first)
        elif phase in (12, 13):
            had = free(1 - first)
            yield to(counters, give(locks, 1 - first, t) if had else locks, 16 if had else 14 + first)
        elif phase in (14, 15):
            yield to(counters, give(locks, first, None), 10 + 1 - first)
        elif phase in (16, 18):
            yield to(counters if phase == 16 else after, give(locks, phase == 18, None), 18 if phase == 16 else 0)

    def waits_and_takes(self, t, op, state):
        """k: one step, when it can be taken.  q, W and E look twice; a second look in vain is followed by the first, and nobody
        can tell how often.  (A first look in vain is none: q does not go on from there, and W could as well have come later.)"""
        counters, memory, order, buffers, locks, loads, freed, (phases, queues, used, late) = state
        phased = lambda phase: (phases[:t] + (phase,) + phases[t + 1:], queues, used, late)
        after = counters[:t] + (counters[t] + 1,) + counters[t + 1:]
        cells = self.view(memory, buffers[t])
        second = op.kind == "k" or phases[t] == 31
        if op.kind in "WE":
            where, wanted = (op._replace(offset=op.offset ^ 8), op.b) if second else (op, op.a)
        else:
            where, wanted = op, 0
        if second and op.kind in "kq" and buffers[t]:
            return
        fits = self.value(cells, where) == wanted & (1 << 8 * op.size) - 1
        if op.kind == "E" and not fits:
            yield (after, memory, order, buffers, locks, loads, freed, phased(0))
        elif op.kind == "E":
            yield (counters, memory, order, buffers, locks, loads, freed, phased(0 if second else 31))
        elif not second and fits:
            yield (counters, memory, order, buffers, locks, loads, freed, phased(31))
        elif second and not fits and op.kind != "k":
            yield (counters, memory, order, buffers, locks, loads, freed, phased(0))
        elif second and fits and op.kind == "W":
            yield (after, memory, order, buffers, locks, loads, freed, phased(0))
        elif second and fits:
            stores = sorted(self.cells_of(op, op.a, (t, counters[t])).items())
            yield (after, *self.put(memory, order, stores), buffers, locks, loads, freed, phased(0))

    def polls(self, t, op, state):
        """With lock 0 (phases 40: before it, 41: with it, 42: it has looked in vain, 43: in time)."""
        counters, memory, order, buffers, locks, loads, freed, (phases, queues, used, late) = state
        if buffers[t]:
            return
        after = counters[:t] + (counters[t] + 1,) + counters[t + 1:]
        to = lambda counters, phase, owner: (
            counters, memory, order, buffers, ((owner, locks[0][1]),) + locks[1:], loads, freed,
            (phases[:t] + (phase,) + phases[t + 1:], queues, used, late))
        phase = phases[t] or 40
        if phase == 40 and locks[0][0] is None:
            yield to(counters, 41, t)
        elif phase == 41:
            yield to(counters, 43 if self.value(memory, op) == op.a else 42, t)
        elif phase in (42, 43):
            yield to(after if phase == 43 else counters, 0, None)

    def futex(self, t, op, state):
        """Waits and wake-ups come behind the thread's stores, and those who wait longest are woken.  u: look (60), wait while it
        is what was seen (100 and more), and again.  50 is asleep, 51 woken."""
        counters, memory, order, buffers, locks, loads, freed, (phases, queues, used, late) = state
        after = counters[:t] + (counters[t] + 1,) + counters[t + 1:]
        set_in = lambda tuple_, at, value: tuple_[:at] + (value,) + tuple_[at + 1:]
        said = lambda value: loads | {((t, counters[t]), (("time", value),))} if op.kind != "u" else loads
        which, phase = FUTEXES + op.offset // 8, phases[t]
        if op.kind == "u" and phase == 0:
            seen = self.value(self.view(memory, buffers[t]), op)
            yield (after if seen == op.a else counters, memory, order, buffers, locks, loads, freed,
                   (phases if seen == op.a else set_in(phases, t, 100 + seen), queues, used, late))
        elif phase == 51:
            yield (after if op.kind == "v" else counters, memory, order, buffers, locks, said(0), freed,
                   (set_in(phases, t, 0), queues, used, late))
        elif phase == 50 or buffers[t]:
            return
        elif op.kind == "V":
            woken, left = queues[which][:op.a], queues[which][op.a:]
            yield (after, memory, order, buffers, locks, said(len(woken)), freed,
                   (tuple(51 if i in woken else p for i, p in enumerate(phases)), set_in(queues, which, left), used, late))
        elif self.value(memory, op) == (op.a if op.kind == "v" else phase - 100):
            yield (counters, memory, order, buffers, locks, loads, freed,
                   (set_in(phases, t, 50), set_in(queues, which, queues[which] + (t,)), used, late))
        else:
            yield (after if op.kind == "v" else counters, memory, order, buffers, locks, said(1), freed,
                   (set_in(phases, t, 0), queues, used, late))

    def shares(self, t, op, state):
        """Semaphores (their number), and a lock for readers and writers (who writes, who reads).  What was had by an attempt at
        that lock is given back in a step of its own (phase 60)."""
        counters, memory, order, buffers, locks, loads, freed, (phases, *others) = state
        after = counters[:t] + (counters[t] + 1,) + counters[t + 1:]
        semaphore, (units, _) = SEMAPHORES + op.size % 2, locks[SEMAPHORES + op.size % 2]
        writer, readers = locks[RWLOCK]

        def to(which, now, counters=after, said=None, phase=0):
            told = loads if said is None else loads | {((t, counters[t] - (counters is after)), (("time", said),))}
            return (counters, memory, order, buffers, locks[:which] + (now,) + locks[which + 1:], told, freed,
                    (phases[:t] + (phase,) + phases[t + 1:], *others))

        if buffers[t]:
            return
        reads, free = op.kind in "OQ", writer is None and (op.kind in "OQ" or not readers)
        had = (None, readers | {t}) if reads else (t, readers)
        if op.kind == "b":
            yield to(semaphore, (units + 1, None))
        elif op.kind == "e" and units or op.kind == "h" and units:
            yield to(semaphore, (units - 1, None), said=0 if op.kind == "h" else None)
        elif op.kind == "h":
            yield to(semaphore, (0, None), said=1)
        elif op.kind == "o" or phases[t] == 60:
            yield to(RWLOCK, (None if writer == t else writer, readers - {t}))
        elif op.kind in "OX" and free:
            yield to(RWLOCK, had)
        elif op.kind in "QJ":
            yield to(RWLOCK, had, counters, 0, 60) if free else to(RWLOCK, (writer, readers), said=1)

    def only_looks(self, before, after):
        """Or takes and releases locks, which leads nowhere by itself either."""
        return before[:4] == after[:4] and before[5:7] == after[5:7] and before[7][1:] == after[7][1:]

    def goes_round(self, state):
        """Does nothing follow but looks in vain?"""
        todo, known = [state], {state}
        while todo:
            for s in self.steps(todo.pop()):
                if not self.only_looks(state, s):
                    return False
                if s not in known:
                    known.add(s)
                    todo.append(s)
        return True

    def in_time(self, state):
        """Nobody can go on: the time of who waits with a deadline is over.  Only one thread does."""
        counters, memory, order, buffers, locks, loads, freed, (phases, queues, used, late) = state
        for t, program in enumerate(self.program):
            op = program[counters[t]] if counters[t] not in (None, LEFT_OUT, len(program)) else None
            if op and op.kind == "T" and phases[t] == 1:
                woken = phases[:t] + (3,) + phases[t + 1:]
                left = tuple(tuple(x for x in q if x != t) for q in queues)
                yield (counters, memory, order, buffers, locks, loads, freed, (woken, left, used, late))
            elif op and op.kind == "M":
                after = counters[:t] + (counters[t] + 1,) + counters[t + 1:]
                seen = loads | {((t, counters[t]), (("time", 1),))}
                yield (after, memory, order, buffers, locks, seen, freed, (phases, queues, used, late))

    def carry_out(self, t, state):
        counters, memory, order, buffers, locks, loads = state
        program = self.program[t]
        op, name = program[counters[t]], (t, counters[t])
        after = counters[:t] + (counters[t] + 1,) + counters[t + 1:]
        empty = not buffers[t]
        cells = self.view(memory, buffers[t])
        if op.kind == "y" or op.kind == "f" and empty:
            yield (after, memory, order, buffers, locks, loads)
        elif op.kind in "LU" and empty:
            lock = op.size % 2
            owner, who = locks[lock]
            if op.kind == "U" or owner is None:
                changed = (t, who + (t,)) if op.kind == "L" else (None, who)
                held = locks[:lock] + (changed,) + locks[lock + 1:]
                yield (after, memory, order, buffers, held, loads)
        elif op.kind == "l":
            seen = tuple(cells[op.offset + i] for i in range(op.size))
            yield (after, memory, order, buffers, locks, loads | {(name, seen)})
        elif op.kind == "A":
            seen = tuple(cells[op.offset + i] for i in range(op.size))
            left = after if self.value(cells, op) == op.a else counters[:t] + (LEFT_OUT,) + counters[t + 1:]
            yield (left, memory, order, buffers, locks, loads | {(name, seen)})
        elif op.kind == "n":
            for n in range(op.size):
                yield (after, memory, order, buffers, locks, loads | {(name, (("choice", n),))})
        elif op.kind == "N":
            for n in range(op.a):
                stores, told = tuple(sorted(self.cells_of(op, n, name).items())), loads | {(name, (("choice", n),))}
                if self.buffers:
                    yield (after, memory, order, buffers[:t] + (buffers[t] + (stores,),) + buffers[t + 1:], locks, told)
                else:
                    yield (after, *self.put(memory, order, stores), buffers, locks, told)
        elif op.kind == "w":
            if self.value(cells, op) == op.a:
                seen = tuple(cells[op.offset + i] for i in range(op.size))
                yield (after, memory, order, buffers, locks, loads | {(name, seen)})
        elif op.kind == "s" and self.buffers:
            stores = tuple(sorted(self.cells_of(op, op.a, name).items()))
            yield (after, memory, order, buffers[:t] + (buffers[t] + (stores,),) + buffers[t + 1:], locks, loads)
        elif op.kind in "iIj" and empty:
            yield (after, *self.update(memory, order, op, name), buffers, locks, loads)
        elif op.kind in "sSxac" and empty:
            old = self.value(memory, op)
            mask = (1 << 8 * op.size) - 1
            new = {"a": old + op.a & mask, "c": op.b}.get(op.kind, op.a)
            seen = loads
            if op.kind in "xac":
                seen = loads | {(name, tuple(memory[op.offset + i] for i in range(op.size)))}
            if op.kind == "c" and old != op.a & mask or op.kind in "xac" and new & mask == old:
                yield (after, memory, order, buffers, locks, seen)  # a load: it changes nothing
            else:
                stores = sorted(self.cells_of(op, new, name).items())
                yield (after, *self.put(memory, order, stores), buffers, locks, seen)

    def run(self):
        n = len(self.program)
        start = ((0,) * n, (("initial", 0),) * BYTES, ((),) * BYTES, ((),) * n, ((None, ()),) * 2 + ((0, None),) * 2 + ((None, frozenset()),), frozenset(),
                 (None, None, (), ()), ((0,) * n, ((),) * 4, (0,) * n, ((0, 0),) * n))
        todo, known = [start], {start}
        while todo:
            state = todo.pop()
            following = list(self.steps(state)) or list(self.in_time(state))
            if all(self.only_looks(state, s) for s in following) and self.goes_round(state):
                self.end(state)
            for s in following:
                if s not in known:
                    known.add(s)
                    todo.append(s)
        self.traces = {(*trace, tuple(tuple(map(self.told, rounds)) for rounds in barriers)) for *trace, barriers in self.traces}
        return self

    def told(self, round_):
        """Who was the last, only if somebody looks: at least one, somewhere, together with others who do not."""
        here, last = round_
        looks = self.mixed or any(self.program[who][at].kind == "D" for who, at in here)
        return here, last if looks else None

    def seen_by_others(self, order):
        """The stores, and after how many of other threads each block was freed: its own thread's do not matter."""
        stores = tuple(name for name in order if name[0] != "freed")
        of = lambda name: [who for who, _ in name[2]] if name[0] == "updates" else [name[0]]
        frees = tuple((x[1], sum(who not in ("freed", x[1]) for name in order[:at] for who in of(name)))
                      for at, x in enumerate(order) if x[0] == "freed")
        return stores, frees

    def end(self, state):
        counters, memory, order, _, locks, loads, freed, _ = state
        self.traces.add((tuple(self.seen_by_others(cell) for cell in order), loads, counters, locks, freed[2:]))
        if None in counters or LEFT_OUT in counters:
            return
        if any(counters[t] < len(p) for t, p in enumerate(self.program)):
            self.stuck = True
            return
        read = {name: sum(cell[1] << 8 * i for i, cell in enumerate(cells)) for name, cells in loads}
        text = ""
        for t, program in enumerate(self.program):
            for i, op in enumerate(program):
                if op.kind in "lxacTMYnNDvVhQJ":
                    text += " %x" % read[(t, i)]
            text += ";"
        self.outcomes.add(text + "".join("%x" % cell[1] for cell in memory[:HEAP]))
