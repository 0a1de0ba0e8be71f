import { expect, onTestFinished, test } from "vitest";
import { Memoir } from "./memoir.ts";
import { serviceNames } from "./service-table.ts";
import { createDatabase, dialects, openTestMemoir, testEncryptionKey } from "./testing/databases.ts";
import { builtinTools } from "./tools/builtin/list.ts";

test.for(dialects)("%s: programs that start together on a new database all start", async (dialect, context) => {
  const database = await createDatabase(dialect, context);
  const memoirs = Array.from({ length: 6 }, () => new Memoir({ database, encryptionKey: testEncryptionKey }));
  onTestFinished(async () => {
    for (const memoir of memoirs) await memoir.close();
  });
  const reports = await Promise.all(memoirs.map((memoir) => memoir.start()));
  expect(reports.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
  const views = await Promise.all(
    memoirs.map((memoir) =>
      memoir.agents.create(memoir.defaultActor, {
        model: "memoir/demo",
        includeBaseTools: false,
        tools: builtinTools.map(({ name }) => name),
      }),
    ),
  );
  for (const { tools } of views) expect(tools).toHaveLength(builtinTools.length);
});

test.for(dialects)("%s: nothing works before start() and after close(), and says so", async (dialect, context) => {
  const memoir = await openTestMemoir(dialect, context);
  await expect(memoir.start()).rejects.toMatchObject({ code: "invalid-argument" });
  await memoir.ping();
  await memoir.close();
  await memoir.close();
  expect(() => memoir.agents).toThrow("call start() before using Memoir");
  await memoir.start();
  expect(await memoir.agents.count(memoir.defaultActor)).toBe(0);
});

test("every service throws a clear error before start() and is there after it", async () => {
  const memoir = new Memoir({ database: ":memory:" });
  onTestFinished(() => memoir.close());
  for (const name of serviceNames) expect(() => memoir[name], name).toThrow("call start() before using Memoir");
  await memoir.start();
  for (const name of serviceNames) expect(memoir[name], name).toBeTypeOf("object");
  expect(memoir.agents).toBe(memoir.agents);
});

test("PostgreSQL is not opened without a key for secrets", async () => {
  const memoir = new Memoir({ database: "postgres://127.0.0.1:1/nowhere" });
  await expect(memoir.start()).rejects.toMatchObject({
    code: "invalid-argument",
    message: expect.stringContaining("MEMOIR_ENCRYPTION_KEY"),
  });
});

test("a database in memory needs no folder and no key", async () => {
  const memoir = new Memoir({ database: ":memory:" });
  await memoir.start();
  onTestFinished(() => memoir.close());
  const block = await memoir.blocks.create(memoir.defaultActor, { label: "a", value: "b" });
  expect(await memoir.blocks.get(memoir.defaultActor, block.id)).toEqual(block);
});
