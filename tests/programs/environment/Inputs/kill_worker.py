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


def searches(pid):
    """Not one that is still a copy of its parent, is gone, or repeats one execution."""
    try:
        words = open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")
    except OSError:
        return False
    return words[0].endswith(b"tidemark-worker") and b"replay=1" not in words


while command.poll() is None:
    for pid in children(command.pid):
        if pid in killed or not searches(pid) or (killed and sys.argv[1] == "once"):
            continue
        time.sleep(MOMENT)
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
        killed.add(pid)
    time.sleep(0.005)
sys.exit(command.returncode)
