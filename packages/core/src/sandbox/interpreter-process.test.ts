/** Processes that fail to start: the server continues and releases their resources. */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { needSandbox } from "../testing/sandboxes.ts";
import { InterpreterProcess } from "./interpreter-process.ts";
import { defaultLimits } from "./limits.ts";
import { Pool } from "./pool.ts";

const mute = { program: "/bin/sleep", args: ["61"] };

test("one that never gets ready is given up, by the clock and by whoever does not want it any more", async () => {
  const run = (input: { startTimeoutMs?: number; signal?: AbortSignal }) =>
    new InterpreterProcess(mute, defaultLimits).run({}, { timeoutMs: 60_000, ...input });
  await expect(run({ startTimeoutMs: 50 })).rejects.toThrow("not ready within 0.05 s");
  const signal = AbortSignal.timeout(20);
  await expect(run({ signal })).rejects.toThrow(signal.reason);
});

test("a pool that cannot start one tells the call, and does not fall over it when it fills itself up", () => {
  let isFull = true;
  const pool = new Pool(
    {
      launch: () => {
        if (isFull) throw new Error("no room");
        return mute;
      },
    },
    { limits: defaultLimits, size: 1, idleMs: 1_000 },
  );
  expect(() => pool.take("python")).toThrow("no room");
  expect(() => pool.fill("python")).not.toThrow();
  isFull = false;
  const taken = pool.take("python");
  expect(taken.isGone).toBe(false);
  return pool.close();
});

const place = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);

/** Runs the script on a Node with a low limit of open files. */
function runInNeed(script: string): string {
  const node = [process.execPath, "--conditions=memoir-source", "--input-type=module", "-e", script];
  return spawnSync("/bin/sh", ["-c", 'ulimit -n 300; exec "$@"', "sh", ...node], { encoding: "utf8" }).stdout;
}

test("a server that has no file left to open refuses a call and lives on", () => {
  const script = `
    import { openSync } from "node:fs";
    const { InterpreterProcess } = await import(${place("./interpreter-process.ts")});
    const { defaultLimits } = await import(${place("./limits.ts")});
    let cleaned = 0;
    try { for (;;) openSync("/dev/null", "r"); } catch {}
    try { new InterpreterProcess({ program: "/bin/sleep", args: ["1"], clean: () => cleaned++ }, defaultLimits); }
    catch (error) { console.log(error.message, cleaned); }
    setTimeout(() => console.log("alive"), 50);`;
  expect(runInNeed(script)).toMatch(/^the sandbox could not be started \(.* no room .*\) 1\nalive\n$/);
});

test("a sandbox that could not be built for want of files is built when there are some", async (context) => {
  await needSandbox(context);
  const script = `
    import { closeSync, openSync } from "node:fs";
    const { LocalSandbox } = await import(${place("./local-sandbox.ts")});
    const sandbox = new LocalSandbox({ poolSize: 0 });
    const source = "def tool(): return 5";
    const job = { orgId: "o", language: "python", name: "tool", source, args: {}, environment: {}, timeoutMs: 20000 };
    const run = () => sandbox.run(job).then(({ value }) => value, () => "refused");
    const held = [];
    try { for (;;) held.push(openSync("/dev/null", "r")); } catch {}
    const first = await run();
    for (const file of held) closeSync(file);
    console.log(first, await run());
    await sandbox.close();`;
  expect(runInNeed(script)).toBe("refused 5\n");
});
