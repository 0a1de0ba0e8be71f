import { expect, test } from "vitest";
import type { Memoir } from "../memoir.ts";
import type { Model, ModelRequest } from "../model/model.ts";
import {
  callTool,
  callTools,
  failWith,
  holdUntil,
  type ScriptedReply,
  say,
  scripted,
  scriptedByPosition,
} from "../model/scripted.ts";
import type { NewAgent } from "../services/agents/agent-create.ts";
import type { Actor } from "../shared/actor.ts";
import type { JsonObject } from "../shared/json.ts";
import { dialects, openTestMemoir } from "../testing/databases.ts";

const only = (model: Model) => ({ get: () => model });

async function createAgent(memoir: Memoir, input: Partial<NewAgent> = {}): Promise<string> {
  const { agent } = await memoir.agents.create(memoir.defaultActor, {
    model: "openai/gpt-4o-mini",
    blocks: [{ label: "human", value: "Name: unknown" }],
    ...input,
  });
  return agent.id;
}

async function tell(memoir: Memoir, agentId: string, text: string, actor: Actor = memoir.defaultActor) {
  const run = await memoir.messages.send(actor, agentId, {
    messages: [{ role: "user", content: [{ type: "text", text }] }],
  });
  return await memoir.messages.complete(actor, run.id);
}

async function humanBlock(memoir: Memoir, agentId: string): Promise<string> {
  return (await memoir.blocks.getOfAgent(memoir.defaultActor, agentId, "human")).value;
}

const replaceName = { label: "human", old_string: "unknown", new_string: "Samira" };

test.for(dialects)(
  "%s: an agent edits its memory and answers, each step with its messages",
  async (dialect, context) => {
    const model = scripted([callTool("memory_replace", replaceName), say("Nice to meet you, Samira.")]);
    const memoir = await openTestMemoir(dialect, context, { models: only(model) });
    const agentId = await createAgent(memoir);
    const result = await tell(memoir, agentId, "I am Samira");
    expect(result.reason).toBe("end_turn");
    expect(result.steps).toBe(2);
    expect(result.messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
    expect(await humanBlock(memoir, agentId)).toBe("Name: Samira");
    const view = await memoir.agents.get(memoir.defaultActor, agentId);
    expect(view.contextMessageIds).toHaveLength(5);
    expect(view.agent.lastStopReason).toBe("end_turn");
  },
);

test.for(dialects)("%s: the prompt is fresh at each turn and stays the same within one", async (dialect, context) => {
  const model = scripted([callTool("memory_replace", replaceName), say("Done."), say("Again.")]);
  const memoir = await openTestMemoir(dialect, context, { models: only(model) });
  const agentId = await createAgent(memoir);
  await tell(memoir, agentId, "I am Samira");
  await tell(memoir, agentId, "Who am I?");
  const [first, second, third] = model.requests.map(({ system }: ModelRequest) => system);
  expect(second).toBe(first);
  expect(first).toContain("Name: unknown");
  expect(third).toContain("Name: Samira");
});

test.for(dialects)("%s: an agent whose memory is a folder sees it as one", async (dialect, context) => {
  const model = scripted([say("one"), say("two")]);
  const memoir = await openTestMemoir(dialect, context, { models: only(model) });
  const agentId = await createAgent(memoir, { tags: ["git-memory-enabled"] });
  await tell(memoir, agentId, "hello");
  expect(model.requests[0]?.system).toContain("<projection>$MEMORY_DIR/system/human.md</projection>");
  expect(model.requests[0]?.system).not.toContain("<memory_blocks>");
  await memoir.agents.update(memoir.defaultActor, agentId, { tags: [] });
  await tell(memoir, agentId, "and now?");
  expect(model.requests[1]?.system).toContain("<memory_blocks>");
});

test.for(dialects)(
  "%s: a message is kept when the model fails, and the next one is answered",
  async (dialect, context) => {
    const model = scripted([failWith("llm-bad-request"), say("Here again.")]);
    const memoir = await openTestMemoir(dialect, context, { models: only(model) });
    const agentId = await createAgent(memoir);
    const failed = await tell(memoir, agentId, "first");
    expect(failed.reason).toBe("llm_api_error");
    expect(failed.run.status).toBe("failed");
    expect(failed.failure?.code).toBe("llm-bad-request");
    const answered = await tell(memoir, agentId, "second");
    expect(answered.reason).toBe("end_turn");
    const seen = model.requests[1]?.messages.map((message: ModelRequest["messages"][number]) => message.role);
    expect(seen).toEqual(["user", "user"]);
  },
);

test.for([
  ["arguments that are no JSON", '{"label": "human", "old_str', /not valid JSON/],
  ["two objects in a row", '{"label":"human"}{"x":1}', /not valid JSON/],
  ["a missing argument", '{"label": "human"}', /old_string/],
  ["a wrong type", '{"label": 3, "old_string": "a", "new_string": "b"}', /label must be string/],
] as const)("a model that writes %s is told so and can go on", async ([, args, expected], context) => {
  const model = scripted([callTool("memory_replace", args), say("Sorry.")]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model) });
  const agentId = await createAgent(memoir);
  const result = await tell(memoir, agentId, "go");
  expect(result.reason).toBe("end_turn");
  const returned = result.messages[1]?.toolReturns?.[0];
  expect(returned?.status).toBe("error");
  expect(returned?.output).toMatch(expected);
  expect(await humanBlock(memoir, agentId)).toBe("Name: unknown");
});

