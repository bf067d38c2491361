#!/usr/bin/env python3
"""How much faster is a search on many machines?

Simulates what a crew does (src/cli/crew.c): who has nothing to do asks, the one that has been longest
at its part gives the later half of it away when it comes to its next failure point, and everything
goes through one supervisor.  The work is that of a real search: the log of 'tidemark check --save=DIR'
has the time that its parts took.

    tidemark check --jobs=1 --save=DIR ./program
    tools/cluster_model.py DIR                     speed-up for 1 to 1,024 workers
    tools/cluster_model.py DIR --times 100         the same for a search with 100 times as many points
    tools/cluster_model.py DIR --local 'build/bin/tidemark check ./program'
                                                   ... compared with 1 and 2 workers here
"""
import argparse
import heapq
import os
import re
import shlex
import subprocess
import time


def read_parts(directory):
    """(first failure point, number of points, CPU seconds) of each part, in order."""
    with open(os.path.join(directory, "search"), "rb") as f:
        contents = f.read()
    at, parts = 0, []
    while at < len(contents):
        end = contents.index(b"\n", at)
        kind, length, _ = contents[at:end].split()
        body = contents[end + 1 : end + 1 + int(length)].decode(errors="replace")
        at = end + 2 + int(length)
        if kind != b"part":
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
                self.at(now + self.o.latency + self.o.range, "point", taker)
                self.ask(now)
        return last


def predict(costs, workers, options):
    crew = Crew(costs, workers, options)
    seconds = crew.run()
    return seconds, crew.messages


def measure(command, jobs):
    start = time.time()
    words = shlex.split(command)
    subprocess.run(words[:2] + [f"--jobs={jobs}", "--quiet"] + words[2:], check=False)
    return time.time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--latency", type=float, default=50e-6, help="of a message, seconds")
    parser.add_argument("--service", type=float, default=30e-6, help="of the supervisor for a message")
    parser.add_argument("--start", type=float, default=0.02, help="of a worker, with its first execution")
    parser.add_argument("--range", type=float, default=0.002, help="from the beginning to a position")
    parser.add_argument("--alone", type=float, default=0.15, help="before a second worker starts")
    parser.add_argument("--local", help="a check to compare with")
    options = parser.parse_args()
    parts = read_parts(options.directory)
    costs = costs_of(parts, options.times)
    print(f"{len(costs)} failure points, {sum(costs):.2f} s of work, the longest {max(costs) * 1e3:.1f} ms")
    base = sum(costs)
    print("workers   seconds  speed-up  efficiency  messages/s")
    for workers in (1, 2, 16, 64, 256, 1024):
        seconds, messages = predict(costs, workers, options)
        print(f"{workers:7d} {seconds:9.3f} {base / seconds:9.1f} {base / seconds / workers:11.2f}"
              f" {messages / seconds:11.0f}")
    if options.local:
        for jobs in (1, 2):
            expected = predict(costs, jobs, options)[0]
            print(f"here, {jobs} worker(s): {measure(options.local, jobs):.2f} s measured, {expected:.2f} s predicted")


if __name__ == "__main__":
    main()
