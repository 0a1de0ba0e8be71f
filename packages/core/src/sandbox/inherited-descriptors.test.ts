/** Descriptors inherited by the server do not reach tools, installers or engines. */
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { needSandbox } from "../testing/sandboxes.ts";

/** Starts a program as a shell would after `exec 200<folder 201>>lockfile`. */
async function runHolder(word: string): Promise<{ seen: Record<string, unknown>; lock: string; stderr: string }> {
  const folder = mkdtempSync(join(tmpdir(), "memoir-held-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "secret.txt"), "sesame");
  const lockfile = join(folder, "lockfile");
  const held = [openSync(folder, "r"), openSync(lockfile, "a", 0o666)];
  const unused = Array.from({ length: 197 }, () => "ignore" as const);
  const holder = join(import.meta.dirname, "../testing/descriptor-holder.ts");
  const child = spawn(process.execPath, ["--no-warnings", holder, word], {
    stdio: ["ignore", "pipe", "pipe", ...unused, ...held],
  });
  for (const descriptor of held) closeSync(descriptor);
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (part: Buffer) => {
    stdout += part.toString();
  });
  child.stderr?.on("data", (part: Buffer) => {
    stderr += part.toString();
  });
  await new Promise((resolve) => child.on("close", resolve));
  return { seen: stdout === "" ? {} : JSON.parse(stdout), lock: readFileSync(lockfile, "utf8"), stderr };
}

const closed = { python: ["Bad file descriptor", "Bad file descriptor"], typescript: ["EBADF", "EBADF"] };

test.for(["open", "walled"])(
  "a tool on a server (%s) does not get a folder and a file that the server inherited",
  {
    timeout: 120_000,
  },
  async (word, context) => {
    if (process.platform !== "linux") context.skip("only Linux lists the descriptors of a process");
    if (word === "walled") await needSandbox(context);
    const { seen, lock, stderr } = await runHolder(word);
    expect(stderr).toBe("");
    const { installer, ...tools } = seen;
    expect(Object.keys(tools).length).toBe(word === "walled" ? 16 : 8);
    for (const [name, result] of Object.entries(tools)) {
      expect([name, result]).toEqual([name, name.includes("python") ? closed.python : closed.typescript]);
    }
    expect(installer).toEqual(["/dev/null", "/dev/null"]);
    expect(lock).toBe("");
  },
);
