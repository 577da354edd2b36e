#!/usr/bin/env bash
# concurrent.sh: the packages that the gate tests with the race detector: those that start goroutines. Other packages of
# tools start one only to wait for an event.
set -euo pipefail
grep -rlE --include='*.go' --exclude='*_test.go' '^[[:space:]]*go [[:alpha:]].*[({]$|\.Go\(' cmd rtc session tools/serve |
  xargs -n1 dirname | sort -u | sed 's,^,./,'
