#!/usr/bin/env python3
"""The random programs of threads_random.py, written as C or C++ source in many ways.

    threads_source.py --seed 1 --count 300
    threads_source.py --forms 7 --language c++ --flags='-O2 -DTHREADS_ASYNC' --replay 's8@0=1 l8@8;s8@8=1 l8@0'

Threads are those of POSIX, C11 or the C++ library, and so are locks and conditions; accesses are written as users write
them (source_programs.py).  Outcomes under sc and tso, and whether threads can get stuck, are those of threads_oracle.py.
"""
import argparse
import hashlib
import random
import re
import sys

sys.dont_write_bytecode = True
import random_programs
import threads_random
from source_programs import (ADD, ATOMIC, C, CPP, EXCHANGE, FORMS, LEVELS, LOAD, SEQ_CST, STORE, SWAP, add_arguments, form,
                             run, write)
from threads_oracle import Machine, parse_op

NAME, HEADER = "threads_source", "threads_source.h"
IN_FILE = 30  # programs of one source file
ALONE = ["(P - ", "^=", "b : B", "- 2;"]  # forms that are more than one access, or leave their object
COUNT = [
    form("(void)__atomic_fetch_add((U *)(P), (U)V, __ATOMIC_SEQ_CST);", **ATOMIC),
    form("(void)__sync_add_and_fetch((U *)(P), (U)V);", **ATOMIC),
    form("*(_Atomic U *)(P) += (U)V;", C, **ATOMIC),
    form("*reinterpret_cast<std::atomic<U> *>(P) += (U)V;", CPP, **ATOMIC),
    form("std::atomic_ref<U>(*(U *)(P)).fetch_add((U)V);", CPP, **ATOMIC),
    form("for (int i = 0; i < 1; i++) __atomic_fetch_add((U *)(P), (U)V, __ATOMIC_RELAXED);", **ATOMIC),
]
FLIP = [
    form("(void)__atomic_fetch_xor((U *)(P), (U)V, __ATOMIC_SEQ_CST);"),
    form("*(_Atomic U *)(P) ^= (U)V;", C),
    form("*reinterpret_cast<std::atomic<U> *>(P) ^= (U)V;", CPP),
]
WAIT = [
    form("while (__atomic_load_n((U *)(P), __ATOMIC_ACQUIRE) != (U)V) continue;"),
    form("while (*(volatile U *)(P) != (U)V) sched_yield();"),
    form("while (*(volatile U *)(P) != (U)V) _mm_pause();"),
    form("for (;;) if (__atomic_load_n((U *)(P), __ATOMIC_RELAXED) == (U)V) break;"),
    form("do std::this_thread::yield(); while (reinterpret_cast<std::atomic<U> *>(P)->load() != (U)V);", CPP),
]
TAKE = [
    form("for (U old = 0; !__atomic_compare_exchange_n((U *)(P), &old, (U)V, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED); old = 0) continue;"),
    form("while (!__sync_bool_compare_and_swap((U *)(P), 0, (U)V)) _mm_pause();"),
    form("for (U old = 0; !reinterpret_cast<std::atomic<U> *>(P)->compare_exchange_weak(old, (U)V); old = 0) std::this_thread::yield();", CPP),
]
LOOK_AND_TAKE = [
    form("for (;;) { U old = 0; if (__atomic_load_n((U *)(P), __ATOMIC_RELAXED) == 0 &&"
         " __atomic_compare_exchange_n((U *)(P), &old, (U)V, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) break; }"),
    form("do while (*(volatile U *)(P)) _mm_pause(); while (!__sync_bool_compare_and_swap((U *)(P), 0, (U)V));"),
]
SLEEP = [  # on a word of 4 bytes
    form("for (unsigned now; (now = __atomic_load_n((unsigned *)(P), __ATOMIC_RELAXED)) != (U)V;) futex(P, FUTEX_WAIT_PRIVATE, now);"),
    form("for (unsigned now = *(volatile unsigned *)(P); now != (U)V; now = *(volatile unsigned *)(P)) futex(P, FUTEX_WAIT_PRIVATE, now);"),
    form("for (unsigned now; (now = reinterpret_cast<std::atomic<unsigned> *>(P)->load()) != (U)V;)"
         " futex(P, FUTEX_WAIT_PRIVATE, now);", CPP),
]
SLEEP_ONCE = [form("say(futex(P, FUTEX_WAIT_PRIVATE, (unsigned)V) != 0);"), form("if (futex(P, FUTEX_WAIT_PRIVATE, (unsigned)V)) say(1); else say(0);")]
WAKE = [form("say((int)futex(P, FUTEX_WAKE_PRIVATE, (unsigned)V));")]
ACCESSES = {
    "s": [f for f in STORE if not any(part in f[0] for part in ALONE)], "l": [f for f in LOAD if not any(part in f[0] for part in ALONE)],
    "S": SEQ_CST, "x": EXCHANGE, "a": ADD, "c": SWAP, "i": COUNT, "j": COUNT, "I": FLIP, "w": WAIT, "k": TAKE, "q": LOOK_AND_TAKE,
    "u": SLEEP, "v": SLEEP_ONCE, "V": WAKE,
}
OTHERS = {
    "L": ["LOCK(N);"], "U": ["UNLOCK(N);"], "C": ["AWAIT(N);"], "G": ["SIGNAL(N);"], "T": ["say(AWAIT_A_WHILE(N));"],
    "Y": ["if (TRY(N)) { say(0); UNLOCK(N); } else say(1);"], "R": ["while (!TRY(N)) sched_yield(); UNLOCK(N);"],
    "M": ["if (lock_for_a_while(N)) { say(0); UNLOCK(N); } else say(1);"], "Z": ["lock_both(N);"], "F": ["free(blocks[N]);"],
    "B": ["pthread_barrier_wait(&barriers[N]);"],
    "D": ["say(pthread_barrier_wait(&barriers[N]) == PTHREAD_BARRIER_SERIAL_THREAD);"], "y": ["sched_yield();"],
    "n": ["say((int)tidemark_choose(N));"], "H": ["BROADCAST(N);"],
    "b": ["sem_post(&semaphores[N]);"], "e": ["sem_wait(&semaphores[N]);"], "h": ["say(sem_trywait(&semaphores[N]) != 0);"],
    "O": ["READ_LOCK();"], "X": ["WRITE_LOCK();"], "o": ["RW_UNLOCK();"],
    "Q": ["if (TRY_READ()) { RW_UNLOCK(); say(0); } else say(1);"], "J": ["if (TRY_WRITE()) { RW_UNLOCK(); say(0); } else say(1);"],
}


