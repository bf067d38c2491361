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

memory=${ASAN_OPTIONS:+unlimited} memory=${memory:-2000000} # KiB; sanitizers reserve more than anybody has
seconds=${ASAN_OPTIONS:+10} seconds=${seconds:-2} # of CPU time, for what takes a third of one on an idle machine
L="tidemark litmus --quiet"

check "tables: all 135 published verdicts" ./tables.sh
check "x86: known verdicts" $L --core=none --expect=x86/expected.txt x86/*.litmus
check "x86: same states without a solver" $L --core=none --cross-check x86/*.litmus
check "x86 under sc: same states without a solver" $L --core=none --model=sc --cross-check x86/*.litmus
full() { # command...: it notices that nothing can be printed
  status_is 2 "$@" >/dev/full
}
closed() { # the same, and the JSON has no text in it
  status_is 2 tidemark litmus --json="$work/closed.json" x86/2+2W.litmus >&- && python3 -m json.tool "$work/closed.json"
}
check "what cannot be printed is said" full tidemark litmus x86/2+2W.litmus
check "a closed standard output does not become a file" closed
check "px86: known verdicts and state counts" $L --core=none --model=px86 --expect=px86/expected.txt px86/*.litmus
for arch in aarch64 riscv power c; do
  check "$arch: every instruction, primitive and dependency" $L --core=none --expect=$arch/expected.txt $arch/*.litmus
  # tests with very many candidates are left to the solver
  check "$arch: same states without a solver" $L --core=none --cross-check $(ls $arch/*.litmus |
    grep -v 'lkmm-atomics\|lkmm-is-locked\|c11-rmw\|exclusive-loop')
done
opinion_limit() { # the manual says what the code does
  local limit
  limit=$(sed -n 's/^enum { SECOND_OPINION_MAX = \([0-9]*\) };$/\1/p' ../../src/axiom/enumerate.h)
  [ -n "$limit" ] && grep -q "if at most $limit candidates" ../../docs/litmus.md &&
    grep -q "if at most $limit candidate executions" ../../docs/cprograms.md
}
check "how many candidates are judged is documented" opinion_limit
says() { # text, command...: its output has that text
  local text=$1
  shift
  "$@" 2>&1 | tee "$work/says" | grep -qF "$text" || { cat "$work/says"; return 1; }
}
check "mixed sizes: refused by a model that does not know them" \
  says "overlaps an access of another size" $L --model=models/tso-filters.cat x86/mixed-torn.litmus
check "mixed sizes: no core where it would take too long" says "no core: a value of 8 parts" tidemark litmus --timeout=60 riscv/sizes.litmus
check "the language chooses the model" says "Test LB+data-sc-data riscv Forbidden" $L --core=none riscv/LB+data-sc-data.litmus
check "language: known verdicts" $L --model=sc --expect=language/expected.txt language/*.test

printf 'C oota\n{}\nP0(int *x, int *y) { int r = *x; *y = r; }\nP1(int *x, int *y) { int r = *y; *x = r; }\nexists (0:r=42)\n' >"$work/oota.litmus"
no_opinion() {
  status_is 5 $L --model=lkmm --cross-check "$work/oota.litmus" | grep -q 'Cross-check oota has no opinion'
}
check "the enumerator has no opinion about values out of thin air" no_opinion

for m in verdicts/*/; do
  m=$(basename "$m")
  check "$m: published verdicts" $L --core=none --model="$m" --expect="verdicts/$m/expected.txt" verdicts/$m/*.litmus
  check "$m: same states without a solver" $L --core=none --model="$m" --cross-check verdicts/$m/*.litmus
done

mkdir -p "$work/parts"
echo 'let together = po | rf | co | fr' >"$work/parts/part.cat"
printf 'include "part.cat"\nacyclic together as sc\n' >"$work/whole.cat"
check "an included file that is nowhere" status_is 2 $L --model="$work/whole.cat" x86/SB.litmus
check "an included file in a folder of --include" bash -c \
  "$L --include=nowhere:$work/parts --model=$work/whole.cat x86/SB.litmus | grep -q '^Test SB whole Forbidden'"
echo 'let beside = po | rf' >"$work/pair.bell"
echo 'acyclic beside | co | fr as sc' >"$work/pair.cat"
check "definitions beside a model" bash -c "$L --model=$work/pair.cat x86/SB.litmus | grep -q '^Test SB pair Forbidden'"
printf 'acyclic co\nlet rec x = (po | rf | co) \\ x\n' >"$work/restless.cat"
check "a recursive definition without a fixed point, in bounded time and memory" status_is 2 \
  bash -c "ulimit -t 10 -v $memory; $L --model=$work/restless.cat hard/W4R2.litmus"

flags_are() { # model, test, wanted
  [ "$($L --core=none --model="$1" "flags/$2.litmus" | sed -n 's/^Flag //p')" = "$3" ]
}
check "rc11: a race is undefined" flags_are rc11 race "undefined: data-race"
check "rc11: no race" flags_are rc11 guarded ""
check "lkmm: a race" flags_are lkmm kernel-race "data-race"
check "lkmm: no race" flags_are lkmm kernel-guarded ""

same_models() { # model, model, tests...
  tidemark litmus --core=none --compare "$@" | tee "$work/compare"
  grep -q ': 0 differ$' "$work/compare"
}
check "pc as published is sc on all Nemos tests" same_models pc-published sc nemos/*.test
check "another TSO, by filters and recursion" same_models x86tso models/tso-filters.cat x86/*.litmus
# not those whose rounds of that recursion become 100,000 clauses and more
check "another TSO, by general recursion and quantifiers" same_models x86tso models/ob-general.cat \
  $(ls x86/*.litmus | grep -v 'MIX4\|bit-tests\|XADD4')
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
check "an option of the compiler in the wrong place" says "come last, behind" tidemark litmus -DX cprog/mp.c
check "no tests" status_is 2 tidemark litmus
check "a model has to be named for schematic tests" status_is 2 tidemark litmus nemos/nemos01.test

says() { # wanted status, pattern, command...: that status, and a line like that
  local wanted=$1 pattern=$2
  shift 2
  "$@" >"$work/out" 2>&1
  local got=$?
  cat "$work/out"
  [ "$got" = "$wanted" ] && grep -Eq -- "$pattern" "$work/out"
}
check "final memory needs a model that speaks of it" says 2 '^language/sync.test:[1-9][0-9]*:[1-9][0-9]*: .*final memory' \
  tidemark litmus --model=jmm-revised language/sync.test
check "nvm needs a model that speaks of it" says 2 '^px86/P1.litmus:[1-9][0-9]*:[1-9][0-9]*: .*memory after a crash' \
  tidemark litmus --model=x86tso px86/P1.litmus
says_nothing() { # pattern, command...
  local pattern=$1
  shift
  "$@" >"$work/out" 2>&1
  ! grep -E -- "$pattern" "$work/out"
}
core_has() { # patterns, one per line, then '--', command...: all of them
  local patterns=()
  while [ "$1" != -- ]; do
    patterns+=("$1")
    shift
  done
  shift
  "$@" >"$work/out" 2>&1
  cat "$work/out"
  for p in "${patterns[@]}"; do
    grep -Eq -- "$p" "$work/out" || { echo "nothing like: $p"; return 1; }
  done
}
check "locks that the model ignores are an error" says 2 "SB_sync.test:4:13: 'sync\(m\)' would have no effect" \
  $L --model=x86tso warnings/SB_sync.test
check "locks that the model knows" says 0 '^Test SB_sync sc Forbidden' $L --model=sc warnings/SB_sync.test
check "a fence that the model ignores" says 0 "^Warning: line 5: 'mfence': the model 'PRAM" \
  $L --model=pram x86/MP+mfences.litmus
check "flushes that the model ignores" says 0 "^Warning: line 5: 'clflush \(x\)': the model 'x86 TSO' says nothing about it" \
  $L warnings/flush.litmus
check "atomicity that the model ignores" says 0 "^Warning: line 5: 'lock incq \(x\)'.*nothing about atomicity" \
  $L --model=warnings/loose.cat x86/INC2+locks.litmus
check "no warning where nothing is ignored" says_nothing '^Warning' $L x86/*.litmus
check "no warning under sc" says_nothing '^Warning' $L --model=sc x86/*.litmus
check "a fence of another language" says 0 '^Warning: .*seq_cst.*says nothing about it' \
  $L --model=aarch64 verdicts/rc11/SB+fences-sc.litmus
check "a fence that the model knows by another name" says_nothing '^Warning' $L --model=lkmm verdicts/lkmm/SB+mbs.litmus
check "a condition over no execution" says 5 '^Warning: no execution' $L warnings/nothing.litmus
check "why there is no execution" says 5 '^  condition .* the filter' tidemark litmus warnings/nothing.litmus
check "flags of other executions than a witness" says 0 '^Flag communicates' $L --model=warnings/flags.cat x86/MP.litmus
check "flags that no execution raises" says_nothing '^Flag impossible' $L --model=warnings/flags.cat x86/MP.litmus
echo "Test SB x86tso Forbidden" >"$work/wrong"
check "a difference from --expect" status_is 1 $L --expect="$work/wrong" x86/SB.litmus
check "output serves as expectation" bash -c "$L x86/*.litmus >$work/self && $L --expect=$work/self x86/*.litmus"

# ---- batches ----
$L --core=none x86/*.litmus >"$work/one" 2>&1
same_output() { # command...: the same output as one test after the other in one process
  "$@" >"$work/other" 2>&1
  diff "$work/one" "$work/other"
}
check "several jobs" same_output $L --core=none --jobs=3 x86/*.litmus
check "a time limit that nobody reaches" same_output $L --core=none --timeout=100 x86/*.litmus
mkdir -p "$work/lists/sub"
cp x86/SB.litmus x86/MP.litmus "$work/lists/sub"
cp x86/R.litmus "$work/lists"
printf '# a comment\nsub/@all\n  R.litmus \n@plain\n' >"$work/lists/@all"
printf 'SB.litmus\nMP.litmus # another\n' >"$work/lists/sub/@all"
printf '%s/sub/SB.litmus\n' "$work/lists" >"$work/lists/plain"
list_names() { # expected names, command...
  local wanted=$1
  shift
  "$@" | sed -n 's/^Test \([^ ]*\) .*/\1/p' | tr '\n' ' ' >"$work/names"
  cat "$work/names"
  [ "$(cat "$work/names")" = "$wanted " ]
}
check "lists in lists" list_names "SB MP R SB" $L "$work/lists/@all"
check "lists with @ in front" list_names "SB MP R SB" $L "@$work/lists/@all"
check "a list on standard input" list_names "SB R" $L @- <<<"$(printf 'x86/SB.litmus\nx86/R.litmus')"
check "a test on standard input" list_names "SB" $L - <x86/SB.litmus
echo "@loop" >"$work/lists/@loop"
check "a list that contains itself" says 2 'does one contain itself' $L "$work/lists/@loop"
check "no such list" says 2 'cannot open the list of tests' $L "$work/lists/@nowhere"
check "no such model" says 2 'x86: no such model: there are sc, x86tso' $L --model=x86 x86/SB.litmus

