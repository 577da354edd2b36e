// Writes the tools that a program lists into the bundle's manifest, each on a line of its own.
//
//   node tools.mjs BINARY

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const requests = [
  { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "manifest", version: "1" } } },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list", params: {} },
];
const input = requests.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join("");
// No setting of whoever runs this, and no server of theirs.
const { stdout, stderr } = spawnSync(process.argv[2], { input, encoding: "utf8", env: { HOME: tmpdir(), NBDUET_STATE: ":memory:" } });
const answer = stdout
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line))
  .find((message) => message.id === 2);
if (!answer) {
  console.error(`The program does not answer:\n${stderr}`);
  process.exit(1);
}
const file = join(dirname(fileURLToPath(import.meta.url)), "manifest.json");
const tools = answer.result.tools.map(({ name, title }) => `\n    ${JSON.stringify({ name, description: title })}`);
const text = readFileSync(file, "utf8");
const begin = text.indexOf('\n  "tools": [');
writeFileSync(file, `${text.slice(0, begin)}\n  "tools": [${tools}\n  ]${text.slice(text.indexOf("]", begin) + 1)}`);
