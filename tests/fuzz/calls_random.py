#!/usr/bin/env python3
"""Random programs over calls that wait, end threads or keep something: --schedule=all against schedules one by one.

Futexes, keys with destructors, cancellation, joins with deadlines, barriers, signals, longjmp, the heap, pipes and eventfd,
what libc keeps, one stream for all, deadlines on both clocks.  They are compared as in locks_random.py.

    tests/fuzz/calls_random.py --seed 7 --count 500
    tests/fuzz/calls_random.py --replay 'kL0;kf1'
"""
import sys

import locks_random
from locks_random import disagreement, expected, modes_disagreement, smaller  # pylint: disable=unused-import

NAME = "calls_random"
CALLS = {"futex": "fw0 fw1 fy0 fk0 fk1 fK0 fK1", "bits": "fw0 fv0 fv1 fV0 fn0 fn1 fk0 fK0", "keys": "ts0 ts1 tg0 tg1 ts1 vl0 vi0",
         "cancel": "tx0 tx1 tp0 td0 td1 tc0 tc1 tS0 tS1 tP0 tq0 tJ0 tj0", "ends": "tx0 tx0 tp0 tp0 td0 td1 ts0 ts1 vl1 tJ0",
         "meet": "tb0 tb1 tb1 vi0 vl0", "signal": "sz0 sz1 sy0 sk0 sk1 sK0 sK1 sr0 sP0", "frame": "jj0 jj2 jv0 jv1 jq0",
         "heap": "hm0 hm1 hM0 hM1 hl1 hf0", "map": "hp0 hp1", "channel": "cw0 cr0 ce0 ce1 cE0 cp0 cp1 cP0 cP1",
         "kept": "kt0 ke0 ke1 kE0 kE1 kU0", "stream": "kc0 ku0 kf0 kf1 kF0 kp0 kL0",
         "clock": "ll0 ll1 lL0 lu0 lr0 lr1 lR0 lv0 lv0 lq0 lQ0 lc0 lc1 lC0 ls0 ls1 lL0", "look": "vl0 vs0 vi0 vl1 vi1"}


class Case(locks_random.Case):
    interpreter, calls = "calls_interpreter", CALLS


if __name__ == "__main__":
    sys.exit(locks_random.run(sys.modules[__name__], "calls_regress.txt"))
