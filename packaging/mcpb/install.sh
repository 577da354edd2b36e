#!/usr/bin/env bash
# install.sh FOLDER: installs the Node packages of a folder beside this script, once for each
# content of its lock file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/$1"
cmp -s package-lock.json node_modules/.lock && exit
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
cp package-lock.json node_modules/.lock
