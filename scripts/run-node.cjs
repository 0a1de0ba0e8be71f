/*
 * The last step of every npm script: our Node takes over. It must also end with npm: npm passes a signal on to the shell
 * it put between, and a shell that dies of it leaves us running with nobody to stop us.
 */
"use strict";

const { needNode, runInOurPlace } = require("../packages/cli/bin/find-node.cjs");
const { withOurPrograms } = require("./install.cjs");

function runOurNode(words) {
  const child = runInOurPlace(needNode(), words, { env: withOurPrograms(process.env) });
  if (!process.env.npm_lifecycle_event) return;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, 250);
}

module.exports = { runOurNode };
