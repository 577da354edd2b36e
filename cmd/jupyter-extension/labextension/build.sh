#!/usr/bin/env bash
# build.sh builds the extension of JupyterLab into cmd/nbduet/labextension/built, from
# which the program and the wheel take it. It needs Node and npm.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../../.." && pwd)
built=$top/cmd/nbduet/labextension/built
cd "$here"
"$top/e2e/scripts/node.sh" labextension
rm -rf build lib
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! npm run --silent build >"$log" 2>&1; then
  printf '%s\n' "The extension of JupyterLab could not be built:" >&2
  tail -n 15 "$log" >&2
  exit 1
fi
rm -rf build/schemas/*/package.json.orig "$built"
cp install.json build
mv build "$built"
# A test compares it with the sources.
printf '%s\n' *.json src/* style/* schema/* | LC_ALL=C sort | xargs cat | sha256sum | cut -d " " -f 1 >"${built%/built}/sources.sha256"
