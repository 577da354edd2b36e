#!/usr/bin/env bash
# system.sh browser | compiler | nginx | caddy: sees that the machine has the program, and
# installs Debian's package where it is missing, apt is there and we are root.
# system.sh check only sees that browser and compiler are there or could be installed.
set -euo pipefail
say() { printf '%s\n' "$*" >&2; }

checks=no
install() { # install PACKAGE...
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return 1
  [ $checks = no ] || return 0
  say "installing $* through apt"
  # One at a time: apt refuses a second one.
  (
    flock 9
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
  ) 9>"${TMPDIR:-/tmp}/nbduet-apt.lock"
}

browser() {
  if [ -n "${CHROME_BIN:-}" ]; then
    command -v "$CHROME_BIN" >/dev/null || { say "CHROME_BIN names $CHROME_BIN, which is no program."; exit 1; }
    return
  fi
  for name in chromium chromium-browser google-chrome google-chrome-stable chrome \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" /Applications/Chromium.app/Contents/MacOS/Chromium; do
    if command -v "$name" >/dev/null; then return; fi
  done
  install chromium fonts-liberation || {
    say "The tests need Chromium or Chrome: install one, or name it with CHROME_BIN=/path/to/chrome."
    exit 1
  }
}

compiler() {
  for name in "${CC:-cc}" gcc clang; do
    if command -v "$name" >/dev/null; then return; fi
  done
  install gcc libc6-dev || {
    say "Go's race detector needs a C compiler: install gcc or clang."
    exit 1
  }
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
