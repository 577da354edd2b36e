#!/usr/bin/env bash
# goreleaser.sh ARGUMENT… runs GoReleaser, at the version that releases are made with. It and what it calls are compiled
# once for a machine.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PATH=$here/tools:$PATH
# GoReleaser itself does not see the commit of a clone that has no remote.
COMMIT=$(git rev-parse HEAD)
export COMMIT
# The newest that Go 1.26 builds.
exec "$("$here/../e2e/scripts/tool.sh" goreleaser github.com/goreleaser/goreleaser/v2 v2.16.0)" "$@"
