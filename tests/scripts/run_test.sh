#!/usr/bin/env bash
# run.sh with the built command, as users start it: twice on one folder, with a file of its user, with wrong arguments.
#   run_test.sh BINARY
set -euo pipefail
export LAKESTREAM_SKIP_BUILD=1 LAKESTREAM_BINARY=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/lakestream-run-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
export LAKESTREAM_DATA="$work/a deployment" TMPDIR="$work/tmp"
mkdir "$TMPDIR"
cd "$work"

fail() { echo "run_test: $*" >&2; exit 1; }
passes() { "$root/run.sh" "$@" >"$work/out" 2>&1 || { cat "$work/out"; fail "run.sh $* failed"; }; }
says() { grep -qF -- "$1" "$work/out" || { cat "$work/out"; fail "run.sh did not say: $1"; }; }
# One line on standard error, nothing on standard output, nothing left behind.
refuses() {
  local message=$1
  shift
  if "$root/run.sh" "$@" >"$work/out" 2>"$work/err"; then fail "run.sh $* passed"; fi
  [ ! -s "$work/out" ] || fail "run.sh $* printed: $(cat "$work/out")"
  [ "$(cat "$work/err")" = "run.sh: $message" ] || fail "run.sh $* said: $(cat "$work/err")"
}

passes
cat "$work/out"
says '(5001 lines, 0.44 MiB)'
says 'All of it is right.'
says 'pyarrow reads the files, too: 4 rows,'
first=$(find "$LAKESTREAM_DATA" -type f -path '*/wal/*' | wc -l)
[ "$first" -ge 4 ] || fail "only $first objects in the deployment"

passes
says 'All of it is right.'
[ "$(find "$LAKESTREAM_DATA" -type f -path '*/wal/*' | wc -l)" -gt "$first" ] || fail 'the second run wrote no object'

# No newline at the end, empty lines, carriage returns, bytes that are no text, names with spaces.
printf 'first\r\n\n\nk\0\377\tz  \n\r\n  spaces \n\nlast' >'my own file'
passes 'my own file'
says '(8 lines,'
says 'identical'
printf '\n' >one-empty-line
passes one-empty-line
printf 'x' >one-byte
passes one-byte

refuses 'no such file: missing' missing
refuses "not a regular file: $work" "$work"
: >empty
refuses 'nothing to append, the file is empty: empty' empty
refuses 'more than one argument; usage: ./run.sh [FILE]' empty empty
refuses 'unknown option "--fast"; usage: ./run.sh [FILE]' --fast

# A command that loses, changes or hides something makes run.sh fail. It stands between run.sh and the real one.
# shellcheck disable=SC2016 # The text of a script.
breaks() {
  local step=$1 message=$2
  {
    echo '#!/usr/bin/env bash'
    printf 'set -o pipefail\nreal=%q\n%s\n' "$binary" "$step"
    echo 'exec "$real" "$@"'
  } >"$work/broken"
  chmod +x "$work/broken"
  if LAKESTREAM_BINARY=$work/broken "$root/run.sh" 'my own file' >"$work/out" 2>&1; then
    cat "$work/out"
    fail "run.sh did not notice: $step"
  fi
  says "$message"
}
binary=$LAKESTREAM_BINARY
# shellcheck disable=SC2016 # The text of a script.
{
  breaks 'if [ "$1" = read ]; then "$real" "$@" | tr -d "\r"; exit; fi' 'what was read back is not'
  breaks 'if [ "$1" = read ]; then "$real" "$@" | sed -u "s/^last$/&x/"; exit; fi' 'what was read back is not'
  breaks 'if [[ "$*" = "read "*"--partition 2"* ]]; then exit 0; fi' 'what was read back is not'
  breaks 'if [[ "$*" = *--follow* ]]; then "$real" "$@" | sed -u s/first/First/; exit; fi' 'the tail saw something else'
  breaks 'if [ "$1" = trim ]; then exit 0; fi' 'after the trim'
  breaks 'if [ "$1" = compact ]; then exit 0; fi' 'nothing was compacted'
  breaks 'if [ "$1" = read ] && compgen -G "$LAKESTREAM_DATA/compacted/default/$2-topic-id-*" >/dev/null; then
      "$real" "$@" | sed -u "s/last/Last/"; exit; fi' 'what was compacted reads differently'
  breaks 'if [ "$1" = fsck ]; then "$real" "$@"; exit 5; fi' 'failed with exit status 5'
  breaks 'if [ "$1" = append ]; then echo "no space" >&2; exit 9; fi' 'failed with exit status 9'
}

left=$(ls -A "$TMPDIR")
[ -z "$left" ] || fail "left behind: $left"
echo 'run_test: all as it should be'
