/** Attempts to escape from the sandbox, all of which must fail; skipped on machines without isolation. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../shared/json.ts";
import { type Attempt, frameAttempt, type Loot } from "../../testing/escapes.ts";
import { pythonAttempts } from "../../testing/escapes-python.ts";
import { typescriptAttempts } from "../../testing/escapes-typescript.ts";
import { needSandbox } from "../../testing/sandboxes.ts";
import { LocalSandbox } from "../local-sandbox.ts";
import type { Sandbox, SandboxLanguage, SandboxResult } from "../sandbox.ts";

const word = "sesame-8d1f0c";
const folder = mkdtempSync(join(tmpdir(), "memoir-loot-"));
const sandbox = new LocalSandbox();
const servers: Server[] = [];
let loot: Loot;
/** A process with a secret in its environment. */
let decoy: ChildProcess;

beforeAll(async () => {
  process.env.MEMOIR_TEST_LOOT = word;
  chmodSync(folder, 0o755);
  const [database, file] = [join(folder, "memoir.db"), join(folder, "tenant.txt")];
  for (const path of [database, file]) writeFileSync(path, word, { mode: 0o666 });
  const [socket, abstractSocket] = [join(folder, "door.sock"), `memoir-test-${process.pid}`];
  await listen(socket);
  chmodSync(socket, 0o777);
  await listen(`\0${abstractSocket}`);
  const { port } = (await listen(0)).address() as { port: number };
  decoy = spawn("sleep", ["600"], { env: { LOOT: word }, stdio: "ignore" });
  loot = { word, database, file, socket, abstractSocket, port, pid: process.pid };
});

afterAll(async () => {
  for (const server of servers) server.close();
  decoy.kill();
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

async function listen(place: string | number): Promise<Server> {
  const server = createServer((socket) => socket.on("error", () => {}).end("hello"));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(place, resolve));
  return server;
}

function run(on: Sandbox, language: SandboxLanguage, attempt: Attempt): Promise<SandboxResult> {
  return on.run({
    orgId: "org",
    language,
    name: "attempt",
    source: frameAttempt(language, attempt),
    args: { loot: loot as unknown as JsonObject },
    order: ["loot"],
    environment: {},
    timeoutMs: attempt.fails?.test("took longer than") ? 700 : 20_000,
  });
}

/** An attempt that fails because of a mistake in its code proves nothing. */
const blunders = /held: (NameError|SyntaxError|ReferenceError|ModuleNotFoundError|UnboundLocalError)/;

function expectHeld(result: SandboxResult, { fails, check }: Attempt): void {
  const shown = result.status === "success" ? String(result.value) : `${result.type}: ${result.message.slice(0, 500)}`;
  expect(shown).not.toContain("BREACH");
  expect(result.stderr.join("")).not.toContain("BREACH");
  if (check) check(result);
  else if (fails && result.status === "error") expect(shown).toMatch(fails);
  else expect(shown).toMatch(/^held: /);
  expect(shown).not.toMatch(blunders);
}

describe.for([
  ["python", pythonAttempts],
  ["typescript", typescriptAttempts],
] as const)("code in %s", ([language, attempts]) => {
  test.for(attempts.map((attempt) => [attempt.name, attempt] as const))("%s: in vain", async ([, attempt], context) => {
    await needSandbox(context);
    expectHeld(await run(sandbox, language, attempt), attempt);
  });
});

test("there are at least sixty attempts", () => {
  expect(pythonAttempts.length + typescriptAttempts.length).toBeGreaterThanOrEqual(60);
});

test("nothing of them is left", async (context) => {
  await needSandbox(context);
  await expect
    .poll(() => spawnSync("ps", ["-eo", "comm,args"]).stdout.toString())
    .not.toMatch(/memoir-bomb|sleep 4242/);
});

/** The attempts marked as real succeed without isolation, which shows that the tests can fail. */
describe.for([
  ["python", pythonAttempts],
  ["typescript", typescriptAttempts],
] as const)("without walls, code in %s", ([language, attempts]) => {
  const real = attempts.filter(({ isRealWithoutWalls }) => isRealWithoutWalls);
  test.for(real.map((attempt) => [attempt.name, attempt] as const))("%s", async ([, attempt]) => {
    const open = new LocalSandbox({ isUnsafeAllowed: true, hasIsolation: false, poolSize: 0 });
    try {
      expect(await run(open, language, attempt)).toMatchObject({ value: expect.stringContaining("BREACH") });
    } finally {
      await open.close();
    }
  });
});
