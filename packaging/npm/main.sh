#!/usr/bin/env bash
# main.sh VERSION OUT: packs the npm package nbduet into the folder OUT. It has the launcher,
# and names the package of each platform, of the same version, as an optional dependency.
set -euo pipefail
exec node "$(dirname "${BASH_SOURCE[0]}")/pack.mjs" main "$@"
