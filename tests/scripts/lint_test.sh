#!/usr/bin/env bash
# Every shell script of the project parses, passes shellcheck, and can be executed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

mapfile -t scripts < <(
  find . \( -path ./build -o -path ./data -o -path ./.git -o -path ./.cache \) -prune -o -type f -print |
    while IFS= read -r path; do
      first=
      IFS= read -r -n 64 first <"$path" || true
      if [[ $path == *.sh || $first == '#!'*bash* ]]; then echo "$path"; fi
    done | sort
)
# The ones that must be among them; with a broken search above, this test would pass on nothing.
for expected in ./run.sh ./test.sh ./.ci/run ./tools/setup.sh ./tests/scripts/lint_test.sh; do
  [[ " ${scripts[*]} " == *" $expected "* ]] || { echo "not found: $expected"; exit 1; }
done

failed=0
for script in "${scripts[@]}"; do
  bash -n "$script" || failed=1
  [ -x "$script" ] || { echo "$script: not executable"; failed=1; }
done
shellcheck "${scripts[@]}" || failed=1
# Such a reader ends before its input does, now and then early enough to fail whoever still writes to it, and with
# pipefail the whole pipe.
if grep -nE ' [|] +(grep -[a-zA-Z]*q|head) ' "${scripts[@]}"; then
  echo "a pipe whose reader does not read to the end"
  failed=1
fi
echo "${#scripts[@]} scripts looked at"
exit "$failed"
