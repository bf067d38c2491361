#!/usr/bin/env python3
"""A search gives one report, however it is divided: among any number of workers, killed and resumed
at any moments, in shards that are merged.

    run.py                     what make check runs
    run.py --kills 200         so many kills
    run.py --all               every example, more ways to divide
"""
import argparse
import difflib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
BUILD = os.path.join(ROOT, "build")
TIDEMARK = os.path.join(BUILD, "bin/tidemark")
# What measures the work and not the program.
MEASURED = ("program_runs", "steps", "peak_bytes", "cpu_seconds", "wall_seconds",
            "estimated_executions")  # of what is left, by whoever searches
passed = failed = 0


def check(good, what):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAILED:", what)
    return good


def environment_of(arguments, scatter):
    environment = dict(os.environ)
    environment.pop("TIDEMARK_OPTIONS", None)
    if scatter:
        environment["TIDEMARK_SCATTER"] = str(scatter)
    if any(a.startswith("--schedule=bounded") for a in arguments):  # and not classes of them
        environment["TIDEMARK_TEST_SETTINGS"] = "all-first=0"
    return environment


def has_units(arguments):
    """Not with --model=cxl, where all searches are divided by positions."""
    return "--model=cxl" not in arguments and any(
        a in ("--model=sc", "--model=tso", "--schedule=all") or a.startswith("--schedule=bounded") for a in arguments)


def tidemark(arguments, scatter=None, command="check"):
    environment = environment_of(arguments, scatter)
    return subprocess.run([TIDEMARK, command] + arguments, env=environment, capture_output=True,
                          text=True, cwd=ROOT, check=False)


def report_of(path):
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    for key in MEASURED:
        report.pop(key, None)
    return json.dumps(report, indent=1).splitlines()


def search(work, arguments, scatter=None, command="check"):
    """Exit status and report."""
    path = os.path.join(work, "report.json")
    done = tidemark(["--quiet", "--json=" + path] + arguments, scatter, command)
    if not os.path.exists(path):
        return done.returncode, [done.stderr]
    report = report_of(path)
    os.unlink(path)
    return done.returncode, report


def same(expected, got, what):
    if check(expected == got, what):
        return
    for line in list(difflib.unified_diff(expected[1], got[1], "whole", "parts", lineterm="", n=1))[:20]:
        print("   ", line)
    print("    exit status", expected[0], got[0])


def example(name, *arguments):
    return [os.path.join(BUILD, "examples", name)] + list(arguments)


def cases(everything):
    names = sorted(os.listdir(os.path.join(BUILD, "examples")))
    kept = [n for n in names if n.split("-")[0] in ("cceh", "clht", "fastfair")]
    pm = [n for n in kept if "-cxl" not in n]
    cxl = [n for n in kept if "-cxl" in n]
    if not everything:
        pm = ["cceh", "cceh-BUG_SPLIT_NO_FLUSH", "fastfair", "clht-BUG_RESIZE_NO_FENCE"]
        cxl = ["cceh-cxl", "clht-cxl-BUG_CHAIN_NO_FENCE"]
    for name in pm:
        yield example(name, "4", "2")
        yield ["--analyses=robustness,races"] + example(name, "4", "2")
    for name in pm[: None if everything else 2]:
        yield ["--failures=2", "--count-eager"] + example(name, "3", "2")
        yield ["--no-share"] + example(name, "3", "2")
    for name in pm[: None if everything else 2]:
        for schedule in ("random", "pct:3"):
            yield [f"--schedule={schedule}", "--runs=30"] + example(name, "3", "2")
    for name in cxl:
        yield ["--model=cxl"] + example(name, "4", "2")
    for name in cxl[: None if everything else 1]:
        yield ["--model=cxl", "--machines=3"] + example(name, "2", "2")
        yield ["--model=cxl", "--poison"] + example(name, "2", "2")
    for schedule in ("random", "pct:3"):
        yield ["--model=cxl", f"--schedule={schedule}", "--runs=5"] + example("clht-cxl-BUG_CHAIN_NO_FENCE", "2", "2")
    yield ["--model=cxl", "--schedule=bounded:0", "--failures=2"] + example("clht-cxl-BUG_CHAIN_NO_FENCE", "2", "2")
    # A finding that is described anew, by a better execution, while the program runs.
    yield (["--model=cxl", "--machines=3", "--failures=2", "--analyses=robustness,races"]
           + example("cceh-cxl-BUG_TABLE_OBJECT", "2", "2"))
    # A finding at the first execution, and a program without stores.
    yield ["--failures=0"] + example("cceh", "2", "2")


def any_number_of_workers(work, everything):
    for arguments in cases(everything):
        whole = search(work, ["--jobs=1"] + arguments)
        for jobs, scatter in ((1, 2), (2, 3), (3, 2), (7, 5)) + (((2, None),) if everything else ()):
            got = search(work, [f"--jobs={jobs}"] + arguments, scatter)
            same(whole, got, f"{jobs} workers, scatter {scatter}: {' '.join(arguments)}")


def build(work, source):
    program = os.path.join(work, os.path.basename(source)[:-2])
    subprocess.run([TIDEMARK + "-cc", "-g", "-O1", os.path.join(ROOT, source), "-o", program], check=True)
    return program


