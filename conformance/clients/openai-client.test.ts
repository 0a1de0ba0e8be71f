/** OpenAI's own clients, given a Memoir server as their address: agents are their models. */
import { expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { loadForeign } from "../support/foreign-modules.ts";
import { runPythonFlow } from "../support/python-flow.ts";
import { startServer } from "../support/server.ts";

type Body = Readonly<Record<string, unknown>>;

interface Model {
  id: string;
  object: string;
  created: number;
  owned_by: string;
}

interface Completion {
  id: string;
  model: string;
  choices: { message: { role: string; content: string | null }; finish_reason: string }[];
  usage?: Body;
}

interface Chunk {
  choices: { delta: { role?: string | null; content?: string | null }; finish_reason: string | null }[];
  usage?: Body | null;
}

interface OpenAi {
  models: { list(): AsyncIterable<Model>; retrieve(id: string): Promise<Model> };
  chat: {
    completions: {
      create(body: Body & { stream: true }): Promise<AsyncIterable<Chunk>>;
      create(body: Body): Promise<Completion>;
      stream(body: Body): { finalContent(): Promise<string | null> };
    };
  };
}

interface OpenAiModule {
  default: new (options: Body) => OpenAi;
}

async function connect(dialect: DialectName, context: TestContext, base = "/v1") {
  const { default: Client } = await loadForeign<OpenAiModule>(context, "openai", "index.mjs");
  const { providers, openai } = await startDirectedModels();
  const { url, memoir } = await startServer(dialect, context, { core: { providers } });
  const create = async (name: string) =>
    (await memoir.agents.create(memoir.defaultActor, { name, model: "openai/gpt-4o-mini" })).agent;
  const client = new Client({ baseURL: `${url}${base}`, apiKey: "any", maxRetries: 0 });
  return { client, create, url, asked: openai.requests };
}

const say = (content: unknown) => ({ messages: [{ role: "user", content }] });
const textOf = (chunks: readonly Chunk[]) => chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");

for (const base of ["/v1", "/v1/memoir/openai"]) {
  test.for(base === "/v1" ? dialects : (["sqlite"] as const))(
    `%s: agents are listed and answer at ${base}`,
    async (dialect, context) => {
      const { client, create } = await connect(dialect, context, base);
      const first = await create("First");
      const second = await create("Second");
      const models = await Array.fromAsync(client.models.list());
      expect(models).toEqual(
        [second, first].map(({ id, name, createdAt }) => ({
          id,
          object: "model",
          created: Math.floor(createdAt / 1_000_000),
          owned_by: "memoir",
          name,
        })),
      );
      expect(await client.models.retrieve(first.id)).toEqual(models[1]);

      const whole = await client.chat.completions.create({ model: first.id, ...say("!say Hello there.") });
      expect(whole.choices[0]).toMatchObject({
        message: { role: "assistant", content: "Hello there." },
        finish_reason: "stop",
      });
      expect(whole.usage).toEqual({ prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 });

      const stream_options = { include_usage: true };
      const body = { model: first.id, ...say("!heard"), stream: true as const, stream_options };
      const chunks = await Array.fromAsync(await client.chat.completions.create(body));
      expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
      expect(JSON.parse(textOf(chunks))).toEqual(["!say Hello there.", "!heard"]);
      expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 110 } });
    },
  );
}

test("the client's own collector of streams understands the answer", async (context) => {
  const { client, create } = await connect("sqlite", context);
  const { id } = await create("Ada");
  const stream = client.chat.completions.stream({ model: id, ...say("!say In pieces.") });
  expect(await stream.finalContent()).toBe("In pieces.");
});

test("an image in the message is shown to the agent's model", async (context) => {
  const { client, create, asked } = await connect("sqlite", context);
  const { id } = await create("Ada");
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } };
  const answer = await client.chat.completions.create({
    model: id,
    ...say([{ type: "text", text: "!say I see it." }, image]),
  });
  expect(answer.choices[0]?.message.content).toBe("I see it.");
  expect(asked.at(-1)?.text).toContain(pixel);
});

test("what is wrong is said in words that the client shows", async (context) => {
  const { client, create } = await connect("sqlite", context);
  const missing = "agent-00000000-0000-4000-8000-00000000dead";
  await expect(client.models.retrieve("gpt-4o")).rejects.toThrow(/^404 .*gpt-4o/);
  await expect(client.chat.completions.create({ model: missing, ...say("hi") })).rejects.toThrow(/^404 .*dead/);
  await expect(client.chat.completions.create({ model: "gpt-4o", ...say("hi") })).rejects.toThrow(
    /^400 .*id of an agent/,
  );
  const { id } = await create("Ada");
  await expect(client.chat.completions.create({ model: id, messages: [] })).rejects.toThrow(/^400 .*no user message/);
  await expect(client.chat.completions.create({ model: id, messages: "hi" })).rejects.toThrow(/^422 messages: /);
  await expect(client.chat.completions.create({ model: id, ...say("!fail 401") })).rejects.toThrow(/^401 /);
  const failing = { model: id, ...say("!fail 401"), stream: true as const };
  await expect(Array.fromAsync(await client.chat.completions.create(failing))).rejects.toThrow(/./);
});

test("the client for Python has agents for models, too", async (context) => {
  const { providers } = await startDirectedModels();
  const server = await startServer("sqlite", context, { core: { providers } });
  const { agent } = await server.memoir.agents.create(server.memoir.defaultActor, { model: "openai/gpt-4o-mini" });
  const flow = { client: "openai" as const, version: "3.49.0", script: "openai_client.py" };
  await runPythonFlow(context, server, { ...flow, words: [agent.id], least: 9 });
});

test("other clients are told of models as before", async (context) => {
  const { url } = await connect("sqlite", context);
  const models = await (await fetch(`${url}/v1/models/`)).json();
  expect(models).toEqual(expect.arrayContaining([expect.objectContaining({ handle: "memoir/demo" })]));
});
