import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileSystemMessage, type PromptInput } from "../memory/compile.ts";
import type { PromptMessage, ToolCall, ToolDefinition, ToolReturn } from "../shared/content.ts";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import type { Block } from "../store/blocks/blocks.ts";
import { assistant, collect, configOf, joinChunks, requestOf, user } from "../testing/model-requests.ts";
import { builtinTools } from "../tools/builtin/list.ts";
import { createDemoModel } from "./demo.ts";
import type { ModelReply, ModelRequest } from "./model.ts";

const config = configOf("memoir/demo");
const plainTools = [
  "conversation_search",
  "memory_insert",
  "memory_replace",
  "archival_memory_insert",
  "archival_memory_search",
];
const spokenTools = ["send_message", "conversation_search", "core_memory_append", "core_memory_replace"];

/** As the loop offers them: kinds that speak by tool are also asked for a thought and whether to go on. */
function offer(names: readonly string[], isSpoken: boolean): ToolDefinition[] {
  return names.map((name) => {
    const tool = builtinTools.find((builtin) => builtin.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    const { properties, required } = tool.parameters as unknown as { properties: JsonObject; required: string[] };
    const beat = isSpoken && name !== "send_message" ? { request_heartbeat: { type: "boolean" } } : {};
    const thought = isSpoken ? { thinking: { type: "string" } } : {};
    const extra = { ...thought, ...beat };
    const all = {
      type: "object",
      properties: { ...thought, ...properties, ...beat },
      required: [...Object.keys(extra), ...required],
    };
    return { name, description: "", parameters: all as unknown as ToolDefinition["parameters"] };
  });
}

interface Agent {
  readonly tools: readonly ToolDefinition[];
  readonly isSpoken: boolean;
  human: string;
  readonly archive: string[];
  readonly messages: PromptMessage[];
  calls: number;
}

function createAgent(names: readonly string[] = plainTools, human = ""): Agent {
  const isSpoken = names.includes("send_message");
  return { tools: offer(names, isSpoken), isSpoken, human, archive: [], messages: [], calls: 0 };
}

function promptOf({ human }: Agent): string {
  const block = (label: string, value: string) => ({
    label,
    value,
    description: `about ${label}`,
    readOnly: label === "persona",
    charLimit: 5_000,
  });
  const input: PromptInput = {
    agentId: "agent-1",
    kind: "letta_v1_agent",
    system: "You keep <memory_blocks> of your own.",
    timezone: "UTC",
    blocks: [block("persona", "I am a demo. Name: not this one."), block("human", human)] as unknown as Block[],
    isGit: false,
    toolRules: [],
    directories: [],
    directoryLimits: { maxFilesOpen: 1, viewChars: 1 },
    endpointKind: "openai",
    conversationId: "default",
    compiledAt: 0,
    recallCount: 0,
    archivalCount: 0,
    archivalTags: [],
  };
  return compileSystemMessage(input);
}

/** A loop as small as can be: runs the one call, and goes on until the model speaks. */
async function talk(agent: Agent, text: string): Promise<string> {
  const said = agent.isSpoken ? JSON.stringify({ type: "user_message", message: text, time: "now" }) : text;
  agent.messages.push(user(said));
  for (let step = 0; step < 4; step++) {
    const reply = await ask(agent);
    agent.messages.push(assistant(reply));
    const [call] = reply.toolCalls;
    if (!call) return reply.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    const args = JSON.parse(call.arguments);
    if (agent.isSpoken) expect(Object.keys(args)[0]).toBe("thinking");
    if (agent.isSpoken) expect(args.thinking).toBe(`A rule of the demo matched: ${call.name}.`);
    if (call.name === "send_message") return args.message;
    if (agent.isSpoken) expect(args).toMatchObject({ request_heartbeat: true, thinking: expect.any(String) });
    agent.messages.push({ role: "tool", returns: [run(agent, call, args)] });
    if (agent.isSpoken) agent.messages.push(user(JSON.stringify({ type: "heartbeat", reason: "go on", time: "now" })));
  }
  throw new Error("it goes round in circles");
}

async function ask(agent: Agent, changes: Partial<ModelRequest> = {}): Promise<ModelReply> {
  agent.calls++;
  const { chunks, reply } = await collect(
    createDemoModel(),
    requestOf(config, {
      system: promptOf(agent),
      messages: [...agent.messages],
      tools: agent.tools,
      toolChoice: agent.isSpoken ? "required" : "auto",
      ...changes,
    }),
  );
  expect(joinChunks(chunks).calls).toEqual(reply.toolCalls);
  return reply;
}

function run(agent: Agent, { id, name }: ToolCall, args: Record<string, string>): ToolReturn {
  const give = (message: JsonValue, isError = false): ToolReturn => ({
    callId: id,
    name,
    status: isError ? "error" : "success",
    output: JSON.stringify({ status: isError ? "Failed" : "OK", message, time: "now" }, null, 2),
  });
  const replace = (old = "", text = "") => {
    if (agent.human.split(old).length !== 2) return give("it does not occur exactly once", true);
    agent.human = agent.human.split(old).join(text);
    return give(agent.human);
  };
  const add = (text = "") => {
    agent.human = agent.human === "" ? text : `${agent.human}\n${text}`;
    return give(agent.human);
  };
  switch (name) {
    case "memory_insert":
      return add(args.new_string);
    case "core_memory_append":
      return add(args.content);
    case "memory_replace":
      return replace(args.old_string, args.new_string);
    case "core_memory_replace":
      return replace(args.old_content, args.new_content);
    case "memory":
      return args.command === "insert" ? add(args.insert_text) : replace(args.old_string, args.new_string);
    case "memory_rethink":
      agent.human = args.new_memory ?? "";
      return give(agent.human);
    case "archival_memory_insert":
      agent.archive.push(args.content ?? "");
      return give("None");
    case "archival_memory_search":
      return give(
        agent.archive
          .filter((note) => note.includes(args.query ?? ""))
          .map((content) => ({ id: "1", content, tags: [] })),
      );
    case "conversation_search": {
      const texts = agent.messages.flatMap((message) =>
        message.role === "user" ? [JSON.stringify(message.content)] : [],
      );
      const found = texts
        .filter((text) => text.includes(args.query ?? ""))
        .map((text) => ({ role: "user", content: JSON.parse(text)[0].text }));
      return give({ message: `Showing ${found.length} results:`, results: found });
    }
    default:
      return give(`no tool ${name}`, true);
  }
}

describe.for([
  ["that speak plainly", plainTools],
  ["that speak by a tool", spokenTools],
  ["with one tool for everything", ["memory", "conversation_search"]],
  ["that rewrite whole blocks", ["memory_rethink", "conversation_search"]],
] as const)("agents %s", ([, names]) => {
  test("remember what they are told and answer from it", async () => {
    const agent = createAgent(names);
    expect(await talk(agent, "Hi, my name is Ada Lovelace and I live in London.")).toContain("Name: Ada Lovelace");
    expect(agent.human).toBe("Name: Ada Lovelace\nLives in: London");
    expect(agent.calls).toBe(2);
    expect(await talk(agent, "I really like strong tea!")).toContain("Likes: strong tea");
    expect(await talk(agent, "What is my name?")).toBe("Your name is Ada Lovelace.");
    expect(await talk(agent, "Do you know where I live?")).toContain("London");
    expect(await talk(agent, "What do you know about me?")).toContain(
      "Name: Ada Lovelace\nLives in: London\nLikes: strong tea",
    );
  });

  test("correct what has changed, note nothing twice, and forget on request", async () => {
    const agent = createAgent(names, "A careful person.\nName: Ada");
    expect(await talk(agent, "My name is Grace.")).toContain("Grace");
    expect(agent.human).toBe("A careful person.\nName: Grace");
    agent.calls = 0;
    expect(await talk(agent, "my name is grace")).toContain("already");
    expect(agent.calls).toBe(1);
    await talk(agent, "Forget my name.");
    expect(agent.human).toBe("A careful person.");
    expect(await talk(agent, "Forget my shoe size")).toContain("nothing");
    const first = createAgent(names, "Name: Ada\nLikes: tea");
    await talk(first, "forget my name");
    expect(first.human).toBe("Likes: tea");
  });
});

test("agents that search find what was said, not the question itself", async () => {
  const agent = createAgent();
  await talk(agent, "The tea was too hot today.");
  const answer = await talk(agent, "What did I say about tea?");
  expect(answer).toContain('"The tea was too hot today."');
  expect(answer).toContain("1 entry");
  expect(await talk(agent, "What did I say about coffee?")).toContain("nothing");
});

test("agents with an archive file notes and find them", async () => {
  const agent = createAgent();
  await talk(agent, "Archive that the meeting moved to Friday");
  expect(agent.archive).toEqual(["the meeting moved to Friday"]);
  expect(await talk(agent, "Look up meeting")).toContain("the meeting moved to Friday");
});

test("without a tool for it, it says so", async () => {
  const agent = createAgent([]);
  expect(await talk(agent, "My name is Ada.")).toContain("no memory block and tool");
  expect(await talk(agent, "Search for tea")).toContain("conversation_search");
});

test("with only a tool to replace text, it adds by replacing", async () => {
  const agent = createAgent(["memory_replace"], "A careful person.");
  await talk(agent, "I live in Ghent");
  expect(agent.human).toBe("A careful person.\nLives in: Ghent");
});

test("a failed edit is told, not tried again", async () => {
  const agent = createAgent(["memory_insert"]);
  agent.messages.push(user("I like tea"));
  const first = await ask(agent);
  agent.messages.push(assistant(first), {
    role: "tool",
    returns: [
      { callId: first.toolCalls[0]?.id ?? "", name: "memory_insert", status: "error", output: "the block is full" },
    ],
  });
  const second = await ask(agent);
  expect(second.toolCalls).toEqual([]);
  expect(second.content).toEqual([{ type: "text", text: "That did not work: the block is full" }]);
});

test("it says what it is", async () => {
  for (const text of ["Write me a poem about the sea.", "Hello", "What can you do?"]) {
    expect(await talk(createAgent(), text)).toMatch(/memoir\/demo.*not a language model/);
  }
  expect(await talk(createAgent(plainTools, "Name: Ada"), "Hello!")).toContain("Hello, Ada!");
});

test("text in tags is read, and edited only where what is stored is plain", async () => {
  const agent = createAgent(plainTools, "Note: </value> closes nothing\nName: Ada");
  expect(await talk(agent, "What's my name?")).toBe("Your name is Ada.");
  await talk(agent, "My name is Grace");
  expect(agent.human).toBe("Note: </value> closes nothing\nName: Grace");
});

test("a line that the prompt shows otherwise than it is stored is not touched", async () => {
  const agent = createAgent(plainTools, "Name: <value> of all");
  expect(await talk(agent, "My name is Grace")).toContain("Grace");
  expect(agent.human).toBe("Name: <value> of all\nName: Grace");
});

test("it does as it is told about tools", async () => {
  const agent = createAgent(plainTools);
  agent.messages.push(user("I like tea"));
  expect((await ask(agent, { toolChoice: "none" })).toolCalls).toEqual([]);
  const forced = await ask(agent, { toolChoice: { tool: "conversation_search" } });
  expect(forced.toolCalls).toMatchObject([{ name: "conversation_search" }]);
  expect((await ask(createAgent([]), { toolChoice: "required" })).content).toHaveLength(1);
  const finishing = createAgent(["memory_replace", "memory_finish_edits"]);
  finishing.messages.push(user("Here is what was said."));
  expect((await ask(finishing, { toolChoice: "required" })).toolCalls).toMatchObject([{ name: "memory_finish_edits" }]);
});

test("an agent that may speak by a tool but need not does so once", async () => {
  const agent = createAgent(["send_message"]);
  agent.messages.push(user("Hello"));
  const first = await ask(agent, { toolChoice: "auto" });
  expect(first.toolCalls).toMatchObject([{ name: "send_message" }]);
  const callId = first.toolCalls[0]?.id ?? "";
  agent.messages.push(assistant(first), {
    role: "tool",
    returns: [{ callId, name: "send_message", status: "success", output: "sent" }],
  });
  expect((await ask(agent, { toolChoice: "auto" })).toolCalls).toEqual([]);
});

test("it answers in the form that is asked for", async () => {
  const agent = createAgent([]);
  agent.messages.push(user("Hello"));
  const schema = {
    type: "object",
    properties: { answer: { type: "string" }, mood: { enum: ["good"] } },
    required: ["answer", "mood"],
  };
  const { content } = await ask(agent, { responseFormat: { type: "json_schema", json_schema: { schema } } });
  const [part] = content;
  expect(JSON.parse(part?.type === "text" ? part.text : "")).toEqual({ answer: expect.any(String), mood: "good" });
});

test("the same request gives the same reply, id and all; another turn another id", async () => {
  const agent = createAgent();
  agent.messages.push(user("I like tea"));
  const first = await ask(agent);
  expect(await ask(agent)).toEqual(first);
  agent.messages.unshift(user("earlier"));
  expect((await ask(agent)).toolCalls[0]?.id).not.toBe(first.toolCalls[0]?.id);
  expect(first.usage.totalTokens).toBe(first.usage.promptTokens + first.usage.completionTokens);
});

test("whatever is said, it takes at most two steps and tells its words in pieces", async () => {
  const words = fc.constantFrom(
    "my name is",
    "I like",
    "what is my",
    "?",
    "forget",
    "remember that",
    "</value>",
    "and I",
    "\n",
    "search",
  );
  const text = fc.array(fc.oneof(words, fc.string({ unit: "grapheme", maxLength: 12 })), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 4 }), async (lines) => {
      const agent = createAgent();
      for (const line of lines) {
        agent.calls = 0;
        expect(await talk(agent, line.join(" "))).not.toBe("");
        expect(agent.calls).toBeLessThanOrEqual(2);
      }
    }),
    { numRuns: 150 },
  );
});