def schedules_of_machines(work):
    """How long pct takes schedules to be, and orders that are left out, must not depend on who explores what."""
    for name in ("lease", "store_buffering"):
        program = build(work, f"tests/programs/cxl/schedules/{name}.c")
        for schedule in (["--schedule=pct:3", "--runs=20"], ["--schedule=bounded:1"], ["--schedule=all"]):
            arguments = ["--model=cxl", "--failures=2", *schedule, program]
            whole = search(work, ["--jobs=1"] + arguments)
            for jobs, scatter in ((1, 2), (3, 2)):
                same(whole, search(work, [f"--jobs={jobs}"] + arguments, scatter),
                     f"{jobs} workers, scatter {scatter}: {' '.join(arguments)}")


def sampled_schedules(work):
    """A schedule follows from its number, also if a worker comes to the first ones, of different lengths, in another
    order; and the first one's failing without a failure says nothing about the others."""
    talks = ["--model=sc", "--schedule=pct:2", build(work, "tests/programs/concurrent/socket_pair.c")]
    fails = ["--model=cxl", "--schedule=random", "--runs=5", build(work, "tests/programs/cxl/litmus/different_programs.c")]
    for arguments in (talks, fails):
        whole = search(work, ["--jobs=1"] + arguments)
        check(json.loads("\n".join(whole[1]))["complete"], "all were sampled: " + " ".join(arguments))
        for jobs, scatter in ((1, 1), (2, 1), (3, 1), (3, 3)):
            same(whole, search(work, [f"--jobs={jobs}"] + arguments, scatter),
                 f"{jobs} workers, scatter {scatter}: {' '.join(arguments)}")


def schedules(everything):
    """Searches over all schedules, whose parts depend on when they are divided."""
    names = ["take_queue-BUG_STEAL_FENCE", "peterson-BUG_NO_FENCE", "condition_queue-BUG_NO_SIGNAL", "mcs_lock-BUG_LATE_RESET",
             "rwlock"]
    if everything:
        folder = os.path.join(ROOT, "examples", "concurrent")
        roots = {f.split(".")[0] for f in os.listdir(folder)}
        names = [n for n in sorted(os.listdir(os.path.join(BUILD, "examples"))) if n.split("-")[0] in roots]
    for name in names:
        for model in ("sc", "tso"):
            yield [f"--model={model}"] + example(name)
    for name in names[:2]:
        yield ["--model=sc", "--schedule=bounded:1"] + example(name)
        for schedule in ("random", "pct:3"):
            yield ["--model=tso", f"--schedule={schedule}"] + example(name)
    yield ["--model=sc", "--schedule=random", "--analyses=store-buffers"] + example(names[0])
    for name in names[:2]:
        yield ["--model=sc", "--analyses=store-buffers"] + example(name)
    yield ["--schedule=all", "--analyses=robustness,races"] + example("clht-BUG_KEY_BEFORE_VALUE", "2", "2")
    for name in ("fastfair", "clht-BUG_KEY_BEFORE_VALUE"):
        yield ["--schedule=bounded:1"] + example(name, "2", "2")
    for name, keys in (("fastfair", "3"), ("clht-BUG_KEY_BEFORE_VALUE", "3"), ("cceh", "3")):
        yield ["--schedule=all"] + example(name, keys, "2")


def summary(report):
    """What does not depend on how schedules are divided: of persistent memory, some cuts are searched twice,
    others not."""
    whole = json.loads("\n".join(report[1]))
    cuts = whole["model"] == "pm"
    return (report[0], whole["schedules"], whole["complete"], sorted(whole.get("outcomes") or ()),
            sorted((f["kind"], cuts or f["count"], f["place"]["line"] if f.get("place") else 0)
                   for f in whole["findings"]))


def any_division_of_schedules(work, everything):
    for arguments in schedules(everything):
        whole = search(work, ["--jobs=1"] + arguments)
        for runs in (1, 4, 30):
            one = search(work, ["--jobs=1"] + arguments, runs)
            check(summary(whole) == summary(one),
                  f"units of {runs}: {' '.join(arguments)}: {summary(whole)} {summary(one)}")
            for jobs in (2, 3, 7):
                got = search(work, [f"--jobs={jobs}"] + arguments, runs)
                same(one, got, f"{jobs} workers, units of {runs}: {' '.join(arguments)}")


def deadlocks_in_parts(work):
    """A part in which only barred threads could go on is at a deadlock like any other."""
    program = os.path.join(work, "barred")
    source = os.path.join(ROOT, "tests/programs/jobs/Inputs/barred.c")
    subprocess.run([TIDEMARK + "-cc", "-g", "-O1", source, "-o", program], check=True)
    for model, count in (("pm", 11), ("sc", 11), ("tso", 11)):
        arguments = [f"--model={model}", "--schedule=all", program]
        whole = summary(search(work, ["--jobs=1"] + arguments))
        check(whole[1] == count, f"{whole[1]} schedules of {count}: {' '.join(arguments)}")
        for runs in (1, 2, 4):
            one = summary(search(work, ["--jobs=1"] + arguments, runs))
            check(whole == one, f"units of {runs}: {' '.join(arguments)}: {whole} {one}")


def records(path):
    """Kind and bytes of each record."""
    with open(path, "rb") as f:
        contents = f.read()
    at = 0
    while at < len(contents):
        end = contents.index(b"\n", at)
        kind, length, _ = contents[at:end].split()
        yield kind.decode(), contents[end + 1 : end + 1 + int(length)]
        at = end + 1 + int(length) + 1


def executions_saved(path):
    total = 0
    for kind, body in records(path):
        if kind in ("part", "unit"):
            total += sum(int(l[11:]) for l in body.split(b"\n") if l.startswith(b"executions "))
    return total


