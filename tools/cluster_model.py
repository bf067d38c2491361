#!/usr/bin/env python3
"""How much faster is a search on many machines?

Simulates what a crew does (src/cli/crew.c): who has nothing to do asks, the one that has been longest
at its part gives the later half of it away when it comes to its next failure point, and everything
goes through one supervisor.  The work is that of a real search: the log of 'tidemark check --save=DIR'
has the time that its parts took.  Parts of a search over schedules (src/cli/units.h) are found on the way: who has nothing
to do gets the first that is open, and the log says what each of them was divided into, and when.

    tidemark check --jobs=1 --save=DIR ./program
    tools/cluster_model.py DIR                     speed-up for 1 to 1,024 workers
    tools/cluster_model.py DIR --times 100         the same for a search with 100 times as many points
    tools/cluster_model.py DIR --two DIR2          the same search, saved with --jobs=2 in DIR2: what a second worker found
                                                   out again each further one finds out again, too
    tools/cluster_model.py DIR --local 'build/bin/tidemark check ./program'
                                                   ... compared with 1, 2 and 4 workers here
    tools/cluster_model.py DIR --local 'mpirun -n RANKS build/bin/tidemark-mpi check ./program'
                                                   ... or ranks

What passes here depends on how many cores there are and on who else uses them, so the CPU seconds of the busiest worker
are measured: with a core for each it is what passes.
"""
import argparse
import heapq
import os
import re
import shlex
import subprocess
import time


def records(directory):
    """Kind and text of each."""
    with open(os.path.join(directory, "search"), "rb") as f:
        contents = f.read()
    at = 0
    while at < len(contents):
        end = contents.index(b"\n", at)
        kind, length, _ = contents[at:end].split()
        yield kind.decode(), contents[end + 1 : end + 1 + int(length)].decode(errors="replace")
        at = end + 2 + int(length)


def read_parts(directory):
    """(first failure point, number of points, CPU seconds) of each part, in order."""
    parts = []
    for kind, body in records(directory):
        if kind != "part":
            continue
        begin = body.split(" ", 1)[0]
        first = re.match(r"f(\d+)", begin)
        points = int(re.search(r"^failure-points (\d+)", body, re.M)[1])
        seconds = int(re.search(r"^cpu-nanoseconds (\d+)", body, re.M)[1]) / 1e9
        parts.append((int(first[1]) if first else 0, points, seconds))
    return sorted(parts)


def costs_of(parts, times):
    """Seconds of each failure point; the points of a part took the same time each."""
    costs = []
    for _, points, seconds in parts:
        costs += [seconds / max(points, 1)] * max(points, 1)
    return costs * times


class Crew:
    """One search.  Times in seconds."""

    def __init__(self, costs, workers, options):
        self.costs, self.workers, self.o = costs, workers, options
        self.begin = [0] * workers  # the part of each: [next point, end)
        self.end = [0] * workers
        self.since = [0.0] * workers
        self.asked = set()
        self.begun = {0}
        self.idle = []
        self.free_at = 0.0  # of the supervisor
        self.events = []
        self.number = 0
        self.messages = 0

    def at(self, when, what, who):
        self.number += 1
        heapq.heappush(self.events, (when, self.number, what, who))

    def supervisor(self, now):
        """It deals with one message after the other."""
        self.messages += 1
        self.free_at = max(now, self.free_at) + self.o.service
        return self.free_at

    def ask(self, now):
        """As many as have nothing to do; first those that have been longest at their part."""
        wanted = len(self.idle) - len(self.asked)
        if wanted <= 0:
            return
        busy = [w for w in range(self.workers) if self.end[w] - self.begin[w] > 1 and w not in self.asked]
        for victim in heapq.nsmallest(wanted, busy, key=lambda w: self.since[w]):
            self.since[victim] = now
            self.asked.add(victim)
            self.at(now + self.o.latency, "asked", victim)

    def run(self):
        self.begin[0], self.end[0] = 0, len(self.costs)
        self.at(self.o.start, "point", 0)
        pending, last = set(), 0.0
        for w in range(1, self.workers):
            self.at(self.o.alone + self.o.start, "idle", w)
        while self.events:
            now, _, what, who = heapq.heappop(self.events)
            if what == "point":  # a boundary: answer, then go on
                if who in pending:
                    pending.discard(who)
                    left = self.end[who] - self.begin[who]
                    middle = self.begin[who] + (left + 1) // 2
                    if left > 1:
                        given = (who, middle, self.end[who])
                        self.end[who] = middle
                        self.at(self.supervisor(now + self.o.latency), "given", given)
                    else:
                        self.at(self.supervisor(now + self.o.latency), "whole", who)
                if self.begin[who] < self.end[who]:
                    cost = self.costs[self.begin[who]]
                    self.begin[who] += 1
                    self.at(now + cost, "point", who)
                    last = max(last, now + cost)
                else:
                    self.at(self.supervisor(now + self.o.latency), "idle", who)
            elif what == "asked":
                pending.add(who)
            elif what == "idle":
                self.idle.append(who)
                self.ask(now)
            elif what == "whole":
                self.asked.discard(who)
                self.ask(now + 0.01)
            elif what == "given":
                giver, first, end = who
                self.asked.discard(giver)
                taker = self.idle.pop(0)
                self.begin[taker], self.end[taker] = first, end
                self.since[taker] = now
                learns = 0 if taker in self.begun else self.o.learns
                self.begun.add(taker)
                self.at(now + self.o.latency + self.o.range + learns, "point", taker)
                self.ask(now)
        return last


