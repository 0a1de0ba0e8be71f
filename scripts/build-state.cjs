/*
 * Names the state of everything the built program depends on, so that `npm start` builds once per source state.
 * The state sits beside what was built: whoever deletes the output also deletes the claim that it is there.
 */
"use strict";

const { createHash } = require("node:crypto");
const { existsSync, readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { ROOT } = require("./install.cjs");

const STATE_FILE = join(ROOT, "packages", "cli", "dist", ".build-state");
const OTHER_INPUTS = ["package-lock.json", "package.json", "tsconfig.json", "scripts/build.ts", "scripts/licenses.ts"];
const NOT_INPUT = /^(\.|node_modules$|dist$|__fixtures__$|LICENSE$)|\.(test|long)\.tsx?$|\.tsbuildinfo$/;

/** A hash over the path and content of every file under packages/ that is not a test, and of what drives the build. */
function readSourceState() {
  const hash = createHash("sha256");
  for (const path of [...OTHER_INPUTS, ...listFiles("packages")]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update("\0");
  }
  return hash.digest("hex");
}

function isBuilt() {
  return existsSync(STATE_FILE) && readFileSync(STATE_FILE, "utf8") === readSourceState();
}

function listFiles(folder) {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true }).filter(({ name }) => !NOT_INPUT.test(name));
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

module.exports = { STATE_FILE, isBuilt, readSourceState };
