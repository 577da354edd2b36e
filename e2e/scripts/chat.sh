#!/usr/bin/env bash
# Puts jupyterlab-chat into .cache/chat, once for each content of
# requirements-chat.txt. NBDUET_CHAT names another folder that has it.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
requirements=$top/e2e/requirements-chat.txt
say() { printf '%s\n' "$*" >&2; }

if [ -n "${NBDUET_CHAT:-}" ]; then
  [ -d "$NBDUET_CHAT/jupyterlab_chat" ] || { say "NBDUET_CHAT names $NBDUET_CHAT, which has no jupyterlab_chat."; exit 1; }
  exit 0
fi
folder=$top/.cache/chat
# Written last, so that a half-filled folder is filled again.
if cmp -s "$requirements" "$folder/requirements.txt"; then
  exit 0
fi
python=$top/.venv/bin/python
[ -x "$python" ] || python=${PYTHON:-python3}
log=$top/.cache/chat.log
rm -rf "$folder"
mkdir -p "$top/.cache"
if ! "$python" -m pip install --disable-pip-version-check --no-input --no-deps --only-binary :all: \
  --require-hashes --target "$folder" -r "$requirements" >"$log" 2>&1; then
  say "jupyterlab-chat could not be installed. The end of pip's log:"
  tail -n 15 "$log" >&2
  exit 1
fi
cp "$requirements" "$folder/requirements.txt"
say "made .cache/chat"
