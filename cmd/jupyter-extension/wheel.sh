#!/usr/bin/env bash
# wheel.sh FOLDER makes the wheel, and prints its name: it builds the program, static,
# for GOOS and GOARCH (this machine's where they are not set), and packs it.
#
# What packs it is installed into .cache/wheel, once for each content of
# requirements-build.txt; without FOLDER, that is all.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
say() { printf '%s\n' "$*" >&2; }

python=$top/.venv/bin/python
[ -x "$python" ] || python=${PYTHON:-python3}
requirements=$here/requirements-build.txt tools=$top/.cache/wheel
if ! cmp -s "$requirements" "$tools/requirements.txt"; then # written last
  rm -rf "$tools"
  mkdir -p "$top/.cache"
  if ! "$python" -m pip install --disable-pip-version-check --no-input --no-deps --only-binary :all: \
    --require-hashes --target "$tools" -r "$requirements" >"$top/.cache/wheel.log" 2>&1; then
    say "What packs the wheel could not be installed. The end of pip's log:"
    tail -n 15 "$top/.cache/wheel.log" >&2
    exit 1
  fi
  cp "$requirements" "$tools/requirements.txt"
fi

[ $# -gt 0 ] || exit 0
mkdir -p "$1"
out=$(cd "$1" && pwd)

system=$(go env GOOS) machine=$(go env GOARCH)
case $machine in
amd64) linux=x86_64 mac=x86_64 ;;
arm64) linux=aarch64 mac=arm64 ;;
*) say "There is no name of a wheel for the machine $machine here: GOARCH may be amd64 or arm64."; exit 1 ;;
esac
case $system in
linux) NBDUET_WHEEL_TAG=py3-none-manylinux_2_17_$linux.manylinux2014_$linux.musllinux_1_1_$linux ;; # a static program runs on each
darwin) NBDUET_WHEEL_TAG=py3-none-macosx_12_0_$mac ;;                                               # the oldest that Go supports
*) say "The extension hands sockets down to the program, which it can do on Linux and macOS, not on $system."; exit 1 ;;
esac
export NBDUET_WHEEL_TAG

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$here/pyproject.toml")
export NBDUET_WHEEL_PROGRAM=$work/nbduet
(cd "$top" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$version" -o "$NBDUET_WHEEL_PROGRAM" ./cmd/nbduet)
cd "$here"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$tools "$python" -m hatchling build -t wheel -d "$work/wheel" >"$work/log" 2>&1 || {
  say "The wheel could not be packed:"
  tail -n 15 "$work/log" >&2
  exit 1
}
mv "$work"/wheel/*.whl "$out"
ls "$out"/nbduet_jupyter-*"${NBDUET_WHEEL_TAG#py3-none-}".whl
