/** Agents whose window is too small: for their own instructions, or for what was said. */
import { expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { itemsOf, type Json, readFrames, typesOf } from "../crash/approval-world.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServer } from "../support/server.ts";

async function openAgent(dialect: DialectName, context: TestContext, input: object = {}) {
  const { providers } = await startDirectedModels();
  const { url } = await startServer(dialect, context, { core: { providers } });
  const request = async (method: string, path: string, body?: object) =>
    await fetch(url + path, {
      method,
      ...(body ? { body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {}),
    });
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await request(method, path, body);
    return { status: answer.status, body: (await answer.json()) as Json };
  };
  const created = await ask("POST", "/v1/agents/", {
    model: "openai/gpt-4o-mini",
    context_window_limit: 4096,
    include_base_tools: false,
    ...input,
  });
  const agentId: string = created.body.id;
  const messages = `/v1/agents/${agentId}/messages`;
  const stream = async (body: object) => readFrames(await request("POST", messages, { ...body, streaming: true }));
  return { agentId, ask, messages, stream };
}

const overflow = "context_window_overflow_in_system_prompt";

test.for(dialects)(
  "%s: instructions that do not fit are told by their own error, and how to help",
  async (dialect, context) => {
    const system = "word ".repeat(9_000);
    const { agentId, ask, messages, stream } = await openAgent(dialect, context, { system });
    const sentence = /take about \d{4,5} tokens, and its context window is 4096: shorten its instructions or blocks/;
    const whole = await ask("POST", messages, { input: "hello" });
    expect([whole.status, whole.body.detail]).toEqual([400, expect.stringMatching(sentence)]);
    const frames = await stream({ input: "hello" });
    expect(frames.find(({ data }) => data.message_type === "stop_reason")?.data.stop_reason).toBe(overflow);
    const error = frames.find(({ event }) => event === "error")?.data;
    const told = { message: expect.stringMatching(sentence), detail: expect.stringMatching(sentence) };
    expect(error).toMatchObject({ message_type: "error_message", error_type: overflow, ...told });
    const [run] = (await ask("GET", `/v1/runs/?agent_id=${agentId}`)).body;
    expect(run).toMatchObject({ status: "failed", stop_reason: overflow });
    expect(run.metadata.error).toMatchObject({ error_type: overflow, ...told });
    const [step] = (await ask("GET", `/v1/runs/${run.id}/steps`)).body;
    expect(step).toMatchObject({ status: "failed", stop_reason: overflow, error_type: overflow });
    expect((await ask("PATCH", `/v1/agents/${agentId}`, { system: "Be kind." })).status).toBe(200);
    expect((await ask("POST", messages, { input: "hello" })).status).toBe(200);
  },
);

test.for(dialects)(
  "%s: a whole answer shows a compaction as a stream does, to whom it was asked for",
  async (dialect, context) => {
    const { ask, agentId, messages } = await openAgent(dialect, context);
    const said = (number: number) => `${number}: ${"long words of no consequence ".repeat(60)}`;
    const shown: Json[] = [];
    for (let number = 0; number < 14; number++) {
      const { body } = await ask("POST", messages, { input: said(number), include_compaction_messages: true });
      shown.push(...body.messages);
    }
    const compactions = shown.filter(
      ({ message_type: type }) => type === "event_message" || type === "summary_message",
    );
    expect(typesOf(compactions).slice(0, 2)).toEqual(["event_message", "summary_message"]);
    expect(typesOf(shown)).not.toContain("user_message");
    const [event, summary] = compactions;
    expect(event).toMatchObject({ event_type: "compaction", event_data: { context_window: 4096 } });
    expect(event.event_data.context_token_estimate).toBeGreaterThan(2_000);
    expect(summary).toMatchObject({ run_id: event.run_id, compaction_stats: { context_window: 4096 } });
    expect(summary.summary).not.toBe("");

    // The same over a conversation, streamed and whole.
    const conversation = (await ask("POST", `/v1/conversations/?agent_id=${agentId}`)).body.id;
    const path = `/v1/conversations/${conversation}/messages`;
    const whole: Json[] = [];
    for (let number = 0; number < 14; number++) {
      const more = { streaming: false, include_compaction_messages: true };
      whole.push(...(await ask("POST", path, { input: said(number), ...more })).body.messages);
    }
    expect(typesOf(whole)).toEqual(expect.arrayContaining(["event_message", "summary_message"]));

    // Neither without being asked for, nor where a filter leaves them out.
    const others: Json[] = [];
    for (let number = 0; number < 14; number++) {
      const more =
        number % 2 === 0
          ? {}
          : { include_compaction_messages: true, include_return_message_types: ["assistant_message"] };
      others.push(...(await ask("POST", messages, { input: said(number), ...more })).body.messages);
    }
    expect(new Set(typesOf(others))).toEqual(new Set(["assistant_message", "user_message"]));
  },
);

test("a stream and a whole answer show the same items of a compaction", async (context) => {
  const { ask, messages, stream } = await openAgent("sqlite", context);
  const said = (number: number) => `${number}: ${"long words of no consequence ".repeat(60)}`;
  const keys = async (send: (body: object) => Promise<Json[]>) => {
    for (let number = 0; number < 20; number++) {
      const items = await send({ input: said(number), include_compaction_messages: true });
      const found = items.filter(({ message_type: type }) => type === "event_message" || type === "summary_message");
      if (found.length > 0) return found.map((item) => [item.message_type, Object.keys(item).sort()]);
    }
    throw new Error("nothing was compacted");
  };
  const streamed = await keys(async (body) => itemsOf(await stream(body)));
  expect(await keys(async (body) => (await ask("POST", messages, body)).body.messages)).toEqual(streamed);
});
