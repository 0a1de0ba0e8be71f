import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { createDatabase } from "../../testing/databases.ts";
import { lockDatabase } from "./database-lock.ts";

test("a second server on a SQLite file is told the first one's process and address", async (context) => {
  const database = await createDatabase("sqlite", context);
  const first = await lockDatabase(database);
  first.announce("http://127.0.0.1:8283");
  const other = `${database}-link`;
  for (const path of [database, `file://${database}`]) {
    await expect(lockDatabase(path)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`(process ${process.pid}, http://127.0.0.1:8283) is using ${database}`),
    });
  }
  symlinkSync(database, other);
  await expect(lockDatabase(other)).rejects.toThrow("another Memoir server");
  first.release();
  const second = await lockDatabase(database);
  second.release();
});

test("a server that was killed leaves no lock behind", async (context) => {
  const database = await createDatabase("sqlite", context);
  const program = `
    const { lockDatabase } = await import(${JSON.stringify(new URL("./database-lock.ts", import.meta.url).href)});
    const lock = await lockDatabase(process.argv[1]);
    lock.announce("http://127.0.0.1:1");
    console.log("held");
    setInterval(() => lock, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, database], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  await expect(lockDatabase(database)).rejects.toThrow(`process ${child.pid}, http://127.0.0.1:1`);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  const lock = await lockDatabase(database);
  lock.release();
});

test("databases that several servers may share, and those in memory, are not locked", async () => {
  for (const database of [":memory:", "postgres://127.0.0.1:9/nowhere"]) {
    const locks = [await lockDatabase(database), await lockDatabase(database)];
    for (const lock of locks) lock.release();
  }
});
