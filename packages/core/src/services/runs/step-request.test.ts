/** Contexts that are hard to put together again. For each step what was sent must come out, byte for byte. */
import { expect, onTestFinished, type TestContext, test } from "vitest";
import type { Memoir, MemoirOptions } from "../../memoir.ts";
import { listRunSteps } from "../../store/runs/steps.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { openAiFailures, startScriptedOpenAi } from "../../testing/scripted-openai.ts";
import type { Script } from "../../testing/scripted-server.ts";
import { openWorld } from "../../testing/worlds.ts";
import type { HostTool } from "../../tools/executors/host.ts";
import type { NewAgent } from "../agents/agent-create.ts";

async function open(
  dialect: DialectName,
  context: TestContext,
  script: Script,
  input: { readonly agent?: NewAgent; readonly options?: Partial<MemoirOptions> } = {},
) {
  const server = await startScriptedOpenAi(script);
  onTestFinished(() => server.close());
  const providers = { openai: { apiKey: "sk-0123456789", baseUrl: server.baseUrl } };
  const world = await openWorld(dialect, context, { providers, ...input.options });
  const { memoir, actor, scope } = world;
  const { agent } = await memoir.agents.create(actor, {
    model: "openai/gpt-4o-mini",
    blocks: [{ label: "human", value: "Name: Ada" }],
    ...input.agent,
  });
  const runIds: string[] = [];
  const tell = async (text: string, by: Memoir = memoir, conversationId?: string) => {
    const message = { messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }] };
    const { send, sendTo } = by.messages;
    const run = conversationId ? await sendTo(actor, conversationId, message) : await send(actor, agent.id, message);
    runIds.push(run.id);
    return await by.messages.complete(actor, run.id);
  };
  /** What was sent for every step so far, and what comes out when it is made again. */
  const compare = async (by: Memoir = memoir) => {
    const steps = (await Promise.all(runIds.map((id) => listRunSteps(scope, id)))).flat();
    const rebuilt: string[] = [];
    for (const { id } of steps) {
      const { body, isExact } = await by.traces.rebuild(actor, id);
      rebuilt.push(isExact && body ? Buffer.from(body).toString() : "not exact");
    }
    return { rebuilt, sent: server.requests.map(({ text }) => text) };
  };
  return { ...world, server, agent, tell, compare };
}

test.for(dialects)("%s: forks, resets and lists set by hand", async (dialect, context) => {
  const { memoir, actor, agent, tell, compare } = await open(dialect, context, () => ({ text: "Yes." }));
  await tell("one");
  await tell("two");
  const fork = await memoir.conversations.fork(actor, { agentId: agent.id }, {});
  const conversationId = fork.conversation.id;
  await tell("three, there", memoir, conversationId);
  await tell("three, here");
  await tell("four, there", memoir, conversationId);
  const { contextMessageIds } = await memoir.agents.get(actor, agent.id);
  await memoir.agents.update(actor, agent.id, { contextMessageIds: contextMessageIds.slice(0, 3) });
  await tell("four, here");
  const { rebuilt, sent } = await compare();
  expect(rebuilt).toEqual(sent);
});

test.for(dialects)("%s: an older kind, whose thoughts stand in its calls", async (dialect, context) => {
  const speak = (message: string, thinking: string) => ({
    toolCalls: [{ name: "send_message", arguments: JSON.stringify({ thinking, message }) }],
  });
  const insert = { thinking: "A fact.", label: "human", new_string: "Likes tea.", request_heartbeat: true };
  const script = [
    speak("Hello.", "Someone is there."),
    { toolCalls: [{ name: "memory_insert", arguments: JSON.stringify(insert) }] },
    { text: "just words" },
    speak("Noted.", "Done."),
    speak("Yes.", "Again."),
  ];
  const agent: NewAgent = { kind: "memgpt_v2_agent", timezone: "Asia/Tokyo" };
  const { tell, compare } = await open(dialect, context, script, { agent });
  for (const text of ["hi", "tea", "and?"]) await tell(text);
  const { rebuilt, sent } = await compare();
  expect(sent.length).toBeGreaterThanOrEqual(4);
  expect(rebuilt).toEqual(sent);
});

test.for(dialects)("%s: a model that reasons, whose reasoning goes back sealed", async (dialect, context) => {
  const insert = { name: "memory_insert", arguments: '{"label":"human","new_string":"Likes tea."}' };
  const script = [
    { reasoning: ["They like tea."], seal: "sealed-1", toolCalls: [insert] },
    { reasoning: ["Say so."], seal: "sealed-2", text: "Noted." },
    { text: "Yes." },
  ];
  const { tell, compare } = await open(dialect, context, script, { agent: { model: "openai/gpt-5" } });
  await tell("I like tea");
  await tell("do I?");
  const { rebuilt, sent } = await compare();
  expect(sent[2]).toContain("sealed-2");
  expect(rebuilt).toEqual(sent);
});

test.for(dialects)("%s: another model that stood in", async (dialect, context) => {
  const down = { failure: { ...openAiFailures.server, headers: { "retry-after": "0" } } };
  const script = [{ text: "Hi." }, down, down, down, { text: "Here I am." }];
  const options = { fallbackModels: ["openai/gpt-4.1"] };
  const { tell, compare } = await open(dialect, context, script, { options });
  await tell("hi");
  expect((await tell("still there?")).reason).toBe("end_turn");
  const { rebuilt, sent } = await compare();
  expect(sent).toHaveLength(5);
  expect(sent[4]).toContain('"gpt-4.1"');
  expect(rebuilt).toEqual([sent[0], sent[4]]);
});

test.for(dialects)("%s: a run that another program took over after a call outside", async (dialect, context) => {
  const gate = Promise.withResolvers<string>();
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const tool = (run: HostTool["run"]): HostTool => ({
    name: "look_up",
    description: "Looks a thing up.",
    parameters: { type: "object", properties: {}, required: [] },
    effect: "read",
    run,
  });
  const waiting = tool(() => {
    begun();
    return gate.promise;
  });
  const script = [{ toolCalls: [{ name: "look_up", arguments: "{}" }] }, { text: "Found." }, { text: "Yes." }];
  const opened = await open(dialect, context, script, { options: { tools: [waiting] }, agent: { tools: ["look_up"] } });
  const first = opened.tell("look").catch(() => undefined);
  await hasBegun;
  await Promise.all([opened.memoir.close(), first]);
  const other = await opened.openAnother({ tools: [tool(() => "known")] });
  await expect.poll(() => opened.server.requests.length).toBe(2);
  await opened.tell("sure?", other);
  const { rebuilt, sent } = await opened.compare(other);
  expect(sent).toHaveLength(3);
  expect(rebuilt).toEqual(sent);
});

test.for(dialects)("%s: contexts that are cleared with each message, and long results", async (dialect, context) => {
  const long = "tea ".repeat(20_000);
  const tools: HostTool[] = [
    {
      name: "look_up",
      description: "Looks a thing up.",
      parameters: { type: "object", properties: {}, required: [] },
      effect: "read",
      run: () => long,
    },
  ];
  const script = [{ toolCalls: [{ name: "look_up", arguments: "{}" }] }, { text: "Much." }, { text: "Yes." }];
  const agent: NewAgent = { autoclear: true, tools: ["look_up"], contextWindow: 32_000 };
  const { tell, compare } = await open(dialect, context, script, { agent, options: { tools } });
  await tell("look");
  await tell("again");
  const { rebuilt, sent } = await compare();
  expect(sent[1]).toContain("[truncated");
  expect(rebuilt).toEqual(sent);
});
