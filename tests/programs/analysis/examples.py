#!/usr/bin/env python3
"""examples.py: what the analyses say about the data structures in examples/ and their seeded bugs.

The correct versions have no finding.  Of each seeded bug, the analysis must name a line that has its
switch in a comment ("SWITCH:") as the place of the store, and say where the flush belongs.  The column
`published` has the row of the tables of robustness violations (4.1) and races (5.2) in the thesis
that the bug stands for.

--fix --verify-fix must fix what it has a change for, and nothing new may come: here of six bugs, in fixes.py of all of
them."""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BUILD = os.environ.get("TIDEMARK_BUILD", os.path.join(ROOT, "build"))

CORRECT = ["cceh 16 2", "cceh 16 2 continue", "fastfair 16 2", "fastfair 16 2 continue", "clht 16 2", "clht 16 2 continue"]

# analysis, program, switch, arguments, published
SEEDED = """
robustness cceh     BUG_TABLE_OBJECT       4_2           4.1 #6 CCEH fields in its constructor
robustness cceh     BUG_DIRECTORY_OBJECT   4_2           4.1 #5 Directory::_
robustness cceh     BUG_SEGMENT_POINTERS   4_2           4.1 #4 Directory::_[i]
robustness cceh     BUG_SEGMENT_DEPTH      4_2           -
robustness cceh     BUG_INSERT_NO_FLUSH    4_2           4.1 #3 key
robustness cceh     BUG_SPLIT_NO_FLUSH     16_2          -
robustness cceh     BUG_SPLIT_NO_FENCE     16_2          -
robustness cceh     BUG_LOCK_NOT_RESET     4_1_continue  4.1 #1, #2 locking and unlocking sema
robustness fastfair BUG_BTREE_CONSTRUCTOR  4_2           4.1 #13 btree::root
robustness fastfair BUG_HEADER_CONSTRUCTOR 8_2           4.1 #12 leftmost_ptr
robustness fastfair BUG_ENTRY_CONSTRUCTOR  8_2           4.1 #11 entry::ptr in its constructor
robustness fastfair BUG_INSERT_NO_FLUSH    4_2           4.1 #10 entry::ptr in insert_key
robustness fastfair BUG_HEADER_PADDING     4_2           4.1 #9 alignment of the header
robustness fastfair BUG_SHIFT_NO_FLUSH     8_2           -
robustness clht     BUG_CLHT_CONSTRUCTOR   4_2           4.1 #31 table
robustness clht     BUG_HASHTABLE_OBJECT   4_2           4.1 #30 num_buckets
robustness clht     BUG_HASHTABLE_ARRAY    16_2          -
robustness clht     BUG_INSERT_NO_FLUSH    4_2           -
races      cceh     BUG_SPLIT_NO_FLUSH     16_2          5.2 #1, #2 key and value
races      fastfair BUG_ENTRY_CONSTRUCTOR  8_2           5.2 #5, #6 key and ptr of an entry
races      fastfair BUG_BTREE_CONSTRUCTOR  4_2           5.2 #7 root
races      fastfair BUG_HEADER_CONSTRUCTOR 8_2           5.2 #8 sibling_ptr
"""

# For machines that share memory, of which one fails: what the analyses say about lock words is silenced.
CORRECT_CXL = ["cceh-cxl 4 2", "cceh-cxl 16 2", "fastfair-cxl 4 2", "fastfair-cxl 16 2", "clht-cxl 4 2", "clht-cxl 16 2", "shm 2",
               "cceh-cxl 2 2 --machines=3 --failures=2"]
SEEDED_CXL = """
robustness cceh-cxl     BUG_TABLE_OBJECT       4_2
robustness cceh-cxl     BUG_DIRECTORY_OBJECT   4_2
robustness cceh-cxl     BUG_SEGMENT_POINTERS   4_2
robustness cceh-cxl     BUG_SEGMENT_DEPTH      4_2
robustness cceh-cxl     BUG_INSERT_NO_FLUSH    4_2
robustness cceh-cxl     BUG_SPLIT_NO_FLUSH     16_2
robustness cceh-cxl     BUG_SPLIT_NO_FENCE     16_2
robustness cceh-cxl     BUG_SPLIT_DEPTH_FIRST  16_2
robustness cceh-cxl     BUG_FLUSH_POINTEE      16_2
robustness fastfair-cxl BUG_BTREE_CONSTRUCTOR  4_2
robustness fastfair-cxl BUG_HEADER_CONSTRUCTOR 16_2
robustness fastfair-cxl BUG_ENTRY_CONSTRUCTOR  16_2
robustness fastfair-cxl BUG_INSERT_NO_FLUSH    4_2
robustness fastfair-cxl BUG_HEADER_PADDING     4_2
robustness fastfair-cxl BUG_SHIFT_NO_FLUSH     16_2
robustness fastfair-cxl BUG_SPLIT_NO_FENCE     16_2
robustness fastfair-cxl BUG_FLUSH_POINTEE      16_2
robustness clht-cxl     BUG_CLHT_CONSTRUCTOR   4_2
robustness clht-cxl     BUG_HASHTABLE_OBJECT   4_2
robustness clht-cxl     BUG_HASHTABLE_ARRAY    16_2
robustness clht-cxl     BUG_INSERT_NO_FLUSH    4_2
robustness clht-cxl     BUG_CHAIN_NO_FENCE     16_2
robustness clht-cxl     BUG_RESIZE_NO_FENCE    16_2
robustness shm          BUG_DATA_NO_FLUSH      2
robustness shm          BUG_LOG_NO_FLUSH       2
races      cceh-cxl     BUG_SPLIT_NO_FLUSH     16_2
races      fastfair-cxl BUG_ENTRY_CONSTRUCTOR  16_2
races      clht-cxl     BUG_HASHTABLE_OBJECT   4_2
races      shm          BUG_DATA_NO_FLUSH      2
"""
KINDS = {"robustness": "robustness", "races": "persistency-race"}


