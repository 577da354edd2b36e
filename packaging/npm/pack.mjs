// Packs the npm packages, by `npm pack`, which gives every file the same time: the same contents make the same bytes.
//
//   node pack.mjs main VERSION OUT
//   node pack.mjs platform GOOS GOARCH BINARY VERSION OUT

import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const systems = { linux: "linux", darwin: "darwin", windows: "win32" }; // Go's name, Node's
const machines = { amd64: "x64", arm64: "arm64" };

function fail(says) {
  console.error(says);
  process.exit(1);
}

// Semantic versioning, without build metadata, which npm drops.
function checkVersion(version) {
  const number = "(0|[1-9]\\d*)";
  const word = `(${number}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
  if (!new RegExp(`^${number}\\.${number}\\.${number}(-${word}(\\.${word})*)?$`).test(version)) {
    fail(`${JSON.stringify(version)} is no version such as 0.1.0 or 0.2.0-rc.1.`);
  }
}

// pack packs a package whose files `fill` puts into a folder.
function pack(manifest, out, fill) {
  const work = mkdtempSync(join(tmpdir(), "nbduet-npm-"));
  try {
    const folder = join(work, "package");
    mkdirSync(join(folder, "bin"), { recursive: true });
    fill(folder);
    copyFileSync(join(here, "..", "..", "LICENSE"), join(folder, "LICENSE"));
    const file = join(folder, "package.json");
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
    for (const name of ["package.json", "README.md", "LICENSE"]) chmodSync(join(folder, name), 0o644);
    mkdirSync(out, { recursive: true });
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    execFileSync(npm, ["pack", "--ignore-scripts", "--loglevel=error", "--no-update-notifier", `--cache=${join(work, "cache")}`, "--pack-destination", resolve(out)], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
      shell: process.platform === "win32",
    });
  } finally {
    rmSync(work, { recursive: true });
  }
}

const template = () => JSON.parse(readFileSync(join(here, "nbduet", "package.json"), "utf8"));

function main(version, out) {
  checkVersion(version);
  const manifest = { ...template(), version, optionalDependencies: {} };
  for (const os of Object.values(systems)) {
    for (const cpu of Object.values(machines)) manifest.optionalDependencies[`@nbduet/${os}-${cpu}`] = version;
  }
  pack(manifest, out, (folder) => {
    cpSync(join(here, "nbduet"), folder, { recursive: true });
    chmodSync(join(folder, "bin", "nbduet.js"), 0o755);
  });
}

function platform(goos, goarch, binary, version, out) {
  checkVersion(version);
  if (goarch === "all" && goos in systems) return; // npm has one package for each machine
  const os = systems[goos];
  const cpu = machines[goarch];
  if (!os || !cpu) fail(`There is no npm package for ${goos}/${goarch}: there are linux, darwin and windows, each amd64 and arm64.`);
  const { mcpName, keywords, bin, ...common } = template();
  const name = `@nbduet/${os}-${cpu}`;
  // Unplugged: no system runs a program inside of an archive, in which Yarn leaves packages.
  const manifest = { ...common, name, version, description: `The program of nbduet for ${os}-${cpu}`, os: [os], cpu: [cpu], preferUnplugged: true };
  pack(manifest, out, (folder) => {
    const file = join(folder, "bin", os === "win32" ? "nbduet.exe" : "nbduet");
    copyFileSync(binary, file);
    chmodSync(file, 0o755);
    writeFileSync(
      join(folder, "README.md"),
      `# ${name}\n\nThe program of [nbduet](https://github.com/nbduet/nbduet) for ${os}-${cpu}. Install the package \`nbduet\`, which takes this one.\n`,
    );
  });
}

const usage = { main: [main, 2], platform: [platform, 5] };
const [what, ...args] = process.argv.slice(2);
const [run, count] = usage[what] ?? [];
if (!run || args.length !== count) fail("usage: main.sh VERSION OUT, or platform.sh GOOS GOARCH BINARY VERSION OUT");
run(...args);
