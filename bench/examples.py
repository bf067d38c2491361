#!/usr/bin/env python3
"""examples.py [--build=DIR]: how fast the examples are checked, next to published figures.

Builds what is missing into DIR (build).  Times are CPU seconds, the least of some repetitions:
`check` is what the report says (the worker), `command` the whole command with its children.
`isolate` is `check` with a process for each execution.

`one program run` is the execution before any failure, repeated in one process, so that neither side
starts one: in the checker (hooks, recording, going back to the start) and natively (bench/native_loop.c
with the example compiled without hooks, zeroing what it used).  Both start and join a thread."""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
INDEXES = ("cceh", "fastfair", "clht")
CXL = ["--model=cxl", "--machines=2"]

# Executions and CPU seconds of others, for the structure of that kind.
JAARU = {"cceh": (588, 26), "fastfair": (131, 3.2), "clht": (42, 2.6)}
CXLMC = {"cceh-cxl": (1096, 6), "fastfair-cxl": (83, 0.15), "clht-cxl": (150, 0.35),
         "clht-cxl, 64 buckets": (150, 0.35), "clht-cxl, 2048 buckets": (4118, 204)}
TABLE_5 = {"cceh-cxl": ("1097 in 4.31 s", "1050 in 4.33 s"), "fastfair-cxl": ("77 in 0.13 s", "24 in 0.12 s"),
           "clht-cxl": ("4128 in 42.96 s", "4119 in 44.6 s")}


def cpu(command, repetitions=1, descriptors=()):
    """Status and least user + system seconds of the command and what it waited for."""
    least, status = math.inf, 0
    for _ in range(repetitions):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 pass_fds=descriptors)
        _, wait_status, usage = os.wait4(child.pid, 0)
        child.returncode = status = os.waitstatus_to_exitcode(wait_status)
        least = min(least, usage.ru_utime + usage.ru_stime)
    return status, least


class WorkerDescriptors:
    """What a worker writes to, at numbers that are out of the program's way."""
    numbers = (200, 201)
    settings = ("results-fd=200", "status-fd=201")

    def __enter__(self):
        for number in self.numbers:
            file = os.memfd_create("worker")
            os.ftruncate(file, 1 << 20)
            os.dup2(file, number)
            os.close(file)
        return self

    def __exit__(self, *_):
        for number in self.numbers:
            os.close(number)


