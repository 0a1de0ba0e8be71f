/*
 * `node scripts/node24.cjs [flags] file words…`: what `node` would do, on a Node that can run Memoir, whatever Node npm
 * itself runs on. Installs what the repository needs first, so every npm script works on a fresh clone.
 */
"use strict";

const { installWorkspace } = require("./install.cjs");
const { runOurNode } = require("./run-node.cjs");

installWorkspace();
runOurNode(process.argv.slice(2));
