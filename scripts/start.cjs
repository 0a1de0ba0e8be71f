/*
 * `npm start`: from a fresh clone to a running server with nothing but Node 20 or later and npm. Installs, builds once
 * per source state, then serves; the words after `--` go to `memoir serve`.
 */
"use strict";

const { spawnSync } = require("node:child_process");
const { join } = require("node:path");
const { needNode } = require("../packages/cli/bin/find-node.cjs");
const { isBuilt } = require("./build-state.cjs");
const { ROOT, installWorkspace, withOurPrograms } = require("./install.cjs");
const { runOurNode } = require("./run-node.cjs");

installWorkspace();
if (!isBuilt()) build();
runOurNode([join(ROOT, "packages", "cli", "bin", "memoir.cjs"), "serve", ...process.argv.slice(2)]);

function build() {
  console.log("Building Memoir (once, and again when its source changes)…");
  const { status, signal } = spawnSync(needNode(), [join(ROOT, "scripts", "build.ts")], {
    cwd: ROOT,
    env: withOurPrograms(process.env),
    stdio: "inherit",
  });
  if (status === 0) return;
  console.error(`\nThe build failed (${signal || `status ${status}`}); what it said is above.`);
  console.error("In a clone without changes of your own, `git status` should be clean; `npm run build` tries again.");
  process.exit(1);
}