class Bench:
    def __init__(self, build):
        self.build = build
        self.examples = build / "examples"
        self.bench = build / "bench"

    def make(self, *targets, out=None, flags="-O1 -g"):
        out = out or self.examples
        subprocess.run(["make", "-s", "-C", ROOT / "examples", f"BUILD={self.build}", f"OUT={out}",
                        f"CFLAGS={flags}", *(out / t for t in targets)], check=True)

    def check(self, options, program, arguments, repetitions=5):
        """The report with the least cpu_seconds, and `command_seconds` of the whole command."""
        best = None
        for _ in range(repetitions):
            with tempfile.NamedTemporaryFile(suffix=".json") as out:
                status, seconds = cpu([self.build / "bin" / "tidemark", "check", *options,
                                       "--json=" + out.name, program, *arguments])
                if status not in (0, 1, 5):
                    sys.exit(f"exit {status}: {' '.join(map(str, [*options, program, *arguments]))}")
                report = json.load(open(out.name))
            report["command_seconds"] = min(seconds, best["command_seconds"] if best else math.inf)
            if best is None or report["cpu_seconds"] < best["cpu_seconds"]:
                best = report
            else:
                best["command_seconds"] = report["command_seconds"]
        return best

    def native_loop(self, name):
        """The example without hooks, in a loop."""
        self.bench.mkdir(parents=True, exist_ok=True)
        out, examples = self.bench / f"{name}.loop", ROOT / "examples"
        has_clwb = " clwb " in open("/proc/cpuinfo").read().replace("\n", " ")
        flags = ["-O1", "-g", "-std=gnu11", f"-I{ROOT / 'include'}", f"-I{examples}",
                 *([] if has_clwb else ["-DPERSIST_WITH_CLFLUSH"])]
        objects = []
        for source in (examples / "driver.c", examples / "worker.c", examples / name / f"{name}.c"):
            objects.append(self.bench / f"{name}-{source.stem}.o")
            subprocess.run(["clang-19", *flags, "-Dmain=example_main", "-c", source, "-o", objects[-1]], check=True)
        subprocess.run(["clang-19", *flags, ROOT / "bench" / "native_loop.c", *objects, "-o", out,
                        f"-L{self.build / 'lib'}", f"-Wl,-rpath,{self.build / 'lib'}", "-ltidemark", "-lpthread"],
                       check=True)
        return lambda runs, arguments: cpu([out, str(runs), *arguments], 3)

    def checker_loop(self, name):
        """The example's first execution in a worker, which is asked to repeat it."""
        def loop(runs, arguments):
            words = [str(self.examples / name), *arguments]
            with WorkerDescriptors() as descriptors:
                return cpu([self.build / "libexec" / "tidemark-worker", *descriptors.settings, f"argc={len(words)}",
                            f"repeat={runs}", "--", *words], 3, descriptors.numbers)
        return loop

    def row(self, label, options, program, arguments, published):
        report = self.check(options, program, arguments)
        isolated = self.check([*options, "--isolate"], program, arguments, 2)
        seconds, runs = report["cpu_seconds"], max(report["program_runs"], 1)
        verdict = "" if report["complete"] and not report["findings"] else "  NOT CLEAN"
        faster = f"{published[1] / seconds:7.0f}x" if published else "        "
        figure = f"  {published[0]:,} in {published[1]} s" if published else ""
        print(f"{label:32}{report['executions']:7,}{report['failure_points']:7,}{runs:7,}{seconds:9.4f}"
              f"{report['command_seconds']:9.4f}{report['executions'] / seconds:9,.0f}"
              f"{report['peak_bytes'] / 2**20:7.1f}"
              f"{isolated['cpu_seconds']:9.3f}{faster}{figure}{verdict}", flush=True)
        return report


def header(title, published):
    print(f"\n{title}\n{'':32}{'execu-':>7}{'fail.':>7}{'runs':>7}{'check':>9}{'command':>9}{'execu-':>9}"
          f"{'peak':>7}{'isolate':>9}{'faster':>8}  {published}\n"
          f"{'':32}{'tions':>7}{'points':>7}{'made':>7}{'CPU s':>9}{'CPU s':>9}{'tions/s':>9}"
          f"{'MiB':>7}{'CPU s':>9}{'than it':>8}")


