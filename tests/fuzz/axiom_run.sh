#!/bin/bash
# Fuzz the readers of tests, models and lifted C programs with libFuzzer:
# axiom_run.sh [SECONDS each, 300] [WORK FOLDER] [TARGET...]
# Exit 1 on a crash, a leak or a hang; the input that caused it is left in the work folder.
seconds=${1:-300}
work=${2:-build/fuzz}
cd "$(dirname "$0")/../.." || exit 2
mkdir -p "$work" || exit 2
status=0
shift 2
for target in ${@:-axiom_litmus axiom_cat c_module}; do
  ${CC:-clang-19} -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -Isrc \
    -D_GNU_SOURCE "tests/fuzz/$target.c" src/axiom/*.c src/cprog/*.c src/sat/*.c src/base/*.c -lcadical -lstdc++ -lm \
    -o "$work/$target" || exit 2
  mkdir -p "$work/corpus_$target"
  "$work/$target" -max_total_time="$seconds" -timeout=20 -max_len=4000 -artifact_prefix="$work/$target-" \
    -print_final_stats=1 "$work/corpus_$target" "tests/fuzz/${target}_seeds" 2>"$work/$target.log" || status=1
  grep -E 'stat::number_of_executed_units|SUMMARY' "$work/$target.log"
done
exit $status
