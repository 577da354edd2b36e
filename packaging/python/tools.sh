#!/usr/bin/env bash
# Installs what packs the wheels into .cache/wheel, once for each content of requirements-build.txt.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requirements=$here/requirements-build.txt tools=$top/.cache/wheel
if cmp -s "$requirements" "$tools/requirements.txt"; then # written last
  exit 0
fi
rm -rf "$tools"
mkdir -p "$top/.cache"
if ! "$python" -m pip install --disable-pip-version-check --no-input --no-deps --only-binary :all: \
  --require-hashes --target "$tools" -r "$requirements" >"$top/.cache/wheel.log" 2>&1; then
  say "What packs the wheels could not be installed. The end of pip's log:"
  tail -n 15 "$top/.cache/wheel.log" >&2
  exit 1
fi
cp "$requirements" "$tools/requirements.txt"
