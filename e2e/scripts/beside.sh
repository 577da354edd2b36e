#!/usr/bin/env bash
# Puts Python packages beside those of .venv into .cache/NAME, once for each content of
# requirements-NAME.txt and each version of Python: beside.sh NAME MODULE. NBDUET_NAME
# names another folder that has its module.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
name=$1 module=$2
requirements=$top/e2e/requirements-$name.txt
say() { printf '%s\n' "$*" >&2; }

variable=NBDUET_${name^^}
given=${!variable:-}
if [ -n "$given" ]; then
  [ -d "$given/$module" ] || { say "$variable names $given, which has no $module."; exit 1; }
  exit 0
fi
folder=$top/.cache/$name
python=$top/.venv/bin/python
[ -x "$python" ] || python=${PYTHON:-python3}
# Some of it may be compiled for one version of Python. The stamp is written last, so that
# a half-filled folder is filled again.
stamp=$("$python" -c 'import sys; print(sys.version)' | cat - "$requirements" | cksum)
if [ "$(cat "$folder/.stamp" 2>/dev/null || true)" = "$stamp" ]; then
  exit 0
fi
log=$top/.cache/$name.log
rm -rf "$folder"
mkdir -p "$top/.cache"
if ! "$python" -m pip install --disable-pip-version-check --no-input --no-deps --only-binary :all: \
  --require-hashes --target "$folder" -r "$requirements" >"$log" 2>&1; then
  say "${module//_/-} could not be installed. The end of pip's log:"
  tail -n 15 "$log" >&2
  exit 1
fi
printf '%s\n' "$stamp" >"$folder/.stamp"
say "made .cache/$name"
