#!/usr/bin/env bash
# Installs the Debian 12 packages that are missing, and nothing else.
#   tools/setup.sh [--check] SET...     sets: run, test, ci, data (each includes the ones it needs)
# With everything in place it neither calls apt nor needs the network. --check only names what is missing.
set -euo pipefail

# set  package              purpose
packages='
run    g++                  compiler of the release build
run    cmake                build description
run    ninja-build          build tool
run    liblmdb-dev          metadata store of embedded deployments
run    libfmt-dev           text formatting
run    libxxhash-dev        digest of the metadata store
run    libcli11-dev         command line of the command
run    libtomlplusplus-dev  configuration files
run    nlohmann-json3-dev   JSON records and output
test   libgtest-dev         unit tests
test   zlib1g-dev           checks sums against a second implementation
test   python3              drives the tests; some of them are written in it
test   strace               shows the fsync before each acknowledgement
test   shellcheck           checks the scripts
ci     ccache               repeated builds
ci     clang-16             second compiler: ASan, every UBSan check, TSan, libFuzzer
ci     libclang-rt-16-dev   run-time libraries of its sanitizers
ci     llvm-16              names and lines in their reports
data   python3              unpacks the data set
data   python3-pip          downloads the data set
'

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

check_only=
sets=
for arg in "$@"; do
  case $arg in
    --check) check_only=1 ;;
    run) sets+=' run ' ;;
    test) sets+=' run test ' ;;
    ci) sets+=' run test ci ' ;;
    data) sets+=' data ' ;;
    *) fail "unknown argument \"$arg\"; expected --check, run, test, ci or data" ;;
  esac
done
[ -n "$sets" ] || fail 'name at least one set: run, test, ci or data'

if ! command -v dpkg-query >/dev/null; then
  say 'this is not Debian; going on with the tools and libraries that are here'
  exit 0
fi

missing=()
while read -r set package _; do
  if [[ -n $set && $sets == *" $set "* ]] &&
      [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" != installed ]; then
    missing+=("$package")
  fi
done <<<"$packages"

if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi
say "missing: ${missing[*]}"
[ -z "$check_only" ] || exit 1

as_root=(env DEBIAN_FRONTEND=noninteractive)
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "as root, run: apt-get install --no-install-recommends ${missing[*]}"
  sudo_options=()
  [ -t 0 ] || sudo_options=(-n)
  as_root=(sudo "${sudo_options[@]}" "${as_root[@]}")
fi
apt=("${as_root[@]}" apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)

say 'installing them (a few minutes on a new machine)'
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() {
  "${apt[@]}" "$@" </dev/null 2>&1 | tee -a "$log" | sed -nuE 's/^(Need to get .*|Setting up [^ ]+).*/setup:   \1/p'
}

# One retry: mirrors are sometimes in the middle of an update.
for attempt in 1 2; do
  if run update && run install --no-install-recommends "${missing[@]}"; then
    say 'done'
    exit 0
  fi
  [ "$attempt" -eq 2 ] || { say 'apt-get failed; trying once more'; sleep 5; }
done
tail -n 20 "$log" >&2
fail "apt-get could not install: ${missing[*]} (its last lines are above)"
