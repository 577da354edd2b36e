#!/usr/bin/env bash
# Puts Julia into .cache/julia, once for each content of requirements-julia.txt:
# packages of Debian 11, from where this machine gets its own, which are unpacked
# there; nothing is installed, and root is not needed. NBDUET_JULIA names another Julia.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
requirements=$top/e2e/requirements-julia.txt
say() { printf '%s\n' "$*" >&2; }

if [ -n "${NBDUET_JULIA:-}" ]; then
  [ -x "$NBDUET_JULIA" ] || { say "NBDUET_JULIA names $NBDUET_JULIA, which is no program."; exit 1; }
  exit 0
fi
mkdir -p "$top/.cache"
folder=$(cd "$top/.cache" && pwd -P)/julia
# The program that is made has the folder's path in it. The stamp is written last.
stamp=$(printf '%s\n' "$folder" | cat - "$requirements" "${BASH_SOURCE[0]}" | cksum)
if [ "$(cat "$folder/.stamp" 2>/dev/null || true)" = "$stamp" ]; then
  exit 0
fi
otherwise() {
  say "Another Julia, 1.5 or later, can be named: make test-all NBDUET_JULIA=/some/where/bin/julia"
  exit 1
}
keys=/usr/share/keyrings/debian-archive-keyring.gpg
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null || [ ! -f "$keys" ]; then
  say "The tests need Julia, which is made of Debian's packages here."
  otherwise
fi

say "making .cache/julia (once, some seconds)"
rm -rf "$folder"
mkdir -p "$folder/debs/partial" "$folder/lists/partial" "$folder/cache"
log=$folder/install.log
# The mirror is that of the machine's own packages.
mirror=$(apt-get indextargets --format '$(COMPONENT) $(REPO_URI)' 'Created-By: Packages' 2>>"$log" | awk '$1 == "main" { print $2; exit }')
if [ -z "$mirror" ]; then
  say "This machine's apt names no source of packages."
  otherwise
fi
apt() {
  apt-get -q -o APT::Sandbox::User= -o Dir::State::status=/dev/null -o "Dir::Etc::SourceList=$folder/sources.list" \
    -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder/cache" \
    -o Acquire::Languages=none -o Acquire::Check-Valid-Until=false "$@" >>"$log" 2>&1
}
mapfile -t packages < <(grep -v '^#' "$requirements")
# A mirror keeps old releases elsewhere in the end.
for place in "$mirror" "${mirror%/debian*}/debian-archive/debian"; do
  printf 'deb [signed-by=%s] %s bullseye main\n' "$keys" "$place" >"$folder/sources.list"
  got=no
  if apt update && (cd "$folder/debs" && apt download "${packages[@]}"); then
    got=yes
    break
  fi
done
if [ "$got" = no ]; then
  say "Julia's packages could not be had from Debian 11. The end of $log:"
  tail -n 15 "$log" >&2
  otherwise
fi
for deb in "$folder"/debs/*.deb; do
  dpkg-deb -x "$deb" "$folder"
done
rm -rf "$folder/debs" "$folder/lists" "$folder/cache" "$folder/usr/share/doc" "$folder/usr/share/man" "$folder/usr/share/locale"

libraries=
for dir in "$folder"/usr/lib/*-linux-gnu*; do
  libraries+=${libraries:+:}$dir:$dir/julia:$dir/openblas-pthread
done
cat >"$folder/julia" <<SH
#!/bin/sh
LD_LIBRARY_PATH=$libraries\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH} exec "$folder/usr/bin/julia" "\$@"
SH
chmod +x "$folder/julia"
if ! "$folder/julia" --startup-file=no -e 'exit()' >>"$log" 2>&1; then
  say "Julia does not start. The end of $log:"
  tail -n 15 "$log" >&2
  otherwise
fi
printf '%s\n' "$stamp" >"$folder/.stamp"
say "made .cache/julia"
