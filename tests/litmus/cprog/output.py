#!/usr/bin/env python3
"""What is said about C programs: witnesses in source lines, cores with orders, weaker orders."""
import json
import os
import re
import subprocess
import sys
import tempfile

failed = 0


def expect(what, fine, shown=""):
    global failed
    if not fine:
        failed += 1
        print(f"--- {what}\n{shown}")


def litmus(*words, flags=()):
    return subprocess.run(["tidemark", "litmus", *words, "--", "-w", *flags], capture_output=True, text=True)


def as_json(*words, flags=()):
    return json.loads(litmus("--json=-", *words, flags=flags).stdout)[0]


def line_of(name, text):
    """Where a program has the text, whatever lines its expectations take at the top."""
    with open(name) as f:
        return next(number for number, line in enumerate(f, 1) if text in line)


def witness():
    text = litmus("--model=x86tso", "sb.c").stdout
    place = f"sb.c:{line_of('sb.c', 'assert(r0')}"
    expect("the violated assertion", f"Violation {place} final: assertion 'r0 || r1' fails" in text, text)
    expect("a read in its line", "read  y = 0  initially" in text and "r0 = atomic_load_explicit(&y" in text, text)
    events = as_json("--model=x86tso", "sb.c")["witness"]["events"]
    names = {e["name"] for e in events}
    reads = [e for e in events if e["kind"] == "read"]
    expect("reads see events that are there", reads and all(e["from"] in names for e in reads), events)
    text = litmus("--model=sc", "callees.c", flags=["-DWRONG"]).stdout
    expect("a function by its name", " heap:28+40 = miss " in text, text)
    text = litmus("--model=rc11", "--unroll=3", "treiber.c", flags=["-DPUSH=memory_order_relaxed"]).stdout
    expect("what malloc gave twice has two names", " = &heap:14 [" in text and " = &heap:14#2 [" in text, text)
    text = litmus("--model=sc", "choices.c", flags=["-DANY"]).stdout
    expect("what the program got where it asks for any value", re.search(
        r"thread0\n    choices.c:(\d+) +any value = 123456789 .*\n    choices.c:\1 +write x = 123456789 ", text), text)
    inputs = as_json("--model=sc", "choices.c", flags=["-DANY"])["witness"]["inputs"]
    expect("the same, as JSON", [(i["thread"], i["value"]) for i in inputs] == [("thread0", 123456789)], inputs)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "late.c")
        with open(path, "w") as f:
            f.write("#include <assert.h>\nint __VERIFIER_nondet_int(void);\nstatic int x, y;\n"
                    "void thread0(void) {\n  x = 1;\n  x = 2;\n  x = 3;\n}\n"
                    "void thread1(void) {\n  y = 1;\n  int n = __VERIFIER_nondet_int();\n  y = 2;\n  assert(n != 5);\n}\n")
        text = litmus("--model=sc", path).stdout
        expect("it stands between what the thread did before and after",
               re.search(r":10 +write y = 1 .*\n.*:11 +any value = 5 .*\n.*:12 +write y = 2 ", text), text)
    text = litmus("--model=sc", "choices.c", flags=["-DRANDOM", "-DBELOW"]).stdout
    expect("an access in front of an array",
           "access 4 bytes in front of 'places', which has 20 bytes" in text and "any value = -1 " in text, text)
    text = litmus("--model=rc11", "threads.cpp", flags=["-DRACE"]).stdout
    expect("no tables of virtual functions", " total = " in text and "vtable" not in text and "_Z" not in text, text)
    race = as_json("--model=rc11", "race.c")
    lines = {a["line"] for r in race["races"] for a in r["accesses"]}
    expect("a race names both accesses", "data-race" in race["flags"] and lines == {18, 31}, race["races"])


