#!/usr/bin/env bash
# Runs every fuzz target of some packages, one after the other: fuzz.sh TIME PACKAGE…
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
time=$1
shift

failed=0
for package in "$@"; do
  targets=$(go test -list '^Fuzz' "$package" | sed -n '/^Fuzz/p')
  for target in $targets; do
    printf '%s %s\n' "$package" "$target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package" || failed=1
  done
done
exit $failed