def killed_and_resumed(work, kills, arguments, scatter):
    """Kill it at random moments until it has been killed so often, each time from the beginning when it
    has come to its end."""
    whole = search(work, ["--jobs=1"] + arguments, scatter if has_units(arguments) else None)
    rng = random.Random(kills)
    directory = os.path.join(work, "saved")
    report = os.path.join(work, "report.json")
    environment = environment_of(arguments, scatter)
    done = finished = 0
    seconds = 0.2
    while done < kills or finished == 0 or os.path.exists(directory):
        way = "resume" if os.path.exists(os.path.join(directory, "search")) else "save"
        start = time.time()
        if os.path.exists(report):
            os.unlink(report)
        process = subprocess.Popen(
            [TIDEMARK, "check", "--quiet", f"--json={report}", f"--{way}={directory}",
             f"--jobs={rng.choice((1, 2, 3))}"] + arguments, env=environment, cwd=ROOT,
            stderr=subprocess.PIPE, text=True)
        try:
            process.wait(rng.random() * seconds if done < kills else 300)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            process.stderr.close()
            done += 1
            if rng.random() < 0.3:  # the machine fails, too: the file ends somewhere in its last bytes
                path = os.path.join(directory, "search")
                if os.path.exists(path):
                    size = os.path.getsize(path)
                    os.truncate(path, max(0, size - rng.randrange(200)))
            continue
        errors = process.stderr.read()
        process.stderr.close()
        if not check(os.path.exists(report), "resume: " + errors):
            return
        seconds = min(0.5, max(0.02, time.time() - start))
        same(whole, (process.returncode, report_of(report)), "resumed: " + " ".join(arguments))
        total = json.loads("\n".join(whole[1]))["executions"]
        saved = executions_saved(os.path.join(directory, "search"))
        check(saved == total, f"{saved} executions were saved, there are {total}: none twice")
        status = tidemark([directory], command="status")
        check(status.returncode == 0 and "finished" in status.stdout, "status: " + status.stdout)
        os.unlink(report)
        shutil.rmtree(directory)
        finished += 1
    print(f"killed {done} times, came to the end {finished} times")


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as f:
            return [int(word) for word in f.read().split()]
    except OSError:
        return []


def disturbed(work, times, arguments, scatter):
    """A worker is killed, or the search is interrupted, and goes on: the same report, which says that somebody did that."""
    whole = search(work, ["--jobs=1"] + arguments, scatter if has_units(arguments) else None)
    rng = random.Random(times)
    report = os.path.join(work, "disturbed.json")
    for number in range(times):
        directory = os.path.join(work, f"disturbed{number}")
        for turn in range(5):
            way = "resume" if os.path.exists(os.path.join(directory, "search")) else "save"
            with open(report, "w", encoding="utf-8"):
                pass
            process = subprocess.Popen([TIDEMARK, "check", "--quiet", f"--json={report}", f"--{way}={directory}", "--jobs=2"]
                                       + arguments, env=environment_of(arguments, scatter), cwd=ROOT,
                                       stderr=subprocess.DEVNULL)
            time.sleep(rng.random() * 0.3)
            workers = children(process.pid)
            if turn < 4 and workers and number % 2:
                try:
                    os.kill(rng.choice(workers), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            elif turn < 4:
                process.send_signal(signal.SIGINT)
            process.wait()
            with open(report, encoding="utf-8") as f:
                text = f.read()  # nothing, if it was interrupted before it had begun
            if text and json.loads(text)["complete"]:
                break
        with open(report, encoding="utf-8") as f:
            got = json.load(f)
        got["notes"] = [n for n in got["notes"] if "killed from outside" not in n]
        with open(report, "w", encoding="utf-8") as f:
            json.dump(got, f)
        # the signal may come when all is written
        status = whole[0] if process.returncode == -signal.SIGINT else process.returncode
        same(whole, (status, report_of(report)), "disturbed: " + " ".join(arguments))
        shutil.rmtree(directory)


def other_searches_are_refused(work):
    directory = os.path.join(work, "one")
    search(work, [f"--save={directory}"] + example("cceh", "2", "2"))
    for arguments, what in (
            (["--failures=2"] + example("cceh", "2", "2"), "failures=2"),
            (example("cceh", "3", "2"), "the command"),
            (example("fastfair", "2", "2"), "the command"),
            (["--schedule=all"] + example("cceh", "2", "2"), "schedule=all"),
            (["--isolate"] + example("cceh", "2", "2"), "not divided")):
        got = tidemark([f"--resume={directory}"] + arguments)
        check(got.returncode == 2 and what in got.stderr, f"{what}: {got.stderr}")
    got = tidemark([f"--save={directory}"] + example("cceh", "2", "2"))
    check(got.returncode == 2 and "has a search already" in got.stderr, got.stderr)
    for contents, what in (("mine\n", "no search is saved there"), (None, "there is no such file")):
        other = os.path.join(work, "other")
        os.makedirs(other, exist_ok=True)
        path = os.path.join(other, "search")
        if contents:
            with open(path, "w", encoding="utf-8") as f:
                f.write(contents)
        for command, arguments in (("status", [other]), ("merge", [other]),
                                   ("check", [f"--resume={other}"] + example("cceh", "2", "2"))):
            got = tidemark(arguments, command=command)
            check(got.returncode == 2 and what in got.stderr, f"{command}: {got.stderr}")
        if contents:
            with open(path, encoding="utf-8") as f:
                check(f.read() == contents, "a file that is none of ours is left alone")
            os.unlink(path)
    with open(os.path.join(directory, "search"), "rb") as f:
        saved = f.read()
    worker = os.path.join(work, "worker")
    shutil.copy(os.path.join(BUILD, "libexec/tidemark-worker"), worker)
    with open(worker, "ab") as f:
        f.write(b"x")
    got = subprocess.run([TIDEMARK, "check", f"--resume={directory}"] + example("cceh", "2", "2"), capture_output=True, text=True,
                         env=dict(os.environ, TIDEMARK_WORKER=worker), cwd=ROOT, check=False)
    check(got.returncode == 2 and "Tidemark (version" in got.stderr, "another build: " + got.stderr)
    with open(os.path.join(directory, "search"), "rb") as f:
        check(f.read() == saved, "what is refused is left as it was")
    read = os.path.join(work, "read")
    for option in ("stdin", "client"):
        for turn, text in enumerate(("connect 1\n", "connect 2\n")):
            with open(read, "w", encoding="utf-8") as f:
                f.write(text)
            way = ("save", "resume")[turn]
            got = tidemark([f"--{way}={directory}-{option}", f"--{option}={read}"] + example("cceh", "2", "2"))
        check(got.returncode == 2 and "checksum" in got.stderr, f"--{option}: {got.stderr}")
    linked, library, source = (os.path.join(work, name) for name in ("linked", "libpart.so", "part.c"))
    for turn, text in enumerate(("int part(void) { return 1; }", "int part(void) { return 2; }")):
        with open(source, "w", encoding="utf-8") as f:
            f.write(text)
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library], check=True)
        if turn == 0:
            with open(linked + ".c", "w", encoding="utf-8") as f:
                f.write("int part(void);\nint main(void) { return part() < 0; }\n")
            subprocess.run([TIDEMARK + "-cc", linked + ".c", library, "-Wl,-rpath," + work, "-o", linked], check=True)
        got = tidemark([f"--{('save', 'resume')[turn]}={directory}-linked", "--allow-empty", linked])
    check(got.returncode == 2 and f"checksum): '{library} " in got.stderr and "libc" not in got.stderr,
          "a library: " + got.stderr)
    copy = os.path.join(work, "program")
    shutil.copy(example("cceh")[0], copy)
    search(work, [f"--save={directory}2", copy, "2", "2"])
    with open(copy, "ab") as f:
        f.write(b"x")
    got = tidemark([f"--resume={directory}2", copy, "2", "2"])
    check(got.returncode == 2 and "checksum" in got.stderr, got.stderr)


