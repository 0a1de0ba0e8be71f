/**
 * The provider for Vercel's AI SDK, of the older generation of clients. A tool that an agent calls has already run when
 * the SDK hears of it.
 */
import { expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { loadForeign } from "../support/foreign-modules.ts";
import { startServer } from "../support/server.ts";

type Body = Readonly<Record<string, unknown>>;

interface Part {
  type: string;
  text?: string;
  toolName?: string;
  input?: unknown;
  output?: unknown;
}

interface Sdk {
  generateText(request: Body): Promise<{ text: string; reasoningText?: string; content: Part[] }>;
  streamText(request: Body): { fullStream: AsyncIterable<Part> };
}

interface Agent {
  id: string;
  memory: { blocks: { label: string; value: string }[] };
  tools: { name: string }[];
}

interface Letta {
  (): object;
  tool(name: string): object;
  client: {
    agents: {
      create(body: Body): Promise<Agent>;
      list(): Promise<Agent[]>;
      retrieve(id: string): Promise<Agent>;
      delete(id: string): Promise<unknown>;
      messages: { list(id: string): Promise<{ messageType: string }[]> };
    };
  };
}

interface ProviderModule {
  createLetta(options: Body): Letta;
  convertToAiSdkMessage(messages: unknown): { role: string; parts: Part[] }[];
}

async function connect(dialect: DialectName, context: TestContext) {
  const sdk = await loadForeign<Sdk>(context, "ai", "dist", "index.mjs");
  const provider = ["@letta-ai", "vercel-ai-sdk-provider", "dist", "index.mjs"];
  const { createLetta, convertToAiSdkMessage } = await loadForeign<ProviderModule>(context, ...provider);
  const { providers } = await startDirectedModels();
  const { url } = await startServer(dialect, context, { core: { providers } });
  const letta = createLetta({ baseUrl: url, token: "any" });
  const memoryBlocks = [{ label: "human", value: "Name: Ada." }];
  const agent = await letta.client.agents.create({ model: "anthropic/claude-sonnet-4-5-20250929", memoryBlocks });
  const request = (prompt: string, options: Body = {}) => ({
    model: letta(),
    tools: { memory_insert: letta.tool("memory_insert") },
    providerOptions: { letta: { agent: { id: agent.id, ...options } } },
    prompt,
    maxRetries: 0,
  });
  return { ...sdk, letta, agent, request, convertToAiSdkMessage };
}

const input = { label: "human", new_string: "Likes tea." };
const edit = `!think They like tea.\n!tool memory_insert ${JSON.stringify(input)}\n!say I have noted it.`;

test.for(dialects)("%s: text is generated, and a tool has done its work", async (dialect, context) => {
  const { generateText, letta, agent, request, convertToAiSdkMessage } = await connect(dialect, context);
  expect((await generateText(request("!say Hello there."))).text).toBe("Hello there.");
  const { text, content, reasoningText } = await generateText(request(edit));
  expect(text).toBe("I have noted it.");
  expect(reasoningText).toContain("They like tea.");
  expect(content.find(({ type }) => type === "tool-call")?.input).toEqual(input);
  const { memory } = await letta.client.agents.retrieve(agent.id);
  expect(memory.blocks[0]?.value).toContain("Likes tea.");
  const history = await letta.client.agents.messages.list(agent.id);
  expect(convertToAiSdkMessage(history).map(({ role }) => role)).toContain("user");
});

test.for([
  ["whole messages", {}],
  ["tokens", { streamTokens: true }],
  ["tokens in the background", { streamTokens: true, background: true }],
] as const)("an answer is streamed with its tool call: %s", async ([, options], context) => {
  const { streamText, request } = await connect("sqlite", context);
  const parts = await Array.fromAsync(streamText(request(edit, options)).fullStream);
  const textOf = (type: string) => parts.map((part) => (part.type === type ? part.text : "")).join("");
  expect(textOf("text-delta")).toBe("I have noted it.");
  expect(textOf("reasoning-delta")).toContain("They like tea.");
  expect(parts.filter(({ type }) => type === "text-delta").length > 1).toBe("streamTokens" in options);
  expect(parts.find(({ type }) => type === "tool-call")).toMatchObject({ toolName: "memory_insert", input });
  const result = parts.find(({ type }) => type === "tool-result");
  expect(result).toMatchObject({ toolName: "memory_insert", output: expect.stringContaining("Likes tea.") });
  expect(parts.filter(({ type }) => type === "error")).toEqual([]);
  expect(parts.at(-1)?.type).toBe("finish");
});

test("agents are listed with their tools and blocks, and are gone once deleted", async (context) => {
  const { letta, agent } = await connect("sqlite", context);
  const { agents } = letta.client;
  const listed = await agents.list();
  expect(listed.map(({ id, tools, memory }) => [id, tools.length > 0, memory.blocks.length])).toEqual([
    [agent.id, true, 1],
  ]);
  await agents.delete(agent.id);
  await expect(agents.retrieve(agent.id)).rejects.toMatchObject({ statusCode: 404 });
});