test("when a model does not answer, the next on the list is asked, and a mistake of ours is not passed on", async (context) => {
  const asked: string[] = [];
  const failures: Record<string, ScriptedReply[]> = {
    "gpt-4o-mini": [failWith("llm-overloaded"), failWith("llm-bad-request"), failWith("llm-bad-request")],
    "claude-haiku-4-5-20251001": [failWith("llm-rate-limit")],
  };
  const models = {
    get: ({ model }: { model: string }): Model => ({
      async *stream(request, signal) {
        asked.push(model);
        yield* scripted([failures[model]?.shift() ?? say(`I am ${model}.`)]).stream(request, signal);
      },
    }),
  };
  const fallbackModels = ["anthropic/claude-haiku-4-5", "openai/gpt-4.1"];
  const memoir = await openTestMemoir("sqlite", context, { models, fallbackModels });
  const agentId = await createAgent(memoir);
  const answered = await tell(memoir, agentId, "hello");
  expect(answered.messages[0]?.content).toEqual([{ type: "text", text: "I am gpt-4.1." }]);
  expect(asked[0]).toBe("gpt-4o-mini");
  expect(asked).toHaveLength(3);
  expect((await tell(memoir, agentId, "again")).failure?.code).toBe("llm-bad-request");
  // Asked once more without the earlier messages, and no other model.
  expect(asked.slice(3)).toEqual(["gpt-4o-mini", "gpt-4o-mini"]);
});

/** Refuses what holds the text, and says so as a provider does. */
function refusing(text: string, replies: ReturnType<typeof scripted>): Model {
  return {
    async *stream(request, signal) {
      const isRefused = JSON.stringify(request.messages).includes(text);
      yield* (isRefused ? scripted([failWith("llm-bad-request", "not that")]) : replies).stream(request, signal);
    },
  };
}

test("an image the provider refuses does not cost the agent its voice, now or later", async (context) => {
  const replies = scripted([say("I cannot see it."), say("Here.")]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(refusing("Z29uZQ==", replies)) });
  const agentId = await createAgent(memoir);
  const actor = memoir.defaultActor;
  const content = [
    { type: "text" as const, text: "Look!" },
    { type: "image" as const, source: { type: "base64" as const, mediaType: "image/png", data: "Z29uZQ==" } },
  ];
  const run = await memoir.messages.send(actor, agentId, { messages: [{ role: "user", content }] });
  expect((await memoir.messages.complete(actor, run.id)).reason).toBe("end_turn");
  expect(JSON.stringify(replies.requests[0]?.messages)).toContain("an image that could not be read");
  expect((await tell(memoir, agentId, "are you there?")).reason).toBe("end_turn");
});

