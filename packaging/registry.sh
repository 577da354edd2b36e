#!/usr/bin/env bash
# registry.sh VERSION OUT: writes OUT/server.json, what the MCP registry is told of a release: the
# server.json of the repository for this version, with the hashes of the MCP bundles in OUT.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[ $# = 2 ] || { echo "usage: registry.sh VERSION OUT" >&2; exit 1; }
exec node --input-type=module - "$top/server.json" "$@" <<'JS'
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const [template, version, out] = process.argv.slice(2);
function fail(says) {
  console.error(says);
  process.exit(1);
}
// The same version as Python writes it.
function python() {
  const [, release, candidate, commit] = /^(\d+\.\d+\.\d+)(?:-rc\.(\d+)|-dev\.([0-9A-Za-z]+))?$/.exec(version) ??
    fail(`${JSON.stringify(version)} is no version such as 0.1.0, 0.2.0-rc.1 or 0.2.0-dev.gabcdef0.`);
  if (candidate) return `${release}rc${candidate}`;
  return commit ? `${release}.dev0+${commit}` : release;
}

const text = readFileSync(template, "utf8");
const server = JSON.parse(text.replaceAll(JSON.parse(text).version, version));
for (const each of server.packages) {
  if (each.registryType === "pypi") each.version = python();
  if (each.registryType !== "mcpb") continue;
  const file = join(out, basename(each.identifier));
  if (!existsSync(file)) fail(`${file} is missing: pack the MCP bundles first.`);
  each.fileSha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
}
writeFileSync(join(out, "server.json"), `${JSON.stringify(server, null, 2)}\n`);
JS
