/** Followers that read slowly or not at all: the log has what they have not read, memory only a little of it. */
import { expect, type TestContext, test } from "vitest";
import { say, scripted } from "../model/scripted.ts";
import type { LoggedEvent, RunEvent } from "../shared/events.ts";
import { appendEvents } from "../store/runs/run-log.ts";
import { type DialectName, dialects } from "../testing/databases.ts";
import { openWorld } from "../testing/worlds.ts";
import { followRun } from "./follow.ts";
import { createRunBus } from "./run-bus.ts";

const delta: RunEvent = {
  type: "delta",
  stepId: "step-1",
  messageId: "message-1",
  pieces: [{ type: "text", text: "the kettle is on the stove ".repeat(40) }],
};
const end: RunEvent = { type: "run-end", reason: "end_turn" };

/** A run whose events the test commits and publishes itself. */
async function openRun(dialect: DialectName, context: TestContext) {
  const model = scripted([say("Hello.")]);
  const { memoir, actor, store, scope, createAgent } = await openWorld(dialect, context, {
    models: { get: () => model },
  });
  const { agent } = await createAgent({ model: "openai/gpt-4o-mini" });
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }];
  const { run } = await memoir.messages.complete(actor, (await memoir.messages.send(actor, agent.id, { messages })).id);
  const first = (await Array.fromAsync(memoir.messages.follow(actor, run.id))).length;
  const bus = createRunBus();
  const published = new Set<LoggedEvent>();
  const publish = async (count: number, event = delta) => {
    const events = Array.from({ length: count }, () => event);
    const after = first + published.size;
    const logged = await store.write(actor.orgId, (writing) => appendEvents(writing, run, after, events));
    for (const each of logged) published.add(each);
    bus.publish(run.id, logged, []);
  };
  const follow = () => followRun(bus, scope, run.id, first);
  /** The others were dropped from memory and read from the log. */
  const countKept = (events: readonly LoggedEvent[]) => events.filter((event) => published.has(event)).length;
  return { run, bus, orgId: actor.orgId, first, published, publish, follow, countKept };
}

const seqsOf = (events: Iterable<LoggedEvent>) => [...events].map(({ seq }) => seq);

test.for(dialects)("%s: events for a reader that has stopped are not kept in memory", async (dialect, context) => {
  const { published, publish, follow, countKept } = await openRun(dialect, context);
  await publish(1);
  const reader = follow();
  const read = [(await reader.next()).value as LoggedEvent];
  for (let round = 0; round < 100; round++) await publish(20);
  await publish(1, end);
  for await (const event of reader) read.push(event);
  expect(seqsOf(read)).toEqual(seqsOf(published));
  expect(countKept(read)).toBeLessThan(200);
});

test.for(dialects)(
  "%s: a reader that stops at the first event keeps no record of the run",
  async (dialect, context) => {
    const { run, bus, orgId, published, publish, follow, countKept } = await openRun(dialect, context);
    bus.open(orgId, run);
    for (let round = 0; round < 100; round++) await publish(20);
    await publish(1, end);
    const read = await Array.fromAsync(follow());
    expect(seqsOf(read)).toEqual(seqsOf(published));
    expect(countKept(read)).toBeLessThan(200);
  },
);

test.for(dialects)("%s: a reader that is now slower, now faster gets each event once", async (dialect, context) => {
  const { published, publish, follow } = await openRun(dialect, context);
  await publish(1);
  const reader = follow();
  const read = [(await reader.next()).value as LoggedEvent];
  for (const [said, wanted] of [
    [3, 2],
    [300, 40],
    [1, 262],
    [31, 31],
    [32, 32],
    [400, 1],
    [2, 390],
  ] as const) {
    // Published while the reader reads, so that some come between a read of the log and the queue.
    const publishing = publish(said);
    for (let count = 0; count < wanted; count++) read.push((await reader.next()).value as LoggedEvent);
    await publishing;
  }
  await publish(1, end);
  for await (const event of reader) read.push(event);
  expect(seqsOf(read)).toEqual(seqsOf(published));
});

test("a reader that keeps up does not read the log", async (context) => {
  const { published, publish, follow, countKept } = await openRun("sqlite", context);
  await publish(1);
  const reader = follow();
  const read = [(await reader.next()).value as LoggedEvent];
  for (let round = 0; round < 100; round++) {
    await publish(1);
    read.push((await reader.next()).value as LoggedEvent);
  }
  expect(seqsOf(read)).toEqual(seqsOf(published));
  // All but the first, which was there before the reader came.
  expect(countKept(read)).toBe(100);
  await reader.return(undefined);
});