test("words a provider objects to end their own run at most, and not every later one", async (context) => {
  const replies = scripted([say("Gladly."), say("Of course.")]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(refusing("plugh", replies)) });
  const agentId = await createAgent(memoir);
  const refused = await tell(memoir, agentId, "say plugh");
  expect(refused.failure).toMatchObject({ code: "llm-bad-request", message: "not that" });
  for (const words of ["something else?", "and this?"]) {
    expect((await tell(memoir, agentId, words)).reason).toBe("end_turn");
  }
});

test("a schema that would check later is checked now", async (context) => {
  const model = scripted([callTool("send_message", { message: "hi" }), callTool("send_message", { message: "hi" })]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model) });
  const schema = { $async: true, type: "object", required: ["a"] };
  const agentId = await createAgent(memoir, {
    kind: "memgpt_agent",
    responseFormat: { type: "json_schema", json_schema: { schema } },
    toolRules: [{ type: "run-first", tool: "send_message", args: { message: "x" } }],
  });
  expect((await tell(memoir, agentId, "hello")).reason).toBe("invalid_tool_call");
});

test("a tool the agent does not have is refused and named, and the run goes on", async (context) => {
  const model = scripted([callTool("no_such_tool", { a: 1 }), say("ok")]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model) });
  const result = await tell(memoir, await createAgent(memoir), "go");
  expect(result.reason).toBe("end_turn");
  expect(result.messages[1]?.toolReturns?.[0]?.output).toMatch(/^\[ToolConstraintError\] Cannot call no_such_tool/);
});

test("the step limit ends the run after the tool has run", async (context) => {
  const model = scripted([callTool("conversation_search", { query: "tea" }), say("ok")]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model) });
  const agentId = await createAgent(memoir);
  const actor = memoir.defaultActor;
  const run = await memoir.messages.send(actor, agentId, {
    messages: [{ role: "user", content: [{ type: "text", text: "look" }] }],
    maxSteps: 1,
  });
  const result = await memoir.messages.complete(actor, run.id);
  expect(result.reason).toBe("max_steps");
  expect(result.messages.map(({ role }) => role)).toEqual(["assistant", "tool"]);
});

test("an older kind goes on when it asks for a heartbeat and ends when it speaks", async (context) => {
  const model = scripted([
    callTool("core_memory_append", {
      label: "human",
      content: "Likes tea.",
      request_heartbeat: true,
      thinking: "Note it.",
    }),
    callTool("send_message", { message: "Noted.", thinking: "Answer." }),
  ]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model) });
  const agentId = await createAgent(memoir, { kind: "memgpt_agent" });
  const result = await tell(memoir, agentId, "I like tea");
  expect(result.reason).toBe("end_turn");
  expect(result.messages.map(({ role }) => role)).toEqual(["assistant", "tool", "user", "assistant", "tool"]);
  expect(result.messages[0]?.content).toEqual([{ type: "text", text: "Note it." }]);
  expect(result.messages[0]?.toolCalls?.[0]?.arguments).not.toContain("thinking");
  expect(await humanBlock(memoir, agentId)).toBe("Name: unknown\nLikes tea.");
  const request = model.requests[0];
  expect(request?.toolChoice).toBe("required");
  const append = request?.tools.find(({ name }: { name: string }) => name === "core_memory_append");
  expect(Object.keys(append?.parameters.properties as JsonObject)).toEqual([
    "thinking",
    "label",
    "content",
    "request_heartbeat",
  ]);
});

test("a workflow agent starts each request with an empty conversation", async (context) => {
  const model = scripted([callTool("send_message", { message: "one" }), callTool("send_message", { message: "two" })]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model) });
  const agentId = await createAgent(memoir, { kind: "workflow_agent", tools: ["send_message"] });
  await tell(memoir, agentId, "first");
  await tell(memoir, agentId, "second");
  const last = model.requests[1]?.messages ?? [];
  expect(JSON.stringify(last)).not.toContain("first");
  expect(JSON.stringify(last)).toContain("second");
});

