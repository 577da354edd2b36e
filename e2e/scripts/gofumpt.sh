#!/usr/bin/env bash
# gofumpt.sh GOFUMPT check | write: formats all Go files that git knows or would
# add, or names those that are not formatted.
set -euo pipefail
files=()
while IFS= read -r file; do
  [ ! -f "$file" ] || files+=("$file")
done < <(git ls-files --cached --others --exclude-standard '*.go')
case $2 in
write)
  "$1" -w "${files[@]}"
  ;;
check)
  unformatted=$("$1" -l "${files[@]}")
  [ -z "$unformatted" ] || { printf 'not formatted (run make fmt):\n%s\n' "$unformatted" >&2; exit 1; }
  ;;
esac
