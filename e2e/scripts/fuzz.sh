#!/usr/bin/env bash
# Runs every fuzz target of some packages, one after the other: fuzz.sh TIME PACKAGE…
# TIME is for each target, such as 60s, or 2000000x for so many executions.
# FUZZPARALLEL says how many processes each has (all cores unless set), FUZZTARGETS
# which targets, as a regular expression. At the end the executions are counted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
time=$1
shift

failed=0 total=0 counts=
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for package in "$@"; do
  targets=$(go test -list '^Fuzz' "$package" | sed -n '/^Fuzz/p' | grep -E "${FUZZTARGETS:-.}" || true)
  for target in $targets; do
    printf '%s %s\n' "$package" "$target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" ${FUZZPARALLEL:+-parallel "$FUZZPARALLEL"} "$package" 2>&1 | tee "$log" || failed=1
    n=$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' "$log" | tail -n 1)
    total=$((total + ${n:-0}))
    counts+=$(printf '%12d  %s %s' "${n:-0}" "$package" "$target")$'\n'
  done
done
printf '\nexecutions\n%s%12d  in all\n' "$counts" "$total"
exit $failed
