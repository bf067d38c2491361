"""What threads may read and what a crash may leave behind, by definition: the second opinion on
`tidemark check --model=pm --schedule=all`.

Nothing here is clever or shared with the checker.  The threads of a section (see pm_interpreter.c,
"A;B;C") form a state machine, all of whose states are visited one by one.  A thread has a buffer of
stores, flushes and fences.  Any entry may leave the buffer that no earlier one holds back (KEPT).
The power may fail in every state; then each line, independently of the others, has in NVM any
prefix of the stores that have reached it, as long as it contains the certain ones.  The next
section runs on every such image, and so on.

  store       pieces within aligned 8-byte words, lowest address first, each an entry of its own
  load        the same pieces, each by itself: byte by byte the newest own entry, or else the cache
  clflush     as it leaves the buffer everything in the line is certain
  clflushopt, clwb   as it leaves the buffer it notes what is in the line; that is certain after the
              thread's next fence
  NT store    a store which notes the same for its line as it leaves the buffer
  sfence      as it leaves the buffer all that the thread has noted is certain
  mfence, locked instruction, end of a thread, lock, attempt to lock, unlock   the same, once the buffer is
              empty, at once
  waiting loop   is a load that happens once the word is not zero
  lock that is a word   is a locked instruction that happens once the word is zero, or changes nothing; one that
              looks first, a load that happens once it is zero, and then the same
  ordinary memory   is sequentially consistent; a store to it waits until nothing but clflushopt and
              clwb is in the buffer

`Rules(flip=...)` turns one of them into a plausible mistake, to show that the comparison notices.
"""
import itertools

from pm_oracle import LINE, LINES, parse

ORDINARY = 0x1000
STORE, FLUSH, FLUSH_OPT, FENCE = "W", "FL", "FO", "SF"

FLIPS = {
    "flushopt-before-store": "a clflushopt overtakes an earlier store to its line",
    "flushopt-in-order": "a clflushopt overtakes nothing",
    "flush-overtakes": "a clflush overtakes a store to another line",
    "no-forwarding": "a thread does not see its own buffered stores",
    "no-buffer": "stores reach the cache at once",
    "failed-cas-does-not-wait": "a failed compare-and-swap does not wait for the buffer",
    "fence-of-any-thread": "a fence completes the flushes of all threads",
    "sfence-waits": "an sfence waits for the buffer like an mfence",
    "late-flushopt": "a clflushopt covers what is there at the fence",
    "ordinary-stores-overtake": "a store to ordinary memory does not wait for the buffer",
}


class Rules:
    def __init__(self, eadr=False, flip=None):
        assert flip is None or flip in FLIPS, flip
        self.eadr = eadr
        self.flip = flip


def kept(earlier, later, flip=None):
    """Must these entries leave the buffer in this order?"""
    a, b = earlier[0], later[0]
    if FENCE in (a, b):
        return True
    if FLUSH_OPT in (a, b):
        if flip == "flushopt-in-order":
            return True
        if a == FLUSH_OPT and b != FLUSH or flip == "flushopt-before-store" and a == STORE:
            return False
        return earlier[1] == later[1]
    if flip == "flush-overtakes" and (a, b) == (STORE, FLUSH):
        return earlier[1] == later[1]
    return True


def pieces(offset, size):
    """[(offset, size)] within aligned 8-byte words."""
    result = []
    while size:
        n = min(size, 8 - offset % 8)
        result.append((offset, n))
        offset, size = offset + n, size - n
    return result


class Thread:
    """Immutable but for the methods of Machine, which work on copies."""
    __slots__ = ("at", "part", "last", "read", "buffer", "noted")

    def __init__(self, other=None):
        if other is None:
            self.at, self.part, self.last, self.read, self.buffer, self.noted = 0, 0, 0, (), (), ()
        else:
            self.at, self.part, self.last = other.at, other.part, other.last
            self.read, self.buffer, self.noted = other.read, other.buffer, other.noted

    def key(self):
        return (self.at, self.part, self.last, self.read, self.buffer, self.noted)


