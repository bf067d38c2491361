"""kill_worker.py once|always COMMAND...: run it and kill its worker a moment after each start, unless
the worker only repeats one execution.  Exit status of the command."""
import os, signal, subprocess, sys, time

MOMENT = 0.03

command = subprocess.Popen(sys.argv[2:])
killed = set()


def children(pid):
    try:
        return [int(c) for c in open(f"/proc/{pid}/task/{pid}/children").read().split()]
    except OSError:
        return []


def repeats_one(pid):
    try:
        return b"\0replay=1\0" in open(f"/proc/{pid}/cmdline", "rb").read()
    except OSError:
        return True


while command.poll() is None:
    for pid in children(command.pid):
        if pid in killed or repeats_one(pid) or (killed and sys.argv[1] == "once"):
            continue
        time.sleep(MOMENT)
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
        killed.add(pid)
    time.sleep(0.005)
sys.exit(command.returncode)