test.for(dialects)(
  "%s: 200 messages sent at once are all answered, in order, all in context",
  async (dialect, context) => {
    const echo: Model = {
      async *stream(request) {
        const last = request.messages.at(-1);
        const text = last?.role === "user" && last.content[0]?.type === "text" ? last.content[0].text : "?";
        yield { type: "reply", reply: replyOf(`You said ${text}`) };
      },
    };
    const memoir = await openTestMemoir(dialect, context, { models: only(echo) });
    const agentId = await createAgent(memoir);
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) => tell(memoir, agentId, `number ${index}`)),
    );
    for (const [index, result] of results.entries()) {
      expect(result.messages[0]?.content).toEqual([{ type: "text", text: `You said number ${index}` }]);
    }
    const view = await memoir.agents.get(memoir.defaultActor, agentId);
    expect(view.contextMessageIds).toHaveLength(401);
  },
);

function replyOf(text: string) {
  const usage = {
    promptTokens: 1,
    completionTokens: 1,
    totalTokens: 2,
    cachedTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: null,
  };
  return { content: [{ type: "text" as const, text }], toolCalls: [], finishReason: "stop" as const, usage };
}

test.for(dialects)("%s: cancelling reaches the model call and keeps the message", async (dialect, context) => {
  let seen: AbortSignal | undefined;
  const hanging: Model = {
    async *stream(_request, signal) {
      seen = signal;
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  };
  const memoir = await openTestMemoir(dialect, context, { models: only(hanging) });
  const actor = memoir.defaultActor;
  const agentId = await createAgent(memoir);
  const run = await memoir.messages.send(actor, agentId, {
    messages: [{ role: "user", content: [{ type: "text", text: "think long" }] }],
  });
  const completion = memoir.messages.complete(actor, run.id);
  while (!seen) await new Promise((resolve) => setImmediate(resolve));
  await memoir.runs.cancel(actor, run.id);
  const result = await completion;
  expect(seen.aborted).toBe(true);
  expect(result.reason).toBe("cancelled");
  expect(result.run.status).toBe("cancelled");
  const view = await memoir.agents.get(actor, agentId);
  expect(view.contextMessageIds).toHaveLength(2);
});

test("several calls at once run in order where the model may make them, and only the first where not", async (context) => {
  const calls = callTools([
    { name: "memory_insert", arguments: { label: "human", new_string: "A" } },
    { name: "memory_insert", arguments: { label: "human", new_string: "B" } },
  ]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(scriptedByPosition([calls, say("ok")])) });
  const parallel = await createAgent(memoir, { parallelToolCalls: true });
  await tell(memoir, parallel, "go");
  expect(await humanBlock(memoir, parallel)).toBe("Name: unknown\nA\nB");
  const single = await createAgent(memoir, { parallelToolCalls: false });
  await tell(memoir, single, "go");
  expect(await humanBlock(memoir, single)).toBe("Name: unknown\nA");
});

test.for(dialects)(
  "%s: nobody follows the run of another organization, and an unknown run is refused",
  async (dialect, context) => {
    const memoir = await openTestMemoir(dialect, context, { models: only(scripted([say("secret")])) });
    const result = await tell(memoir, await createAgent(memoir), "hello");
    const stranger = { orgId: "org-11111111-1111-4111-8111-111111111111", userId: memoir.defaultActor.userId };
    await expect(memoir.messages.complete(stranger, result.run.id)).rejects.toMatchObject({ code: "not-found" });
    const unknown = "run-11111111-1111-4111-8111-111111111111";
    await expect(memoir.messages.complete(memoir.defaultActor, unknown)).rejects.toMatchObject({ code: "not-found" });
  },
);

test("a wanted form of the answer reaches the model, or the message tool of kinds that speak by it", async (context) => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const responseFormat = { type: "json_schema" as const, json_schema: { name: "place", schema } };
  const model = scripted([say('{"city":"Ghent"}'), callTool("send_message", { message: { city: "Ghent" } })]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model) });
  await tell(memoir, await createAgent(memoir, { responseFormat }), "where?");
  const spoken = await tell(memoir, await createAgent(memoir, { kind: "memgpt_v2_agent", responseFormat }), "where?");
  const [plain, byTool] = model.requests;
  expect(plain?.responseFormat).toEqual(responseFormat);
  expect(byTool?.responseFormat).toBeNull();
  const message = byTool?.tools.find(({ name }: { name: string }) => name === "send_message");
  expect(message?.parameters.properties).toMatchObject({ message: schema });
  expect(spoken.messages[1]?.toolReturns?.[0]?.status).toBe("success");
});

