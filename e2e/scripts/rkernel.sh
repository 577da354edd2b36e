#!/usr/bin/env bash
# Puts R with IRkernel into .cache/r, once for each content of requirements-r.txt:
# Debian's packages, which are unpacked there; nothing is installed, and root is not
# needed. NBDUET_RKERNEL names a folder of another R's: one with kernels/ir in it.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
requirements=$top/e2e/requirements-r.txt
say() { printf '%s\n' "$*" >&2; }

if [ -n "${NBDUET_RKERNEL:-}" ]; then
  [ -f "$NBDUET_RKERNEL/kernels/ir/kernel.json" ] || { say "NBDUET_RKERNEL names $NBDUET_RKERNEL, which has no kernels/ir/kernel.json."; exit 1; }
  exit 0
fi
folder=$top/.cache/r
# The kernelspec has the folder's path in it. The stamp is written last.
stamp=$(printf '%s\n' "$top" | cat - "$requirements" "${BASH_SOURCE[0]}" | cksum)
if [ "$(cat "$folder/.stamp" 2>/dev/null || true)" = "$stamp" ]; then
  exit 0
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
  say "The tests need R with IRkernel, which is made of Debian's packages here. Elsewhere install R and, in it,"
  say "IRkernel, run IRkernel::installspec(name = 'ir', prefix = '/some/folder'), and name it:"
  say "make test-all NBDUET_RKERNEL=/some/folder/share/jupyter"
  exit 1
fi

say "making .cache/r with R (once, some seconds)"
rm -rf "$folder"
mkdir -p "$folder/debs/partial" "$folder/lists/partial"
log=$folder/install.log
mapfile -t packages < <(grep -v '^#' "$requirements")
download() { (cd "$folder/debs" && apt-get -q -o APT::Sandbox::User= "$@" download "${packages[@]}") >>"$log" 2>&1; }
# Where the machine has no lists of packages, or old ones, it gets some of its own.
own=(-o "Dir::State::Lists=$folder/lists" -o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache=")
if ! download && ! { apt-get -q -o APT::Sandbox::User= "${own[@]}" update >>"$log" 2>&1 && download "${own[@]}"; }; then
  say "R's packages could not be had from Debian 12. The end of $log:"
  tail -n 15 "$log" >&2
  say "Another R with IRkernel can be named: NBDUET_RKERNEL is a folder that has kernels/ir/kernel.json."
  exit 1
fi
for deb in "$folder"/debs/*.deb; do
  dpkg-deb -x "$deb" "$folder"
done
rm -rf "$folder/debs" "$folder/lists"

# Links to /etc and the paths of the kernelspec are those of this folder.
for link in "$folder"/usr/lib/R/etc/*; do
  [ ! -L "$link" ] || ln -sfn "../../../../etc/R/$(basename "$link")" "$link"
done
ln -sfn Renviron.ucf "$folder/usr/lib/R/etc/Renviron"
usr=$folder/usr
home=$usr/lib/R
libraries=$home/lib
for dir in "$usr"/lib/*-linux-gnu* "$folder"/lib/*-linux-gnu*; do
  [ ! -d "$dir" ] || libraries+=:$dir:$dir/blas:$dir/lapack
done
cat >"$usr/share/jupyter/kernels/ir/kernel.json" <<JSON
{
  "argv": ["$home/bin/exec/R", "--no-echo", "--vanilla", "-e", "IRkernel::main()", "--args", "{connection_file}"],
  "display_name": "R",
  "language": "R",
  "env": {
    "R_HOME": "$home", "R_SHARE_DIR": "$usr/share/R/share", "R_DOC_DIR": "$usr/share/R/doc",
    "R_LIBS_SITE": "$home/site-library", "LD_LIBRARY_PATH": "$libraries", "LC_ALL": "C.UTF-8"
  }
}
JSON
printf '%s\n' "$stamp" >"$folder/.stamp"
say "made .cache/r"
