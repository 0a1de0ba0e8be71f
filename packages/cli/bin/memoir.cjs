#!/usr/bin/env node
/*
 * The `memoir` command. On Node 24 or later it loads the program with the compile cache on (it halves the start);
 * on an older Node it starts itself again with the Node that was installed beside it.
 */
"use strict";

var node = require("./find-node.cjs");

if (node.isNewEnough()) require("./load.cjs");
else node.runInOurPlace(node.needNode(), [__filename].concat(process.argv.slice(2)));