class Case:
    """A program, and how it is written and built."""

    def __init__(self, text, forms, language, flags):
        self.text, self.forms, self.language, self.flags = text, forms, language, flags
        self.program, self.number = None, 0

    def line(self):
        return "--forms=%d --language=%s --flags='%s' --replay '%s'" % (self.forms, self.language, self.flags, self.text)


def place_of(offset, rng):
    if offset >= 16:
        return "blocks[%d] + %d" % (offset // 8 - 2, offset % 8)
    return rng.choice(["region + %d", "opaque(%d)", "&region[%d]"]) % offset


def statement(case, word):
    """One operation; its form depends on what it says only, so that shrinking leaves the others alone."""
    rng = random.Random(hashlib.sha256(("%d %s" % (case.forms, word)).encode()).digest())
    op = parse_op(word)
    place = place_of(op.offset, rng)
    if op.kind == "f":
        return write(FORMS["M"], rng, case.language, 0, 0, "", "")
    if op.kind == "P":
        return "poll_locked(%s, %d);" % (place, op.a)
    if op.kind == "N":
        return "{ unsigned asked = tidemark_choose(%d); say((int)asked); %s }" % (
            op.a, write(ACCESSES["s"], rng, case.language, op.size, op.offset, place, "(uint64_t)asked"))
    if op.kind == "A":
        return "tidemark_assume(__atomic_load_n((uint64_t *)(%s), __ATOMIC_RELAXED) == %d);" % (place, op.a)
    if op.kind in "WE":
        other = place_of(op.offset ^ 8, rng)
        loads = ["__atomic_load_n((uint64_t *)(%s), __ATOMIC_RELAXED) == %d" % at for at in ((place, op.a), (other, op.b))]
        if op.kind == "E":
            return "while (%s && %s) continue;" % tuple(loads)
        return "for (;;) { int one = %s, two = %s; if (one && two) break; }" % tuple(loads)
    if op.kind in OTHERS:
        return re.sub(r"\bN\b", str(op.size % 2 if op.kind not in "BDn" else op.size), rng.choice(OTHERS[op.kind]))
    value = op.b if op.kind == "c" else op.a
    return write(ACCESSES[op.kind], rng, case.language, op.size, op.offset, place, "%dULL" % value, op.a)


def program_source(case, number):
    parts, names = ["/* %s */" % case.text], []
    for thread, text in enumerate(case.text.split(";")):
        names.append("p%d_%d" % (number, thread))
        parts.append("static void %s(void) {\n  %s\n}\n" % (names[-1], "\n  ".join(statement(case, word) for word in text.split())))
    parts.append("static void program%d(void) {\n  static operations *const threads[] = {%s};\n  begin(%d);\n"
                 "  run_all(threads, %d);\n  end(%d);\n}\n" % (number, ", ".join(names), case.forms % 3, len(names), len(names)))
    return "\n".join(parts)


def expected(case):
    return Machine(case.text, True).run().outcomes


def disagreement(case, flip=None):
    del flip
    for model, buffers in (("sc", False), ("tso", True)):
        machine = Machine(case.text, buffers).run()
        options = ["--model=" + model] + (["--no-data-races"] if model == "sc" else [])
        report = random_programs.run_check(options, case.program, str(case.number))
        kinds = {f["kind"] for f in report["findings"]}
        if not report["complete"] or kinds - threads_random.STUCK - threads_random.FREED - threads_random.SHRUNK:
            return "%s: exit status %d, %s" % (model, report["exit"], report["said"])
        what = random_programs.difference(machine.outcomes, set(report["outcomes"]))
        if what:
            return "%s: %s" % (model, what)
        if machine.stuck != bool(kinds & threads_random.STUCK):
            return "%s: stuck by definition: %s, found: %s" % (model, machine.stuck, sorted(kinds))
        if machine.used_after_free != ("use-after-free" in kinds) or machine.freed_twice != ("abort" in kinds):
            return "%s: used after free: %s, freed twice: %s; found: %s" % (model, machine.used_after_free,
                                                                           machine.freed_twice, sorted(kinds))
    return None


def smaller(case):
    for other in threads_random.smaller(case):
        yield Case(other.text, case.forms, case.language, case.flags)


def flags_of(rng, language):
    """How a file is built, and what its threads and locks are."""
    locks = rng.choice(["", "-DLOCKS_C11"] if language == C else ["", "-DLOCKS_STD", "-DLOCKS_STD"])
    threads = rng.choice(["", "-DTHREADS_C11"] if language == C else ["", "-DTHREADS_STD", "-DTHREADS_JTHREAD", "-DTHREADS_ASYNC"])
    return " ".join([rng.choice(LEVELS), locks, threads]).strip()


def random_batches(arguments):
    """Batches of one language and one set of flags each."""
    made, number = 0, 0
    while made < arguments.count:
        rng = random.Random("%d.%d" % (arguments.seed, made))
        language = rng.choice([C, CPP])
        flags, cases = flags_of(rng, language), []
        while len(cases) < min(IN_FILE, arguments.count - made):
            text = threads_random.random_case(arguments.seed, number).text
            number += 1
            if set("pr") & set(text) or ("M" in text and "LOCKS" in flags):
                continue
            cases.append(Case(text, rng.getrandbits(30), language, flags))
        made += len(cases)
        yield cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, ())
    given = parser.parse_args()
    case = given.replay and Case(given.replay, given.forms, given.language, given.flags)
    return run(sys.modules[__name__], given, case)


if __name__ == "__main__":
    sys.exit(main())
