#!/usr/bin/env bash
# Makes a virtual environment, once for each content of its requirements: .venv
# with JupyterLab or, where the argument is "jsd", .venv-jsd with
# jupyter-server-documents or, where it is "mcp", .cache/mcp with the MCP SDK for
# Python or, where it is "datalayer", .cache/datalayer with Datalayer's
# jupyter-mcp-server or, where it is "gateway" or "enterprise", .cache/gateway with
# Jupyter Kernel Gateway or .cache/enterprise with Jupyter Enterprise Gateway or, where
# it is "zig", .cache/zig with Zig, which is a C compiler too; where a second argument is "check", it only sees that it could. Where NBDUET_JUPYTER
# (NBDUET_JUPYTER_DOCUMENTS) names the jupyter, NBDUET_MCP_PYTHON the python,
# NBDUET_DATALAYER the jupyter-mcp-server, NBDUET_KERNEL_GATEWAY the
# jupyter-kernelgateway, or NBDUET_ENTERPRISE_GATEWAY the jupyter-enterprisegateway, of
# another environment, there is nothing to do.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
case ${1:-lab} in
lab) variable=NBDUET_JUPYTER name=.venv what=JupyterLab requirements=$top/e2e/requirements.txt ;;
jsd) variable=NBDUET_JUPYTER_DOCUMENTS name=.venv-jsd what=jupyter-server-documents requirements=$top/e2e/requirements-jsd.txt ;;
mcp) variable=NBDUET_MCP_PYTHON name=.cache/mcp what="the MCP SDK for Python" requirements=$top/e2e/requirements-mcp.txt ;;
datalayer) variable=NBDUET_DATALAYER name=.cache/datalayer what="Datalayer's jupyter-mcp-server" requirements=$top/e2e/requirements-datalayer.txt ;;
gateway) variable=NBDUET_KERNEL_GATEWAY name=.cache/gateway what="Jupyter Kernel Gateway" requirements=$top/e2e/requirements-gateway.txt ;;
enterprise) variable=NBDUET_ENTERPRISE_GATEWAY name=.cache/enterprise what="Jupyter Enterprise Gateway" requirements=$top/e2e/requirements-enterprise.txt ;;
zig) variable= name=.cache/zig what="Zig, to compile C" requirements=$top/e2e/requirements-zig.txt ;;
*) printf 'There is no environment %s.\n' "$1" >&2; exit 1 ;;
esac
venv=$top/$name
say() { printf '%s\n' "$*" >&2; }

if [ -n "$variable" ] && [ -n "${!variable:-}" ]; then
  command -v "${!variable}" >/dev/null || { say "$variable names ${!variable}, which is no program."; exit 1; }
  exit 0
fi

python=${PYTHON:-python3}
command -v "$python" >/dev/null || { say "Python is missing: install Python 3.11 or later, or name it: make venv PYTHON=/path/to/python3"; exit 1; }
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  say "$python is $("$python" --version 2>&1), but 3.11 or later is needed: name another one: make venv PYTHON=/path/to/python3.12"
  exit 1
}
"$python" -c 'import ensurepip, venv' 2>/dev/null || {
  say "$python cannot make virtual environments: install its venv module (Debian: apt-get install python3-venv)."
  exit 1
}

[ "${2:-}" != check ] || exit 0

# The stamp is written last, so that a half-made environment is made again.
stamp=$("$python" - "$requirements" <<'PYTHON'
import hashlib, sys
print(hashlib.sha256(open(sys.argv[1], "rb").read() + sys.version.encode()).hexdigest())
PYTHON
)
if [ "$(cat "$venv/.requirements" 2>/dev/null || true)" = "$stamp" ]; then
  exit 0
fi

say "making $name with $what (once, about a minute at most)"
"$python" -m venv --clear "$venv"
log=$venv/install.log
progress() { # one line for each package that pip fetches; on a terminal always the same line
  awk -v total="$(grep -c '^[a-z0-9].*==' "$requirements")" -v tty="$([ -t 2 ] && echo 1 || echo 0)" '
    function show(text) { if (tty) printf "\r\033[K  %s", text; else print "  " text; fflush() }
    /^Ignoring /            { total-- }
    /^Collecting /          { n++; sub(/==.*/, "", $2); if (tty || n % 20 == 0) show("fetching " n "/" total " " $2) }
    /^Installing collected/ { show("installing " n " packages") }
    END                     { if (tty) printf "\r\033[K" }' >&2
}
# The packages are pinned by hash; nothing is compiled.
if ! "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --only-binary :all: \
  --require-hashes -r "$requirements" 2>&1 | tee "$log" | progress; then
  say "The Python packages could not be installed. The end of pip's log:"
  tail -n 15 "$log" >&2
  exit 1
fi
if grep -q '^bash-kernel==' "$requirements"; then
  "$venv/bin/python" -m bash_kernel.install --sys-prefix >>"$log" 2>&1 || {
    say "The Bash kernel could not be registered; the end of $log says why."
    exit 1
  }
fi
printf '%s\n' "$stamp" >"$venv/.requirements"
say "made $name"