def damaged(work, times):
    """Bytes of the file that change, get lost or come in between: what can be read counts, and the rest is searched again."""
    rng = random.Random(times)
    directory = os.path.join(work, "damaged")
    path = os.path.join(directory, "search")
    for arguments, scatter in ((example("cceh-BUG_SPLIT_NO_FLUSH", "20", "2"), 6),
                               (["--model=tso"] + example("szymanski-BUG_NO_FENCE"), 4)):
        whole = search(work, ["--jobs=1"] + arguments, scatter if has_units(arguments) else None)
        search(work, [f"--save={directory}", "--jobs=2"] + arguments, scatter)
        with open(path, "rb") as f:
            good = f.read()
        for _ in range(times):
            contents, at = bytearray(good), rng.randrange(len(good))
            lost, new = rng.choice(((1, 1), (len(good), 0), (rng.randrange(300), 0), (0, 50)))
            contents[at : at + lost] = bytes(rng.randrange(256) for _ in range(new))
            with open(path, "wb") as f:
                f.write(contents)
            status = tidemark([directory], command="status")
            check(status.returncode in (0, 2), f"status of a damaged file: {status}")
            got = search(work, [f"--resume={directory}", "--jobs=2"] + arguments, scatter)
            if got[0] == 2:
                check("damaged" in got[1][0] or "another search" in got[1][0], f"a damaged file: {got}")
            else:
                same(whole, got, f"a damaged file, {at} -{lost} +{new}: {' '.join(arguments)}")
        shutil.rmtree(directory)


def bad_disks(work):
    """A file system without locks, and one that is full from the beginning, for a while, or to the end."""
    shim = os.path.join(work, "bad_disk.so")
    subprocess.run(["cc", "-shared", "-fPIC", os.path.join(ROOT, "tests/programs/jobs/Inputs/bad_disk.c"), "-o", shim],
                   check=True)
    arguments = example("cceh-BUG_SPLIT_NO_FLUSH", "20", "2")
    whole = search(work, ["--jobs=1"] + arguments)
    report = os.path.join(work, "report.json")
    cases = (("TEST_NO_LOCKS", "1", [], whole[0], "cannot be locked (Function not implemented)", "finished"),
             ("TEST_FULL", "1 99", [], 2, "search cannot be written: No space left on device", None),
             ("TEST_FULL", "3 6", [], whole[0], "is written again, nothing is lost", "finished"),
             ("TEST_FULL", "4 9999", [], whole[0], "will try again", "stopped without a word"),
             ("TEST_FULL", "4 9999", ["--first"], 2, "not all of what was searched could be saved", "stopped without a word"))
    for i, (name, value, options, status, said, state) in enumerate(cases):
        directory = os.path.join(work, f"bad{i}")
        environment = dict(environment_of(arguments, 6), LD_PRELOAD=shim, **{name: value})
        done = subprocess.run([TIDEMARK, "check", "--quiet", "--jobs=2", f"--save={directory}", f"--json={report}", *options,
                               *arguments], env=environment, capture_output=True, text=True, cwd=ROOT, check=False)
        check(done.returncode == status and said in done.stderr, f"{name}={value} {options}: {done.returncode} {done.stderr}")
        if state is None:
            check(not os.path.exists(directory + "/search"), "nothing is left that would be in the way")
            continue
        if not options:
            same(whole, (done.returncode, report_of(report)), f"{name}={value}")
        told = tidemark([directory], command="status").stdout
        check(state in told, f"{name}={value}: {told}")
        same(whole, search(work, [f"--resume={directory}"] + arguments), f"{name}={value}, resumed")


