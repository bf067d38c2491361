#!/bin/bash
# make demo: build a small program with a missing flush, check it, show the report.
build=${1:-build}
source=examples/demo/list.c
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
echo "\$ tidemark-cc -g -o list $source"
"$build/bin/tidemark-cc" -g -o "$out/list" "$source" || exit 1
echo "\$ tidemark check ./list"
"$build/bin/tidemark" check "$out/list"
status=$?
if [ $status != 1 ]; then
  echo "demo: expected a finding (exit status 1), got exit status $status" >&2
  exit 1
fi
echo
echo "The finding above is the point: $source forgets a flush.  Now: tidemark-cc, tidemark check on yours."