def model(program):
    shared = "-cxl" in program or program.startswith("shm")
    return ["--model=cxl", "--machines=2", "--suppressions=" + os.path.join(ROOT, "examples", "cxl.supp")] if shared else []


def check(analyses, program, arguments, *options):
    command = [os.path.join(BUILD, "bin", "tidemark"), "check", "--json=-", "--quiet", "--analyses=" + analyses, *model(program), *options,
               os.path.join(BUILD, "examples", program), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False)
    return json.loads(done.stdout)


def tagged(switch):
    """{(file name, line)} that have the switch in a comment."""
    lines = set()
    for folder, _, names in os.walk(os.path.join(ROOT, "examples")):
        for name in names:
            if name.endswith((".c", ".h")):
                with open(os.path.join(folder, name)) as f:
                    lines |= {(name, n) for n, line in enumerate(f, 1) if switch + ":" in line}
    return lines


def seeded(analysis, program, switch, arguments):
    """None, or what is wrong."""
    report = check(analysis, "%s-%s" % (program, switch), arguments)
    found = [f for f in report["findings"] if f["kind"] == KINDS[analysis]]
    guilty = [f for f in found if (os.path.basename(f["location"]["file"]), f["location"]["line"]) in tagged(switch)]
    if not guilty:
        return "names %s" % [(f["location"]["file"], f["location"]["line"]) for f in found]
    if analysis == "robustness" and not any(f["fix_windows"] and f["fix_windows"][0]["primary"] for f in guilty):
        return "no place for the flush"
    if analysis == "races" and not any((f["fix"] or "").startswith(("make it atomic", "persist the copy")) for f in guilty):
        return "no fix"
    return None


VERIFIED = (("cceh", "BUG_DIRECTORY_OBJECT"), ("fastfair", "BUG_ENTRY_CONSTRUCTOR"), ("cceh", "BUG_SPLIT_NO_FENCE"),
            ("clht", "BUG_HASHTABLE_OBJECT"), ("cceh-cxl", "BUG_SEGMENT_POINTERS"), ("shm", "BUG_LOG_NO_FLUSH"))


def fixed(program, switch, arguments):
    """None, or what is wrong with the diff."""
    command = [os.path.join(BUILD, "bin", "tidemark"), "check", "--quiet", "--analyses=robustness", "--fix=/dev/null",
               "--verify-fix", *model(program), os.path.join(BUILD, "examples", "%s-%s" % (program, switch)), *arguments]
    said = subprocess.run(command, stderr=subprocess.PIPE, timeout=300, check=False).stderr.decode()
    match = re.search(r"(\d+) of (\d+) findings are fixed, 0 still there, 0 new", said)
    return None if match and match.group(1) == match.group(2) != "0" else said


def main():
    passed = failed = 0
    results = []
    for line in CORRECT + CORRECT_CXL:
        program, *words = line.split()
        arguments, options = ([w for w in words if w.startswith("--") == o] for o in (False, True))
        found = [f["kind"] for f in check("robustness,races", program, arguments, *options)["findings"]]
        results.append((line, found or None))
    for line in SEEDED.strip().splitlines() + SEEDED_CXL.strip().splitlines():
        analysis, program, switch, arguments = line.split()[:4]
        results.append((line, seeded(analysis, program, switch, arguments.split("_"))))
        if analysis == "robustness" and (program, switch) in VERIFIED:
            results.append(("--verify-fix " + line, fixed(program, switch, arguments.split("_"))))
    for line, what in results:
        passed, failed = passed + (what is None), failed + (what is not None)
        if what:
            print("FAILED %s\n     %s" % (line, what))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
