#!/usr/bin/env bash
# wheel.sh GOOS GOARCH BINARY VERSION OUT packs a program that was built for GOOS and GOARCH
# into the wheel `nbduet` of that platform, in the folder OUT, and prints the wheel's path.
# GOARCH "all" is macOS's universal program, for which there is no wheel: pip takes the one of the machine.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[ $# -eq 5 ] || { say "usage: wheel.sh GOOS GOARCH BINARY VERSION OUT"; exit 1; }
[ "$1/$2" != darwin/all ] || exit 0

NBDUET_WHEEL_TAG=$(tag "$1" "$2")
version "$4"
[ -f "$3" ] || { say "There is no program $3 to pack."; exit 1; }
mkdir -p "$5"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
install -m 755 "$3" "$work/nbduet" # a wheel keeps the mode, and so pip the program executable
export NBDUET_WHEEL_TAG NBDUET_WHEEL_PROGRAM=$work/nbduet
pack "$here/nbduet" "$5"
