#!/bin/bash
# Fuzz a reader: run.sh BUILD FOLDER, READER, SECONDS.  Exit 1 on a crash, a leak, a hang or an
# input that needs too much memory; the input is left in BUILD FOLDER/READER.
# The readers: x86 aarch64 riscv power c schematic (tests of that language), cat (models), lifted (what
# tidemark-lift writes), expect (files of --expect), silence (suppressions and baselines), results (of
# workers, and reports to replay).
cd "$(dirname "$0")/../../.." || exit 2
build=$1 reader=$2 seconds=$3
work=$build/$reader
seeds=$work/seeds
rm -rf "$seeds" && mkdir -p "$seeds" "$work/corpus" || exit 2

take() { # files: seeds with names that cannot collide
  for file; do cp "$file" "$seeds/${file//\//_}"; done
}
of_language() { # first words: the tests that start with one of them
  take $(grep -rlE --include='*.litmus' "^($1) " tests/litmus)
}
case $reader in
x86) of_language 'X86|X86_64' ;;
aarch64) of_language AArch64 ;;
riscv) of_language RISCV ;;
power) of_language PPC ;;
c) of_language C ;;
schematic) take $(find tests/litmus -name '*.test') ;;
cat) take models/*.cat tests/litmus/models/*.cat tests/fuzz/readers/seeds/cat/* ;;
lifted)
  take tests/fuzz/readers/seeds/lifted/*
  for file in tests/litmus/cprog/*.c; do
    build/libexec/tidemark-lift "$file" -Iinclude >"$seeds/$(basename "$file").cir" 2>/dev/null || rm "$seeds/$(basename "$file").cir"
  done
  ;;
expect) take $(find tests/litmus -name 'expected.txt') tests/fuzz/readers/seeds/expect/* ;;
silence) take tests/reports/*.json tests/fuzz/readers/seeds/silence/* ;;
results) take tests/reports/*.results tests/reports/*.json ;;
*) echo "$0: there is no reader '$reader'" >&2 && exit 2 ;;
esac
case $reader in
cat | lifted | expect | silence | results) program=$reader ;;
*) program=litmus ;;
esac

# The words of the seeds are its dictionary.
cat "$seeds"/* | LC_ALL=C grep -aoE "[A-Za-z_%.$][A-Za-z0-9_.-]*|[][(){}<>&|;:,=!~^*/+-]{2,3}" | sort -u | head -n 1000 |
  sed 's/.*/"&"/' >"$work/words"
"$build/readers/$program" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -max_len=3000 -dict="$work/words" \
  -artifact_prefix="$work/" -print_final_stats=1 -close_fd_mask=1 "$work/corpus" "$seeds" 2>"$work/log"
status=$?
grep -aE 'stat::(number_of_executed_units|slowest_unit|peak_rss)|SUMMARY' "$work/log"
[ $status = 0 ] && echo "$reader: nothing found" || { echo "$reader: see $work/log" && exit 1; }