def budgets(work):
    """So many executions now, the rest later: the same as all at once."""
    arguments = example("cceh-BUG_SPLIT_NO_FLUSH", "40", "2")
    whole = search(work, ["--jobs=1"] + arguments)
    part = search(work, ["--max-executions=20"] + arguments)
    directory = os.path.join(work, "budget")
    got = search(work, [f"--save={directory}", "--max-executions=20"] + arguments)
    same(part, got, "a budget, and saved")
    status = tidemark([directory], command="status")
    check("stopped: --max-executions was reached" in status.stdout, status.stdout)
    check("to go          less than a second" in status.stdout, status.stdout)
    same(whole, search(work, [f"--resume={directory}", "--jobs=3"] + arguments), "the rest")
    path = os.path.join(directory, "search")
    with open(path, "rb") as f:
        contents = f.read()
    begun = contents.rindex(b"\nbegin ") + 1  # and killed at once
    os.truncate(path, contents.index(b"\n", contents.index(b"\n", begun) + 1) + 1)
    status = tidemark([directory], command="status")
    check("stopped without a word" in status.stdout and "was reached" not in status.stdout,
          "an earlier stop is not why: " + status.stdout)


def joined(work):
    """Recoveries that are joined, and a finding that nearly all of them show: parts of a second come to an end, too, and
    are not divided where who takes a part would have to find out all of it."""
    program = build(work, "bench/lines.c")
    whole = search(work, ["--jobs=1", program, "4000"])
    same(whole, search(work, ["--jobs=2", program, "4000"]), "joined, 2 workers")
    same(whole, search(work, ["--jobs=2", f"--save={work}/joined", "--timeout=100", program, "4000"]), "joined, saved")


def joined_after_looks(work):
    """What a worker did before, such as looks ahead, which come after some time, does not decide which executions are
    joined."""
    reports = []
    for settings in ("join-after=0", "join-after=0 scout=20"):
        os.environ["TIDEMARK_TEST_SETTINGS"] = settings
        reports.append(search(work, ["--schedule=all", "--jobs=1"] + example("cceh", "4", "2")))
        del os.environ["TIDEMARK_TEST_SETTINGS"]
    same(reports[0], reports[1], "joined executions after looks ahead")


