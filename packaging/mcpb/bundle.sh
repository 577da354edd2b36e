#!/usr/bin/env bash
# bundle.sh GOOS GOARCH BINARY VERSION OUT: packs the MCP bundle of one system, with the program
# in it, into the folder OUT as nbduet-VERSION-GOOS.mcpb. A bundle names systems, not machines:
# there is one for macOS with the program for both (GOARCH all), and for Windows and Linux one
# with the program for amd64; for any other GOARCH there is nothing to do.
#
# What packs it is installed here in node, once for each content of its lock file.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { printf '%s\n' "$*" >&2; }

[ $# = 5 ] || { say "usage: bundle.sh GOOS GOARCH BINARY VERSION OUT"; exit 1; }
system=$1 machine=$2 binary=$3 version=$4 out=$5
case $system/$machine in
darwin/all) platform=darwin ;;
windows/amd64) platform=win32 ;;
linux/amd64) platform=linux ;;
darwin/amd64 | darwin/arm64 | windows/arm64 | linux/arm64 | windows/all | linux/all) exit 0 ;;
*) say "There is no MCP bundle for $system/$machine: there are linux, darwin and windows, each amd64 and arm64."; exit 1 ;;
esac
number='(0|[1-9][0-9]*)' word='(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)'
[[ $version =~ ^$number\.$number\.$number(-$word(\.$word)*)?$ ]] || { say "\"$version\" is no version such as 0.1.0 or 0.2.0-rc.1."; exit 1; }

"$here/../../e2e/scripts/alone.sh" mcpb "$here/install.sh" node

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bundle/server" "$out"
program=nbduet
[ "$platform" != win32 ] || program=nbduet.exe
install -m 755 "$binary" "$work/bundle/server/$program"
install -m 644 "$here/icon.png" "$here/../../LICENSE" "$work/bundle"
node --input-type=module - "$here/manifest.json" "$version" "$platform" "$program" >"$work/bundle/manifest.json" <<'JS'
import { readFileSync } from "node:fs";
const [file, version, platform, program] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(file, "utf8"));
manifest.version = version;
manifest.compatibility.platforms = [platform];
manifest.server.entry_point = `server/${program}`;
manifest.server.mcp_config.command = `\${__dirname}/server/${program}`;
console.log(JSON.stringify(manifest, null, 2));
JS
chmod 644 "$work/bundle/manifest.json"
# The same contents make the same bytes: the time in the archive is fixed.
TZ=UTC node --import "$here/node/still.mjs" "$here/node/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js" \
  pack "$work/bundle" "$work/nbduet.mcpb" >"$work/log" 2>&1 || {
  say "The MCP bundle could not be packed:"
  tail -n 15 "$work/log" >&2
  exit 1
}
install -m 644 "$work/nbduet.mcpb" "$out/nbduet-$version-$system.mcpb"
