#!/bin/bash
# Run the named suites (make check-NAME), show what each says, and fail if one does.
failed=""
for suite in "$@"; do
  echo "== $suite"
  start=$SECONDS
  if ! ${MAKE:-make} --no-print-directory "check-$suite"; then
    failed="$failed $suite"
  fi
  echo "   ($((SECONDS - start)) s)"
done
count=$#
bad=$(wc -w <<<"$failed")
[ -n "$failed" ] && echo "failed:$failed"
echo "suites: $((count - bad)) passed, $bad failed"
[ -z "$failed" ]
