/*
 * Installs a folder's npm dependencies when they are not what its package-lock.json says, so that `npm start` and
 * `npm test` need no command before them. A stamp in node_modules makes the usual answer, "nothing to do", cheap.
 * Runs on the machine's own Node, before ours is there.
 */
"use strict";

const { spawnSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { delimiter, join, resolve } = require("node:path");

const ROOT = resolve(__dirname, "..");
const STAMP = join("node_modules", ".memoir-install");

/** Installs the workspace; where that fails it ends the process with a sentence that names the remedy. */
function installWorkspace() {
  const failure = install(ROOT, "Installing what Memoir needs (once, about 15 s)…");
  if (!failure) return;
  console.error(`\nCould not install Memoir's dependencies: ${failure}.`);
  console.error("Check the network (or proxy) that npm uses and the free disk space, then run the same command again.");
  process.exit(1);
}

/** Makes node_modules match the lock file of a folder. Returns what went wrong, or undefined. */
function install(folder, message) {
  const lock = readFileSync(join(folder, "package-lock.json"));
  const state = createHash("sha256").update(lock).digest("hex");
  if (readIfThere(join(folder, STAMP)) === state) return undefined;
  if (!isInstalled(folder, JSON.parse(lock.toString()))) {
    console.log(message);
    const failure = runNpmCi(folder);
    if (failure) return failure;
  }
  writeFileSync(join(folder, STAMP), state);
  return undefined;
}

/** Whether a plain `npm install` or `npm ci` already did the work: npm keeps the list of what it put in place. */
function isInstalled(folder, lock) {
  const list = readIfThere(join(folder, "node_modules", ".package-lock.json"));
  if (!list) return false;
  const installed = JSON.parse(list).packages;
  return Object.entries(lock.packages).every(([place, wanted]) => {
    if (!place.startsWith("node_modules/")) return true;
    const found = installed[place];
    return found ? found.version === wanted.version && found.integrity === wanted.integrity : wanted.optional === true;
  });
}

/**
 * The flags: no audit, adverts or warnings that this Node is old (it is only the launcher here), but npm's progress;
 * development and optional packages (the bundled Node) even where NODE_ENV or the user's settings leave them out.
 */
function runNpmCi(folder) {
  const words = ["ci", "--loglevel=error", "--no-audit", "--no-fund", "--ignore-scripts"];
  words.push("--include=dev", "--include=optional");
  const { command, words: all, shell } = npmCommand(words);
  const result = spawnSync(command, all, { cwd: folder, stdio: "inherit", shell });
  if (result.error) return `npm did not start (${result.error.message})`;
  return result.status === 0 ? undefined : `npm ci ended with ${result.signal || `status ${result.status}`}`;
}

/** How to call npm: the very npm we were started by, else the one on the path (on Windows a script, hence the shell). */
function npmCommand(words) {
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  if (npm && existsSync(npm)) return { command: node || process.execPath, words: [npm, ...words], shell: false };
  return { command: "npm", words, shell: process.platform === "win32" };
}

/** The environment with the programs of node_modules, our Node among them, found first. */
function withOurPrograms(environment) {
  const programs = join(ROOT, "node_modules", ".bin");
  return { ...environment, PATH: [programs, environment.PATH].filter(Boolean).join(delimiter) };
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

module.exports = { ROOT, install, installWorkspace, npmCommand, withOurPrograms };