test("rules that leave nothing to call end the run instead of allowing everything", async (context) => {
  const model = scripted([callTool("conversation_search", { query: "x" }), say("never asked")]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model) });
  const agentId = await createAgent(memoir, {
    toolRules: [{ type: "children", tool: "conversation_search", children: ["gone"], childArgs: null }],
  });
  const result = await tell(memoir, agentId, "look");
  expect(result.reason).toBe("tool_rule");
  expect(model.requests).toHaveLength(1);
});

test("a limit of two calls of a tool allows two", async (context) => {
  const search = callTool("conversation_search", { query: "x" });
  const model = scripted([search, search, search, say("ok")]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model) });
  const agentId = await createAgent(memoir, {
    toolRules: [{ type: "max-count", tool: "conversation_search", limit: 2 }],
  });
  const result = await tell(memoir, agentId, "look");
  const statuses = result.messages.flatMap(({ toolReturns }) => toolReturns?.map(({ status }) => status) ?? []);
  expect(statuses).toEqual(["success", "success", "error"]);
});

test("arguments set by a rule win over the model's", async (context) => {
  const model = scripted([callTool("memory_insert", { label: "human", new_string: "mine" }), say("ok")]);
  const memoir = await openTestMemoir("sqlite", context, { models: only(model) });
  const agentId = await createAgent(memoir, {
    toolRules: [{ type: "run-first", tool: "memory_insert", args: { new_string: "the rule's" } }],
  });
  await tell(memoir, agentId, "go");
  expect(await humanBlock(memoir, agentId)).toBe("Name: unknown\nthe rule's");
  expect(model.requests[0]?.toolChoice).toEqual({ tool: "memory_insert" });
});

test.for(dialects)(
  "%s: an image is stored once, outside its message, and given to the model in full",
  async (dialect, context) => {
    const model = scripted([say("A dot."), say("Still a dot.")]);
    const memoir = await openTestMemoir(dialect, context, { models: only(model) });
    const agentId = await createAgent(memoir);
    const data = Buffer.from("not really a picture").toString("base64");
    const image = { type: "image" as const, source: { type: "base64" as const, mediaType: "image/png", data } };
    const actor = memoir.defaultActor;
    for (const text of ["what is this?", "and this?"]) {
      const run = await memoir.messages.send(actor, agentId, {
        messages: [{ role: "user", content: [{ type: "text", text }, image] }],
      });
      const result = await memoir.messages.complete(actor, run.id);
      expect(JSON.stringify(result.run.request)).not.toContain(data);
    }
    expect(JSON.stringify(model.requests[1]?.messages).split(data)).toHaveLength(3);
  },
);

test.for(dialects)("%s: whoever waits for an agent that is deleted meanwhile is told so", async (dialect, context) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const model = scripted([holdUntil(held, say("too late")), say("never")]);
  const memoir = await openTestMemoir(dialect, context, { models: only(model) });
  const agentId = await createAgent(memoir);
  const waiting = [tell(memoir, agentId, "first"), tell(memoir, agentId, "second")];
  const outcomes = Promise.allSettled(waiting);
  while (model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await memoir.agents.delete(memoir.defaultActor, agentId);
  release();
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "not-found" } });
  }
});

test.for(dialects)("%s: a folder stands in the prompt from the next turn on", async (dialect, context) => {
  const model = scripted([say("one")]);
  const memoir = await openTestMemoir(dialect, context, { models: only(model) });
  const agentId = await createAgent(memoir, { name: "Reader", includeDefaultFolder: true });
  await tell(memoir, agentId, "hello");
  expect(model.requests[0]?.system).toContain('<directory name="Reader External Data Source">');
});
