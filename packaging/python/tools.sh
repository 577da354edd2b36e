#!/usr/bin/env bash
# Installs what packs the wheels into .cache/wheel, once for each content of requirements-build.txt; with the argument
# "test", what their tests run into .cache/wheel-test, from requirements-test.txt.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
case ${1:-build} in
build) tools=$top/.cache/wheel ;;
test) tools=$top/.cache/wheel-test ;;
*) say "usage: tools.sh [test]"; exit 1 ;;
esac
requirements=$here/requirements-${1:-build}.txt
if cmp -s "$requirements" "$tools/requirements.txt"; then # written last
  exit 0
fi
rm -rf "$tools"
mkdir -p "$top/.cache"
if ! "$python" -m pip install --disable-pip-version-check --no-input --no-deps --only-binary :all: \
  --require-hashes --target "$tools" -r "$requirements" >"$tools.log" 2>&1; then
  say "What $requirements names could not be installed. The end of pip's log:"
  tail -n 15 "$tools.log" >&2
  exit 1
fi
cp "$requirements" "$tools/requirements.txt"
