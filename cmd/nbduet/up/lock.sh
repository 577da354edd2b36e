#!/usr/bin/env bash
# Makes requirements.txt of requirements.in, for all systems and for Python 3.10 to 3.14, by uv, which is in PATH or named by
# UV. Where e2e/requirements.txt has a package, its version is taken: what is installed is what the tests of e2e work with.
# That is made for Python 3.11 and later, so that older ones get what there is for them. To have newer versions, change
# both files .in, make e2e/requirements.txt anew first, and then run go generate ./cmd/nbduet/up.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
constraints=$(mktemp)
trap 'rm -f "$constraints"' EXIT
new="python_version >= '3.11' and (sys_platform != 'darwin' or platform_machine != 'x86_64')"
sed -nE "s/^([^ ]+==[^ ]+) \\\\$/\1 ; $new/p; s/^([^ ]+==[^ ]+) ; (.*) \\\\$/\1 ; $new and (\2)/p" ../../../e2e/requirements.txt >"$constraints"
"${UV:-uv}" pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-header --no-annotate --no-emit-index-url \
  --upgrade --constraint "$constraints" requirements.in --output-file requirements.txt
