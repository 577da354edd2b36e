#!/usr/bin/env bash
# begin.sh VERSION OUT begins a release: it empties OUT, and puts what contains no program there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
rm -f "$out"/*
for script in packaging/python/jupyter.sh packaging/npm/main.sh; do
  "$script" "$version" "$out"
done