slow=warnings/slow.litmus # more states than anybody can count
check "a test that takes too long" says 5 'slow.litmus: not decided within 1 seconds' \
  $L --core=none --timeout=1 --json="$work/json" $slow x86/SB.litmus
check "the tests after it" grep -q '^Test SB x86tso Allowed' "$work/out"
check "JSON of a test that takes too long" python3 -c "
import json
slow, good = json.load(open('$work/json'))
assert slow['timeout'] and 'error' in slow and good['verdict'] == 'allowed'"
if [ -z "${ASAN_OPTIONS-}" ]; then # sanitizers reserve more than is allowed here
  short_of_memory() { prlimit --as=$1 "${@:2}"; } # bytes, command
  check "a test that needs more memory than there is" says 5 'slow.litmus: not decided: out of memory' \
    short_of_memory 25000000 $L --core=none --jobs=2 --json="$work/json" $slow x86/SB.litmus
  check "the tests after it are decided" grep -q '^Test SB x86tso Allowed' "$work/out"
  check "memory runs out without workers" says 5 'not decided: out of memory' short_of_memory 25000000 $L --core=none $slow
fi
check "a verdict without counting" says 0 '^Observation slow Sometimes$' timeout 10 $L --verdict-only $slow
killed() { # signal, options...: what was done is there, and the JSON is whole
  local signal=$1
  shift
  $L --core=none --json="$work/killed.json" "$@" x86/SB.litmus x86/MP.litmus $slow x86/R.litmus >"$work/killed" 2>&1 &
  local pid=$!
  for _ in $(seq 600); do
    [ "$(grep -c ^Test "$work/killed")" = 2 ] && break
    sleep 0.05
  done
  kill -"$signal" $pid
  wait $pid
  cat "$work/killed"
  grep -q '^Test MP' "$work/killed" && python3 -c "
import json
assert [t['test'] for t in json.load(open('$work/killed.json'))][:2] == ['SB', 'MP']"
}
check "a killed run keeps what was done" killed KILL
check "an interrupted run keeps what was done" killed TERM --jobs=2
check "an interrupted run says so" grep -q 'interrupted, not all of the 4 tests' "$work/killed"
check "verdicts alone" $L --core=none --verdict-only --expect=x86/expected.txt x86/*.litmus

$L --core=none --format=herd x86/*.litmus >"$work/herd.log"
check "herd's logs as expectation" $L --core=none --expect="$work/herd.log" x86/*.litmus
check "herd's logs, verdicts alone" $L --core=none --verdict-only --expect="$work/herd.log" x86/*.litmus
cat >"$work/herd.small" <<'LOG'
Test SB Allowed
Histogram (2 states)
2     :>1:rax=1; 0:rax=0;
12    *>1:rax=0; 0:rax=0;
Ok

Witnesses
Positive: 12, Negative: 2
Condition exists (0:rax=0 /\ 1:rax=0) is validated
Hash=d907d5adfff1644c962c0d8ecb45bbff
Observation SB Sometimes 12 2
Time SB 0.01
LOG
check "a log of a machine that shows less than the model allows" $L --expect="$work/herd.small" x86/SB.litmus
sed 's/Allowed/Allow/' "$work/herd.small" >"$work/herd.other"
check "what a machine has shown and the model forbids" \
  says 1 '^Difference: Test SB does not allow a state that a machine has shown, expected 0:rax=0;1:rax=0;$' \
  $L --model=sc --expect="$work/herd.other" x86/SB.litmus
sed 's/^Histogram.*/States 2/' "$work/herd.small" >"$work/herd.other"
check "a log of herd with fewer states" says 1 '^Difference: Test SB has the state 0:rax=1; 1:rax=0;' \
  $L --expect="$work/herd.other" x86/SB.litmus