class Unit:
    """Of a search over schedules; key: what it is, however it was found."""

    def __init__(self, key, prefix, state="open", node=None):
        self.key, self.prefix, self.state, self.node = key, prefix, state, node


class Units:
    """The list of src/cli/units.c."""

    def __init__(self):
        self.list = [Unit("", [])]

    def going(self, unit):
        """The rest of it is given away at once."""
        rest = Unit(unit.key + "g", unit.prefix)
        self.list.insert(self.list.index(unit) + 1, rest)
        return [rest]

    def end(self, unit, wanted, nodes, rest):
        """It grew by so many nodes.  Units that are open now, in the order in which they are numbered."""
        at, shared = self.list.index(unit), len(unit.prefix)
        prefix = unit.prefix + [(unit.key, i) for i in range(nodes)]
        found = []
        if rest:
            found = [Unit(unit.key + "r", prefix)]
            sides = [Unit(str(prefix[i]), prefix[:i], "unwanted", prefix[i]) for i in range(len(prefix) - 1, shared - 1, -1)]
            self.list[at + 1 : at + 1] = found + sides
            for side in sides[:1]:
                side.state = "open"
                found.append(side)
        for number in wanted:
            for other in self.list[at:]:
                if number < shared and other.state == "unwanted" and other.node == prefix[number]:
                    other.state = "open"
                    found.append(other)
        unit.state = "done"
        return found


def read_units(directory):
    """By key: seconds when the rest was given away, if it was; and seconds, what is wanted, nodes, is there a rest."""
    units, gone, ends = Units(), {}, {}
    numbers = list(units.list)
    for kind, body in records(directory):
        if kind != "unit":
            continue
        head, text = body.split("\n", 1)
        number, what, _ = head.split()
        news, results = text.split("\n\n", 1)
        lines = news.split("\n")
        seconds = int(re.search(r"^cpu-nanoseconds (\d+)", results, re.M)[1]) / 1e9
        unit = numbers[int(number)]
        if what == "going":
            gone[unit.key] = seconds
            numbers += units.going(unit)
            continue
        rest = any(l.startswith("rest ") for l in lines[3:])
        nodes = sum(bool(l) and not l.startswith("rest ") for l in lines[3:])
        ends[unit.key] = (seconds, [int(w) for w in lines[2].split()[1:]], nodes, rest)
        numbers += units.end(unit, *ends[unit.key][1:])
    return gone, ends


def work_of(directory):
    """CPU seconds of all parts."""
    ends = read_units(directory)[1]
    return sum(e[0] for e in ends.values()) or sum(seconds for _, _, seconds in read_parts(directory))


