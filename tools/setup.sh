#!/bin/sh
# Make sure that what the build needs is installed, and with `setup.sh check` what the tests need,
# too: install it with apt where we may, otherwise say exactly what is missing.
set -u
packages="clang-19 lld-19 llvm-19-dev llvm-19-tools libclang-rt-19-dev libcadical-dev libjansson-dev libcmocka-dev libdw-dev libelf-dev g++ python3 pkg-config"
# Build systems that drive tidemark-cc, and the real libraries that programs link.
tests="clang-format-14 clang-tidy-14 gdb meson ninja-build autoconf automake libtool libpmem-dev libpmem2-dev libpmemobj-dev libopenmpi-dev openmpi-bin"
[ "${1:-}" = check ] && packages="$packages $tests"
if ! command -v dpkg-query >/dev/null; then
  echo "tidemark: this is not a Debian system, so what is installed is not known; make sure that you have what" >&2
  echo "tidemark: these Debian packages contain: $packages" >&2
  exit 0
fi
missing=""
for p in $packages; do
  dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ]; then as_root=""; elif sudo -n true 2>/dev/null; then as_root="sudo"; else
  echo "tidemark: these packages are missing and cannot be installed without root; please run:" >&2
  echo "  apt-get install$missing" >&2
  exit 3
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if ! { $as_root apt-get update && $as_root apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
  tail -n 5 "$log" >&2
  echo "tidemark: could not install:$missing" >&2
  rm -f "$log"
  exit 3
fi
rm -f "$log"
