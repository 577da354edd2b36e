#!/usr/bin/env node
"use strict";
// The command nbduet of the npm package: it runs the program that the package of this platform has, in its own place, as far
// as Node can: with its input and outputs, its signals and its end.

const { spawn } = require("node:child_process");

const packages = Object.keys(require("../package.json").optionalDependencies);
const windows = process.platform === "win32";

/** Ends with one line that says what to do. */
function fail(says) {
  process.stderr.write(`nbduet: ${says}\n`);
  process.exit(1);
}

/** The program's file. */
function program() {
  if (process.env.NBDUET_BINARY) return process.env.NBDUET_BINARY;
  const name = `@nbduet/${process.platform}-${process.arch}`;
  if (!packages.includes(name)) {
    const all = packages.map((each) => each.slice("@nbduet/".length)).join(", ");
    fail(`there is no package for ${process.platform}-${process.arch}, only for ${all}: build the program with Go, and name it in NBDUET_BINARY`);
  }
  try {
    return require.resolve(`${name}/bin/${windows ? "nbduet.exe" : "nbduet"}`);
  } catch {
    return fail(`the package ${name} is missing: install nbduet again, with optional dependencies (without --omit=optional or --no-optional), or name the program in NBDUET_BINARY`);
  }
}

const file = program();
let child;

// One press of a key can reach this process from the terminal and from npx, too.
const same = 300; // ms
const last = new Map();
// Before there is a child, so that none is left behind by a signal that comes at that moment: this function is called later.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    const now = performance.now();
    if (windows || now - (last.get(signal) ?? -Infinity) < same) return; // on Windows, the console tells the program itself
    last.set(signal, now);
    child.kill(signal);
  });
}

// A terminal sends its signals to all processes of a group. In a group of its own, the program gets each from here alone: a
// second one would end it at once, before its documents are saved. On Windows, a group of its own means a window.
child = spawn(file, process.argv.slice(2), { stdio: "inherit", detached: !windows, windowsHide: true });
child.on("error", (err) => fail(`${file} cannot be run: ${err.message}`));
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  setInterval(() => {}, 1000); // until the signal is here
});