def core():
    result = as_json("--model=rc11", "mp.c")
    orders = {(c["line"], c["text"]) for c in result["core"] if c["kind"] == "order"}
    expect("a core names the orders",
           orders == {(27, "memory_order_release"), (28, "memory_order_acquire")}, result["core"])
    result = as_json("--model=x86tso", "sb.c", flags=["-DFENCE"])
    fences = [c for c in result["core"] if c["kind"] == "fence"]
    expect("a core names the fence", {c["line"] for c in fences} == {line_of("sb.c", "atomic_thread_fence")}, result["core"])
    result = as_json("--model=aarch64", "lb.c", flags=["-DDATA"])
    kinds = [c["text"].split()[0] for c in result["core"] if c["kind"] == "dependency"]
    expect("a core names the dependencies", kinds and set(kinds) == {"data"}, result["core"])
    result = as_json("--model=x86tso", "mp.c")
    expect("x86 needs no orders here", not [c for c in result["core"] if c["kind"] == "order"], result["core"])


def minimise():
    text = litmus("--model=rc11", "--core=none", "--minimise-orders", "mp.c", flags=["-DR=memory_order_seq_cst"]).stdout
    expect("an order behind a macro is said beside the line", "/* column 26: memory_order_acquire */" in text, text)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lock.c")
        with open("locks_simple.c") as f:
            source = f.read().replace("ACQUIRE)", "memory_order_seq_cst)").replace("RELEASE)", "memory_order_seq_cst)")
        with open(path, "w") as f:
            f.write(source.replace("memory_order_relaxed);\n  while", "memory_order_seq_cst);\n  while"))
        done = litmus("--model=rc11", "--core=none", "--minimise-orders", path, flags=["-DTICKET"])
        diff = done.stdout[done.stdout.index("---"):]
        expect("a diff", diff.count("\n+ ") == 3 and "memory_order_acquire" in diff, done.stdout)
        patched = subprocess.run(["patch", "-s", path], input=diff, text=True, capture_output=True)
        expect("the diff can be applied", patched.returncode == 0, patched.stdout)
        again = litmus("--model=rc11", "--core=none", "--minimise-orders", path, flags=["-DTICKET"]).stdout
        expect("and nothing is left to be weakened", "Orders 0 of the program" in again, again)
        with open(path, "w") as f:
            f.write("#include <stdatomic.h>\nstatic atomic_int x;\n"
                    "void thread0(void) { int e = 0; atomic_compare_exchange_strong(&x, &e, x + 1); }\n")
        text = litmus("--model=rc11", "--core=none", "--minimise-orders", path).stdout
        expect("an exchange whose argument is atomic, too", "x + 1, memory_order_relaxed, memory_order_relaxed);" in text, text)
        with open(path, "w") as f:
            f.write("#include <stdatomic.h>\natomic_int x;\n"
                    "int nobody(void) { return atomic_load(&x); }\nvoid thread0(void) { atomic_store(&x, 1); }\n")
        text = litmus("--model=rc11", "--core=none", "--minimise-orders", path).stdout
        expect("nothing is said about what is not executed", "Orders 1 of the program" in text and "nobody" not in text, text)


def minimise_statements():
    """What is left out is the fence, and nothing else, wherever it stands."""
    source = """#include <stdatomic.h>
#define FENCE atomic_thread_fence(memory_order_seq_cst)
static atomic_int x, y;
void thread0(void) {
  FENCE; while (0) y = 1;
  if (atomic_load_explicit(&x, memory_order_relaxed))
    atomic_thread_fence(memory_order_seq_cst);
  // and then
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store_explicit(&x, atomic_load_explicit(&y, memory_order_acquire), memory_order_seq_cst);
  (void)0, atomic_thread_fence(memory_order_seq_cst);
}
void thread1(void) { atomic_store_explicit(&x, 1, memory_order_relaxed); }
"""
    wanted = (source.replace("y = 1;", "y = 1; /* column 3: not needed */")
              .replace("    atomic_thread_fence(memory_order_seq_cst);\n", "    ;\n")
              .replace("\n  atomic_thread_fence(memory_order_seq_cst);", "")
              .replace("acquire), memory_order_seq_cst);", "relaxed), memory_order_relaxed);")
              .replace("  (void)0, atomic_thread_fence(memory_order_seq_cst);",
                       "  (void)0, atomic_thread_fence(memory_order_seq_cst); /* column 12: not needed */"))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "fences.c")
        with open(path, "w") as f:
            f.write(source)
        done = litmus("--model=rc11", "--core=none", "--minimise-orders", path)
        diff = done.stdout[done.stdout.index("---"):] if "---" in done.stdout else ""
        subprocess.run(["patch", "-s", path], input=diff, text=True, capture_output=True)
        with open(path) as f:
            text = f.read()
        expect("fences in ways, behind macros and among operators", text == wanted, done.stdout)


