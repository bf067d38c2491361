#!/bin/bash
# make demo: build a small program with a missing flush, check it, show the report.
build=${1:-build}
source=examples/demo/list.c
program=$build/demo/list
mkdir -p "$build/demo"
echo "\$ tidemark-cc -g -o $program $source"
"$build/bin/tidemark-cc" -g -o "$program" "$source" || exit 1
echo "\$ tidemark check $program"
"$build/bin/tidemark" check "$program"
status=$?
if [ $status != 1 ]; then
  echo "demo: expected a finding (exit status 1), got exit status $status" >&2
  exit 1
fi
echo
echo "This finding is intended: $source forgets a flush.  To check a program of yours:"
echo
echo "    export PATH=$(cd "$build/bin" && pwd):\$PATH"
echo "    tidemark-cc -g -o prog prog.c"
echo "    tidemark check ./prog                # persistent memory"
echo "    tidemark check --model=sc ./prog     # threads"
