#!/usr/bin/env python3
"""reports.py [--build=DIR]: what reports about ordinary programs say, and what they do not.  run.py builds the
programs.  Exit 1 if a text is missing, or there though it should not be."""
import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
FAILURES = ["without any failure", "failure point", "before any failure"]

# program, options, texts in the report, texts not in it; blanks in a text match any blanks
TEXTS = [
    ("data_race", ["--model=sc"],
     ["data race on value: this load of thread 2 and the store of thread 1 are not ordered", "the other access is this one",
      "in gives, thread 1"], []),
    ("use_after_free", ["--model=tso"],
     ["use after free: this load is 0 bytes into a heap block that thread 2 has freed", "the block was freed here",
      "in gives_back, thread 2"], []),
    ("late_store", ["--model=tso"],
     ["this store leaves the store buffer when thread 2 has freed the heap block it is for", "the block was freed here",
      "drains the store at late_store.c:14:5"], []),
    ("second_free", ["--model=sc"],
     ["free of a block that was freed before, by thread 1", "the block was freed here"], []),
    ("lock_leak", ["--model=sc"], ["thread 1 has ended and still holds the mutex that it locked here"], []),
    ("store_buffer", ["--model=sc", "--analyses=store-buffers"],
     ["this store can still be in the store buffer", "which then misses this store of another thread"], []),
    ("lock_order", ["--model=sc"], ["1 finding", "in both, thread 1", "thread 1 waits for mutex y, held by thread 2",
      "thread 2 waits here --> tests/programs/concurrent/lock_order.c:8:3", "thread 1 has taken here what another thread waits for --> tests/programs/concurrent/lock_order.c:7:3",
      "thread 2 has taken here what another thread waits for --> tests/programs/concurrent/lock_order.c:7:3",
      "goes on with pthread_mutex_lock at lock_order.c:7:3"], ["at 0x", "lock operation"]),
    ("cpp_mutex", ["--model=sc"],
     ["waits for mutex left, held by", "waits for mutex right, held by", "thread 2 waits here --> tests/programs/concurrent/cpp_mutex.cc:15",
      "help: take these locks in the same order in every thread",
      "in std::jthread::jthread<void (&)(int, int), int, int, void> at cpp_mutex.cc:22"], ["invoke.h:96"]),
    ("cpp_mutex", ["--model=sc", "--junit=-", "--quiet"],
     ["thread 2 waits here: tests/programs/concurrent/cpp_mutex.cc:15"], ["gthr-default.h"]),
    ("lost_wakeup", ["--model=sc"],
     ["thread 2 has woken others up here, before the thread that waits began to --> tests/programs/concurrent/lost_wakeup.c:21:3",
      "help: a wake-up is lost if nobody waits"], []),
    ("too_few", ["--model=sc"], ["deadlock: every thread waits"], ["woken", "help:"]),
    ("after_a_deadlock", ["--model=sc"], ["deadlock"], ["help: take these locks"]),
    ("long_loop", ["--model=sc", "--unroll=3"],
     ["assertion failed: seen != 2", "executions 7", "the search is incomplete: loops were cut off (--unroll)"], []),
    ("long_loop", ["--model=sc", "--unroll=2"], ["executions 5", "incomplete: loops were cut off"], ["assertion"]),
    ("long_loop-FIXED", ["--model=tso", "--unroll=4"], ["executions 5", "incomplete: loops were cut off"], ["assertion"]),
    ("spurious", ["--model=sc", "--spurious=1"],
     ["goes on with the wait, which ends without a signal, at spurious.c:15:5"], []),
    ("early_timeout", ["--model=tso"],
     ["goes on with the wait, whose time is over, at early_timeout.c:17:12", "the search is complete"], []),
    ("early_timeout", ["--model=sc", "--timeouts=0"],
     ["no findings", "while others could go on, waits with a deadline timed out at most 0 times in a thread"], []),
    ("assertion-FIXED", ["--model=tso"],
     ["no findings; the search is complete", "note: data races are looked for with --model=sc only"], []),
    ("assertion-FIXED", ["--model=sc"], ["no findings; the search is complete"], ["data races"]),
    ("store_buffer", ["--model=tso", "--html=-", "--quiet"],
     ["<th>thread 0</th><th>thread 1</th><th>thread 2</th>", "<tr><td></td><td class=step>load", "buffer: store"], []),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    args = parser.parse_args()
    failed = 0
    for program, options, wanted, unwanted in TEXTS:
        path = args.build / "tests" / "concurrent" / program
        done = subprocess.run([args.build / "bin" / "tidemark", "check", *options, path], capture_output=True, text=True,
                              timeout=240, cwd=ROOT, check=False)
        text = " ".join((done.stdout + done.stderr).split())
        wrong = ["'%s' is missing" % w for w in wanted if " ".join(w.split()) not in text]
        wrong += ["'%s' is there" % u for u in unwanted + FAILURES if u.strip() in text]
        failed += bool(wrong)
        for complaint in wrong:
            print("FAILED %s %s: %s" % (program, " ".join(options), complaint))
    print("%d passed, %d failed" % (len(TEXTS) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
