#!/usr/bin/env python3
"""The two result tables of the MemSAT paper, ours next to the published figures.

Runs `tidemark litmus` (found in PATH) on the Nemos tests under five classic models and on the
causality and transformation tests under both Java models; cores are minimal, times are CPU
seconds.  Exit 1 if a verdict differs from published.txt.
"""
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CLASSIC = ['sc', 'coherence', 'pram', 'causal', 'pc']
JAVA = ['jmm-original', 'jmm-revised']


def published():
    rows = {}
    for line in open(os.path.join(HERE, 'published.txt')):
        if line.startswith('#') or not line.strip():
            continue
        test, model, expected, found, seconds, variables, clauses = line.split()
        rows[test, model] = (expected, found, int(seconds), int(variables), int(clauses))
    return rows


def run(model, patterns):
    files = sorted(f for p in patterns for f in glob.glob(os.path.join(HERE, p)))
    out = subprocess.run(['tidemark', 'litmus', '--unroll=1', '--json=-', '--model=' + model] + files,
                         capture_output=True, text=True)
    if out.returncode:
        sys.exit('tidemark litmus failed: ' + out.stderr)
    return {r['test']: r for r in json.loads(out.stdout)}


def print_table(title, models, tests, patterns, paper):
    results = {m: run(m, patterns) for m in models}
    wrong, seconds = 0, 0.0
    print(title)
    print('exp/fnd: witness expected / found; then seconds, variables, clauses, and in brackets the published ones')
    for model in models:
        print('\n%-12s %7s %9s %8s %9s   %s' % (model, 'exp/fnd', 'sec', 'vars', 'clauses', '[sec, vars, clauses]'))
        for test in tests:
            r = results[model][test]
            expected, found, *figures = paper[test, model]
            ours = 'y' if r['verdict'] == 'allowed' else 'n'
            mark = '' if ours == found else '   <-- published: ' + found
            note = ' *' if expected != found else ''
            wrong += ours != found
            seconds += r['seconds']
            print('%-12s %7s %9.3f %8d %9d   [%d, %d, %d]%s%s' % (
                test, expected + '/' + ours, r['seconds'], r['variables'], r['clauses'], *figures, note, mark))
    total = len(models) * len(tests)
    print('\n%d of %d verdicts as published, %.2f CPU seconds in total (* = not as expected, as in the paper)\n'
          % (total - wrong, total, seconds))
    return wrong


def main():
    paper = published()
    nemos = ['nemos%02d' % i for i in range(1, 16)]
    java = ['causality-%d' % i for i in range(1, 21)] + ['T%d%s' % (i, s) for i in range(1, 6) for s in ('', '.t')]
    wrong = print_table('Table 1. Five classic memory models on the Nemos tests', CLASSIC, nemos,
                        ['nemos/*.test'], paper)
    wrong += print_table('Table 2. The Java memory model on causality and transformation tests', JAVA, java,
                         ['causality/*.test', 'transform/*.test'], paper)
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
