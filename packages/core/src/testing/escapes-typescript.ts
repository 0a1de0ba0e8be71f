/** Attempts to get out of the sandbox, in TypeScript. */
import { expect } from "vitest";
import type { Attempt } from "./escapes.ts";

const connect = (target: string) => `
return await new Promise((resolve, reject) => {
  const socket = net.connect(${target}, () => resolve("connected"));
  socket.on("error", reject);
  setTimeout(() => reject(new Error("nobody answers")), 5_000);
});`;

export const typescriptAttempts: readonly Attempt[] = [
  { name: "reads the server's environment", code: `return JSON.stringify(process.env).includes(loot.word);` },
  {
    name: "reads the environment of the first process",
    code: `return fs.readFileSync("/proc/1/environ", "latin1").includes(loot.word);`,
  },
  { name: "reads the database", code: `return fs.readFileSync(loot.database).length;`, isRealWithoutWalls: true },
  {
    name: "reads a file of another tenant",
    code: `return fs.readFileSync(loot.file, "utf8");`,
    isRealWithoutWalls: true,
  },
  { name: "reads the list of users", code: `return fs.readFileSync("/etc/passwd", "utf8");`, isRealWithoutWalls: true },
  {
    name: "follows a link of its own making",
    code: `
fs.symlinkSync(loot.file, "/tmp/link");
return fs.readFileSync("/tmp/link", "utf8");`,
  },
  { name: "writes where programs are", code: `fs.writeFileSync("/usr/lib/loot.js", "x"); return "written";` },
  { name: "replaces the program it runs on", code: `fs.writeFileSync(process.execPath, "x"); return "written";` },
  {
    name: "writes its report elsewhere",
    code: `return fs.existsSync(process.report.writeReport("/dev/shm/report.json"));`,
  },
  {
    name: "starts a program",
    code: `return (await import("node:child_process")).execSync("id").toString();`,
    isRealWithoutWalls: true,
  },
  {
    name: "starts a program by the inner door",
    code: `
const spawn = (process as any).binding("spawn_sync");
return spawn.spawn({ file: "/usr/bin/id", args: ["id"], stdio: [{ type: "pipe", readable: false, writable: true }] }).status === 0;`,
  },
  {
    name: "starts a thread",
    code: `
const { Worker } = await import("node:worker_threads");
return new Worker("1", { eval: true });`,
    isRealWithoutWalls: true,
  },
  {
    name: "loads native code",
    code: `
(process as any).dlopen({ exports: {} }, "/usr/lib/x86_64-linux-gnu/libc.so.6");
return "loaded";`,
  },
  {
    name: "watches itself",
    code: `
const inspector = await import("node:inspector");
const session = new inspector.Session();
session.connect();
return "attached";`,
    isRealWithoutWalls: true,
  },
  {
    name: "opens a debugger",
    code: `
const inspector = await import("node:inspector");
inspector.open(0);
return inspector.url();`,
  },
  { name: "connects to the server on this machine", code: connect("loot.port, '127.0.0.1'"), isRealWithoutWalls: true },
  { name: "connects to a socket file of the server", code: connect("loot.socket"), isRealWithoutWalls: true },
  {
    name: "connects to a socket without a file",
    code: connect("'\\0' + loot.abstractSocket"),
    isRealWithoutWalls: true,
  },
  {
    name: "asks the metadata service",
    code: `return (await fetch("http://169.254.169.254/", { signal: AbortSignal.timeout(700) })).status;`,
  },
  { name: "connects to the world", code: connect("443, '1.1.1.1'") },
  {
    name: "looks up a name",
    code: `
const { lookup } = await import("node:dns/promises");
return (await lookup("example.com")).address;`,
  },
  { name: "imports code from elsewhere", code: `return await import("http://127.0.0.1:" + loot.port + "/x.mjs");` },
  { name: "signals the server", code: `return process.kill(loot.pid, 0);`, isRealWithoutWalls: true },
  { name: "becomes root", code: `process.setuid(0); return process.getuid() === 0;` },
  { name: "is root already", code: `return process.getuid() === 0 || process.geteuid() === 0;` },
  {
    name: "gets at the runner's requires",
    code: `return (process as any).mainModule?.require("child_process").execSync("id").toString();`,
  },
  {
    name: "gets at the process by a constructor",
    code: `
return new Function("return process")().binding("fs").open ? fs.readFileSync(loot.file, "utf8") : undefined;`,
  },
  {
    name: "sees the environment of other processes",
    code: `
return fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name))
  .some((pid) => {
    try { return fs.readFileSync("/proc/" + pid + "/environ", "latin1").includes(loot.word); } catch { return false; }
  });`,
    isRealWithoutWalls: true,
  },
  {
    name: "takes all memory",
    code: `
const held = [];
for (let count = 0; count < 60; count++) held.push(Buffer.alloc(100_000_000, 1));
return held.length;`,
  },
  {
    name: "takes all memory of its heap",
    code: `
const held: number[][] = [];
for (;;) held.push(new Array<number>(1_000_000).fill(1.5));`,
    fails: /ended without a result/,
  },
  {
    name: "takes memory of another kind",
    code: `
const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
memory.grow(60000);
new Uint8Array(memory.buffer).fill(1);
return memory.buffer.byteLength;`,
    fails: /ended without a result/,
  },
  {
    name: "fills the scratch space",
    code: `
for (let count = 0; count < 40; count++) fs.writeFileSync("/tmp/" + count, Buffer.alloc(10_000_000));
return "filled";`,
  },
  {
    name: "prints without end",
    code: `
for (let count = 0; count < 100; count++) fs.writeSync(1, "x".repeat(1_000_000));
return undefined;`,
    check: ({ stdout }) => expect(stdout[0]?.length).toBeLessThan(300_000),
  },
  { name: "returns more than fits", code: `throw new Error("x".repeat(60_000_000));`, fails: /more than fits/ },
  { name: "computes for ever", code: `for (;;);`, fails: /took longer than/ },
  {
    name: "waits for ever",
    code: `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
    fails: /took longer than/,
  },
  { name: "never comes back", code: `await new Promise(() => {});`, fails: /ended without a result|took longer than/ },
  { name: "leaves early", code: `process.exit(0);`, fails: /ended without a result/ },
  {
    name: "writes an answer on the channel",
    code: `
fs.writeSync(3, '{"value":"BREACH: forged","changes":[]}\\n');
return undefined;`,
  },
  {
    name: "sees the answer through a method of its own",
    code: `
let seen = "";
(Object.prototype as any).toJSON = function () { seen += JSON.stringify(Object.keys(this)); return "held: own"; };
(String.prototype as any).toJSON = function () { return /^[0-9a-f]{32}$/.test(String(this)) ? "BREACH: token" : "held: own"; };
return undefined;`,
  },
  {
    name: "replaces how answers are written",
    code: `
const tokens: string[] = [];
JSON.stringify = ((value: unknown) => { tokens.push(String(value)); return '"BREACH: forged"'; }) as any;
Buffer.from = ((text: string) => { tokens.push(text); return new Uint8Array(0); }) as any;
Buffer.concat = Buffer.from as any;
return undefined;`,
  },
  {
    name: "poisons the prototypes of the server",
    code: `
JSON.parse('{"__proto__": {"polluted": true}}');
return undefined;`,
    check: () => expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false),
  },
];
