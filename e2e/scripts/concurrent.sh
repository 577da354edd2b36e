#!/usr/bin/env bash
# concurrent.sh: the packages of the program that start goroutines, which the race detector is for.
set -euo pipefail
grep -rlE --include='*.go' --exclude='*_test.go' '^[[:space:]]*go [[:alpha:]].*[({]$|\.Go\(' cmd rtc session tools ydoc |
  xargs -n1 dirname | sort -u | sed 's,^,./,'
