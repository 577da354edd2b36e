#!/usr/bin/env bash
# alone.sh NAME COMMAND...: runs the command when no other of that name runs in this checkout:
# two runs of the tests may want the same environment made.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
name=$1
shift
command -v flock >/dev/null || exec "$@" # as on macOS: there, make one first
mkdir -p "$top/.cache"
exec flock -o "$top/.cache/$name.lock" "$@"
