#!/usr/bin/env bash
# Installs the Node packages of the tests, once for each content of the lock file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../node"
say() { printf '%s\n' "$*" >&2; }

command -v node >/dev/null || { say "Node is missing: install Node 18 or later."; exit 1; }
command -v npm >/dev/null || { say "npm is missing: install it beside Node."; exit 1; }
[ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 18')" = true ] || { say "Node is $(node --version), but 18 or later is needed."; exit 1; }

stamp=node_modules/.lock
if cmp -s package-lock.json "$stamp"; then
  exit 0
fi
say "installing the Node packages of the tests"
npm ci --no-audit --no-fund --loglevel=error >&2
cp package-lock.json "$stamp"
