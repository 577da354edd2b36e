# What the scripts beside this one share: they source it.
#
# Needed are Python 3 (that of .venv, else PYTHON, else python3) and, once, pip: what packs
# the wheels is pinned by hash in requirements-build.txt, and installed into .cache/wheel.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
python=$top/.venv/bin/python
[ -x "$python" ] || python=${PYTHON:-python3}
say() { printf '%s\n' "$*" >&2; }

tag() { # of the wheel for GOOS and GOARCH
  local linux mac win
  case $2 in
  amd64) linux=x86_64 mac=x86_64 win=amd64 ;;
  arm64) linux=aarch64 mac=arm64 win=arm64 ;;
  esac
  case $1/$2 in
  linux/amd64 | linux/arm64) echo "py3-none-manylinux_2_17_$linux.manylinux2014_$linux.musllinux_1_1_$linux" ;; # a static program runs on each
  darwin/amd64 | darwin/arm64) echo "py3-none-macosx_12_0_$mac" ;;                                              # the oldest that Go supports
  windows/amd64 | windows/arm64) echo "py3-none-win_$win" ;;
  *) say "There is no wheel for $1/$2: there are those for linux, darwin and windows, each amd64 and arm64."; return 1 ;;
  esac
}

version() { # VERSION, as Python writes it, is what the wheels get
  NBDUET_WHEEL_VERSION=$("$python" "$here/version.py" "$1")
  export NBDUET_WHEEL_VERSION
}

pack() { # SOURCE OUT: the wheel of a folder's pyproject.toml; prints its path
  local work out file
  "$top/e2e/scripts/alone.sh" wheel "$here/tools.sh"
  # The same commit gives the same bytes.
  if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git -C "$top" log -1 --format=%ct 2>/dev/null) || SOURCE_DATE_EPOCH=1577836800
  fi
  export SOURCE_DATE_EPOCH
  mkdir -p "$2"
  out=$(cd "$2" && pwd)
  work=$(mktemp -d)
  if ! (cd "$1" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top/.cache/wheel "$python" -m hatchling build -t wheel -d "$work/wheel") >"$work/log" 2>&1; then
    say "The wheel could not be packed:"
    tail -n 15 "$work/log" >&2
    rm -rf "$work"
    return 1
  fi
  for file in "$work"/wheel/*.whl; do
    mv "$file" "$out/"
    echo "$out/${file##*/}"
  done
  rm -rf "$work"
}
