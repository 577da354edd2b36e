#!/usr/bin/env bash
# tool.sh NAME PACKAGE VERSION: prints the file of a tool written in Go. It is compiled once
# for each version and each Go, into a folder where other clones on this machine find it:
# NBDUET_TOOLS, or nbduet-tools in the user's cache.
set -euo pipefail
name=$1 package=$2 version=$3
read -r go os arch < <(go env GOVERSION GOOS GOARCH | tr '\n' ' ') || true
folder=${NBDUET_TOOLS:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/nbduet-tools}/$go-$os-$arch
file=$folder/$name-$version
if [ ! -x "$file" ]; then
  printf 'building %s %s (once for this machine)\n' "$name" "$version" >&2
  mkdir -p "$folder"
  # Another run may be at it as well: whichever is ready last stays.
  made=$(mktemp -d "$folder/.make-XXXXXX")
  trap 'rm -rf "$made"' EXIT
  GOFLAGS= GOBIN=$made go install "$package@$version" >&2
  mv -f "$made/$name" "$file"
fi
printf '%s\n' "$file"
