/** The official npm client talks to agents, whose models are real HTTP servers that answer as they are directed. */
import { DatabaseSync } from "node:sqlite";
import type { SendResponseWire } from "@memoir/server/wire";
import { describe, expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { startJsonServer } from "../../packages/core/src/testing/json-server.ts";
import { directedSeal, directedUsage, startDirectedModels } from "../support/directed-models.ts";
import { loadClient } from "../support/npm-client.ts";
import { startServer } from "../support/server.ts";

const chat = "openai/gpt-4o-mini";
const claude = "anthropic/claude-sonnet-4-5-20250929";
const human = [{ label: "human", value: "Name: Ada." }];
const remember = (text: string) => `!tool memory_insert ${JSON.stringify({ label: "human", new_string: text })}`;
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function connect(dialect: DialectName, context: TestContext) {
  const Letta = await loadClient(context);
  const models = await startDirectedModels();
  const server = await startServer(dialect, context, {
    core: { providers: models.providers, web: { pageHosts: ["127.0.0.1"] } },
  });
  const client = new Letta({ baseURL: server.url, apiKey: "any", maxRetries: 0 });
  const createAgent = async (input: Readonly<Record<string, unknown>> = {}) =>
    (await client.agents.create({ model: chat, memory_blocks: human, ...input })).id;
  const say = (agentId: string, content: unknown, more: Readonly<Record<string, unknown>> = {}) =>
    client.agents.messages.create(agentId, { messages: [{ role: "user", content }], ...more });
  const readHuman = async (agentId: string) =>
    (await client.agents.blocks.retrieve("human", { agent_id: agentId })).value;
  /** The texts by role that the provider was sent last, the prompt aside. */
  const lastSent = () => {
    const messages: { role: string; content: unknown }[] = models.openai.requests.at(-1)?.body.messages ?? [];
    return messages.slice(1).map(({ role, content }) => [role, content]);
  };
  return { Letta, client, models, server, createAgent, say, readHuman, lastSent };
}

const typesOf = ({ messages }: SendResponseWire) => messages.map(({ message_type }) => message_type);

function reasonOf({ stop_reason }: SendResponseWire): string {
  return stop_reason.stop_reason;
}

/** The text of each item, whichever its kind. */
function textsOf({ messages }: SendResponseWire): unknown[] {
  return messages.map((item) => {
    if (item.message_type === "reasoning_message") return item.reasoning;
    if (item.message_type === "tool_return_message") return item.tool_return;
    if (item.message_type === "tool_call_message") return item.tool_call.name;
    return "content" in item ? item.content : undefined;
  });
}

function usageOf(steps: number) {
  const { prompt, completion } = directedUsage;
  return {
    message_type: "usage_statistics",
    prompt_tokens: prompt * steps,
    completion_tokens: completion * steps,
    total_tokens: (prompt + completion) * steps,
    step_count: steps,
    run_ids: null,
    cached_input_tokens: 0,
    reasoning_tokens: 0,
  };
}

describe.for(dialects)("%s: the npm client", (dialect) => {
  test("gets a text answer, and one after a step that edits a block", async (context) => {
    const { createAgent, say, readHuman } = await connect(dialect, context);
    const agent = await createAgent();
    const first = await say(agent, "hello there");
    expect(typesOf(first)).toEqual(["assistant_message"]);
    expect(textsOf(first)).toEqual(["You said: hello there"]);
    expect(reasonOf(first)).toBe("end_turn");
    expect(first.usage).toMatchObject({ ...usageOf(1), context_tokens: 110 });

    const second = await say(agent, `note this\n${remember("Likes tea.")}\n!say noted`);
    expect(typesOf(second)).toEqual(["tool_call_message", "tool_return_message", "assistant_message"]);
    expect(textsOf(second).at(-1)).toBe("noted");
    expect(second.usage).toMatchObject({ ...usageOf(2), context_tokens: 110 });
    expect(await readHuman(agent)).toBe("Name: Ada.\nLikes tea.");

    const [call, result, reply] = second.messages;
    expect(call).toMatchObject({
      tool_call: { name: "memory_insert", arguments: '{"label": "human", "new_string": "Likes tea."}' },
    });
    if (call?.message_type !== "tool_call_message" || result?.message_type !== "tool_return_message") throw new Error();
    expect(result).toMatchObject({
      name: "memory_insert",
      status: "success",
      tool_call_id: call.tool_call.tool_call_id,
    });
    expect(call.tool_calls).toEqual([call.tool_call]);
    expect(result.tool_returns).toHaveLength(1);
    const [runs, steps] = [second.messages.map((item) => item.run_id), second.messages.map((item) => item.step_id)];
    expect(new Set(runs).size).toBe(1);
    expect(runs[0]).toMatch(/^run-[0-9a-f-]{36}$/);
    expect(runs[0]).not.toBe(first.messages[0]?.run_id);
    expect(steps[0]).toBe(steps[1]);
    expect(steps[2]).not.toBe(steps[1]);
    for (const step of steps) expect(step).toMatch(/^step-[0-9a-f-]{36}$/);
    for (const { id, otid, date, seq_id, is_err, sender_id } of second.messages) {
      expect(id).toMatch(/^message-[0-9a-f-]{36}$/);
      // All but the lowest seven bits are the message's own.
      expect(otid?.slice(0, 34)).toBe(id.slice(8, 42));
      expect(date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
      expect([seq_id, is_err, sender_id]).toEqual([null, null, null]);
    }
    expect(new Set(second.messages.map(({ otid }) => otid)).size).toBe(3);
    expect(reply?.message_type).toBe("assistant_message");
  });

  test("sends 20 messages at once: each is answered, and all stand in the context one after the other", async (context) => {
    const { createAgent, say, lastSent } = await connect(dialect, context);
    const agent = await createAgent();
    const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`);
    const answers = await Promise.all(texts.map((text) => say(agent, text)));
    expect(answers.flatMap(textsOf)).toEqual(texts.map((text) => `You said: ${text}`));
    await say(agent, "last");
    const sent = lastSent();
    const said = sent.filter(([role]) => role === "user").map(([, content]) => String(content));
    expect(said.toSorted()).toEqual([...texts, "last"].toSorted());
    expect(sent).toEqual(
      said
        .flatMap((text) => [
          ["user", text],
          ["assistant", `You said: ${text}`],
        ])
        .slice(0, -1),
    );
  });
});

describe("sqlite: the npm client", () => {
  test("says things in every way: input, several messages, a system note, parts", async (context) => {
    const { client, createAgent, say, lastSent } = await connect("sqlite", context);
    const agent = await createAgent();
    expect(textsOf(await client.agents.messages.create(agent, { input: "short form" }))).toEqual([
      "You said: short form",
    ]);
    const messages = [
      { role: "user", content: "first" },
      { role: "user", content: "second", name: "bob", otid: "otid-1", sender_id: "sender-1" },
    ];
    const several = await client.agents.messages.create(agent, { messages });
    expect(textsOf(several)).toEqual(["You said: second"]);
    expect(lastSent().slice(-2)).toEqual([
      ["user", "first"],
      ["user", "second"],
    ]);
    const note = await client.agents.messages.create(agent, { messages: [{ role: "system", content: "a note" }] });
    expect(textsOf(note)).toEqual(["Done."]);
    expect(lastSent().at(-1)).toEqual(["system", "a note"]);
    const parts = [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ];
    await say(agent, parts);
    expect(lastSent().at(-1)?.[1]).toEqual(parts);
  });

  test("stops at max_steps, and the next message works", async (context) => {
    const { createAgent, say } = await connect("sqlite", context);
    const agent = await createAgent();
    const cut = await say(agent, `${remember("Likes tea.")}\n!say never`, { max_steps: 1 });
    expect(typesOf(cut)).toEqual(["tool_call_message", "tool_return_message"]);
    expect(reasonOf(cut)).toBe("max_steps");
    expect(cut.usage.step_count).toBe(1);
    const next = await say(agent, "and now?");
    expect([reasonOf(next), textsOf(next)]).toEqual(["end_turn", ["You said: and now?"]]);
    // Nobody tells an agent to go on that may not.
    const older = await createAgent({ agent_type: "memgpt_v2_agent" });
    expect(reasonOf(await say(older, remember("Likes tea."), { max_steps: 1 }))).toBe("max_steps");
    const heard = JSON.parse(String(textsOf(await say(older, "!heard")).at(-1)));
    expect(heard.slice(-2)).toEqual([remember("Likes tea."), "!heard"]);
  });

  test("talks to an agent that speaks by a tool, shown as a reply or as it is", async (context) => {
    const { createAgent, say, readHuman } = await connect("sqlite", context);
    const agent = await createAgent({ agent_type: "memgpt_v2_agent" });
    const shown = await say(agent, "hello");
    expect(typesOf(shown)).toEqual(["reasoning_message", "assistant_message"]);
    expect(textsOf(shown)).toEqual(["mock thinking", "You said: hello"]);
    expect(new Set(shown.messages.map(({ id }) => id)).size).toBe(1);
    expect(shown.messages.map(({ otid }) => Number.parseInt(otid?.slice(-2) ?? "", 16) % 128)).toEqual([0, 1]);
    expect(shown.usage.context_tokens).toBeNull();
    const bare = await say(agent, "hello", { use_assistant_message: false });
    expect(typesOf(bare)).toEqual(["reasoning_message", "tool_call_message", "tool_return_message"]);
    // Whether it went on is written into the call, whatever the model asked for.
    expect(bare.messages[1]).toMatchObject({
      tool_call: { name: "send_message", arguments: '{"message": "You said: hello", "request_heartbeat": false}' },
    });
    const edited = await say(agent, remember("Likes tea."));
    expect(typesOf(edited)).toEqual([
      "tool_call_message",
      "tool_return_message",
      "reasoning_message",
      "assistant_message",
    ]);
    expect(edited.messages[0]).toMatchObject({
      tool_call: { arguments: '{"label": "human", "new_string": "Likes tea.", "request_heartbeat": true}' },
    });
    expect(await readHuman(agent)).toBe("Name: Ada.\nLikes tea.");
  });

  test("asks for some kinds of messages only, and for another model", async (context) => {
    const { Letta, createAgent, say, models } = await connect("sqlite", context);
    const agent = await createAgent();
    const filtered = await say(agent, `${remember("x")}\n!say ok`, {
      include_return_message_types: ["tool_call_message"],
    });
    expect(typesOf(filtered)).toEqual(["tool_call_message"]);
    expect(filtered.usage.step_count).toBe(2);
    await say(agent, "hi", { override_model: "openai/gpt-4.1" });
    expect(models.openai.requests.at(-1)?.body.model).toBe("gpt-4.1");
    const other = await say(agent, "hi", { override_model: claude });
    expect(textsOf(other).at(-1)).toBe("You said: hi");
    expect(models.anthropic.requests).toHaveLength(1);
    await say(agent, "hi");
    expect(models.openai.requests.at(-1)?.body.model).toBe("gpt-4o-mini");
    await expect(say(agent, "hi", { override_model: "openai/no-such" })).rejects.toThrow(Letta.NotFoundError);
  });

  test.for([
    { status: 400, type: "llm_bad_request", prefix: "INVALID_ARGUMENT: ", name: "BadRequestError" },
    { status: 401, type: "llm_authentication", prefix: "UNAUTHENTICATED: ", name: "AuthenticationError" },
    { status: 429, type: "llm_rate_limit", prefix: "RATE_LIMIT_EXCEEDED: ", name: "RateLimitError" },
    { status: 500, type: "llm_error", prefix: "INTERNAL_SERVER_ERROR: ", name: "InternalServerError" },
  ] as const)("gets its own error when a provider answers $status, and the message is kept", async (input, context) => {
    const { Letta, createAgent, say, lastSent, models } = await connect("sqlite", context);
    const { status, type, prefix, name } = input;
    for (const [model, provider] of [
      [chat, models.openai],
      [claude, models.anthropic],
    ] as const) {
      const agent = await createAgent({ model });
      const error = await say(agent, `!fail ${status}`).then(
        () => undefined,
        (problem: unknown) => problem,
      );
      expect(error).toBeInstanceOf(Letta[name]);
      expect(error).toMatchObject({ status, error: { error: { type, message: expect.stringMatching(/\w/) } } });
      const { detail } = (error as InstanceType<typeof Letta.BadRequestError>).error.error ?? { detail: "" };
      expect(detail.startsWith(prefix)).toBe(true);
      expect(detail).toContain(`mock failure ${status}`);
      expect(JSON.stringify(error)).not.toContain("sk-directed");
      expect(textsOf(await say(agent, "still there?")).at(-1)).toBe("You said: still there?");
      expect(provider.requests.length).toBe(status === 429 || status === 500 ? 4 : 2);
      const heard = textsOf(await say(agent, "!heard")).at(-1);
      expect(JSON.parse(String(heard))).toEqual([`!fail ${status}`, "still there?", "!heard"]);
      if (model === chat) expect(lastSent()).toHaveLength(4);
    }
  });

  test("sees a model think; what it signed goes back to it as it came", async (context) => {
    const { createAgent, say, models, readHuman } = await connect("sqlite", context);
    const thinking = { provider_type: "anthropic", thinking: { type: "enabled", budget_tokens: 1024 } };
    const agent = await createAgent({ model: claude, model_settings: thinking });
    const answer = await say(agent, `!think Store it.\n${remember("Likes tea.")}\n!say noted`);
    expect(typesOf(answer)).toEqual([
      "reasoning_message",
      "tool_call_message",
      "tool_return_message",
      "reasoning_message",
      "assistant_message",
    ]);
    expect(answer.messages[0]).toMatchObject({
      source: "reasoner_model",
      reasoning: "Store it.",
      signature: directedSeal,
    });
    expect(await readHuman(agent)).toBe("Name: Ada.\nLikes tea.");
    const [, second] = models.anthropic.requests;
    expect(second?.body.messages.at(-2).content[0]).toEqual({
      type: "thinking",
      thinking: "Store it.",
      signature: directedSeal,
    });
    expect(second?.body.messages.at(-2).content[1]).toMatchObject({ type: "tool_use", name: "memory_insert" });
  });

  test("sees a summary of what a reasoning model thought, whose sealed thought goes back", async (context) => {
    const { createAgent, say, models } = await connect("sqlite", context);
    const agent = await createAgent({ model: "openai/gpt-5-mini" });
    models.openai.add({ reasoning: ["Briefly."], seal: "sealed", text: "Hello." });
    const answer = await say(agent, "hi");
    expect(typesOf(answer)).toEqual(["reasoning_message", "assistant_message"]);
    expect(answer.messages[0]).toMatchObject({ source: "reasoner_model", reasoning: "Briefly.", signature: "sealed" });
    await say(agent, "go on");
    expect(models.openai.requests.at(-1)?.path).toMatch(/\/responses$/);
    expect(JSON.stringify(models.openai.requests.at(-1)?.body.input)).toContain('"encrypted_content":"sealed"');
  });

  test("sends an image, which is stored once and shown to the model each time", async (context) => {
    const { createAgent, say, models, server } = await connect("sqlite", context);
    const agent = await createAgent();
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };
    const answer = await say(agent, [{ type: "text", text: "look" }, image]);
    expect(textsOf(answer)).toEqual(["You said: look"]);
    await say(agent, [{ type: "text", text: "again" }, image]);
    const sent = JSON.stringify(models.openai.requests.at(-1)?.body.messages);
    expect(sent.split(png)).toHaveLength(3);
    using database = new DatabaseSync(server.memoir.location.path, { readOnly: true });
    for (const table of ["message", "run", "run_event"]) {
      expect(JSON.stringify(database.prepare(`select * from ${table}`).all()), table).not.toContain(png);
    }
    expect(database.prepare("select media_type from content").all()).toEqual([{ media_type: "image/png" }]);
  });

  test("sends an image by address, and again as its list of messages shows it", async (context) => {
    const { Letta, client, createAgent, say, models } = await connect("sqlite", context);
    const host = await startJsonServer(({ path }) =>
      path === "/a.png" ? { body: Buffer.from(png, "base64") } : undefined,
    );
    const agent = await createAgent();
    await say(agent, [{ type: "image", source: { type: "url", url: `${host.origin}/a.png` } }]);
    await host.close();
    const { items } = await client.agents.messages.list(agent, { order: "asc" });
    const [shown] = items.flatMap((item) => ("content" in item && Array.isArray(item.content) ? item.content : []));
    expect(shown).toMatchObject({ type: "image", source: { type: "letta", media_type: "image/png", data: png } });
    await say(agent, [shown]);
    expect(JSON.stringify(models.openai.requests.at(-1)?.body.messages).split(png)).toHaveLength(3);
    const gone = say(agent, [{ type: "image", source: { type: "url", url: `${host.origin}/b.png` } }]);
    await expect(gone).rejects.toThrow(Letta.BadRequestError);
  });

  test("tells the demo a name, which it remembers in its block", async (context) => {
    const { createAgent, say, readHuman, models } = await connect("sqlite", context);
    const agent = await createAgent({ model: "memoir/demo", memory_blocks: [{ label: "human", value: "" }] });
    await say(agent, "Hello, my name is Grace.");
    expect(await readHuman(agent)).toContain("Grace");
    expect(String(textsOf(await say(agent, "What is my name?")).at(-1))).toContain("Grace");
    expect(models.openai.requests).toHaveLength(0);
  });

  test("is refused what makes no sense", async (context) => {
    const { Letta, client, createAgent, say } = await connect("sqlite", context);
    const agent = await createAgent();
    const send = (body: Readonly<Record<string, unknown>>) => client.agents.messages.create(agent, body);
    for (const body of [
      {},
      { messages: [] },
      { messages: "oops" },
      { messages: [{ role: "robot", content: "x" }] },
      { messages: [{ role: "user", content: "" }] },
      { messages: [{ role: "user", content: "x" }], input: "y" },
      { input: "x", max_steps: 0 },
      { input: "x", background: true },
    ]) {
      await expect(send(body), JSON.stringify(body)).rejects.toThrow(Letta.UnprocessableEntityError);
    }
    await expect(send({ messages: [] })).rejects.toMatchObject({ error: { detail: "Messages must not be empty" } });
    const unknown = "agent-00000000-0000-4000-8000-00000000dead";
    await expect(say(unknown, "hi")).rejects.toThrow(Letta.NotFoundError);
    expect(textsOf(await say(agent, "!heard"))).toEqual(['["!heard"]']);
  });
});
