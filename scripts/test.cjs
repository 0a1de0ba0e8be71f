/*
 * `npm test`, `npm test -- <words>` and `npm run test:long` on a machine with any Node from 20: installs what is
 * missing, then test.ts does the work on ours.
 */
"use strict";

const { join } = require("node:path");
const { installWorkspace } = require("./install.cjs");
const { runOurNode } = require("./run-node.cjs");

installWorkspace();
runOurNode([join(__dirname, "test.ts"), ...process.argv.slice(2)]);
