import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { Memoir } from "../memoir.ts";
import { silentLog } from "../shared/log.ts";
import {
  damageSqliteTable,
  endWaitingConnections,
  listenForFaults,
  lockPostgresTable,
  lockSqliteFile,
  mountSmallDisk,
} from "../testing/database-faults.ts";
import { createDatabase, testEncryptionKey, withoutIndex } from "../testing/databases.ts";
import { createTalker, say, type Talker, tell } from "../testing/talker.ts";

const timeout = { timeout: 60_000 };

async function open(database: string, { models }: Talker, log = listenForFaults().log) {
  const memoir = new Memoir({ database, encryptionKey: testEncryptionKey, sandboxes: withoutIndex, models, log });
  onTestFinished(() => memoir.close());
  await memoir.start();
  const { agent } = await memoir.agents.create(memoir.defaultActor, { model: "openai/gpt-4o-mini" });
  return { memoir, agentId: agent.id };
}

const send = (memoir: Memoir, agentId: string, text: string) =>
  memoir.messages.send(memoir.defaultActor, agentId, {
    messages: [{ role: "user", content: [{ type: "text", text }] }],
  });

/** Everything was answered, once, and paid for once. */
async function expectAnswered(memoir: Memoir, agentId: string, talker: Talker, answers: number): Promise<void> {
  const page = { limit: 100, from: "oldest" as const };
  const messages = await memoir.messages.listOfAgent(memoir.defaultActor, agentId, { page });
  expect(messages.filter(({ role }) => role === "assistant")).toHaveLength(answers);
  expect(talker.asked).toHaveLength(answers);
}

test(
  "postgres: a connection that is ended while a reply is stored costs neither the reply nor another call",
  timeout,
  async (context) => {
    const database = await createDatabase("postgres", context);
    const { log, failedWrites } = listenForFaults();
    const talker = createTalker(async () => {
      const lock = await lockPostgresTable(database, "message");
      void vi
        .waitUntil(async () => (await endWaitingConnections(lock.client)) > 0, timeout)
        .then(() => vi.waitUntil(() => failedWrites() > 0, timeout))
        .then(lock.release);
      return say("stored after all");
    });
    const { memoir, agentId } = await open(database, talker, log);
    const result = await tell(memoir, agentId, "hello");
    expect([result.run.status, result.reason]).toEqual(["completed", "end_turn"]);
    expect(failedWrites()).toBeGreaterThan(0);
    await expectAnswered(memoir, agentId, talker, 1);
  },
);

test.for([
  ["statement_timeout", "a statement"],
  ["lock_timeout", "a lock"],
])(
  "postgres: %s cancels %s while a reply is stored, and the reply is stored later",
  timeout,
  async ([setting], context) => {
    const database = await createDatabase("postgres", context);
    const { log, failedWrites } = listenForFaults();
    const talker = createTalker(async () => {
      const lock = await lockPostgresTable(database, "message");
      void vi.waitUntil(() => failedWrites() > 1, timeout).then(lock.release);
      return say("stored after all");
    });
    const limited = new URL(database);
    const { memoir, agentId } = await open(database, talker, log);
    await memoir.close();
    limited.searchParams.set("options", `-c ${setting}=200`);
    const again = new Memoir({ database: limited.href, encryptionKey: testEncryptionKey, models: talker.models, log });
    onTestFinished(() => again.close());
    await again.start();
    const result = await tell(again, agentId, "hello");
    expect([result.run.status, result.reason]).toEqual(["completed", "end_turn"]);
    expect(failedWrites()).toBeGreaterThan(1);
    await expectAnswered(again, agentId, talker, 1);
  },
);

/** Counts how often jobs drive a conversation again because of a fault. */
function listenForRetries() {
  let count = 0;
  const error = (_: object, message: string) => {
    if (message.startsWith("working off a conversation failed")) count++;
  };
  return { log: { ...silentLog, error }, retries: () => count };
}

