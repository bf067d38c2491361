#!/bin/bash
# The litmus suite: verdicts, state sets, cores, errors and output forms of `tidemark litmus`.
# Needs tidemark in PATH.  Ends with 'N passed, M failed'.
cd "$(dirname "$0")" || exit 2
passed=0 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

check() { # name, command...: passes if the command succeeds
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "--- $name"
    head -20 "$work/log"
  fi
}

status_is() { # wanted status, command...
  local wanted=$1
  shift
  "$@"
  local got=$?
  [ "$got" = "$wanted" ] || { echo "exit status $got, expected $wanted"; return 1; }
}

L="tidemark litmus --quiet"

check "tables: all 135 published verdicts" ./tables.sh
check "x86: known verdicts" $L --core=none --expect=x86/expected.txt x86/*.litmus
check "x86: same states without a solver" $L --core=none --cross-check x86/*.litmus
check "x86 under sc: same states without a solver" $L --core=none --model=sc --cross-check x86/*.litmus
check "px86: known verdicts and state counts" $L --core=none --model=px86 --expect=px86/expected.txt px86/*.litmus
check "language: known verdicts" $L --model=sc --expect=language/expected.txt language/*.test

same_models() { # model, model, tests...
  tidemark litmus --core=none --compare "$@" | tee "$work/compare"
  grep -q ': 0 differ$' "$work/compare"
}
check "pc as published is sc on all Nemos tests" same_models pc-published sc nemos/*.test
check "another TSO, by filters and recursion" same_models x86tso models/tso-filters.cat x86/*.litmus
check "another TSO, by general recursion and quantifiers" same_models x86tso models/ob-general.cat x86/*.litmus
check "px86 is x86tso where nothing crashes" same_models x86tso px86 x86/*.litmus

distinct_actions() { # model, tests that sharing of actions makes possible
  local model=$1
  shift
  for mode in "" --distinct-actions; do
    $L --core=none --unroll=1 --model="$model" $mode causality/*.test transform/*.test | grep '^Test' >"$work/acts$mode"
  done
  diff "$work/acts" "$work/acts--distinct-actions" | sed -n "s/^> Test \(.*\) $model Forbidden/\1/p" | tr '\n' ' ' >"$work/changed"
  cat "$work/changed"
  [ "$(cat "$work/changed")" = "$* " ]
}
check "sharing of actions, original" distinct_actions jmm-original causality-6 causality-17 causality-18 T2.t T3.t T4.t T5.t
check "sharing of actions, revised" distinct_actions jmm-revised causality-6 T2.t T3.t T4.t T5.t T5

good_error() { # expected line, command...: exit 2, exactly that line, and the good test still runs
  local wanted=$1
  shift
  "$@" >"$work/out" 2>"$work/err"
  local status=$?
  cat "$work/out" "$work/err"
  [ $status = 2 ] && [ "$(cat "$work/err")" = "$wanted" ]
}
while IFS= read -r line; do
  file=${line%%:*}
  case $file in
  *.cat) check "error: $file" good_error "errors/$line" $L --model="errors/$file" x86/SB.litmus ;;
  *)
    check "error: $file" good_error "errors/$line" $L --model=sc "errors/$file" x86/SB.litmus
    check "error: $file, rest of the batch" grep -q '^Test SB sc Forbidden' "$work/out"
    ;;
  esac
done <errors/expected.txt

check "no such file" status_is 2 tidemark litmus nowhere.litmus
check "no such model" status_is 2 tidemark litmus --model=nowhere x86/SB.litmus
check "no such option" status_is 2 tidemark litmus --nonsense x86/SB.litmus
check "no tests" status_is 2 tidemark litmus
check "a model has to be named for schematic tests" status_is 2 tidemark litmus nemos/nemos01.test
check "final memory needs a model that speaks of it" status_is 2 tidemark litmus --model=jmm-revised language/sync.test
check "nvm needs a model that speaks of it" status_is 2 tidemark litmus --model=x86tso px86/P1.litmus
echo "Test SB x86tso Forbidden" >"$work/wrong"
check "a difference from --expect" status_is 1 $L --expect="$work/wrong" x86/SB.litmus
check "output serves as expectation" bash -c "$L x86/*.litmus >$work/self && $L --expect=$work/self x86/*.litmus"

for f in hard/*.litmus; do
  check "$(basename "$f") within a CPU second" bash -c "ulimit -t 1; $L --states $f"
done

fields() {
  tidemark litmus --json="$work/json" --svg="$work/svg" --dot="$work/dot" x86/SB.litmus x86/MP.litmus errors/comma.litmus
  python3 - "$work" <<'PY'
import json, sys, xml.dom.minidom
work = sys.argv[1]
allowed, forbidden, bad = json.load(open(work + '/json'))
for r in (allowed, forbidden):
    for key in ('file', 'test', 'model', 'model_hash', 'verdict', 'observation', 'states', 'witness', 'core',
                'variables', 'clauses', 'seconds'):
        assert key in r, key
assert allowed['verdict'] == 'allowed' and forbidden['verdict'] == 'forbidden'
assert len(allowed['states']) == 4 and allowed['witness'] and not allowed['core']
assert forbidden['core'] and not forbidden['witness']
assert bad['error']['line'] == 4 and bad['error']['column'] == 10 and bad['error']['message']
xml.dom.minidom.parse(work + '/svg')
assert open(work + '/dot').read().startswith('digraph')
PY
}
check "JSON, SVG and Graphviz" fields

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
