#!/bin/bash
# Speed of `tidemark litmus` (must be in PATH), in CPU seconds.
#   bench/litmus.sh [LIST]     LIST: a file with the paths of more tests, one per line
# The figures to reach: 2 ms a test on average, a second for each hard test, 10 s for both Java
# models on all causality and transformation tests with minimal cores.
here=$(cd "$(dirname "$0")/.." && pwd)
tests=$here/tests/litmus

cpu() { # command...: CPU seconds it took
  local TIMEFORMAT='%U %S'
  { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{printf "%.3f", $1 + $2}'
}

row() { # what, number of tests, seconds
  awk -v what="$1" -v n="$2" -v s="$3" 'BEGIN {
    printf "%-62s %6d tests %9.3f s %9.3f ms a test\n", what, n, s, n ? 1000 * s / n : 0 }'
}

x86=("$tests"/x86/*.litmus)
row "x86tso, shipped tests, minimal cores" ${#x86[@]} "$(cpu tidemark litmus "${x86[@]}")"
if [ -n "$1" ]; then
  n=$(grep -c . "$1")
  row "$(basename "$1"), verdicts and states" "$n" "$(cpu tidemark litmus --quiet --core=none "@$1")"
  row "$(basename "$1"), minimal cores as well" "$n" "$(cpu tidemark litmus "@$1")"
fi
for arch in aarch64 riscv rc11 lkmm; do
  shapes=("$tests"/verdicts/$arch/*.litmus)
  row "$arch, shipped tests, verdicts and states" ${#shapes[@]} "$(cpu tidemark litmus --quiet --core=none --model=$arch "${shapes[@]}")"
done
for f in "$tests"/hard/*.litmus; do
  row "x86tso, $(basename "$f" .litmus), all states" 1 "$(cpu tidemark litmus --states "$f")"
done
px86=("$tests"/px86/*.litmus)
row "px86, shipped tests, minimal cores" ${#px86[@]} "$(cpu tidemark litmus --model=px86 "${px86[@]}")"
nemos=("$tests"/nemos/*.test)
for m in sc coherence pram causal pc; do
  row "$m, Nemos tests, states and minimal cores" ${#nemos[@]} "$(cpu tidemark litmus --model=$m "${nemos[@]}")"
done
java=("$tests"/causality/*.test "$tests"/transform/*.test)
for m in jmm-original jmm-revised; do
  row "$m, causality and transformation tests, minimal cores" ${#java[@]} \
    "$(cpu tidemark litmus --unroll=1 --model=$m "${java[@]}")"
done
# Locks in C, three threads; clang's time is part of it.  To reach: seconds.
for m in rc11 aarch64; do
  for lock in "locks_simple spin" "locks_simple ticket -DTICKET" "locks_queue MCS" "locks_queue CLH -DCLH" "locks_bits pending-bit"; do
    read -r file what flags <<<"$lock"
    row "$m, C program: $what lock, verified" 1 \
      "$(cpu tidemark litmus --core=none --model=$m "$tests/cprog/$file.c" -- $flags)"
    row "$m, C program: $what lock, minimal core" 1 "$(cpu tidemark litmus --model=$m "$tests/cprog/$file.c" -- $flags)"
  done
done