def handed_on(work, kills, everything):
    """A search that joins executions is not divided, but handed on in the middle of what follows one: the report is that
    of one worker, also if it is killed and resumed, or divided into shards."""
    names = ["fastfair-BUG_END_BEFORE_LINK", "cceh-BUG_FLUSH_POINTEE"]
    if everything:
        names = [n for n in sorted(os.listdir(os.path.join(BUILD, "examples")))
                 if n.split("-")[0] in ("cceh", "clht", "fastfair") and "-cxl" not in n]
    for name in names:
        arguments = ["--schedule=all"] + example(name, "4" if everything else "3", "2")
        for after in (0, 3, 50) if everything else (0,):
            os.environ["TIDEMARK_TEST_SETTINGS"] = f"join-after={after} hands-on=2"
            whole = search(work, ["--jobs=1"] + arguments)
            for jobs in (2, 3, 7) if everything else (2, 7):
                same(whole, search(work, [f"--jobs={jobs}"] + arguments),
                     f"{jobs} workers, handed on, joined after {after}: {' '.join(arguments)}")
    os.environ["TIDEMARK_TEST_SETTINGS"] = "join-after=0 hands-on=2"
    arguments = ["--schedule=all"] + example(names[0], "4", "2")
    killed_and_resumed(work, kills, arguments, None)
    disturbed(work, kills // 2, arguments, None)
    whole = search(work, ["--jobs=1"] + arguments)
    folders = [os.path.join(work, f"handed{i}") for i in (1, 2)]
    for i, folder in enumerate(folders):
        search(work, [f"--save={folder}", f"--shard={i + 1}/2", "--jobs=2"] + arguments)
    same(whole, search(work, folders, command="merge"), f"handed on, two shards: {' '.join(arguments)}")
    for folder in folders:
        shutil.rmtree(folder)
    del os.environ["TIDEMARK_TEST_SETTINGS"]


def timeouts(work):
    """What was found is told, and the rest is searched later."""
    for arguments in (["--model=cxl", "--schedule=random", "--runs=40"] + example("clht-cxl", "3", "2"),
                      ["--model=cxl", "--schedule=pct:3", "--runs=40"] + example("clht-cxl", "3", "2"),
                      ["--schedule=bounded:1"] + example("fastfair", "4", "2")):
        directory = os.path.join(work, "timeout")
        whole = search(work, ["--jobs=1"] + arguments)
        got = search(work, [f"--save={directory}", "--timeout=0.4", "--jobs=2"] + arguments)
        report = json.loads("\n".join(got[1]))
        check(report["complete"] or (got[0] == 5 and "the timeout was reached" in report["incomplete_why"]),
              f"a report after the timeout: {got}")
        same(whole, search(work, [f"--resume={directory}", "--jobs=3"] + arguments), "after the timeout: " + " ".join(arguments))
        shutil.rmtree(directory)


def first(work):
    """Stop at a finding, and go on for all of them."""
    arguments = example("cceh-BUG_SPLIT_NO_FLUSH", "40", "2")
    whole = search(work, ["--jobs=1"] + arguments)
    directory = os.path.join(work, "first")
    got = search(work, [f"--save={directory}", "--first"] + arguments)
    report = json.loads("\n".join(got[1]))
    check(got[0] == 1 and len(report["findings"]) == 1 and "--first" in report["incomplete_why"],
          f"--first: {got}")
    same(whole, search(work, [f"--resume={directory}"] + arguments), "all of them")
    total = json.loads("\n".join(whole[1]))["executions"]
    check(0 < report["executions"] < total, f"--first: {report['executions']} of {total}")


def shards(work, everything):
    for arguments in (example("cceh-BUG_SPLIT_NO_FLUSH", "20", "2"),
                      ["--model=cxl"] + example("cceh-cxl", "8", "2"),
                      ["--failures=0"] + example("cceh", "2", "2"),
                      ["--schedule=all"] + example("clht-BUG_KEY_BEFORE_VALUE", "3", "2"),
                      ["--analyses=robustness"] + example("clht-BUG_INSERT_NO_FLUSH", "2", "2"),
                      ["--model=sc", "--analyses=store-buffers"] + example("szymanski-BUG_NO_FENCE"),
                      ["--model=tso"] + example("take_queue-BUG_STEAL_FENCE"),
                      ["--model=sc", "--schedule=bounded:1"] + example("peterson-BUG_NO_FENCE"),
                      ["--schedule=bounded:1"] + example("clht-BUG_KEY_BEFORE_VALUE", "2", "2"),
                      ["--model=cxl", "--schedule=pct:3", "--runs=5"] + example("clht-cxl", "2", "2"),
                      ["--model=sc", "--schedule=pct:3"] + example("szymanski-BUG_NO_FENCE"),
                      ["--model=tso", build_late(work)]):
        runs = 1 if has_units(arguments) else None
        whole = search(work, ["--jobs=1"] + arguments, runs)
        for count in (1, 2, 3, 7) if everything else (3,):
            folders = [os.path.join(work, f"shard{i}") for i in range(1, count + 1)]
            for i, folder in enumerate(folders):
                got = search(work, [f"--save={folder}", f"--shard={i + 1}/{count}", f"--jobs={1 + i % 2}"] + arguments, runs)
                check(got[0] in (1, 5), f"a shard is not the whole: {got[0]}")
            same(whole, search(work, folders[::-1], command="merge"), f"{count} shards: {' '.join(arguments)}")
            if count > 1:
                got = search(work, folders[1:], command="merge")
                # All shards explore the first units of a search over schedules: that may be all.
                check((runs and got == whole) or (got[0] in (1, 5) and f"some shards are missing: 1/{count}" in "".join(got[1])),
                      "a shard is missing")
            for folder in folders:
                shutil.rmtree(folder)


def merged_elsewhere(work):
    """Where the program is not: everything but call stacks."""
    program = os.path.join(work, "elsewhere")
    shutil.copy(example("cceh-BUG_SPLIT_NO_FLUSH")[0], program)
    folders = [os.path.join(work, f"elsewhere{i}") for i in (1, 2)]
    for i, folder in enumerate(folders):
        tidemark([f"--save={folder}", f"--shard={i + 1}/2", program, "20", "2"])
    here = search(work, folders, command="merge")
    os.unlink(program)
    there = search(work, folders, command="merge")
    counts = [[(f["kind"], f["count"]) for f in json.loads("\n".join(report))["findings"]] for _, report in (here, there)]
    check(here[0] == there[0] == 1 and counts[0] == counts[1] and "not here: call stacks" in "".join(there[1]),
          f"merged where the program is not: {here[0]} {there[0]} {counts} {there[1][:3]}")


DEADLY = """
#include <immintrin.h>
#include <stdint.h>
#include <tidemark.h>
void die_now(void);
int main(void) {
  uint64_t *p = tidemark_region("numbers", 64 * 20);
  int stored = 0;
  for (int i = 0; i < 20; i++)
    stored += p[i * 8] != 0;
  if (stored == 7)
    die_now();
  for (int i = 0; i < 20; i++) {
    p[i * 8] = i + 1;
    _mm_clflush(&p[i * 8]);
  }
}
"""
DIE = """
void die_now(void) { /* not through libc, and not built with tidemark-cc */
  long pid, r;
  __asm__ volatile("syscall" : "=a"(pid) : "a"(39L) : "rcx", "r11", "memory");
  __asm__ volatile("syscall" : "=a"(r) : "a"(62L), "D"(pid), "S"(9L) : "rcx", "r11", "memory");
}
"""


LATE = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b, seen;
static int own[32], rare[64];
static void *first(void *unused) {
  own[0]++;
  rare[32]++; /* nobody else touches it, most of the time */
  a = 1;
  if (b == 2)
    seen = 1;
  a = 2;
  return unused;
}
static void *second(void *unused) {
  b = 1;
  int x = a;
  b = 2;
  int y = a;
  if (x == 1 && y == 2 && seen == 1)
    rare[32]++;
  return unused;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], 0, first, 0);
  pthread_create(&t[1], 0, second, 0);
  pthread_join(t[0], 0);
  pthread_join(t[1], 0);
  assert(rare[32] != 2);
}
"""


def build_text(work, name, text):
    program = os.path.join(work, name)
    with open(program + ".c", "w", encoding="utf-8") as f:
        f.write(text)
    return build(work, program + ".c")


def build_late(work):
    return build_text(work, "late", LATE)


MANY_ORDERS = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x[64];
static void *adds(void *number) {
  for (int i = 0; i < 40; i++)
    atomic_fetch_or(&x[(i * 7 + (long)number) % 64], 1 << (long)number);
  return 0;
}
int main(void) {
  pthread_t t[4];
  for (long i = 0; i < 4; i++)
    pthread_create(&t[i], 0, adds, (void *)i);
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], 0);
}
"""
MANY_STEPS = """
#include <pthread.h>
static long big[1 << 20];
static void *adds(void *unused) {
  for (int i = 0; i < 1 << 20; i++)
    big[i]++;
  return unused;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], 0, adds, 0);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], 0);
}
"""


