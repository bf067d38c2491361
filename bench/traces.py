#!/usr/bin/env python3
"""traces.py [--build=DIR] [--seconds=S] [--keys=N] [NAME ...]: the table of docs/testing.md, "Traces and states".

Complete checks of the examples with `--schedule=all`, by traces and by states, in one run.  A check that has taken
S (20) CPU seconds is interrupted and not done; larger ones of its kind are left out then.  `states` is what an eager checker
would build: every memory that a failure can leave in each state (--count-eager)."""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
INDEXES = ("cceh", "fastfair", "clht")
TICK = os.sysconf("SC_CLK_TCK")


def session_seconds(session):
    """CPU seconds of the processes of that session."""
    ticks = 0
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            with open("/proc/%s/stat" % entry.name, encoding="utf8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended
        if int(fields[3]) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / TICK


def check(args, name, keys, threads, *options, **environment):
    """The report; None: it was not done in time."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [args.build / "bin" / "tidemark", "check", "--quiet", "--jobs=1", "--schedule=all", *options,
                   "--json=" + out.name, args.build / "examples" / name, str(keys), str(threads)]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                 env={**os.environ, **environment})
        while child.poll() is None:
            time.sleep(.05)
            if session_seconds(child.pid) > args.seconds:
                child.send_signal(signal.SIGINT)
                child.wait()
        report = json.load(open(out.name, encoding="utf8"))
    return report if report["complete"] else None


def cells(report):
    if not report:
        return ["not done", "", ""]
    return [format(report["schedules"], ","), format(report["executions"], ","),
            "%.2f (%d)" % (report["cpu_seconds"], round(report["peak_bytes"] / 2**20))]


def rows(args, name, threads):
    """Until neither search comes to an end."""
    done = {"traces": True, "states": True}
    for keys in range(2, args.keys + 1):
        new = check(args, name, keys, threads) if done["traces"] else None
        old = check(args, name, keys, threads, TIDEMARK_TEST_SETTINGS="by-states=1") if done["states"] else None
        eager = check(args, name, keys, threads, "--count-eager") if old else None
        columns = (cells(new) if done["traces"] else [""] * 3) + (cells(old) if done["states"] else [""] * 3)
        columns.append(format(int(eager["eager_states"]), ",") if eager else "")
        print("| `%s %d %d` | %s |" % (name, keys, threads, " | ".join(columns)), flush=True)
        done = {"traces": bool(new), "states": bool(old)}
        if not any(done.values()):
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--keys", type=int, default=8)
    parser.add_argument("names", nargs="*", metavar="NAME", default=INDEXES)
    args = parser.parse_args()
    print("\n| | traces | executions | s (MB) | by states: schedules | executions | s (MB) | states |")
    print("|---|" + "---|" * 7)
    for threads in (2, 3):
        for name in args.names:
            rows(args, name, threads)


if __name__ == "__main__":
    main()
