#!/bin/bash
# Run unit test programs; each prints its own report when it fails.
passed=0 failed=0
for program in "$@"; do
  if output=$("$program" 2>&1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "--- $program"
    echo "$output"
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