def memory(work):
    """What would need gigabytes stops, and goes on later, with more."""
    directory = os.path.join(work, "memory")
    orders = ["--model=sc", build_text(work, "many_orders", MANY_ORDERS)]
    steps = ["--model=sc", "--no-data-races", build_text(work, "many_steps", MANY_STEPS)]
    executions = []
    for options, arguments in ((["--memory=64M", "--save=" + directory], orders),
                               (["--memory=200M", "--resume=" + directory], orders),
                               (["--memory=64M"], steps)):
        path = os.path.join(work, "memory.json")
        done = tidemark(["--quiet", "--jobs=2", "--timeout=60", "--json=" + path, *options, *arguments])
        with open(path, encoding="utf-8") as f:
            report = json.load(f)
        check(done.returncode == 5 and report["incomplete_why"].startswith("--memory was reached"),
              f"{options}: {report['incomplete_why']} {done.stderr}")
        check(report["peak_bytes"] < 500 << 20, f"{options}: {report['peak_bytes'] >> 20} MiB")
        executions.append(report["executions"])
    check(executions[1] > executions[0] + 1000, f"there is more to do: {executions}")


def late_sharing(work):
    """What threads share turns out when the search has been divided: it starts again, knowing that."""
    program = build_late(work)
    again = 0
    for model in ("sc", "tso"):
        arguments = [f"--model={model}"] + (["--no-data-races"] if model == "sc" else []) + [program]
        whole = search(work, ["--jobs=1"] + arguments)
        check(whole[0] == 1, "it is found")
        for runs in (1, 2, 5):
            folder = os.path.join(work, f"late-{model}-{runs}")
            one = search(work, ["--jobs=1", "--save=" + folder] + arguments, runs)
            check(summary(whole) == summary(one), f"late, units of {runs}: {summary(whole)} {summary(one)}")
            again += sum(b" broken " in body.split(b"\n")[0] for _, body in records(folder + "/search"))
            for jobs in (2, 3, 7):
                same(one, search(work, [f"--jobs={jobs}"] + arguments, runs), f"late, {jobs} workers")
    check(again > 0, "no search was divided when it had to start again")


def deaths(work):
    """An execution that kills its process is found, by as many workers as there are; one that somebody
    else kills only has its part searched again."""
    for name, text in (("deadly.c", DEADLY), ("die.c", DIE)):
        with open(os.path.join(work, name), "w", encoding="utf-8") as f:
            f.write(text)
    program = os.path.join(work, "deadly")
    subprocess.run(["cc", "-c", work + "/die.c", "-o", work + "/die.o"], check=True)
    subprocess.run([TIDEMARK + "-cc", "-g", "-O1", work + "/deadly.c", work + "/die.o", "-o", program],
                   check=True)
    whole = search(work, ["--jobs=1", program])
    check(whole[0] == 1 and "killed the checking process" in "".join(whole[1]), "it is found")
    for jobs, scatter in ((2, None), (3, 2)):
        same(whole, search(work, [f"--jobs={jobs}", program], scatter), f"deaths, {jobs} workers")


def ranks(work):
    """MPI, where it is installed."""
    if not os.path.exists(TIDEMARK + "-mpi") or not shutil.which("mpirun"):
        print("no MPI here: not tested")
        return
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       TIDEMARK_SCATTER="4")
    path = os.path.join(work, "mpi.json")
    told = os.path.join(work, "told")
    worker = os.path.join(work, "worker.sh")
    with open(worker, "w", encoding="utf-8") as f:
        f.write(f'#!/bin/sh\necho "$@" >> {told}\nexec {BUILD}/libexec/tidemark-worker "$@"\n')
    os.chmod(worker, 0o755)
    subprocess.run(["mpirun", "--oversubscribe", "-n", "3", TIDEMARK + "-mpi", "check", "--quiet"] + example("cceh", "3", "2"),
                   env=dict(environment, TIDEMARK_WORKER=worker), capture_output=True, cwd=ROOT, check=False, timeout=200)
    with open(told, encoding="utf-8") as f:
        check(all(" workers=3 memory=" in line for line in f), "ranks on one machine share its memory")
    for count, arguments in ((2, example("cceh-BUG_SPLIT_NO_FLUSH", "30", "2")),
                             (4, example("cceh-BUG_SPLIT_NO_FLUSH", "30", "2")),
                             (4, ["--model=cxl"] + example("cceh-cxl", "10", "2")),
                             (2, ["--schedule=random"] + example("cceh", "3", "2")),
                             (3, ["--schedule=bounded:1"] + example("cceh", "2", "2")),
                             (4, ["--model=tso"] + example("take_queue-BUG_STEAL_FENCE")),
                             (2, ["--model=tso", build_late(work)]),
                             (3, ["/nonexistent"])):
        done = subprocess.run(["mpirun", "--oversubscribe", "-n", str(count), TIDEMARK + "-mpi", "check",
                               "--quiet", "--json=" + path] + arguments, env=environment,
                              capture_output=True, text=True, cwd=ROOT, check=False, timeout=200)
        check(done.stderr.count("tidemark:") <= 1, "said once: " + done.stderr)
        if check(os.path.exists(path), "mpi: " + done.stderr):
            whole = search(work, ["--jobs=1"] + arguments, 4 if has_units(arguments) else None)
            same(whole, (done.returncode, report_of(path)),
                 f"{count} ranks: " + " ".join(arguments))
            os.unlink(path)