class Machine:
    """A state: the threads; of each line what it held after its stores, from the last certain one
    on, with the number of stores before that; ordinary memory."""

    def __init__(self, rules, programs, threads, lines, ordinary, locked=False):
        self.rules, self.programs, self.locked = rules, programs, locked
        self.threads, self.lines, self.ordinary = threads, lines, ordinary

    def copy(self, thread):
        """A copy in which that thread can be changed."""
        threads = list(self.threads)
        threads[thread] = Thread(threads[thread])
        return Machine(self.rules, self.programs, threads, list(self.lines), self.ordinary, self.locked)

    def key(self):
        return (tuple(t.key() for t in self.threads), tuple(self.lines), self.ordinary, self.locked)

    # ---- memory ----

    def cache_byte(self, offset):
        if offset >= ORDINARY:
            return self.ordinary[offset - ORDINARY]
        return self.lines[offset // LINE][1][-1][offset % LINE]

    def cache_store(self, offset, data, past_caches=False):
        """pre: within one line"""
        if offset >= ORDINARY:
            at = offset - ORDINARY
            self.ordinary = self.ordinary[:at] + data + self.ordinary[at + len(data):]
            return
        line, at = divmod(offset, LINE)
        before, contents = self.lines[line]
        new = contents[-1][:at] + data + contents[-1][at + len(data):]
        self.lines[line] = (before, contents + (new,))
        if self.rules.eadr and not past_caches:
            self.make_certain(line, before + len(contents))

    def make_certain(self, line, stores):
        before, contents = self.lines[line]
        if stores > before:
            self.lines[line] = (stores, contents[stores - before:])

    def seen(self, line):
        before, contents = self.lines[line]
        return before + len(contents) - 1

    def complete(self, t):
        owners = self.threads if self.rules.flip == "fence-of-any-thread" else [t]
        for i, owner in enumerate(self.threads):
            if any(owner is o for o in owners):
                for line, stores in owner.noted:
                    late = self.rules.flip == "late-flushopt"
                    self.make_certain(line, self.seen(line) if late else stores)
                new = owner if owner is t else Thread(owner)
                new.noted = ()
                self.threads[i] = new

    def load(self, t, offset, size):
        data = bytearray(self.cache_byte(offset + i) for i in range(size))
        for entry in t.buffer if self.rules.flip != "no-forwarding" else ():
            if entry[0] == STORE:
                for i, byte in enumerate(entry[3]):
                    if 0 <= entry[2] + i - offset < size:
                        data[entry[2] + i - offset] = byte
        return bytes(data)

    # ---- buffers ----

    def can_leave(self, t, index):
        return not any(kept(e, t.buffer[index], self.rules.flip) for e in t.buffer[:index])

    def leave(self, t, index):
        entry = t.buffer[index]
        t.buffer = t.buffer[:index] + t.buffer[index + 1:]
        if entry[0] == STORE:
            self.cache_store(entry[2], entry[3], entry[4])
            if entry[4]:
                t.noted += ((entry[1], self.seen(entry[1])),)
        elif entry[0] == FLUSH:
            self.make_certain(entry[1], self.seen(entry[1]))
        elif entry[0] == FLUSH_OPT:
            t.noted += ((entry[1], self.seen(entry[1])),)
        else:
            self.complete(t)

    def enter_store(self, t, offset, data, non_temporal=False):
        for at, size in pieces(offset, len(data)):
            t.buffer += ((STORE, at // LINE, at, data[at - offset:at - offset + size], non_temporal),)

    # ---- steps of threads ----

    def local(self, t, program):
        """Do what nobody else can notice; false if the next operation is something else."""
        if t.at >= len(program):
            return False
        kind, size, offset, a, _ = program[t.at]
        if kind == "?" or kind == "!":
            skip = t.last % 2 == 0 if kind == "?" else t.last == 0
            t.at = min(t.at + 1 + (size if skip else 0), len(program))
            return True
        if kind in "sndR" and offset < ORDINARY:
            value = t.last + a if kind == "d" else a
            self.enter_store(t, offset, (value % 256 ** size).to_bytes(size, "little"), kind == "n")
        elif kind == "m":
            self.enter_store(t, offset, bytes((a + i) % 256 for i in range(size)))
        elif kind == "f":
            t.buffer += ((FLUSH, offset // LINE),)
        elif kind in "ow":
            t.buffer += ((FLUSH_OPT, offset // LINE),)
        elif kind == "S" and self.rules.flip != "sfence-waits":
            t.buffer += ((FENCE,),)
        elif kind != "L":
            return False
        t.at += 1
        return True

    def waits(self, t, operation):
        """Does the operation wait for entries to leave?"""
        kind, size, offset, a, _ = operation
        if kind == "l":
            return False
        if kind in "ij":
            return not any(self.load(t, offset, size))
        if kind == "K" and self.locked:
            return True
        if kind == "Q" and not t.part:
            return any(self.load(t, offset, size))
        if kind == "q" and not t.noted and any(self.load(t, offset, size)):
            return True  # it would change nothing
        if kind in "sdR":
            overtakes = self.rules.flip == "ordinary-stores-overtake"
            return not overtakes and any(e[0] != FLUSH_OPT for e in t.buffer)
        if kind == "c" and self.rules.flip == "failed-cas-does-not-wait":
            return bool(t.buffer) and int.from_bytes(self.load(t, offset, size), "little") == a
        return bool(t.buffer)

    def value_read(self, t, data):
        t.last = int.from_bytes(data, "little")
        t.read += (t.last,)

    def step(self, t, operation):
        kind, size, offset, a, b = operation
        if kind in "ij":
            self.value_read(t, self.load(t, offset, size))
        elif kind == "l":
            parts = pieces(offset, size)
            value = self.load(t, *parts[t.part])
            if t.part + 1 < len(parts):
                t.part, t.last = t.part + 1, value
                return
            self.value_read(t, t.last + value if t.part else value)
            t.part = 0
        elif kind in "sdR":
            value = t.last + a if kind == "d" else a
            self.cache_store(offset, (value % 256 ** size).to_bytes(size, "little"))
        elif kind == "Q" and not t.part:
            t.part = 1
            return
        elif kind in "qQ":
            self.complete(t)
            t.part = 0
            if any(self.load(t, offset, size)):
                return
            self.cache_store(offset, (1).to_bytes(size, "little"))
        elif kind == "g":
            self.complete(t)
            free = not any(self.load(t, offset, size))
            t.part += not free
            if not free and t.part < a:
                return
            if free:
                self.cache_store(offset, (1).to_bytes(size, "little"))
            t.last = t.part
            t.read += (t.last,)
            t.part = 0
        elif kind == "T":
            self.complete(t)
            t.last = int(not self.locked)
            t.read += (t.last,)
            self.locked = True
        elif kind in "MSKU":
            self.complete(t)
            self.locked = kind == "K" or self.locked and kind != "U"
        else:
            self.complete(t)
            data = self.load(t, offset, size)
            old = int.from_bytes(data, "little")
            new = {"A": a, "x": a, "a": old + a, "c": b if old == a else None}[kind]
            if new is not None:
                self.cache_store(offset, (new % 256 ** size).to_bytes(size, "little"))
            if kind != "A":
                self.value_read(t, data)
        t.at += 1

    def settle(self):
        for t, program in zip(self.threads, self.programs):
            while self.local(t, program):
                pass
            if self.rules.flip == "no-buffer":
                while t.buffer:
                    self.leave(t, 0)
        return self

    def successors(self):
        for i, (t, program) in enumerate(zip(self.threads, self.programs)):
            for index in range(len(t.buffer)):
                if self.can_leave(t, index):
                    after = self.copy(i)
                    after.leave(after.threads[i], index)
                    yield after
            if t.at < len(program) and not self.waits(t, program[t.at]):
                after = self.copy(i)
                after.step(after.threads[i], program[t.at])
                yield after.settle()
            elif t.at == len(program) and not t.buffer:
                after = self.copy(i)
                after.complete(after.threads[i])
                after.threads[i].at += 1
                yield after

    def ended(self):
        return all(t.at > len(program) for t, program in zip(self.threads, self.programs))


def words_of(text):
    """The offsets of all words of the region that the program touches, at least one."""
    result = set()
    for threads, _ in parse(text.replace(";", "|")):
        for _, size, offset, _, _ in itertools.chain(*threads):
            for at, _ in pieces(offset, size) if offset < ORDINARY else ():
                result.add(at // 8 * 8)
    return sorted(result) or [0]


def sections_of(text):
    return [threads for threads, _ in parse(text.replace(";", "|"))]


class Stuck(Exception):
    """Somebody waits for what never comes."""


def run_section(rules, programs, image, budget):
    """Every state: (the machines that have ended, the images that crashes leave)."""
    first = Machine(rules, programs, [Thread() for _ in programs],
                    [(0, (content,)) for content in image], bytes(64)).settle()
    ended, crashed, seen, todo = [], set(), {first.key()}, [first]
    while todo:
        machine = todo.pop()
        budget[0] -= 1
        if budget[0] < 0:
            raise OverflowError
        crashed.add(tuple(contents for _, contents in machine.lines))
        if machine.ended():
            ended.append(machine)
        successors = list(machine.successors())
        if not successors and not machine.ended():
            raise Stuck
        for after in successors:
            key = after.key()
            if key not in seen:
                seen.add(key)
                todo.append(after)
    images = set()
    for lines in crashed:
        images.update(itertools.product(*lines))
    return ended, images


def describe(number, machine, words):
    text = "%d:" % number
    for t in machine.threads:
        text += "".join(" %x" % value for value in t.read) + ";"
    for at in words:
        line, offset = divmod(at, LINE)
        text += " %x" % int.from_bytes(machine.lines[line][1][-1][offset:offset + 8], "little")
    return text


def outcomes(text, failures=1, rules=None, states=None):
    """The set of outcomes, or None if there are more than so many states or somebody waits for ever."""
    rules = rules or Rules()
    sections, words = sections_of(text), words_of(text)
    budget = [states or 10 ** 9]
    seen, result = set(), set()

    def explore(level, image):
        if (level, image) in seen:
            return
        seen.add((level, image))
        number = min(level, len(sections) - 1)
        ended, images = run_section(rules, sections[number], image, budget)
        result.update(describe(number, machine, words) for machine in ended)
        if level < failures:
            for next_image in images:
                explore(level + 1, next_image)

    try:
        explore(0, (bytes(LINE),) * LINES)
    except (OverflowError, Stuck):
        return None
    return result


if __name__ == "__main__":
    import sys
    for outcome in sorted(outcomes(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)):
        print(outcome)
