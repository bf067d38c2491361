#!/usr/bin/env python3
"""Check every hostile program: the right finding and exit status, in-process and isolated, and the
checker neither dies nor hangs.  What is expected stands in the first lines of each program."""
import concurrent.futures, json, os, re, subprocess, sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
BIN = os.path.join(ROOT, "build/bin")
OUT = os.path.join(ROOT, "build/tests/hostile")
TIMEOUT = 180


def header(path):
    text = open(path).read()
    expect = re.search(r"^// EXPECT: (\S+) (\d+)", text, re.M)
    options = re.search(r"^// OPTIONS: (.*)", text, re.M)
    flags = re.search(r"^// FLAGS: (.*)", text, re.M)
    if not expect:
        sys.exit(f"{path}: no EXPECT line")
    return (expect[1], int(expect[2]), options[1].split() if options else [],
            flags[1].split() if flags else [])


def place_problem(path, report):
    """Is every finding where the program says (// HERE), with the message (// MESSAGE:) and with the
    functions of // STACK: among those of its stack, innermost first?  What is wrong, or None."""
    text = open(path).read()
    here = {n for n, line in enumerate(text.splitlines(), 1) if line.endswith("// HERE")}
    message = re.search(r"^// MESSAGE: (.*)", text, re.M)
    says = re.search(r"^// SAYS: (.*)", text, re.M)
    stack = re.search(r"^// STACK: (.*)", text, re.M)
    store = re.search(r"^// STORE: (\d+)", text, re.M)
    for f in report["findings"]:
        place = f["location"]
        if message and message[1] != f["message"]:
            return f"message: {f['message']}"
        if says and says[1] not in f["message"]:
            return f"message: {f['message']}"
        if store and (f["fix_location"] or {}).get("line") != int(store[1]):
            return f"the fix is at {f['fix_location']}"
        if here and (os.path.basename(place["file"] or "?") != os.path.basename(path) or
                     place["line"] not in here or not place["column"]):
            return f"found at {place}"
        if stack:
            wanted = stack[1].split()
            functions = [x["function"] for x in f["stack"] if x["function"] in wanted]
            if functions != wanted:
                return f"stack: {[x['function'] for x in f['stack']]}"
    return None


def run_one(path, mode):
    name = os.path.basename(path)
    kind, status, options, _ = header(path)
    command = [f"{BIN}/tidemark", "check", "--allow-empty", "--json=-", "--hang-seconds=2", *mode, *options, f"{OUT}/{name}.bin"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"hangs ({' '.join(command)})"
    report = json.loads(done.stdout) if done.stdout.strip() else {"findings": []}
    kinds = {f["kind"] for f in report["findings"]}
    wanted = set() if kind in ("none", "refused") else {kind}
    if done.returncode != status or kinds != wanted:
        return (f"expected {kind} and exit {status}, got {sorted(kinds)} and exit "
                f"{done.returncode}\n  {' '.join(command)}\n  {done.stderr.strip()[-300:]}")
    return place_problem(path, report)


def build(path):
    """Unless it is there already: tests/programs/cxl/hostile.py has the same programs, perhaps at the same time."""
    program = f"{OUT}/{os.path.basename(path)}.bin"
    compiler = f"{BIN}/{'tidemark-c++' if path.endswith('.cc') else 'tidemark-cc'}"
    needs = [path, compiler, os.path.join(ROOT, "include/tidemark.h")]
    if os.path.exists(program) and os.path.getmtime(program) > max(map(os.path.getmtime, needs)):
        return None
    flags = header(path)[3]
    done = subprocess.run([compiler, "-g", "-O1", "-w", path, "-o", f"{program}.{os.getpid()}", "-lpthread", *flags],
                          capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    os.replace(f"{program}.{os.getpid()}", program)
    return None


def check(path):
    error = build(path)
    problems = [error] if error else [e for mode in ([], ["--isolate"])
                                      if (e := run_one(path, mode))]
    return os.path.basename(path), problems


def main():
    os.makedirs(OUT, exist_ok=True)
    here = os.path.dirname(os.path.abspath(__file__))
    wanted = sys.argv[1:]
    paths = sorted(os.path.join(here, f) for f in os.listdir(here)
                   if f.endswith((".c", ".cc")) and (not wanted or f in wanted))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, problems in pool.map(check, paths):
            failed += bool(problems)
            for p in problems:
                print(f"FAIL {name}: {p}")
    print(f"{len(paths) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
