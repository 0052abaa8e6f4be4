#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test.
#   ./test.sh           release build, all tests
#   ./test.sh --ci      also g++ with ASan and UBSan, the fuzz targets, and in rotation clang with ASan and UBSan, and TSan
# The tests themselves are in build/release afterwards: ctest --test-dir build/release -R NAME
set -euo pipefail
LAKESTREAM_STARTED=$(date +%s)
export LAKESTREAM_STARTED

case "$#:${1:-}" in
  0:) packages="test" ;;
  1:--ci) packages=ci ;;
  1:-h | 1:--help) sed -n '2,/^set /{ /^set /d; s/^# \{0,1\}//p }' "$0"; exit 0 ;;
  *) echo 'test.sh: usage: ./test.sh [--ci]' >&2; exit 2 ;;
esac

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$root/tools/setup.sh" "$packages"
exec python3 -B "$root/tools/ci.py" "$@"
