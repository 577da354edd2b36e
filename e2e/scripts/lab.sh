#!/usr/bin/env bash
# lab.sh LAB COLLABORATION makes an environment with these versions of JupyterLab and
# jupyter-collaboration, such as 4.4 and 4, the Notebook of that JupyterLab, and the newest of what they need then, in
# .cache/lab-LAB-COLLABORATION, once; it prints the jupyter of it.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
say() { printf '%s\n' "$*" >&2; }
[[ "${1:-}" =~ ^[0-9]+\.[0-9]+$ && "${2:-}" =~ ^[0-9]+$ ]] || {
  say "Name the versions: make test-lab LAB=4.4 COLLABORATION=4"
  exit 1
}
venv=$top/.cache/lab-$1-$2
if [ ! -f "$venv/.made" ] || [ ! -x "$venv/bin/jupyter-notebook" ]; then
  say "making $venv (once, about a minute)"
  "${PYTHON:-python3}" -m venv --clear "$venv"
  "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --only-binary :all: \
    "jupyterlab==$1.*" "jupyter-collaboration==$2.*" notebook ipykernel matplotlib >"$venv/install.log" 2>&1 || {
    say "JupyterLab $1 with jupyter-collaboration $2 could not be installed. The end of pip's log:"
    tail -n 15 "$venv/install.log" >&2
    exit 1
  }
  touch "$venv/.made"
fi
printf '%s\n' "$venv/bin/jupyter"
