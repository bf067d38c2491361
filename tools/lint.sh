#!/bin/bash
# Layout by .clang-format, mistakes by .clang-tidy; exit status 1 if something is wrong.
#
#     tools/lint.sh           every file; host code also with the analyzer of clang-tidy (minutes)
#     tools/lint.sh quick     the analyzer only where a file differs from the last commit (seconds)
#     tools/lint.sh format    write the layout instead of comparing it
set -u
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
# Other versions of clang-format lay some things out differently.
format=${CLANG_FORMAT:-clang-format-14} tidy=${CLANG_TIDY:-clang-tidy-14}
flags=(-std=gnu11 -Isrc -Iinclude -Itests/unit "-I${LLVM:-/usr/lib/llvm-19}/include" -D_GNU_SOURCE
  '-DTIDEMARK_VERSION="0"')
mapfile -t texts < <(find src include tests/unit -name '*.[ch]' | sort)
mapfile -t units < <(printf '%s\n' "${texts[@]}" | grep '\.c$')
if command -v mpicc >/dev/null; then
  read -ra mpi < <(mpicc --showme:compile)
  flags+=("${mpi[@]}")
else
  mapfile -t units < <(printf '%s\n' "${units[@]}" | grep -v '^src/mpi/')
fi
for program in "$format" "$tidy"; do
  command -v "$program" >/dev/null || { echo "lint: $program is not installed" >&2; exit 3; }
done
if [ "${1-}" = format ]; then
  printf '%s\n' "${texts[@]}" | xargs -n 16 "$format" -i
  exit
fi

failed=0 log=$(mktemp)
trap 'rm -f "$log"' EXIT

check() { # what, files on the standard input, command...: silent unless it fails
  local what=$1
  shift
  if ! xargs -r -P "$jobs" -n 8 "$@" >"$log" 2>&1; then
    failed=1
    echo "--- $what"
    grep ' error: ' "$log" | sort -u # all of them; of what led there, the first
    grep -v ' warnings\? \(generated\|treated\)' "$log" | head -n 60
  fi
}

tidy_files() { # what, checks: files on the standard input
  # shellcheck disable=SC2016 # the inner shell expands it
  check "$1" bash -c '"$0" --quiet --checks="$1" "${@:$2}" -- "${@:3:$2 - 3}"' \
    "$tidy" "$2" $((3 + ${#flags[@]})) "${flags[@]}"
}

# The analyzer does not see what assembly writes, so it is of no use where the program under test runs.
mapfile -t analysed < <(printf '%s\n' "${units[@]}" |
  grep -E '^src/(base|event|finding|memory|explore|instrument|native|sat|axiom|report|cli)/')

changed() { # of the analysed ones, those that differ from the last commit; none without a repository
  { git diff --name-only --diff-filter=d HEAD && git ls-files -o --exclude-standard; } 2>/dev/null |
    grep -Fxf <(printf '%s\n' "${analysed[@]}")
}

check "layout (make format mends it)" "$format" --dry-run -Werror < <(printf '%s\n' "${texts[@]}")
tidy_files "clang-tidy" '-clang-analyzer-*' < <(printf '%s\n' "${units[@]}")
if [ "${1-}" = quick ]; then
  tidy_files "analyzer, files that have changed" '' < <(changed)
else
  tidy_files "analyzer" '' < <(printf '%s\n' "${analysed[@]}")
fi
echo "$((1 - failed)) passed, $failed failed"
exit "$failed"
