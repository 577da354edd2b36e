#!/usr/bin/env bash
# tools.sh BINARY: writes the tools that the program lists, by name and title, into
# manifest.json. A test fails where they are others.
set -euo pipefail
exec node "$(dirname "${BASH_SOURCE[0]}")/tools.mjs" "$@"
