#!/bin/bash
# Bring the generated parts of the documents up to date: program and report in README.md (from
# examples/demo/list.c), the option tables in docs/manual.md, and the shell completion.
#
#     tools/update_readme.sh          write them
#     tools/update_readme.sh --check  only compare; exit status 1 if something is out of date
set -eu
cd "$(dirname "$0")/.."
bin=$PWD/build/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# replace FILE MARKER CONTENT: what is between the line "<!-- MARKER..." and the next "<!-- end -->".
replace() {
  awk -v marker="<!-- $2" -v content="$3" '
    index($0, marker) == 1 { print; while ((getline line < content) > 0) print line; inside = 1; next }
    inside && $0 == "<!-- end -->" { inside = 0 }
    !inside { print }' "$1" > "$work/new"
  cp "$work/new" "$1"
}

cp examples/demo/list.c "$work/list.c"
{
  echo '```c'
  cat examples/demo/list.c
  echo '```'
} > "$work/program"
(cd "$work" && "$bin/tidemark-cc" -g -o list list.c)
{
  echo '    $ tidemark-cc -g -o list list.c'
  echo '    $ tidemark check ./list'
  # Times differ from run to run: they are not shown.
  (cd "$work" && "$bin/tidemark" check --color=never ./list 2>&1 || true) |
    grep -v '^  time, memory' | sed 's/^\(.\)/    \1/'
} > "$work/report"

cp README.md "$work/README.md"
cp docs/manual.md "$work/manual.md"
replace "$work/README.md" "program:" "$work/program"
replace "$work/README.md" "report:" "$work/report"
for command in check replay merge litmus; do
  "$bin/tidemark" help --markdown "$command" > "$work/table"
  replace "$work/manual.md" "options of $command:" "$work/table"
done
"$bin/tidemark" help --completion > "$work/tidemark.bash"

stale=0
update() {
  cmp -s "$1" "$2" && return
  stale=1
  if [ "${check:-0}" = 1 ]; then
    echo "$2 is out of date; run tools/update_readme.sh" >&2
    diff "$2" "$1" | head -n 20 >&2 || true
  else
    cp "$1" "$2"
    echo "updated $2"
  fi
}
check=0
[ "${1-}" = --check ] && check=1
update "$work/README.md" README.md
update "$work/manual.md" docs/manual.md
update "$work/tidemark.bash" share/completion/tidemark.bash
[ "$check" = 0 ] || exit "$stale"
