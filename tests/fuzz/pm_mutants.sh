#!/bin/bash
# Can the comparison fail?  Runs pm_random.py, or schedule_random.py, against oracles that have one
# rule wrong each; every one must lead to a disagreement.  Not part of the normal test suite.
#
#       pm_mutants.sh [SEED [COUNT [pm|schedule]]]
cd "$(dirname "$0")" || exit 2
seed=${1:-1} count=${2:-1500} what=${3:-pm} survivors=0
for flip in $(python3 -B -c "import ${what}_oracle; print(*${what}_oracle.FLIPS)"); do
  if found=$(python3 "${what}_random.py" --flip "$flip" --seed "$seed" --count "$count"); then
    echo "SURVIVED $flip"
    survivors=$((survivors + 1))
  else
    echo "caught $flip: $(sed -n 's/^shrunk: *[a-z_]*random.py //p' <<<"$found")"
  fi
done
echo "$survivors survived"
[ "$survivors" = 0 ]
