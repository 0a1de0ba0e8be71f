/*
 * Memoir needs Node 24; many machines have an older one. The `memoir` command and the scripts of the repository start
 * here, on whatever Node there is (hence plain ES5), and go on with a Node that is new enough.
 */
// biome-ignore-all lint/complexity/useArrowFunction: ES5
// biome-ignore-all lint/style/useTemplate: ES5
// biome-ignore-all lint/style/useNodejsImportProtocol: an old Node does not know the prefix
"use strict";

var childProcess = require("child_process");
var path = require("path");

var OLDEST = 24;
var SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Whether this very process may run Memoir. */
function isNewEnough() {
  return parseInt(process.versions.node, 10) >= OLDEST;
}

/** The path of a Node that can run Memoir: this one, else the one npm installed beside us, else undefined. */
function findNode() {
  if (isNewEnough()) return process.execPath;
  var isWindows = process.platform === "win32";
  var name = "node-" + (isWindows ? "win" : process.platform) + "-" + process.arch;
  try {
    return path.join(path.dirname(require.resolve(name + "/package.json")), "bin", isWindows ? "node.exe" : "node");
  } catch (_absent) {
    return undefined;
  }
}

/** Like findNode, but without one it says so in a sentence and ends with 78, the status for a configuration error. */
function needNode() {
  var node = findNode();
  if (node) return node;
  var here = process.platform + " on " + process.arch;
  var problem = "this is " + process.version + ", and no bundled Node is installed for " + here + ".";
  var remedy = "Install Node 24 (https://nodejs.org), or run npm again with its optional dependencies.";
  console.error("Memoir needs Node 24 or later; " + problem + " " + remedy);
  process.exit(78);
}

/**
 * Runs a command in our place: same terminal, our signals passed on, and we end as it ended. On a terminal Ctrl-C
 * reaches the child without us, and a second one would mean "at once", so there SIGINT is only waited out.
 */
function runInOurPlace(command, words, options) {
  var child = childProcess.spawn(command, words, Object.assign({ stdio: "inherit" }, options));
  function passOn(signal) {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  }
  SIGNALS.forEach(function (signal) {
    process.on(signal, passOn);
  });
  child.on("error", function (error) {
    console.error("Could not start " + command + ": " + error.message);
    process.exit(1);
  });
  child.on("exit", function (code, signal) {
    SIGNALS.forEach(function (each) {
      process.removeListener(each, passOn);
    });
    if (signal) process.kill(process.pid, signal);
    else process.exit(code);
  });
  return child;
}

module.exports = {
  isNewEnough: isNewEnough,
  findNode: findNode,
  needNode: needNode,
  runInOurPlace: runInOurPlace,
};
