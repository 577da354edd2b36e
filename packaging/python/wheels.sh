#!/usr/bin/env bash
# wheels.sh OUT builds the program, static, for GOOS and GOARCH (this machine's where they are not set),
# packs it and the extension of Jupyter Server into two wheels in the folder OUT, and prints their paths.
# VERSION in the environment is their version: else that of the tag of the commit, else one that names the commit.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[ $# -eq 1 ] || { say "usage: wheels.sh OUT"; exit 1; }

named=${VERSION:-}
if [ -z "$named" ]; then
  if ! commit=$(git -C "$top" rev-parse --short=7 HEAD 2>/dev/null); then
    say "Which version this is, git does not know: name it, VERSION=0.1.0 for one."
    exit 1
  fi
  named=$(git -C "$top" describe --tags --exact-match --match 'v*' 2>/dev/null) || named=v0.0.1-dev.g$commit
  named=${named#v}
fi
system=$(go env GOOS) machine=$(go env GOARCH)
tag "$system" "$machine" >/dev/null # says so before anything is built
version "$named"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$top" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$named" -o "$work/nbduet" ./cmd/nbduet)
"$here/wheel.sh" "$system" "$machine" "$work/nbduet" "$named" "$1"
"$here/jupyter.sh" "$named" "$1"