def predict_units(gone, ends, workers, options):
    """Seconds, and messages."""
    units, events, idle, number, messages, now, free_at = Units(), [], workers, 0, 0, 0.0, 0.0
    while True:
        most = workers if now >= options.alone else 1
        for unit in [u for u in units.list if u.state == "open"][: max(0, most - (workers - idle))]:
            unit.state = "taken"
            idle -= 1
            new = number < workers
            begin = now + options.latency + options.range + new * (options.start + bool(number) * options.learns)
            for what, after in (("going", gone.get(unit.key)), ("end", ends[unit.key][0])):
                if after is not None:
                    number += 1
                    heapq.heappush(events, (begin + after, number, what, unit))
        if not events:
            return now, messages
        now, _, what, unit = heapq.heappop(events)
        messages += 1
        now = free_at = max(now + options.latency, free_at) + options.service
        if what == "going":
            units.going(unit)
        else:
            units.end(unit, *ends[unit.key][1:])
            idle += 1


def predict(costs, workers, options):
    crew = Crew(costs, workers, options)
    seconds = crew.run()
    return seconds, crew.messages


def workers_of(mark):
    """CPU seconds of each worker process that has inherited the mark, by process."""
    seconds = {}
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat", encoding="ascii") as f:
                name, fields = f.read().rsplit(")", 1)
            if not name.endswith("(tidemark-worker"):
                continue
            with open(f"/proc/{process}/environ", "rb") as f:
                if mark.encode() not in f.read().split(b"\0"):
                    continue
        except OSError:
            continue
        user, system = fields.split()[11:13]
        seconds[process] = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return seconds


def measure(command, jobs):
    """CPU seconds of each worker."""
    words, mark, seconds = shlex.split(command), f"TIDEMARK_MODEL={os.getpid()}.{jobs}", {}
    if "RANKS" in words:
        words = [str(jobs) if word == "RANKS" else word for word in words]
    else:
        words = words[:2] + [f"--jobs={jobs}"] + words[2:]
    environment = dict(os.environ, **dict([mark.split("=")]))
    with subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as check:
        while check.poll() is None:
            seconds.update(workers_of(mark))
            time.sleep(0.02)
    return list(seconds.values()) or [0.0]  # it was over before anybody looked


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--latency", type=float, default=50e-6, help="of a message, seconds")
    parser.add_argument("--service", type=float, default=30e-6, help="of the supervisor for a message")
    parser.add_argument("--start", type=float, default=0.02, help="of a worker, with its first execution")
    parser.add_argument("--range", type=float, default=0.002, help="from the beginning to a position")
    parser.add_argument("--alone", type=float, default=0.15, help="before a second worker starts")
    parser.add_argument("--two", help="where the same search was saved with --jobs=2")
    parser.add_argument("--local", help="a check to compare with")
    options = parser.parse_args()
    gone, ends = read_units(options.directory)
    costs = [e[0] for e in ends.values()] or costs_of(read_parts(options.directory), options.times)
    print(f"{len(costs)} {'parts' if ends else 'failure points'}, {sum(costs):.2f} s of work,"
          f" the longest {max(costs) * 1e3:.1f} ms")
    base = sum(costs)
    options.learns = max(0.0, work_of(options.two) - work_of(options.directory)) if options.two else 0.0
    if options.two:
        print(f"each further worker finds out {options.learns:.2f} s of it again")

    def simulate(workers):
        return predict_units(gone, ends, workers, options) if ends else predict(costs, workers, options)

    print("workers   seconds  speed-up  efficiency  messages/s")
    for workers in (1, 2, 4, 16, 64, 256, 1024):
        seconds, messages = simulate(workers)
        print(f"{workers:7d} {seconds:9.3f} {base / seconds:9.1f} {base / seconds / workers:11.2f}"
              f" {messages / seconds:11.0f}")
    if options.local:
        for jobs in (1, 2, 4):
            expected, seconds = simulate(jobs)[0], measure(options.local, jobs)
            print(f"here, {jobs} worker(s): {max(seconds):.2f} s of CPU time of the busiest of {len(seconds)}, {sum(seconds):.2f} s"
                  f" of all; {expected:.2f} s predicted")


if __name__ == "__main__":
    main()
