"""What a crash may leave behind, by definition: the second opinion on `tidemark check --model=pm`.

Nothing here is clever or shared with the checker.  A section of a program (see pm_interpreter.c) is
simulated operation by operation.  Every cache line keeps the atomic stores it has seen since the
section began, in order, and how many of them are certainly in NVM.  The power may fail before the
first operation and after every single atomic step; then each line, independently of the others,
has in NVM any prefix of its stores that contains the certain ones.  The next section runs on every
such image, and so on.  The result is the set of all outcomes.

Rules (Px86, threads that run one after the other):
  store       aligned 8-byte words are atomic; anything larger or across such a boundary is a
              sequence of stores, lowest address first
  clflush     everything the line has seen is certain
  clflushopt, clwb   the same, but only at the next fence of this thread
  NT store    a store, then a clflushopt of its line
  sfence, mfence, locked instruction (failed compare-and-swap, too)   this thread's waiting flushes
              complete; for locked instructions before their own store.  Starting, ending and
              joining a thread contain locked instructions.  lfence: nothing
  eadr        every store but a non-temporal one is certain at once

`Rules(flip=...)` turns one of them into a plausible mistake, to show that the comparison notices.
"""
import itertools
import re

LINE = 64
LINES = 8
OPERATION = re.compile(r"([a-zA-Z?!#])(\d*)(?:@([0-9a-f]+))?(?:[=+]([0-9a-f]+))?(?:,([0-9a-f]+))?$")

FLIPS = {
    "sfence-does-not-complete": "sfence leaves clwb and clflushopt waiting",
    "mfence-does-not-complete": "mfence leaves them waiting",
    "failed-cas-is-no-fence": "a failed compare-and-swap leaves them waiting",
    "locked-after-store": "a locked instruction completes them only after its own store",
    "lfence-completes": "lfence is a persist fence",
    "fence-of-any-thread": "a fence completes the flushes of all threads",
    "clflush-waits": "clflush needs a fence like clwb",
    "clwb-is-immediate": "clwb needs no fence",
    "flush-is-one-word": "a flush writes back only up to the last store to that word",
    "flush-covers-fence-time": "clwb also covers stores between it and the fence",
    "no-tearing": "stores of any size and alignment are atomic within a line",
    "nt-needs-flush": "a non-temporal store needs a flush",
    "lines-persist-in-order": "stores to different lines persist in order",
    "no-failure-after-last-flush": "the power never fails after the last flush",
    "first-store-survives": "the first store of a section is never lost",
    "release-store-is-fence": "a release store completes flushes like an xchg",
}


class Rules:
    def __init__(self, eadr=False, flip=None):
        assert flip is None or flip in FLIPS, flip
        self.eadr = eadr
        self.flip = flip


def parse(text):
    """[[[(kind, size, offset, a, b), ...] per thread, joined?] per section]"""
    sections = []
    for section in text.split("/"):
        threads = []
        for thread in re.split(r"[|&]", section):
            operations = []
            for word in thread.split():
                kind, size, offset, a, b = OPERATION.match(word).groups()
                operations.append((kind, int(size or 0), int(offset or "0", 16), int(a or "0", 16), int(b or "0", 16)))
            threads.append(operations)
        sections.append((threads, "|" in section))
    return sections


class AssertionFailed(Exception):
    """Ends an execution, which then has this outcome instead of one of its own."""
    outcome = "assertion failed"


