#!/usr/bin/env bash
# Puts what the extension of Jupyter Server needs into .cache/extension, once for each
# content of requirements-extension.txt. NBDUET_EXTENSION names another folder that
# has it.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
requirements=$top/e2e/requirements-extension.txt
say() { printf '%s\n' "$*" >&2; }

if [ -n "${NBDUET_EXTENSION:-}" ]; then
  [ -d "$NBDUET_EXTENSION/aiohttp" ] || { say "NBDUET_EXTENSION names $NBDUET_EXTENSION, which has no aiohttp."; exit 1; }
  exit 0
fi
folder=$top/.cache/extension
python=$top/.venv/bin/python
[ -x "$python" ] || python=${PYTHON:-python3}
# Some of it is compiled for one version of Python. The stamp is written last, so that
# a half-filled folder is filled again.
stamp=$("$python" -c 'import sys; print(sys.version)' | cat - "$requirements" | cksum)
if [ "$(cat "$folder/.stamp" 2>/dev/null || true)" = "$stamp" ]; then
  exit 0
fi
log=$top/.cache/extension.log
rm -rf "$folder"
mkdir -p "$top/.cache"
if ! "$python" -m pip install --disable-pip-version-check --no-input --no-deps --only-binary :all: \
  --require-hashes --target "$folder" -r "$requirements" >"$log" 2>&1; then
  say "aiohttp could not be installed. The end of pip's log:"
  tail -n 15 "$log" >&2
  exit 1
fi
printf '%s\n' "$stamp" >"$folder/.stamp"
say "made .cache/extension"
