/**
 * The main program of Node in a sandbox, as a string because our files are not available there. It reads one request
 * from descriptor 3, answers once, and is then killed. It captures builtins before the tool runs, so that a tool that
 * replaces them only affects itself; the token is never inside an object that a tool's `toJSON` could see.
 */
export const nodeRunner = String.raw`
"use strict";
const { closeSync, existsSync, readdirSync, readFileSync, readSync, writeSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { parse, stringify } = JSON;
const { reallyExit, stderr } = process;
const concat = Buffer.concat.bind(Buffer);
const toBytes = Buffer.from.bind(Buffer);
const environment = Reflect.get(process, "env");
const NEWLINE = 10;
const folder = process.argv[1];

/** Node's own descriptors are close-on-exec; others were inherited. */
function closeInherited() {
  for (const each of readdirSync("/proc/self/fd").map(Number)) {
    try {
      const [, flags] = /^flags:\s*([0-7]+)/m.exec(readFileSync("/proc/self/fdinfo/" + each, "latin1"));
      if (each > 3 && (parseInt(flags, 8) & 0o2000000) === 0) closeSync(each);
    } catch {
      // Closed since it was listed.
    }
  }
}

if (existsSync("/proc/self/fd")) closeInherited();

function readRequest() {
  let data = Buffer.alloc(0);
  const part = Buffer.alloc(1 << 16);
  for (;;) {
    const end = data.indexOf(NEWLINE, data.indexOf(NEWLINE) + 1);
    if (data.indexOf(NEWLINE) >= 0 && end > 0) return data.toString("utf8", 0, end).split("\n");
    const length = readSync(3, part);
    if (length === 0) reallyExit(0);
    data = concat([data, part.subarray(0, length)]);
  }
}

const proxySocket = "/run/memoir/out.sock";
if (existsSync(proxySocket)) {
  const { connect, createServer } = require("node:net");
  const relay = createServer((near) => {
    const far = connect(proxySocket);
    near.pipe(far).pipe(near);
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
  });
  relay.listen(3128, "127.0.0.1").unref();
}
writeSync(3, "ready\n");
const [token, request] = readRequest();
const job = parse(request);
let isAnswered = false;

function answer(text) {
  if (isAnswered) return;
  isAnswered = true;
  let rest = toBytes(token + " " + text + "\n");
  while (rest.length > 0) rest = rest.subarray(writeSync(3, rest));
  // Blocks until the parent, which has read the answer, kills the process or closes the channel.
  readSync(3, Buffer.alloc(1));
  reallyExit(0);
}

function fail(error) {
  const isError = error !== null && typeof error === "object" && typeof error.message === "string";
  const type = isError ? String(error.name) : "Error";
  const message = isError ? error.message : String(error);
  const stack = isError && typeof error.stack === "string" ? error.stack : type + ": " + message;
  const lines = stack.split("\n").filter((line) => !/^\s+at .*(node:internal|\[eval\])/.test(line));
  stderr.write(lines.join("\n") + "\n");
  answer('{"error":{"type":' + stringify(type) + ',"message":' + stringify(message) + "}}");
}

function makeClient({ base, key }) {
  const ask = async (method, path, body) => {
    const headers = { Authorization: "Bearer " + key, "Content-Type": "application/json" };
    const sent = body === undefined ? {} : { body: stringify(body) };
    const reply = await fetch(base + path, { method, headers, ...sent });
    const text = await reply.text();
    if (!reply.ok) throw new Error(reply.status + ": " + text);
    return text === "" ? undefined : parse(text);
  };
  return {
    request: ask,
    get: (path) => ask("GET", path),
    post: (path, body = {}) => ask("POST", path, body),
    patch: (path, body) => ask("PATCH", path, body),
    delete: (path) => ask("DELETE", path),
  };
}

async function run() {
  Object.assign(environment, job.environment);
  globalThis.client = job.session === null ? null : makeClient(job.session);
  globalThis.require = createRequire(folder + "/");
  const file = folder + "/tool.mjs";
  writeFileSync(file, job.source);
  const module = await import(file);
  const found = module[job.exported] ?? module.default ?? Object.values(module).find((each) => typeof each === "function");
  if (typeof found !== "function") throw new TypeError("the source has no function " + stringify(job.name));
  const value = stringify(await found(...job.values.map((slot) => slot[0])));
  answer('{"value":' + (value === undefined ? "null" : value) + ',"changes":[]}');
}

process.on("uncaughtException", fail);
process.on("unhandledRejection", fail);
run().catch(fail);
`;