sed 's/ :>.*/ :>1:rax=1; 0:rax=1;/; s/SB/MP/' "$work/herd.small" >"$work/herd.other"
check "another test in a log" says 1 '^Difference: Test MP was expected' $L --expect="$work/herd.other" x86/SB.litmus
cat >"$work/herd.types" <<'LOG'
Test types Required
States 1
0:x0=0xff; 0:X4=t; 0:X5=-1; 0:X8=0xffffffffffffffff; t={1,0x2}; t[1]=2; w=65535; x=255; y=-1; [z]=0xffffffff;
Ok
Observation types Always 1 0
LOG
check "numbers, arrays and registers as other versions of herd write them" \
  $L --core=none --expect="$work/herd.types" aarch64/types.litmus
sed 's/y=-1/y=255/' "$work/herd.types" >"$work/herd.other"
check "and a value that differs" says 1 'has the state 0:X0=255; 0:X4=t' $L --core=none --expect="$work/herd.other" aarch64/types.litmus
herd_form() {
  $L --format=herd x86/notexists-MP.litmus | sed 's/^Time \(.*\) .*/Time \1/' >"$work/out"
  diff "$work/out" - <<'LOG'
Test notexists-MP Forbidden
States 3
1:rax=0; 1:rbx=0;
1:rax=0; 1:rbx=1;
1:rax=1; 1:rbx=1;
Ok
Witnesses
Positive: 0 Negative: 3
Condition ~exists (1:rax=1 /\ 1:rbx=0)
Observation notexists-MP Never 0 3
Time notexists-MP

LOG
}
check "herd's form of a log" herd_form

