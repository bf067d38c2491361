"""Operations of random programs for analyses, on words or on bytes: how they are drawn, and what they are in C.

An operation is (kind, start, size, ...); analysis_oracle.py says what the kinds are, and of which steps they consist.
"""

HEAD = """#include <sched.h>
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>
#include <tidemark.h>
#define ANY(bytes, type) typedef type any##bytes __attribute__((aligned(1), may_alias)); \\
  typedef type word##bytes __attribute__((may_alias))
ANY(1, unsigned char);
ANY(2, unsigned short);
ANY(4, unsigned);
ANY(8, unsigned long);
static unsigned char *m;
static unsigned long sink;
"""


def statement(kind, start, size, value, *more):
    """As C; of what it stores each byte is the value."""
    place, number = "m + %s" % start, "0x" + "%02x" % value * (size or 1)
    any_, word = "*(any%s *)(%s)" % (size, place), "(word%s *)(%s)" % (size, place)
    if kind == "n":
        return "_mm_stream_si%d((void *)(%s), %s);" % (size * 8, place, number)
    if kind == "C":  # it must have been that operation, by its value
        other, right = more[0], more[1]
        return "tidemark_checksum_begin(m, 512); sink = %s; sink += *(any%d *)(m + %d); " \
               "tidemark_checksum_end(m[%d] == %d); sink = 0;" % (any_, other[1], other[0], start, right)
    return {"s": "%s = %s;" % (any_, number),
            "v": "*(volatile word%s *)(%s) = %s;" % (size, place, number),
            "R": "__atomic_store_n(%s, %s, __ATOMIC_RELEASE);" % (word, number),
            "x": "sink += __atomic_exchange_n(%s, %s, __ATOMIC_ACQ_REL);" % (word, number),
            "N": "_mm_stream_si128((void *)(%s), _mm_set1_epi8(%d));" % (place, value),
            "c": "memset(%s, %d, %s);" % (place, value, size),
            "m": "memmove(%s, m + %s, %s);" % (place, more[0] if more else 0, size),
            "l": "sink += %s;" % any_,
            "i": "tidemark_ignore_begin(); sink += %s; tidemark_ignore_end();" % any_,
            "f": "_mm_clflush(%s);" % place,
            "w": '__asm__ volatile("clwb %%0" : "+m"(*(%s)));' % place,
            "P": "__atomic_store_n(&flags[%s], 1, __ATOMIC_RELEASE);" % start,
            "A": "sink += __atomic_load_n(&flags[%s], __ATOMIC_ACQUIRE);" % start,
            "M": "pthread_mutex_lock(&mutexes[%s]); pthread_mutex_unlock(&mutexes[%s]);" % (start, start),
            "S": "_mm_sfence();"}[kind]


class Words:
    """Loads and stores of whole words, on a few cache lines."""

    def __init__(self, rng):
        self.rng = rng
        self.places = [rng.randrange(3) * 64 + v * 8 for v in range(rng.randint(2, 4))]

    def load(self):
        return "l", self.rng.choice(self.places), 8

    def operation(self, loads, threads=1, before=False):
        kind = self.rng.choices("sRlfwS", [4, 1.5, 6 * loads, 1, 1, .8])[0]
        return (kind, None, None) if kind == "S" else (kind, self.rng.choice(self.places), 8)


class Bytes:
    """Accesses of all sizes around the end of a cache line, and on another; copies, exchanges, non-temporal stores, locks."""

    def __init__(self, rng):
        self.rng = rng
        self.starts = rng.sample([48, 56, 60, 64, 72, 128, 132], 3)

    def place(self, size, aligned):
        start = self.rng.choice(self.starts)
        if not aligned and self.rng.random() < .5:
            return start + self.rng.randrange(8), size
        return start - start % size, size

    def load(self):
        kind = self.rng.choices("liC", [8, 1, 1])[0]
        where = self.place(self.rng.choice([1, 2, 4, 8, 8]), False)
        if kind != "C":
            return kind, *where
        return kind, *where, self.place(self.rng.choice([1, 4, 8]), False), None

    def operation(self, loads, threads=1, before=False):
        """before: any failure"""
        kinds = {"s": 3, "c": .7, "v": .5, "R": 1, "n": .7, "N": .4, "x": .7, "f": 1, "w": 1, "S": .8, "l": 6 * loads}
        if before:
            kinds["m"] = 2
        if threads > 1:
            kinds.update(P=.5, A=.8, M=.8)
        kind = self.rng.choices(list(kinds), list(kinds.values()))[0]
        if kind in "PAM":
            return kind, self.rng.randrange(2), None
        if kind == "S":
            return kind, None, None
        if kind == "l":
            return self.load()
        if kind in "cm":
            where = self.place(self.rng.choice([3, 4, 8, 12, 16]), False)
            source = self.rng.choice(self.starts) + self.rng.choice([0, 0, 1, -4])
            return (kind, *where, source) if kind == "m" else (kind, *where)
        if kind == "N":
            return kind, self.rng.choice([48, 64, 128]), 16
        return kind, *self.place(self.rng.choice([4, 8] if kind == "n" else [1, 2, 4, 8, 8]), kind != "s")
