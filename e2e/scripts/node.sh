#!/usr/bin/env bash
# node.sh node | inspector | hubproxy | labextension | chromium: installs the Node packages of the tests, the MCP Inspector's
# command line, the proxy of JupyterHub, what builds the extension of JupyterLab, or a headless Chromium, once
# for each content of the lock file. node.sh check only checks that Node is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
say() { printf '%s\n' "$*" >&2; }

command -v node >/dev/null || { say "Node is missing: install Node 20 or later."; exit 1; }
command -v npm >/dev/null || { say "npm is missing: install it beside Node."; exit 1; }
[ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" = true ] || { say "Node is $(node --version), but 20 or later is needed."; exit 1; }

install() { # install FOLDER WHAT [COMMAND...], which runs in the folder after npm
  local folder=$1
  cmp -s "$1/package-lock.json" "$1/node_modules/.lock" && return
  say "installing $2"
  (cd "$1" && npm ci --no-audit --no-fund --loglevel=error >&2)
  shift 2
  (cd "$folder" && "$@")
  cp "$folder/package-lock.json" "$folder/node_modules/.lock"
}
unpack() {
  node unpack.mjs
  # A machine without glibc, for one, cannot run it.
  node_modules/.browser/chromium --version >/dev/null || {
    say "The Chromium of npm does not start: install Chromium or Chrome, or name one with CHROME_BIN=/path/to/chrome."
    exit 1
  }
}
case $1 in
check) ;;
node) install node "the Node packages of the tests" ;;
inspector) install inspector "the MCP Inspector's command line" ;;
hubproxy) install hubproxy "the proxy of JupyterHub" ;;
labextension) install ../cmd/jupyter-extension/labextension "what builds the extension of JupyterLab" ;;
chromium) install chromium "a headless Chromium (once, 70 MB)" unpack ;;
*) say "There are no Node packages $1."; exit 1 ;;
esac