test("postgres: a run whose turn cannot be loaded is driven again, and not failed", timeout, async (context) => {
  const database = await createDatabase("postgres", context);
  const talker = createTalker();
  const { log, retries } = listenForRetries();
  const { memoir, agentId } = await open(database, talker, log);
  await tell(memoir, agentId, "first");
  const lock = await lockPostgresTable(database, "tool");
  const run = await send(memoir, agentId, "second");
  // The pool may hand a read the connection that has just been ended.
  const isOver = () =>
    memoir.runs.get(memoir.defaultActor, run.id).then(
      ({ endedAt }) => endedAt !== null,
      () => false,
    );
  await vi.waitUntil(async () => {
    await endWaitingConnections(lock.client);
    return retries() > 0 || (await isOver());
  }, timeout);
  expect(await isOver()).toBe(false);
  await lock.release();
  expect((await memoir.messages.complete(memoir.defaultActor, run.id)).reason).toBe("end_turn");
  await expectAnswered(memoir, agentId, talker, 2);
});

test("sqlite: a run whose turn cannot be loaded is driven again, and not failed", timeout, async (context) => {
  const database = await createDatabase("sqlite", context);
  const talker = createTalker();
  const { log, retries } = listenForRetries();
  const { memoir, agentId } = await open(database, talker, log);
  await tell(memoir, agentId, "first");
  const page = damageSqliteTable(database, "tool");
  const run = await send(memoir, agentId, "second");
  const isOver = async () => (await memoir.runs.get(memoir.defaultActor, run.id)).endedAt !== null;
  await vi.waitUntil(async () => retries() > 0 || (await isOver()), timeout);
  expect(await isOver()).toBe(false);
  page.repair();
  await vi.waitUntil(isOver, timeout);
  expect((await memoir.messages.complete(memoir.defaultActor, run.id)).reason).toBe("end_turn");
  await expectAnswered(memoir, agentId, talker, 2);
});

test(
  "sqlite: another process that holds the write lock for longer than it is waited for delays the reply, no more",
  timeout,
  async (context) => {
    const database = await createDatabase("sqlite", context);
    const { log, failedWrites } = listenForFaults();
    const talker = createTalker(async () => {
      const lock = await lockSqliteFile(database);
      void vi.waitUntil(() => failedWrites() > 0, timeout).then(lock.release);
      return say("stored after all");
    });
    const { memoir, agentId } = await open(database, talker, log);
    const result = await tell(memoir, agentId, "hello");
    expect([result.run.status, result.reason]).toEqual(["completed", "end_turn"]);
    await expectAnswered(memoir, agentId, talker, 1);
  },
);

test(
  "sqlite: on a full disk the caller is told, and the reply is stored when there is room, without a second call",
  timeout,
  async (context) => {
    const disk = mountSmallDisk(context, 16);
    const database = join(disk.folder, "memoir.db");
    const { log, failedWrites } = listenForFaults();
    const talker = createTalker((_, index) => {
      if (index === 1) disk.fill();
      return say(`reply ${index} ${"x".repeat(100_000)}`);
    });
    const { memoir, agentId } = await open(database, talker, log);
    const run = await send(memoir, agentId, "hello");
    await expect(memoir.messages.complete(memoir.defaultActor, run.id)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("no space left"),
    });
    await vi.waitUntil(() => failedWrites() > 2, timeout);
    disk.free();
    expect((await memoir.messages.complete(memoir.defaultActor, run.id)).reason).toBe("end_turn");
    await tell(memoir, agentId, "and now?");
    await expectAnswered(memoir, agentId, talker, 2);
  },
);

test("sqlite: a run that is cancelled while its reply cannot be stored ends as cancelled", timeout, async (context) => {
  const disk = mountSmallDisk(context, 16);
  const { log, failedWrites } = listenForFaults();
  const talker = createTalker(() => {
    disk.fill();
    return say("x".repeat(100_000));
  });
  const { memoir, agentId } = await open(join(disk.folder, "memoir.db"), talker, log);
  const run = await send(memoir, agentId, "hello");
  await vi.waitUntil(() => failedWrites() > 3, timeout);
  disk.free();
  await memoir.runs.cancel(memoir.defaultActor, run.id);
  expect((await memoir.messages.complete(memoir.defaultActor, run.id)).reason).toBe("cancelled");
});
