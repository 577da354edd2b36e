#!/usr/bin/env bash
# jupyter.sh VERSION OUT packs the extension of Jupyter Server, cmd/jupyter-extension, into the wheel
# `nbduet-jupyter` in the folder OUT, and prints the wheel's path. It is for every platform, and needs `nbduet` of the same version.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[ $# -eq 2 ] || { say "usage: jupyter.sh VERSION OUT"; exit 1; }
version "$1"
export NBDUET_VERSION=$1
pack "$top/cmd/jupyter-extension" "$2"