for f in hard/*.litmus; do
  check "$(basename "$f") within $seconds CPU seconds" bash -c "ulimit -t $seconds; $L --states $f"
done

check "eight increments, one lost: why not" core_has '^  program .* P0, P1, P2, P3, P4, P5, P6, P7: lock incq' \
  '^Pair against atomicity' -- timeout 10 tidemark litmus hard/INC8+locks-lost.litmus
check "40320 states" says 0 '^Observation XADD8 Sometimes 1 40319$' $L hard/XADD8.litmus
check "eight increments, verdict alone" says 0 '^Observation INC8\+locks-lost Never$' \
  timeout 10 $L --verdict-only hard/INC8+locks-lost.litmus

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
assert allowed['second_opinion'] == 'witness' and forbidden['second_opinion'] == 'candidates'
assert bad['error']['line'] == 4 and bad['error']['column'] == 10 and bad['error']['message']
xml.dom.minidom.parse(work + '/svg')
assert open(work + '/dot').read().startswith('digraph')
PY
}
check "JSON, SVG and Graphviz" fields

# ---- cores and what they forbid ----
check "both fences are in the core" core_has '^  fence .*:5  P0: mfence' '^  fence .*:5  P1: mfence' -- \
  tidemark litmus x86/SB+mfences.litmus
check "no fence that is not needed" says_nothing '^  fence' tidemark litmus x86/MP+mfences.litmus
check "instructions are in the core" core_has '^  program .* P0: movq \$1,\(x\)' '^  program .* P1: movq \(x\),%rbx' -- \
  tidemark litmus x86/MP.litmus
check "locked instructions are in the core" core_has '^  program .* P0: xchgq' '^  program .* P1: xchgq' -- \
  tidemark litmus x86/SB+xchgs.litmus
check "a core where values have very many combinations" says 0 '^Core \(minimal' bash -c \
  "ulimit -t $seconds; tidemark litmus --model=sc cores/sum.test"
check "volatile accesses are in the core" core_has '^  program .*:7  T1: flag = 1' '^  program .*:10  T2: flag' \
  '^Pair against volatile-read-after-write' '^  --po-----> e0 end' -- \
  tidemark litmus --unroll=1 --model=jmm-revised cores/volatile.test
check "dependencies are in the core" core_has "^  dependency .* T1: data from 'x' to 'y = r1'" \
  "^  dependency .* T2: ctrl from 'y' to 'x = 1'" -- \
  tidemark litmus --model=cores/dependencies.cat cores/LB+data+ctrl.test
check "locks are in the core" core_has '^  lock .*:6  T1: sync\(m\)' '^  lock .*:9  T2: sync\(m\)' -- \
  tidemark litmus --model=sc cores/locks.test
check "no lock that is not needed" says_nothing '^  lock .* sync\(n\)' tidemark litmus --model=sc cores/locks.test
names_order() { # test, release, acquire: the core names both
  core_has "^  program .* P0: $2" "^  program .* P1: $3" -- tidemark litmus "$1"
}
check "STLR and LDAPR are in the core" names_order aarch64/MP+stlr+ldapr.litmus 'STLR W0' 'LDAPR W0'
check "sw.rl and lw.aq are in the core" names_order riscv/MP+rl+aq.litmus 'sw\.rl x5' 'lw\.aq x5'
check "orders of C11 are in the core" names_order c/c11-MP.litmus 'atomic_store_explicit\(y, 1, memory_order_release' \
  'atomic_load_explicit\(y, memory_order_acquire'
check "orders of the kernel are in the core" names_order c/lkmm-MP-release-acquire.litmus 'smp_store_release' \
  'smp_load_acquire'
check "flushes are in the core" core_has '^  fence .* P0: clflushopt \(x\)' '^  fence .* P0: sfence' -- \
  tidemark litmus --model=px86 px86/P5.litmus
check "a cycle, edge by edge" core_has '^Cycle against tso' '^  --mfence--> a12 mfence \(P0 line 5\)' \
  '^  --fr------> a21 write\(y,1\) \(P1 line 4\)' '^  --fr------> a11$' -- tidemark litmus x86/SB+mfences.litmus
check "both sides of a pair" core_has '^Pair against atomicity' '^  --rmw--> a22' '^  --fre--> a12' '^  --coe--> a22' -- \
  tidemark litmus x86/CAS2.litmus
check "dependencies in a cycle" core_has '^  --data--> a12' '^  --ctrl--> a22' -- \
  tidemark litmus --model=cores/dependencies.cat cores/LB+data+ctrl.test
check "rules about sets name actions" core_has '^Action against only-what-happened' '^  a14 write\(y,1\) \(P0 line 10\)' -- \
  tidemark litmus --model=px86 px86/P5.litmus
check "cases of a rule for all locations" core_has '^Cycle against no-later-write' '^  --ord--> a11$' -- \
  tidemark litmus --model=coherence x86/CoRR.litmus
refutation_json() {
  tidemark litmus --json="$work/json" x86/SB+mfences.litmus
  python3 - "$work/json" <<'PY'
import json, sys
r, = json.load(open(sys.argv[1]))
assert sum(m['kind'] == 'fence' for m in r['core']) == 2
refutation, = r['refutations']
rule, = refutation['broken']
assert rule['name'] == 'tso' and rule['cycle']
path, = rule['paths']
assert [s['edge'] for s in path] == ['mfence', 'mfence', 'fr'] * 2
assert all(a['to'] == b['from'] for a, b in zip(path, path[1:] + path[:1]))
actions = {a['name']: a for a in refutation['execution']['E']['actions']}
assert actions[path[0]['to']]['action'] == 'mfence' and actions[path[0]['to']]['line'] == 5
PY
}
check "what is forbidden, as JSON" refutation_json
pictures() { # model, tests...: well-formed, and no label lies on another or on a box
  local model=$1
  shift
  for f in "$@"; do
    tidemark litmus --quiet --model="$model" --svg="$work/svg" --dot="$work/dot" "$f" >/dev/null || return 1
    python3 ../../tests/litmus/labels.py "$work/svg" "$work/dot" || { echo "$f under $model"; return 1; }
  done
}
check "pictures, x86tso" pictures x86tso x86/SB+mfences.litmus x86/IRIW.litmus x86/CAS2.litmus x86/Peterson.litmus hard/W4R2.litmus
check "pictures, jmm-revised" pictures jmm-revised causality/causality07.test causality/causality04.test
check "pictures, px86" pictures px86 px86/P5.litmus px86/C2-commit1.litmus px86/M10.litmus
strong() {
  tidemark litmus --quiet --svg="$work/svg" --dot="$work/dot" x86/SB+mfences.litmus
  [ "$(grep -c 'stroke-width="2.5"' "$work/svg")" = 6 ] && [ "$(grep -c penwidth "$work/dot")" = 6 ]
}
check "the cycle is drawn strongly" strong
check "commits and synchronisation order are drawn" core_has '>so' '>hb' 'C\[1\]' -- \
  tidemark litmus --json=/dev/null --quiet --svg=- --model=jmm-revised causality/causality07.test
check "persisted values are drawn" core_has 'after the crash: x=0, y=1' 'persisted' -- \
  tidemark litmus --quiet --svg=- --model=px86 px86/P5.litmus

if [ -z "${ASAN_OPTIONS-}" ]; then # they take minutes with sanitizers
  check "C programs" python3 cprog/run.py
  check "C programs: orders, cores, JSON" python3 cprog/output.py
  check "C programs: those of tidemark check" python3 cprog/examples.py dekker peterson mcs_lock seqlock # all of them: without names
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
