#!/usr/bin/env bash
# gotest.sh ARGUMENT...: go test with these arguments. Where NBDUET_TEST_LOG names a folder, as
# e2e/cmd/gate does, what became of each test is written there, and only failures are printed.
set -euo pipefail
[ -n "${NBDUET_TEST_LOG:-}" ] || exec go test "$@"
gotestsum=$("$(dirname "${BASH_SOURCE[0]}")/tool.sh" gotestsum gotest.tools/gotestsum "$GOTESTSUM")
exec "$gotestsum" --format pkgname-and-test-fails --format-hide-empty-pkg --hide-summary skipped --no-color \
  --jsonfile "$NBDUET_TEST_LOG/$$.json" -- "$@"