def exponent(points):
    """The slope of the line through (log x, log y)."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mx, my = (sum(v) / len(logs) for v in zip(*logs))
    return sum((x - mx) * (y - my) for x, y in logs) / sum((x - mx) ** 2 for x, _ in logs)


def bench_pm(bench):
    header("persistent memory: PROG KEYS 2", "Jaaru")
    growth = []
    for name in INDEXES:
        points = []
        for keys in (4, 8, 16, 32):
            program, arguments = bench.examples / name, [str(keys), "2"]
            report = bench.row(f"{name}, {keys} keys", [], program, arguments,
                               JAARU[name] if keys == 4 else None)
            points.append((keys, report["cpu_seconds"], report["executions"]))
        growth.append(f"  {name:10} CPU time ~ keys^{exponent([(k, c) for k, c, _ in points]):.2f},"
                      f" executions ~ keys^{exponent([(k, e) for k, _, e in points]):.2f}")
    print("growth from 4 to 32 keys:", *growth, sep="\n")


def bench_memory(bench):
    """Memory should grow no faster than the number of keys."""
    print(f"\nmany keys: PROG KEYS 2, one worker\n{'':16}{'keys':>7}{'executions':>12}{'runs':>9}{'CPU s':>9}{'MiB':>8}")
    growth = []
    for name in ("cceh", "fastfair"):
        points = []
        for keys in (256, 1024, 4096):
            report = bench.check(["--jobs=1"], bench.examples / name, [str(keys), "2"], repetitions=1)
            points.append((keys, report["peak_bytes"]))
            print(f"{name:16}{keys:7,}{report['executions']:12,}{report['program_runs']:9,}"
                  f"{report['cpu_seconds']:9.2f}{report['peak_bytes'] / 2**20:8.1f}", flush=True)
        growth.append(f"  {name:10} memory ~ keys^{exponent(points):.2f}")
    print("growth from 256 to 4,096 keys:", *growth, sep="\n")


def bench_cxl(bench):
    header("shared memory: 2 machines, 2 threads each, 10 keys (shm: 1 round)", "CXLMC")
    programs = [(name + "-cxl", bench.examples / (name + "-cxl"), ["10", "2"]) for name in INDEXES]
    for buckets in (64, 2048):
        out = bench.bench / f"clht{buckets}"
        bench.make("clht-cxl", out=out, flags=f"-O1 -g -DINITIAL_BUCKETS={buckets}")
        programs.append((f"clht-cxl, {buckets} buckets", out / "clht-cxl", ["10", "2"]))
    programs.append(("shm", bench.examples / "shm", []))
    for label, program, arguments in programs:
        bench.row(label, CXL, program, arguments, CXLMC.get(label))
        bench.row(label + ", --gpf", [*CXL, "--gpf"], program, arguments, None)
    print("goal: 100x for the hash tables, 20x for the B+-tree.  Table 5 of the paper, without and with GPF:",
          *(f"  {name:14} {plain:16} {gpf}" for name, (plain, gpf) in TABLE_5.items()), sep="\n")


def bench_cxl_large(bench):
    """One worker: what many keys, and many failures, cost."""
    print(f"\nshared memory, larger\n{'':40}{'executions':>14}{'runs':>9}{'CPU s':>9}{'MiB':>8}")
    programs = [(name + "-cxl", ["--machines=2"], ["100", "2"]) for name in INDEXES]
    programs += [(name + "-cxl", ["--machines=4", "--failures=3"], ["10", "2"]) for name in INDEXES]
    for name, options, arguments in programs:
        report = bench.check(["--model=cxl", "--jobs=1", "--timeout=60", *options], bench.examples / name, arguments, 1)
        done = "" if report["complete"] and not report["findings"] else "  not done in 60 s"
        print(f"{' '.join([name, *arguments, *options]):40}{report['executions']:14,}{report['program_runs']:9,}"
              f"{report['cpu_seconds']:9.3f}{report['peak_bytes'] / 2**20:8.1f}{done}", flush=True)
    print("goal: below 5 s and 500 MiB with 100 keys, below 2 s with 4 machines and 3 failures")


def per_run(loop, runs, arguments):
    """Seconds of one run, from two numbers of runs: starting and ending does not count."""
    status, few = loop(runs, arguments)
    again, many = loop(3 * runs, arguments)
    if status or again:
        sys.exit(f"exit {status or again} in a loop of runs with {' '.join(arguments)}")
    return (many - few) / (2 * runs)


def bench_run(bench):
    print(f"\none program run, microseconds of CPU: PROG KEYS 1\n{'':32}{'checker':>9}{'native':>9}{'ratio':>7}")
    for name in INDEXES:
        checker, native = bench.checker_loop(name), bench.native_loop(name)
        for keys, runs in ((4, 3000), (32, 1000), (1000, 50)):
            arguments = [str(keys), "1"]
            inside, outside = per_run(checker, runs, arguments), per_run(native, runs, arguments)
            print(f"{name + ', ' + str(keys) + ' keys':32}{inside * 1e6:9.1f}{outside * 1e6:9.1f}"
                  f"{inside / outside:7.1f}", flush=True)
    print("goal: below 10")


def bench_loop(bench):
    """Sorting in ordinary memory: native, instrumented, instrumented under the checker."""
    bench.bench.mkdir(parents=True, exist_ok=True)
    source, native, instrumented = ROOT / "bench" / "loop.c", bench.bench / "loop.native", bench.bench / "loop"
    subprocess.run(["clang-19", "-O2", "-g", "-o", native, source], check=True)
    subprocess.run([bench.build / "bin" / "tidemark-cc", "-O2", "-g", "-o", instrumented, source], check=True)
    rounds = ["200"]
    base, alone = cpu([native, *rounds], 3)[1], cpu([instrumented, *rounds], 3)[1]
    checked = bench.check([], instrumented, rounds, 3)["cpu_seconds"]
    print(f"\nwork outside watched memory: native {base:.3f} s, instrumented {alone:.3f} s ({alone / base:.2f}x),"
          f" under the checker {checked:.3f} s ({checked / base:.2f}x); Jaaru's paper reports 736x")


TRACES = [(name, keys, threads) for threads in (2, 3) for name in INDEXES for keys in range(2, 9)]


def bench_traces(bench):
    """--schedule=all: by traces, and by states as before; from the first that is not done on, no larger ones."""
    print(f"\nevery schedule, with failures{'':13}{'by traces':^42}{'by states':^42}\n{'keys, threads':32}"
          + f"{'sche-':>9}{'execu-':>11}{'CPU s':>9}{'MiB':>8}     " * 2 + f"\n{'':32}" + f"{'dules':>9}{'tions':>11}{'':>22}" * 2)
    given_up = set()
    for name, keys, threads in TRACES:
        line = f"{name} {keys} {threads}".ljust(32)
        for settings in ("", "by-states=1"):
            if (name, threads, settings) in given_up:
                line += f"{'':42}"
                continue
            os.environ["TIDEMARK_TEST_SETTINGS"] = settings
            report = bench.check(["--timeout=20", "--schedule=all"], bench.examples / name, [str(keys), str(threads)], 1)
            done = report["complete"] and not report["findings"]
            line += (f"{report['schedules']:9,}{report['executions']:11,}{report['cpu_seconds']:9.3f}"
                     f"{report['peak_bytes'] / 2**20:8.1f}{'     ' if done else ' ... '}")
            if not done:
                given_up.add((name, threads, settings))
        os.environ.pop("TIDEMARK_TEST_SETTINGS", None)
        if line.strip() != f"{name} {keys} {threads}":
            print(line.rstrip(), flush=True)
    print("... not done in 20 s")


def bench_independent(bench):
    """Threads that have nothing to do with each other."""
    print(f"\nevery schedule of K independent threads, with failures\n{'K':>4}{'schedules':>12}{'executions':>28}{'runs':>8}{'CPU s':>9}")
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "independent"
        subprocess.run([bench.build / "bin" / "tidemark-cc", "-O1", "-g", "-o", program, ROOT / "bench" / "independent.c"],
                       check=True)
        for threads in (1, 2, 4, 8, 16, 32, 60):
            report = bench.check(["--timeout=20", "--schedule=all"], program, [str(threads)], 1)
            print(f"{threads:4}{report['schedules']:12,}{int(report['executions']):28,}{report['program_runs']:8,}"
                  f"{report['cpu_seconds']:9.3f}{'' if report['complete'] else '  ...'}", flush=True)


def bench_schedules(bench):
    print(f"\nschedules of two threads, with failures\n{'':32}{'sche-':>8}{'execu-':>10}{'runs':>9}{'check':>9}{'peak':>7}\n"
          f"{'':32}{'dules':>8}{'tions':>10}{'made':>9}{'CPU s':>9}{'MiB':>7}")
    for name in INDEXES:
        for keys, schedule in (("4", "bounded:1"), ("4", "random"), ("4", "pct:3")):
            report = bench.check(["--timeout=20", f"--schedule={schedule}"], bench.examples / name, [keys, "2"], 1)
            verdict = "" if report["complete"] and not report["findings"] else "  not finished in 20 s"
            print(f"{name + ' ' + keys + ' 2, ' + schedule:32}{report['schedules']:8,}{report['executions']:10,}"
                  f"{report['program_runs']:9,}{report['cpu_seconds']:9.3f}{report['peak_bytes'] / 2**20:7.1f}{verdict}",
                  flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    bench = Bench(parser.parse_args().build.resolve())
    bench.make(*INDEXES, *(name + "-cxl" for name in INDEXES), "shm")
    bench_run(bench)
    bench_pm(bench)
    bench_memory(bench)
    bench_traces(bench)
    bench_independent(bench)
    bench_schedules(bench)
    bench_cxl(bench)
    bench_cxl_large(bench)
    bench_loop(bench)


if __name__ == "__main__":
    main()
