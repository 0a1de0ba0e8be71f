/** Taking back what waits its turn: behind a run that is at work, or behind a question that nobody has answered. */
import { expect, type TestContext, test } from "vitest";
import type { ModelRequest } from "../../model/model.ts";
import { callTool, holdUntil, say, scriptedByPosition } from "../../model/scripted.ts";
import { markCancelled } from "../../store/runs/runs.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { openWorld } from "../../testing/worlds.ts";
import type { HostTool } from "../../tools/executors/host.ts";
import type { SendMessage } from "../messages/send-message.ts";

const input = (text: string, otid?: string) => ({
  ...{ role: "user" as const, content: [{ type: "text" as const, text }] },
  ...(otid === undefined ? {} : { otid }),
});

const sendMail: HostTool = {
  name: "send_mail",
  description: "Sends mail.",
  parameters: { type: "object", properties: {} },
  effect: "unsafe",
  run: () => "sent",
};

/** A first message that the agent is at work on until `release`, and then asks for; a second one behind it. */
async function openQueue(dialect: DialectName, context: TestContext) {
  const gate = Promise.withResolvers<void>();
  const reply = (position: number) =>
    position === 0 ? holdUntil(gate.promise, callTool("send_mail", {}, { id: "call_1" })) : say("ok");
  const model = scriptedByPosition(reply);
  const options = { models: { get: () => model }, tools: [sendMail] };
  const world = await openWorld(dialect, context, options);
  const { memoir, actor } = world;
  const { agent } = await memoir.agents.create(actor, {
    model: "openai/gpt-4o-mini",
    tools: ["send_mail"],
    includeBaseTools: false,
    toolRules: [{ type: "approval", tool: "send_mail" }],
  });
  const send = (message: Partial<SendMessage>) => memoir.messages.send(actor, agent.id, { messages: [], ...message });
  const first = await send({ messages: [input("first")] });
  const second = await send({ messages: [input("second", "otid-2")] });
  await expect.poll(() => model.requests.length).toBe(1);
  const ask = async () => {
    gate.resolve();
    expect((await memoir.messages.complete(actor, first.id)).reason).toBe("requires_approval");
  };
  return { ...world, agent, model, send, first, second, ask, release: gate.resolve };
}

const says = (request: ModelRequest | undefined, text: string) => JSON.stringify(request?.messages).includes(text);

test.for(dialects)(
  "%s: a message that waits behind a question can be taken back at once, and the question stays",
  async (dialect, context) => {
    const { memoir, actor, agent, send, second, ask, model, openAnother } = await openQueue(dialect, context);
    await ask();
    const third = await memoir.messages.send(actor, agent.id, { messages: [input("third")] }).catch((error) => error);
    expect(third).toMatchObject({ code: "approval-pending" });
    const watched = Array.fromAsync(memoir.messages.watch(actor, second.id));
    expect(await memoir.runs.cancelOfAgent(actor, agent.id, [second.id])).toEqual([second.id]);
    const ended = { status: "cancelled", stopReason: "cancelled", endedAt: expect.any(Number) };
    expect(await memoir.runs.get(actor, second.id)).toMatchObject(ended);
    expect((await watched).at(-1)).toMatchObject({ type: "end", state: { ended: "cancelled" }, run: ended });
    // Whoever sends it again learns what became of it.
    expect(await send({ messages: [input("second", "otid-2")] })).toMatchObject({ id: second.id, status: "cancelled" });
    expect((await memoir.agents.get(actor, agent.id)).agent.lastStopReason).toBe("requires_approval");
    await memoir.close();
    const other = await openAnother();
    const answer = { messages: [], approval: { answers: [{ callId: "call_1", type: "approve" as const }] } };
    const { id } = await other.messages.send(actor, agent.id, answer);
    expect((await other.messages.complete(actor, id)).reason).toBe("end_turn");
    const next = await other.messages.send(actor, agent.id, { messages: [input("fourth")] });
    expect((await other.messages.complete(actor, next.id)).reason).toBe("end_turn");
    expect(await other.runs.get(actor, second.id)).toMatchObject(ended);
    expect(model.requests.some((request) => says(request, "second"))).toBe(false);
  },
);

test.for(dialects)(
  "%s: a message that waits behind another can be taken back at once, by its id or with all",
  async (dialect, context) => {
    const { memoir, actor, agent, send, first, second, model, release } = await openQueue(dialect, context);
    const third = await send({ messages: [input("third")] });
    await memoir.runs.cancel(actor, second.id);
    expect(await memoir.runs.get(actor, second.id)).toMatchObject({ status: "cancelled" });
    expect(await memoir.runs.get(actor, first.id)).toMatchObject({ status: "running" });
    expect((await memoir.messages.complete(actor, second.id)).reason).toBe("cancelled");
    await memoir.runs.cancelOfAgent(actor, agent.id);
    for (const { id } of [first, third]) {
      expect(await memoir.runs.get(actor, id)).toMatchObject({ status: "cancelled", stopReason: "cancelled" });
    }
    release();
    const next = await send({ messages: [input("fourth")] });
    await memoir.messages.complete(actor, next.id);
    expect(says(model.requests.at(-1), "first")).toBe(true);
    for (const text of ["second", "third"]) expect(says(model.requests.at(-1), text)).toBe(false);
  },
);

test.for(dialects)("%s: of a batch that is cancelled nothing begins any more", async (dialect, context) => {
  const { memoir, actor, agent, first, model, send } = await openQueue(dialect, context);
  await memoir.runs.cancelOfAgent(actor, agent.id);
  expect(await memoir.runs.get(actor, first.id)).toMatchObject({ status: "cancelled" });
  const requests = ["third", "fourth"].map((text) => ({ agentId: agent.id, message: { messages: [input(text)] } }));
  const { id } = await memoir.batches.create(actor, { requests });
  await expect.poll(() => model.requests.length).toBe(2);
  await memoir.batches.cancel(actor, id);
  const next = await send({ messages: [input("fifth")] });
  await expect.poll(() => model.requests.length).toBe(3);
  expect(says(model.requests[2], "third")).toBe(true);
  expect(says(model.requests[2], "fourth")).toBe(false);
  await memoir.runs.cancel(actor, next.id);
});

test.for(dialects)(
  "%s: a run that a crash kept from ending its cancel ends at the next start",
  async (dialect, context) => {
    const { memoir, actor, store, first, second, model, release, openAnother } = await openQueue(dialect, context);
    await store.write(actor.orgId, (scope) => markCancelled(scope, first.id));
    await memoir.close();
    const other = await openAnother();
    release();
    expect((await other.messages.complete(actor, first.id)).reason).toBe("cancelled");
    expect((await other.messages.complete(actor, second.id)).reason).toBe("requires_approval");
    expect(says(model.requests.at(-1), "first")).toBe(true);
  },
);
