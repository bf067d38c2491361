#!/bin/bash
# Run what uses the host code (unit tests, litmus suite, compiler driver, reports and replays) with the
# sanitized programs in FOLDER: run_sanitized.sh FOLDER.  The tests say whether the results are right;
# this adds whether a sanitizer had something to say, whatever became of its process.
cd "$(dirname "$0")/.." || exit 2
folder=$(realpath "$1")
reports=$folder/reports
lit=${LLVM:-/usr/lib/llvm-19}/build/utils/lit/lit.py
rm -rf "$reports" && mkdir -p "$reports"
export ASAN_OPTIONS=detect_leaks=0:handle_segv=0:log_path=$reports/asan:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1:log_path=$reports/ubsan
failed=0

part_of() { # name, arguments...: those unit tests take half a minute each as a whole
  local name=$1
  shift
  "$folder/tests/$name" "$@" >"$folder/$name.log" 2>&1 || { failed=1; cat "$folder/$name.log"; }
}
units=()
for program in "$folder"/tests/*; do
  case $(basename "$program") in axiom_random | axiom_core | axiom_persist) continue ;; esac
  [ -x "$program" ] && [ -f "$program" ] && units+=("$program")
done
echo "unit tests:"
tests/run_unit.sh "${units[@]}" || failed=1
part_of axiom_random 1 60
part_of axiom_persist 1 400
part_of axiom_core x86
echo "litmus:"
PATH="$folder/bin:$PATH" tests/litmus/run.sh || failed=1
# Not what builds other projects or installs this one: that would build these programs without sanitizers.  Nor a second
# long program in C++.
echo "compiler driver, reports, replays:"
python3 "$lit" -q -j2 tests/programs/cc tests/programs/debug --param build="$folder" \
  --filter-out='cmake|meson|autotools|configure|limits|install|native' || failed=1

found=$(find "$reports" -type f | wc -l)
for report in $(find "$reports" -type f | head -n 5); do
  echo "--- $report"
  head -n 25 "$report"
done
[ "$failed" = 0 ] && [ "$found" = 0 ] && echo "1 passed, 0 failed" && exit 0
echo "0 passed, 1 failed ($found reports of sanitizers)"
exit 1
