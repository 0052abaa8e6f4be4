#!/usr/bin/env bash
# Installs what is missing, builds the command, and runs the main job: append a file to a stream, read it back, tail, trim,
# compact it into Parquet, and read it back again.
#   ./run.sh            with 5 000 rows of flight data
#   ./run.sh FILE       with a file of yours; each line becomes one record
# Streams are kept in ./data of the project; every run makes a new one, so runs never disturb each other.
# Environment: LAKESTREAM_DATA=DIR        another folder for the deployment
#              LAKESTREAM_SKIP_BUILD=1    use the command as it is; LAKESTREAM_BINARY=PATH names another one
set -euo pipefail
export LC_ALL=C

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly tail_rows=100
readonly tail_start_seconds=60

fail() { printf 'run.sh: %s\n' "$*" >&2; exit 1; }

# --- arguments --------------------------------------------------------------------------------------------------------

case ${1:-} in
  -h | --help) sed -n '2,/^set /{ /^set /d; s/^# \{0,1\}//p }' "$0"; exit 0 ;;
  -?*) [ -e "$1" ] || fail "unknown option \"$1\"; usage: ./run.sh [FILE]" ;;
esac
[ $# -le 1 ] || fail 'more than one argument; usage: ./run.sh [FILE]'
if [ $# -eq 1 ]; then
  file=$1
  prefix=own
else
  file=$root/examples/data/flights-5000.csv
  prefix=flights
fi
[ -e "$file" ] || fail "no such file: $file"
[ -f "$file" ] || fail "not a regular file: $file"
[ -r "$file" ] || fail "cannot read: $file"
[ -s "$file" ] || fail "nothing to append, the file is empty: $file"
file=$(realpath -- "$file")

# --- packages and build -----------------------------------------------------------------------------------------------

binary=${LAKESTREAM_BINARY:-$root/build/release/bin/lakestream}
if [ -z "${LAKESTREAM_SKIP_BUILD:-}" ]; then
  "$root/tools/setup.sh" run
  cd "$root"
  options=()
  # gtest is not among this script's packages. A tree that builds tests already stays as it is.
  [ -e build/release/build.ninja ] || options=(-DLAKESTREAM_TESTS=OFF)
  said=$(cmake --preset release "${options[@]}" 2>&1) || fail "cmake failed:
$said"
  echo 'Building build/release/bin/lakestream'
  NINJA_STATUS='[%f/%t, %e s] ' cmake --build build/release -j2 --target bin/lakestream
fi
[ -x "$binary" ] || fail "the command is not built: $binary"

# --- helpers ----------------------------------------------------------------------------------------------------------

work=$(mktemp -d "${TMPDIR:-/tmp}/lakestream-run.XXXXXX")
pids=()
names=()
# Called by the trap: whatever this script started and has not waited for is ended with it.
cleanup() {
  if [ ${#pids[@]} -gt 0 ]; then
    kill "${pids[@]}" 2>/dev/null || true
    wait "${pids[@]}" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

file_bytes=$(stat -c %s "$file")
# No step may hang: a minute, and a second more for every MiB.
limit=$((60 + file_bytes / 1048576))

now_us() { printf '%s' "${EPOCHREALTIME/./}"; }
calc() { awk "BEGIN { printf \"$1\", $2 }"; }
mib() { calc %.2f "$1 / 1048576"; }
# A count of records and bytes, and the microseconds it took.
rate() { calc "%.0f records, %.2f MiB in %.3f s: %.0f records/s, %.1f MiB/s" "$1, $2 / 1048576, $3 / 1e6, $1 * 1e6 / $3, $2 / 1.048576 / $3"; }
lines_in() { as_lines "$1" | wc -l; }
# What reading the records of a file gives: its bytes, the last line always closed by a newline.
as_lines() { cat -- "$1"; ends_in_newline "$1" || echo; }
ends_in_newline() { [ ! -s "$1" ] || [ "$(tail -c 1 -- "$1" | od -An -tx1)" = ' 0a' ]; }
# Files and their bytes below a folder. It is not there before the first one, and a file may go away meanwhile.
files_in() {
  { find "$1" -type f -printf '%s\n' 2>/dev/null || true; } |
    awk -v what="$2" '{ sum += $1 } END { printf "%.0f %s, %.2f MiB", NR, what, sum / 1048576 }'
}
stored() { files_in "$data/wal" objects; }
index_records() {
  "$binary" stream describe "$stream" --json "${where[@]}" | grep -o '"index_records":[0-9]*' |
    awk -F: '{ sum += $2 } END { print sum + 0 }'
}
# Compares standard input with a file; what it prints, if they differ, completes a sentence.
same_as() {
  cmp - "$1" >"$work/cmp" 2>&1 && return
  sed -E 's/.*differ: .* ([0-9]+), line ([0-9]+)$/the first difference is at byte \1, in line \2/
    s/.*EOF.* after byte ([0-9]+),.*/one is longer than the other, they are the same up to byte \1/' "$work/cmp"
  return 1
}

# start NAME COMMAND...: in the background; its output goes to files called NAME in the work folder.
start() {
  local name=$1
  shift
  timeout --kill-after=5 "$limit" "$@" </dev/null >"$work/$name.out" 2>"$work/$name.err" &
  pids+=($!)
  names+=("$name")
}

any_running() {
  local pid
  for pid in "${pids[@]}"; do
    if kill -0 "$pid" 2>/dev/null; then return 0; fi
  done
  return 1
}

# finish WHAT: waits for all that was started; says every five seconds that it still runs.
finish() {
  local what=$1 began=$SECONDS told=$SECONDS i status
  while any_running; do
    sleep 0.02
    if ((SECONDS - told >= 5)); then
      told=$SECONDS
      echo "   still $what: $((SECONDS - began)) s of at most $limit, $(stored) stored"
    fi
  done
  for i in "${!pids[@]}"; do
    status=0
    wait "${pids[$i]}" || status=$?
    [ "$status" -ne 124 ] || { pids=(); fail "$what took longer than $limit s"; }
    if [ "$status" -ne 0 ]; then
      sed 's/^/   /' "$work/${names[$i]}.err" >&2
      fail "$what failed with exit status $status (${names[$i]})"
    fi
  done
  pids=()
  names=()
}

# --- the job ----------------------------------------------------------------------------------------------------------

data=${LAKESTREAM_DATA:-$root/data}
mkdir -p "$data"
data=$(realpath -- "$data")
stream=$prefix-$(date -u +%Y%m%d-%H%M%S)-$$
where=(--deployment "$data")
records=$(lines_in "$file")
objects_before=$(stored)

cat <<END

$("$binary" version | sed -n 1p)
   file        $file ($records lines, $(mib "$file_bytes") MiB)
   deployment  $data
   stream      $stream, 3 partitions

END

start create "$binary" stream create "$stream" --partitions 3 "${where[@]}"
finish 'creating the stream'

# Three runs of whole lines, one per partition; a part may be empty when there are few lines.
split --number=l/3 --numeric-suffixes --suffix-length=1 -- "$file" "$work/part"

echo '1. Append: three processes at once, one per partition'
began=$(now_us)
for p in 0 1 2; do
  if [ -s "$work/part$p" ]; then
    last_part=$p
    start "append$p" "$binary" append "$stream" "$work/part$p" --partition "$p" "${where[@]}"
  fi
done
finish appending
echo "   $(rate "$records" "$file_bytes" $(($(now_us) - began)))"
for p in 0 1 2; do
  [ ! -e "$work/append$p.err" ] || sed -n "s/^acknowledged/   partition $p: &/p" "$work/append$p.err"
done

echo '2. Read back and compare byte for byte'
began=$(now_us)
for p in 0 1 2; do
  options=()
  # Records are lines without their newline, and reading gives one to each; where the file has none, neither has this.
  if [ "$p" = "$last_part" ] && ! ends_in_newline "$file"; then options=(--no-final-lf); fi
  start "read$p" "$binary" read "$stream" --partition "$p" "${options[@]}" "${where[@]}"
done
finish 'reading back'
took=$(($(now_us) - began))
difference=$(cat "$work"/read[012].out | same_as "$file") || fail "what was read back is not $file: $difference"
echo "   $(rate "$records" "$file_bytes" "$took")"
echo '   identical'

echo '3. Tail partition 0 while another process appends to it'
in_part0=$(lines_in "$work/part0")
head -n "$tail_rows" -- "$file" >"$work/more"
more=$(lines_in "$work/more")
# The tail starts one record before the end: once that record has come, it waits for new ones.
start tail "$binary" read "$stream" --partition 0 --from $((in_part0 - 1)) --max $((more + 1)) --follow "${where[@]}"
deadline=$((SECONDS + tail_start_seconds))
until [ -s "$work/tail.out" ]; do
  any_running || finish 'starting the tail'
  ((SECONDS < deadline)) || fail "the tail printed nothing for $tail_start_seconds s"
  sleep 0.02
done
began=$(now_us)
start more "$binary" append "$stream" "$work/more" --partition 0 "${where[@]}"
finish tailing
took=$(($(now_us) - began))
difference=$({ as_lines "$work/part0" | tail -n 1; as_lines "$work/more"; } | same_as "$work/tail.out") ||
  fail "the tail saw something else than what was appended: $difference"
echo "   $more records came through, identical, $(calc %.0f "$took / 1000") ms after the second process was started"

echo '4. Trim the older half of what the first process appended to partition 0'
before=$(((in_part0 + 1) / 2))
start trim "$binary" trim "$stream" --partition 0 --before "$before" "${where[@]}"
finish trimming
start rest "$binary" read "$stream" --partition 0 "${where[@]}"
finish 'reading after the trim'
difference=$({ as_lines "$work/part0"; as_lines "$work/more"; } | tail -n +$((before + 1)) | same_as "$work/rest.out") ||
  fail "after the trim, partition 0 does not start at offset $before: $difference"
echo "   it now starts at offset $before; all $((in_part0 + more - before)) records from there on are as before"

echo '5. Compact: what was appended becomes Parquet, and reads as before'
for p in 0 1 2; do start "raw$p" "$binary" read "$stream" --partition "$p" "${where[@]}"; done
finish 'reading before the compaction'
records_before=$(index_records)
began=$(now_us)
start compact "$binary" compact --stream "$stream" --now "${where[@]}"
finish compacting
took=$(($(now_us) - began))
sed 's/^/   /' "$work/compact.out"
for p in 0 1 2; do start "compacted$p" "$binary" read "$stream" --partition "$p" "${where[@]}"; done
finish 'reading what was compacted'
difference=$(cat "$work"/compacted[012].out | same_as <(cat "$work"/raw[012].out)) ||
  fail "what was compacted reads differently: $difference"
rows=$(sed -n 's/.* \([0-9]*\) entr[a-z]* of .*/\1/p' "$work/compact.out" | awk '{ sum += $1 } END { print sum + 0 }')
[ "$rows" -gt 0 ] || fail 'nothing was compacted'
# Of a topic the folder's name is the stream's own, which ends in the topic's id.
folder=$(find "$data/compacted/default" -mindepth 1 -maxdepth 1 -name "$stream-topic-id-*")
echo "   $(files_in "$folder" 'files') in $(calc %.3f "$took / 1e6") s; the same records read from them: identical"
echo "   index records of the stream: $records_before before, $(index_records) now"
python=$(find "${XDG_CACHE_HOME:-$HOME/.cache}/lakestream" -path '*/pyarrow-*/bin/python' 2>/dev/null | sort | tail -n 1)
if [ -n "$python" ]; then
  read -r foreign_rows foreign_bytes < <("$python" - "$folder" <<'END'
import pathlib, sys
import pyarrow.compute, pyarrow.parquet
files = [pyarrow.parquet.read_table(file)["payload"] for file in pathlib.Path(sys.argv[1]).glob("*.parquet")]
sizes = [pyarrow.compute.binary_length(payloads) for payloads in files]
print(sum(len(each) for each in sizes), sum(pyarrow.compute.sum(each).as_py() or 0 for each in sizes))
END
  ) || fail 'pyarrow cannot read the Parquet files'
  [ "$foreign_rows" = "$rows" ] || fail "pyarrow finds $foreign_rows rows in the Parquet files, not $rows"
  echo "   pyarrow reads the files, too: $foreign_rows rows, $(mib "$foreign_bytes") MiB of payloads"
fi

echo '6. Check the whole deployment: every record and every byte, and each against the other'
start fsck "$binary" fsck --deep "${where[@]}"
finish checking
# Other programs may use the folder, too: notes are legal, and damage has ended the command already.
echo "   $(tail -n 1 "$work/fsck.out")"

shown=$(realpath --relative-to="$PWD" -- "$binary")
cat <<END

All of it is right. In $data/wal: $(stored) (before this run: $objects_before)
In $data/compacted: $(files_in "$data/compacted" files)

Try next:
   $shown stream list --deployment '$data'
   $shown read $stream --partition 1 --max 5 --deployment '$data'
   $shown read $stream --partition 2 --from end --follow --deployment '$data'
   $shown help
To start over, remove $data.
END
