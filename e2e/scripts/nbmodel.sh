#!/usr/bin/env bash
# Puts jupyter-server-nbmodel into .cache/nbmodel, once for each content of
# requirements-nbmodel.txt. NBDUET_NBMODEL names another folder that has it.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
requirements=$top/e2e/requirements-nbmodel.txt
say() { printf '%s\n' "$*" >&2; }

if [ -n "${NBDUET_NBMODEL:-}" ]; then
  [ -d "$NBDUET_NBMODEL/jupyter_server_nbmodel" ] || { say "NBDUET_NBMODEL names $NBDUET_NBMODEL, which has no jupyter_server_nbmodel."; exit 1; }
  exit 0
fi
folder=$top/.cache/nbmodel
# Written last, so that a half-filled folder is filled again.
if cmp -s "$requirements" "$folder/requirements.txt"; then
  exit 0
fi
python=$top/.venv/bin/python
[ -x "$python" ] || python=${PYTHON:-python3}
log=$top/.cache/nbmodel.log
rm -rf "$folder"
mkdir -p "$top/.cache"
if ! "$python" -m pip install --disable-pip-version-check --no-input --no-deps --only-binary :all: \
  --require-hashes --target "$folder" -r "$requirements" >"$log" 2>&1; then
  say "jupyter-server-nbmodel could not be installed. The end of pip's log:"
  tail -n 15 "$log" >&2
  exit 1
fi
cp "$requirements" "$folder/requirements.txt"
say "made .cache/nbmodel"
