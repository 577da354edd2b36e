#!/usr/bin/env bash
# platform.sh GOOS GOARCH BINARY VERSION OUT: packs the npm package of one platform, with the
# program in it, into the folder OUT. For GOARCH all there is nothing to do.
set -euo pipefail
exec node "$(dirname "${BASH_SOURCE[0]}")/pack.mjs" platform "$@"
