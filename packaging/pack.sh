#!/usr/bin/env bash
# pack.sh GOOS GOARCH PROGRAM VERSION OUT packs a program that was built for that machine in each way that there is for it.
# GOARCH "all" is a program of darwin for both machines, which the bundle alone takes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
system=$1 machine=$2 program=$3 version=$4
mkdir -p "$5"
out=$(cd "$5" && pwd)
pack() { "packaging/$1" "$system" "$machine" "$program" "$version" "$out"; }

if [ "$machine" != all ]; then
  pack python/wheel.sh
  pack npm/platform.sh
fi
pack mcpb/bundle.sh