def told_to_end(work):
    """Batch systems and service managers tell all processes; who is not to be told (nohup) goes on."""
    arguments = ["--model=cxl", "--machines=4", "--failures=3"] + example("cceh-cxl", "7", "2")
    whole = search(work, ["--jobs=1"] + arguments)
    for which, deaf in ((signal.SIGTERM, False), (signal.SIGHUP, True)):
        directory, path = os.path.join(work, f"told{which}"), os.path.join(work, "told.json")
        process = subprocess.Popen([TIDEMARK, "check", "--quiet", f"--save={directory}", f"--json={path}", "--jobs=2"] + arguments,
                                   preexec_fn=lambda ignored=deaf: ignored and signal.signal(signal.SIGHUP, signal.SIG_IGN),
                                   stderr=subprocess.DEVNULL, cwd=ROOT)
        log = os.path.join(directory, "search")
        while process.poll() is None and not (os.path.exists(log) and os.path.getsize(log) > 2000):
            time.sleep(0.02)
        for process_id in children(process.pid) + [process.pid]:
            try:
                os.kill(process_id, which)
            except ProcessLookupError:
                pass  # it was faster
        process.wait(200)
        got = (process.returncode, report_of(path))
        report = json.loads("\n".join(got[1]))
        if deaf:
            same(whole, got, "told, and not listening")
            continue
        check(report["complete"] or "(SIGTERM)" in report["incomplete_why"], f"told to end: {report['incomplete_why']}")
        check(report["executions"] == executions_saved(log), f"told to end: {report['executions']} executions are reported")
        same(whole, search(work, [f"--resume={directory}", "--jobs=2"] + arguments), "told to end, resumed")


def ranks_that_end(work):
    """A rank that is lost ends the job, which can be resumed.  Who is told to end (all ranks are, by batch systems) saves
    what everybody has under way, and reports."""
    if not os.path.exists(TIDEMARK + "-mpi") or not shutil.which("mpirun"):
        return
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    arguments = ["--model=cxl", "--machines=4", "--failures=3"] + example("cceh-cxl", "7", "2")
    whole = search(work, ["--jobs=1"] + arguments)
    for number, signals in ((0, ((1, signal.SIGKILL),)), (1, ((1, signal.SIGTERM), (0, signal.SIGTERM)))):
        directory, path = os.path.join(work, f"ended{number}"), os.path.join(work, "ended.json")
        process = subprocess.Popen(["mpirun", "--oversubscribe", "-n", "3", TIDEMARK + "-mpi", "check", "--quiet",
                                    f"--save={directory}", f"--json={path}"] + arguments,
                                   env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
        log = os.path.join(directory, "search")
        while process.poll() is None and not (os.path.exists(log) and os.path.getsize(log) > 2000):
            time.sleep(0.02)
        ranks_there = children(process.pid)
        for rank, which in signals:
            try:
                os.kill(ranks_there[rank], which)
            except (IndexError, ProcessLookupError):
                pass  # it was faster
        process.wait(200)
        saved = executions_saved(log)
        if number and check(os.path.exists(path) and os.path.getsize(path), "whoever is told to end reports"):
            report = json.loads("\n".join(report_of(path)))
            check(report["complete"] or "(SIGTERM)" in report["incomplete_why"], f"told to end: {report['incomplete_why']}")
            check(report["executions"] == saved, f"told to end: {report['executions']}, {saved} are saved")
            status = tidemark([directory], command="status").stdout
            check("stopped: terminated (SIGTERM)" in status or "finished" in status, "told to end: " + status)
        same(whole, search(work, [f"--resume={directory}", "--jobs=2"] + arguments), f"resumed after {signals}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    work = tempfile.mkdtemp(prefix="tidemark-jobs-")
    try:
        any_number_of_workers(work, options.all)
        schedules_of_machines(work)
        sampled_schedules(work)
        deadlocks_in_parts(work)
        any_division_of_schedules(work, options.all)
        killed_and_resumed(work, options.kills, example("cceh-BUG_SPLIT_NO_FLUSH", "60", "2"), 20)
        killed_and_resumed(work, options.kills // 2, ["--model=cxl"] + example("cceh-cxl", "30", "2"), 20)
        killed_and_resumed(work, options.kills, ["--model=tso"] + example("szymanski-BUG_NO_FENCE"), 20)
        killed_and_resumed(work, options.kills, ["--schedule=all"] + example("clht", "4", "2"), 20)
        disturbed(work, options.kills // 2, ["--schedule=all"] + example("clht", "4", "2"), 20)
        disturbed(work, options.kills // 2, example("cceh-BUG_SPLIT_NO_FLUSH", "60", "2"), 20)
        disturbed(work, options.kills // 2, ["--model=cxl"] + example("cceh-cxl", "30", "2"), 20)
        other_searches_are_refused(work)
        damaged(work, options.kills)
        bad_disks(work)
        budgets(work)
        first(work)
        timeouts(work)
        if options.all:
            joined(work)
        joined_after_looks(work)
        handed_on(work, options.kills // 4, options.all)
        late_sharing(work)
        memory(work)
        deaths(work)
        shards(work, options.all)
        merged_elsewhere(work)
        told_to_end(work)
        ranks(work)
        ranks_that_end(work)
    finally:
        shutil.rmtree(work)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