def minimise_cxx():
    """Orders of std::atomic are where it is called, not in the library's headers."""
    source = """#include <atomic>
#include <cassert>
std::atomic<bool> taken;
static int data;
static void add() {
  while (taken.exchange(true))
    ;
  data++;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  taken.store(false, std::memory_order_seq_cst);
}
extern "C" void thread0() { add(); }
extern "C" void thread1() { add(); }
extern "C" void final() { bool free = !std::atomic_load(&taken); assert(data == 2 && free); }
"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "spin.cpp")
        with open(path, "w") as f:
            f.write(source)
        done = litmus("--model=rc11", "--core=none", "--minimise-orders", path)
        diff = done.stdout[done.stdout.index("---"):] if "---" in done.stdout else ""
        patched = subprocess.run(["patch", "-s", path], input=diff, text=True, capture_output=True)
        expect("a diff of a C++ program can be applied", patched.returncode == 0, done.stdout + patched.stdout)
        with open(path) as f:
            text = f.read()
        wanted = (source.replace("exchange(true)", "exchange(true, std::memory_order_acquire)")
                  .replace("  std::atomic_thread_fence(std::memory_order_seq_cst);\n", "")
                  .replace("false, std::memory_order_seq_cst", "false, std::memory_order_release")
                  .replace("atomic_load(&taken)", "atomic_load_explicit(&taken, std::memory_order_relaxed)"))
        expect("weaker orders of std::atomic", text == wanted, text)
        again = litmus("--model=rc11", "--core=none", "--minimise-orders", path)
        expect("and nothing is left of them", "Orders 0 of the program" in again.stdout, again.stdout + again.stderr)
        with open(path, "w") as f:
            f.write(source.replace("exchange(true)", "exchange(true, std::memory_order_relaxed)"))
        text = litmus("--model=rc11", path).stdout
        expect("a witness in lines of the program", "spin.cpp:6 " in text and "atomic_base" not in text, text)


def wrong():
    for flag, part in (("NULL_POINTER", "access through a null pointer"),
                       ("SYMBOLIC", "access right behind the end of 'numbers', which has 16 bytes")):
        result = as_json("--model=sc", "wrong_address.c", flags=["-D" + flag])
        expect(f"what is wrong: {flag}", result["violation"]["text"] == part, result["violation"])
    for flag, part in (("AFTER", "use after free: freed at freed.c:44 by thread0"),
                       ("TWICE", "a second free: freed at freed.c:46 by thread0"),
                       ("VARIABLE", "free of what is not from malloc")):
        result = as_json("--model=sc", "freed.c", flags=["-D" + flag])
        expect(f"what is wrong: {flag}", result["violation"]["text"] == part, result["violation"])
    for file, flag, part in (("returned.c", "EARLY", "use of a local variable of writer after its end, at returned.c:59"),
                             ("lock_misuse.c", "OTHER", "unlock of what this thread has not locked")):
        result = as_json("--model=sc", file, flags=["-D" + flag])
        expect(f"what is wrong: {flag}", result["violation"]["text"] == part, result["violation"])


def bounds():
    result = as_json("--model=sc", "--unroll=0", "loops.c")
    expect("a bound names the loop", result["verdict"] == "bounded" and not result["complete"]
           and result["bound"]["line"] in (17, 22), result)
    text = litmus("--model=sc", "--quiet", "mutexes.c", flags=["-DCROSSED"]).stdout
    expect("a deadlock is warned of", "may wait for ever, mutexes.c:" in text, text)


def other_options():
    done = litmus("--compare", "sc", "x86tso", "sb.c", "mp.c")
    expect("two models are compared", done.returncode == 0 and "sb.c sc verified x86tso violated" in done.stdout
           and "on 2 tests: 1 differ" in done.stdout, done.stdout + done.stderr)
    done = litmus("--expect=sb.c", "--model=sc", "sb.c")
    expect("an option that is for tests only", done.returncode == 2 and "--expect is for litmus tests" in done.stderr, done.stderr)
    done = litmus("--cross-check", "--time", "--model=sc", "sb.c")
    expect("verified without the solver", re.search(r"Second opinion: none of \d+ candidates goes wrong", done.stdout), done.stdout)
    done = litmus("--cross-check", "--time", "--model=rc11", "locks_queue.c")
    expect("too much for another opinion", "Second opinion: none (too many candidates" in done.stdout, done.stdout)
    for program, model, opinion in (("mp.c", "rc11", "candidates"), ("sb.c", "rc11", "witness"), ("locks_queue.c", "rc11", None)):
        result = json.loads(litmus("--json=-", "--core=none", f"--model={model}", program).stdout)[0]
        expect(f"the second opinion on {program}", result["second_opinion"] == opinion, result)
    with tempfile.TemporaryDirectory() as folder:
        dot, svg = os.path.join(folder, "w.dot"), os.path.join(folder, "w.svg")
        litmus("--model=x86tso", f"--dot={dot}", f"--svg={svg}", "sb.c")
        expect("pictures", "write(x,1)" in open(dot).read() and "</svg>" in open(svg).read())


def bitcode():
    """What another compiler run has left behind is a program, too."""
    with tempfile.TemporaryDirectory() as folder:
        for end, flags in ((".ll", ["-S"]), (".bc", ["-c"])):
            path = os.path.join(folder, "mp" + end)
            subprocess.run(["clang-19", "-g", "-O0", "-emit-llvm", *flags, "-DR=memory_order_relaxed", "mp.c", "-o", path],
                           check=True)
            result = as_json("--model=rc11", path)
            places = {(a["file"], a["line"]) for r in result["races"] for a in r["accesses"]}
            expect(f"LLVM's {end}", result["verdict"] == "violated" and places == {("mp.c", 27), ("mp.c", 28)}, result)
            expect(f"LLVM's {end} under another model", as_json("--model=x86tso", path)["verdict"] == "verified")
        small = os.path.join(folder, "small.ll")
        with open(small, "w") as f:
            f.write('target datalayout = "e-p:32:32"\ndefine void @thread0() {\n  ret void\n}\n')
        done = litmus("--model=sc", small)
        expect("another machine's pointers", done.returncode == 2 and "pointers of 32 bits" in done.stderr, done.stderr)


def races():
    """Three threads that execute the same line race once there, as far as the reader is concerned."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "three.c")
        with open(path, "w") as f:
            f.write("static int x;\nstatic void add(void) { x++; }\n"
                    "void thread0(void) { add(); }\nvoid thread1(void) { add(); }\nvoid thread2(void) { add(); }\n")
        text = litmus("--model=rc11", "--quiet", path).stdout
        expect("one line, one race", text.count("Violation") == 1, text)
        listed = as_json("--model=rc11", path)["races"]
        pairs = [tuple(sorted(a["thread"] for a in r["accesses"])) for r in listed]
        expect("JSON has each pair of threads once", len(pairs) == len(set(pairs)), listed)


def library():
    """The functions that tidemark-lift knows to be in the library are those that are."""
    root = os.path.join("..", "..", "..")
    with open(os.path.join(root, "include", "tidemark-litmus", "library.c")) as f:
        defined = set(re.findall(r"^(?!static|enum|#)[\w ]+?\*?(\w+)\([^;]*\) \{$", f.read(), re.M))
    with open(os.path.join(root, "src", "lift", "lift_library.c")) as f:
        table = re.search(r"names\[\] = \{(.*?)\};", f.read(), re.S).group(1)
    expect("the list of the library's functions", defined == set(re.findall(r'"(\w+)"', table)), defined)


def main():
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    for part in (witness, wrong, core, minimise, minimise_statements, minimise_cxx, bounds, other_options, bitcode, races, library):
        part()
    sys.exit(failed != 0)


main()
