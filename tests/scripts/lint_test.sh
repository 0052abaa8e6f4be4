#!/usr/bin/env bash
# Every shell script of the project parses, passes shellcheck, and can be executed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

mapfile -t scripts < <(
  find . \( -path ./build -o -path ./data -o -path ./.git -o -path ./.cache \) -prune -o -type f -print |
    while IFS= read -r path; do
      if [[ $path == *.sh ]] || head -c 64 "$path" | head -n 1 | grep -aqE '^#!.*\bbash\b'; then echo "$path"; fi
    done | sort
)
# The ones that must be among them; with a broken search above, this test would pass on nothing.
for expected in ./run.sh ./test.sh ./.ci/run ./tools/setup.sh ./tests/scripts/lint_test.sh; do
  printf '%s\n' "${scripts[@]}" | grep -qxF -- "$expected" || { echo "not found: $expected"; exit 1; }
done

failed=0
for script in "${scripts[@]}"; do
  bash -n "$script" || failed=1
  [ -x "$script" ] || { echo "$script: not executable"; failed=1; }
done
shellcheck "${scripts[@]}" || failed=1
echo "${#scripts[@]} scripts looked at"
exit "$failed"
