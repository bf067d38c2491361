#!/bin/bash
# Run the named suites (make check-NAME), two at a time where there are two cores, show what each says when it
# has ended, and fail if one does.
logs=$(mktemp -d) || exit 2
trap 'rm -rf "$logs"' EXIT
lanes=$(($(nproc) > 1 ? 2 : 1))
failed=""
TIMEFORMAT='%U + %S'
declare -A suite_of started

await_one() { # any of those that run
  local pid status
  wait -n -p pid "${!suite_of[@]}"
  status=$?
  local suite=${suite_of[$pid]}
  echo "== $suite"
  cat "$logs/$suite"
  echo "   ($((SECONDS - started[$pid])) s, $(cat "$logs/$suite.cpu") s of CPU time)"
  [ "$status" = 0 ] || failed="$failed $suite"
  unset "suite_of[$pid]"
}

for suite in "$@"; do
  [ ${#suite_of[@]} -lt "$lanes" ] || await_one
  { time ${MAKE:-make} --no-print-directory "check-$suite" >"$logs/$suite" 2>&1; } 2>"$logs/$suite.cpu" &
  suite_of[$!]=$suite started[$!]=$SECONDS
done
while [ ${#suite_of[@]} -gt 0 ]; do
  await_one
done
bad=$(wc -w <<<"$failed")
[ -n "$failed" ] && echo "failed:$failed"
echo "suites: $(($# - bad)) passed, $bad failed"
[ -z "$failed" ]