class Execution:
    """One section, from one NVM image to its end; collects the images crashes may leave."""

    def __init__(self, rules, image, crashes):
        self.rules = rules
        self.cache = bytearray(b"".join(image))
        self.prefixes = [[content] for content in image]  # of each line: after 0, 1, 2, ... stores
        self.certain = [0] * LINES
        self.waiting = {}  # thread -> [(line, stores it covers)]
        self.images = set() if crashes else None
        self.last = 0
        self.read = []
        self.order = []  # lines in the order of their stores, for one of the mistakes
        self.last_store_to_word = {}
        self.images_at_last_flush = set()
        self.eager_states = 0
        self.stored = False  # since the last failure point

    def failure_point(self):
        """Count the states of an eager checker that fails only where something can be lost."""
        if self.stored:
            states = 1
            for prefixes, certain in zip(self.prefixes, self.certain):
                states *= len(prefixes) - certain
            self.eager_states += states
        self.stored = False

    # ---- crashes ----

    def crash_here(self):
        if self.images is None:
            return
        if self.rules.flip == "lines-persist-in-order":
            return self.crash_in_order()
        kept = [p[c:] for p, c in zip(self.prefixes, self.certain)]
        if self.rules.flip == "first-store-survives" and self.order:
            line = self.order[0]
            kept[line] = self.prefixes[line][max(1, self.certain[line]):]
        self.images.update(itertools.product(*kept))

    def crash_in_order(self):
        counts = [0] * LINES
        for line in [None] + self.order:
            if line is not None:
                counts[line] += 1
            if all(n >= c for n, c in zip(counts, self.certain)):
                self.images.add(tuple(p[n] for p, n in zip(self.prefixes, counts)))

    # ---- stores, flushes, fences ----

    def atomic_store(self, offset, data, past_caches=False):
        """pre: within one line"""
        line = offset // LINE
        self.cache[offset:offset + len(data)] = data
        self.prefixes[line].append(bytes(self.cache[line * LINE:line * LINE + LINE]))
        self.order.append(line)
        self.last_store_to_word[offset // 8] = len(self.prefixes[line]) - 1
        self.stored = True
        if self.rules.eadr and not past_caches:
            self.failure_point()
            self.certain[line] = len(self.prefixes[line]) - 1
        self.crash_here()

    def store(self, offset, data, thread=None):
        """thread: of a non-temporal store"""
        unit = LINE if self.rules.flip == "no-tearing" else 8
        while data:
            n = unit - offset % unit
            self.atomic_store(offset, data[:n], thread is not None)
            if thread is not None and self.rules.flip != "nt-needs-flush":
                self.wait_for(thread, offset)
            offset, data = offset + n, data[n:]

    def wait_for(self, thread, offset):
        line = offset // LINE
        self.waiting.setdefault(thread, []).append((line, len(self.prefixes[line]) - 1))

    def flush(self, kind, offset, thread):
        line = offset // LINE
        flip = self.rules.flip
        if flip == "flush-is-one-word":
            covered = self.last_store_to_word.get(offset // 8, 0)
        else:
            covered = len(self.prefixes[line]) - 1
        immediate = kind == "f" and flip != "clflush-waits" or kind == "w" and flip == "clwb-is-immediate"
        if immediate:
            self.complete(line, covered)
        else:
            self.waiting.setdefault(thread, []).append((line, covered))

    def complete(self, line, covered):
        if covered > self.certain[line]:
            self.failure_point()
        self.certain[line] = max(self.certain[line], covered)
        self.crash_here()
        if self.images is not None and self.rules.flip == "no-failure-after-last-flush":
            self.images_at_last_flush = set(self.images)

    def fence(self, thread):
        for owner in list(self.waiting):
            if owner == thread or self.rules.flip == "fence-of-any-thread":
                for line, covered in self.waiting.pop(owner):
                    if self.rules.flip == "flush-covers-fence-time":
                        covered = len(self.prefixes[line]) - 1
                    self.complete(line, covered)

    def locked(self, size, offset, change, thread):
        """change: old value -> new value or None; size up to 16, atomic"""
        old = int.from_bytes(self.cache[offset:offset + size], "little")
        new = change(old)
        flip = self.rules.flip
        completes = new is not None or flip != "failed-cas-is-no-fence"
        if completes and flip != "locked-after-store":
            self.fence(thread)
        if new is not None:
            self.atomic_store(offset, (new % 256 ** size).to_bytes(size, "little"))
        if completes:
            self.fence(thread)
        return old

    # ---- the program ----

    def value_read(self, value):
        self.last = value
        self.read.append("%x" % value)

    def step(self, operation, thread):
        kind, size, offset, a, b = operation
        flip = self.rules.flip
        if kind == "s":
            self.store(offset, (a % 256 ** size).to_bytes(size, "little"))
        elif kind == "l":
            self.value_read(int.from_bytes(self.cache[offset:offset + size], "little"))
        elif kind in "fow":
            self.flush(kind, offset, thread)
        elif kind == "S":
            if flip != "sfence-does-not-complete":
                self.fence(thread)
        elif kind == "M":
            if flip != "mfence-does-not-complete":
                self.fence(thread)
        elif kind == "L":
            if flip == "lfence-completes":
                self.fence(thread)
        elif kind == "d":
            self.store(offset, ((self.last + a) % 256 ** size).to_bytes(size, "little"))
        elif kind == "n":
            self.store(offset, a.to_bytes(size, "little"), thread)
        elif kind == "m":
            self.store(offset, bytes((a + i) % 256 for i in range(size)))
        elif kind == "z":
            self.store(offset, bytes([a]) * size)
        elif kind == "y":
            self.store(offset, bytes(self.cache[a:a + size]))
        elif kind == "R":
            if flip == "release-store-is-fence":
                self.fence(thread)
            self.store(offset, a.to_bytes(size, "little"))
        elif kind == "A":
            self.locked(size, offset, lambda old: a, thread)
        elif kind == "x":
            self.value_read(self.locked(size, offset, lambda old: a, thread))
        elif kind == "a":
            self.value_read(self.locked(size, offset, lambda old: old + a, thread))
        elif kind == "c":
            self.value_read(self.locked(size, offset, lambda old: b if old == a else None, thread))
        elif kind == "C":
            old = self.locked(16, offset, lambda old: b << 64 | b if old == (a << 64 | a) else None, thread)
            self.value_read(old % 2 ** 64)
            self.value_read(old >> 64)
        elif kind == "r":
            data = self.cache[offset:offset + size]
            self.read.append(data.hex())
            self.last = data[0]
        elif kind == "v":
            self.store(offset, a.to_bytes(8, "little") + ((a + 1) % 2 ** 64).to_bytes(8, "little"))
        elif kind == "V":
            self.value_read(int.from_bytes(self.cache[offset + 8:offset + 16], "little"))
            self.value_read(int.from_bytes(self.cache[offset:offset + 8], "little"))
        elif kind == "#":
            if self.last % 2:
                raise AssertionFailed
        elif kind == "k":
            data = self.cache[offset:offset + size]
            self.last = sum(data) % 2
            self.read.append("-" if self.last else data.hex())
            if self.last:
                self.store(offset, bytes(size))
        else:
            raise ValueError(kind)

    def run(self, section):
        threads, joined = section
        self.crash_here()
        for thread, operations in enumerate(threads):
            skip = 0
            for operation in operations:
                if skip:
                    skip -= 1
                elif operation[0] == "?":
                    skip = 0 if self.last % 2 else operation[1]
                elif operation[0] == "!":
                    skip = 0 if self.last else operation[1]
                else:
                    self.step(operation, thread)
                    self.crash_here()
            if joined or (len(threads) == 2 and thread == 1):
                self.fence(thread)
        if self.rules.flip == "no-failure-after-last-flush" and self.images is not None:
            self.images = self.images_at_last_flush
        self.failure_point()
        return " ".join(self.read) or "nothing"


def eager_states(text, rules=None):
    """How many states a checker without lazy loads would visit for one failure."""
    execution = Execution(rules or Rules(), (bytes(LINE),) * LINES, False)
    try:
        execution.run(parse(text)[0])
    except AssertionFailed:
        execution.failure_point()
    return execution.eager_states or 1


def outcomes(text, failures=1, rules=None, limit=None):
    """The set of outcomes, or None if there are more than `limit` images to look at."""
    rules = rules or Rules()
    sections = parse(text)
    seen = set()
    result = set()

    def explore(level, image):
        if (level, image) in seen:
            return
        seen.add((level, image))
        if limit and len(seen) > limit:
            raise OverflowError
        execution = Execution(rules, image, level < failures)
        try:
            outcome = execution.run(sections[min(level, len(sections) - 1)])
        except AssertionFailed as failed:
            outcome = failed.outcome
        if level or outcome == AssertionFailed.outcome:
            result.add(outcome)
        for next_image in execution.images or ():
            explore(level + 1, next_image)

    try:
        explore(0, (bytes(LINE),) * LINES)
    except OverflowError:
        return None
    return result


if __name__ == "__main__":
    import sys
    for outcome in sorted(outcomes(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)):
        print(outcome)
