/** What is asked of agents without waiting for it, and what is asked beside what was said. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { MemoirOptions } from "../../memoir.ts";
import type { ModelRequest } from "../../model/model.ts";
import { holdUntil, say, scriptedByPosition } from "../../model/scripted.ts";
import { type DialectName, dialects } from "../../testing/databases.ts";
import { startScriptedOpenAi } from "../../testing/scripted-openai.ts";
import { openWorld } from "../../testing/worlds.ts";

type Context = Parameters<typeof openWorld>[1];

const lastUser = ({ messages }: ModelRequest) => {
  const users = messages.flatMap((message) => (message.role === "user" ? [message.content] : []));
  return users.at(-1)?.flatMap((part) => ("text" in part ? [part.text] : []))[0];
};

async function open(dialect: DialectName, context: Context, options: Partial<MemoirOptions> = {}) {
  const gate = Promise.withResolvers<void>();
  const model = scriptedByPosition((_, request) =>
    lastUser(request) === "wait" ? holdUntil(gate.promise, say("late")) : say(`I heard ${lastUser(request)}`),
  );
  const world = await openWorld(dialect, context, { models: { get: () => model }, ...options });
  return { ...world, model, gate };
}

const message = (text: string) => ({
  messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }],
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
}

async function startReceiver() {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => {
      bodies.push(JSON.parse(body));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, bodies };
}

describe.for(dialects)("%s", (dialect) => {
  test("whoever asked to be told of the end of a run is told, also if it fails", async (context) => {
    const { url, bodies } = await startReceiver();
    const { memoir, actor, createAgent } = await open(dialect, context, { privateHosts: ["127.0.0.1"] });
    const { agent } = await createAgent();
    const run = await memoir.messages.send(actor, agent.id, { ...message("hello"), callbackUrl: url });
    await until(() => bodies.length === 1);
    expect(bodies[0]).toEqual({ run: run.id, status: "completed", reason: "end_turn" });
    await until(async () => (await memoir.runs.get(actor, run.id)).callbackSentAt !== null);
    expect(await memoir.runs.get(actor, run.id)).toMatchObject({ callbackStatus: 204, callbackError: null });
    const cancelled = await memoir.messages.send(actor, agent.id, { ...message("wait"), callbackUrl: url });
    await memoir.runs.cancel(actor, cancelled.id);
    await until(() => bodies.length === 2);
    expect(bodies[1]).toEqual({ run: cancelled.id, status: "cancelled", reason: "cancelled" });
  });

  test("addresses inside the own network are refused, with the way to allow them", async (context) => {
    const { memoir, actor, createAgent } = await open(dialect, context);
    const { agent } = await createAgent();
    for (const callbackUrl of ["http://127.0.0.1:1/x", "http://[::1]/x", "http://metadata/x", "file:///etc/passwd"]) {
      const sent = memoir.messages.send(actor, agent.id, { ...message("hello"), callbackUrl });
      await expect(sent).rejects.toMatchObject({ code: "invalid-input", details: { field: "callback_url" } });
    }
    expect(await memoir.runs.list(actor, { page: { limit: 10, order: "asc" } })).toEqual([]);
  });

  test("a batch is done when its last run is, and whoever asked is told", async (context) => {
    const { url, bodies } = await startReceiver();
    const { memoir, actor, createAgent, gate } = await open(dialect, context, { privateHosts: ["127.0.0.1"] });
    const [first, second] = [await createAgent(), await createAgent()];
    const requests = [
      { agentId: first.agent.id, message: message("one") },
      { agentId: first.agent.id, message: message("two") },
      { agentId: second.agent.id, message: message("wait") },
    ];
    const batch = await memoir.batches.create(actor, { requests, callbackUrl: url });
    expect(batch).toMatchObject({ kind: "batch", status: "running", completedAt: null });
    const page = { limit: 10, order: "desc" as const };
    expect((await memoir.batches.list(actor, page)).map(({ id }) => id)).toEqual([batch.id]);
    gate.resolve();
    await until(async () => (await memoir.batches.get(actor, batch.id)).status === "completed");
    expect(await memoir.batches.list(actor, page)).toEqual([]);
    expect((await memoir.jobs.list(actor, {}, page)).map(({ status }) => status)).toEqual(["completed"]);
    const all = await memoir.batches.messages(actor, batch.id, { page: { limit: 10, from: "oldest" } });
    expect(all).toHaveLength(6);
    const agentId = second.agent.id;
    const own = await memoir.batches.messages(actor, batch.id, { page: { limit: 10, from: "oldest" }, agentId });
    expect(own.map(({ message: { role } }) => role)).toEqual(["user", "assistant"]);
    await until(() => bodies.length === 1);
    expect(bodies).toEqual([{ batch: batch.id, status: "completed" }]);
    expect(await memoir.jobs.cancel(actor, batch.id)).toMatchObject({ status: "completed" });
    expect(await memoir.jobs.delete(actor, batch.id)).toMatchObject({ id: batch.id });
    await expect(memoir.jobs.get(actor, batch.id)).rejects.toMatchObject({ code: "not-found" });
  });

  test("of a batch everything is accepted or nothing, and what is left of it can be cancelled", async (context) => {
    const { memoir, actor, createAgent, gate } = await open(dialect, context);
    const { agent } = await createAgent();
    const wrong = { agentId: "agent-00000000-0000-4000-8000-00000000dead", message: message("x") };
    const right = { agentId: agent.id, message: message("wait") };
    const page = { limit: 10, order: "desc" as const };
    await expect(memoir.batches.create(actor, { requests: [right, wrong] })).rejects.toMatchObject({
      code: "not-found",
    });
    await expect(memoir.batches.create(actor, { requests: [] })).rejects.toMatchObject({ code: "invalid-input" });
    expect(await memoir.runs.list(actor, { page })).toEqual([]);
    expect(await memoir.jobs.list(actor, {}, page)).toEqual([]);
    const batch = await memoir.batches.create(actor, { requests: [right, right] });
    expect(await memoir.jobs.list(actor, { isOpen: true }, page)).toHaveLength(1);
    await memoir.batches.cancel(actor, batch.id);
    expect(await memoir.jobs.get(actor, batch.id)).toMatchObject({
      status: "cancelled",
      completedAt: expect.any(Number),
    });
    gate.resolve();
    await until(async () => (await memoir.runs.list(actor, { filter: { isOpen: true }, page })).length === 0);
    const runs = await memoir.runs.list(actor, { page });
    expect(runs.map(({ run }) => run.status)).toEqual(["cancelled", "cancelled"]);
  });

  test("what was said is found in all conversations of all agents", async (context) => {
    const { memoir, actor, createAgent } = await open(dialect, context);
    await expect(memoir.messages.searchOfAgents(actor, { limit: 5 })).rejects.toMatchObject({
      code: "invalid-argument",
    });
    const [one, two] = [await createAgent(), await createAgent()];
    const { conversation } = await memoir.conversations.create(actor, two.agent.id, {});
    const tell = async (work: Promise<{ id: string }>) => memoir.messages.complete(actor, (await work).id);
    await tell(memoir.messages.send(actor, one.agent.id, message("green tea leaves")));
    await tell(memoir.messages.send(actor, two.agent.id, message("black coffee")));
    await tell(memoir.messages.sendTo(actor, conversation.id, message("more tea")));
    const find = async (question: object) =>
      (await memoir.messages.search(actor, { limit: 10, roles: ["user"], ...question })).map(
        ({ message: { content }, rank }) => [JSON.stringify(content?.map((part) => "text" in part && part.text)), rank],
      );
    expect((await find({ query: "tea" })).map(([, rank]) => rank)).toEqual([1, 2]);
    expect(await find({ query: "tea", agentId: one.agent.id })).toEqual([['["green tea leaves"]', 1]]);
    expect(await find({ query: "tea", conversation: { id: conversation.id } })).toEqual([['["more tea"]', 1]]);
    expect(await find({ query: "tea", conversation: "default" })).toEqual([['["green tea leaves"]', 1]]);
    expect((await find({})).map(([text]) => text)).toEqual([
      '["more tea"]',
      '["black coffee"]',
      '["green tea leaves"]',
    ]);
    expect(await find({ query: "the of" })).toEqual([]);
    expect(await find({ query: "tea", until: 1 })).toEqual([]);
    expect(await find({ query: "tea", projectId: "none" })).toEqual([]);
    const listed = await memoir.messages.list(actor, { page: { limit: 3, from: "newest" } });
    expect(listed.map(({ agentId }) => agentId)).toContain(two.agent.id);
    expect(
      await memoir.messages.list(actor, { page: { limit: 50, from: "newest" } }, { id: conversation.id }),
    ).toHaveLength(3);
    const [any] = listed;
    expect(await memoir.messages.get(actor, any?.id ?? "")).toMatchObject({ id: any?.id });
    await memoir.conversations.delete(actor, conversation.id);
    expect(await find({ query: "more" })).toEqual([]);
  });

  test("a question beside the conversation leaves nothing behind", async (context) => {
    const { memoir, actor, createAgent, model } = await open(dialect, context);
    const { agent } = await createAgent();
    const schema = { type: "object", properties: { a: { type: "string" } } };
    const answer = await memoir.messages.generate(actor, agent.id, { prompt: "hello", system: "be short", schema });
    expect(answer).toMatchObject({ text: "I heard hello", model: "demo" });
    expect(model.requests[0]).toMatchObject({ system: "be short", tools: [], responseFormat: { type: "json_schema" } });
    await expect(memoir.messages.generate(actor, agent.id, { prompt: " " })).rejects.toMatchObject({
      code: "invalid-input",
    });
    const other = memoir.messages.generate(actor, agent.id, { prompt: "x", model: "memoir/none" });
    await expect(other).rejects.toMatchObject({ code: "not-found" });
    expect(await memoir.runs.list(actor, { page: { limit: 10, order: "asc" } })).toEqual([]);
  });

  test("a preview shows the bytes that would be sent, and nothing is sent or stored", async (context) => {
    const openai = await startScriptedOpenAi(() => ({ text: "ok" }));
    onTestFinished(() => openai.close());
    const world = await openWorld(dialect, context, {
      providers: { openai: { apiKey: "sk-very-secret", baseUrl: openai.baseUrl } },
    });
    const { memoir, actor } = world;
    const { agent } = await world.createAgent({ model: "openai/gpt-4o-mini", system: "Be kind." });
    const shown = await memoir.messages.preview(actor, { agentId: agent.id }, message("preview me"));
    expect(openai.requests).toEqual([]);
    expect(await memoir.messages.list(actor, { page: { limit: 10, from: "newest" } })).toHaveLength(1);
    expect(JSON.stringify(shown)).not.toContain("sk-very-secret");
    const { id } = await memoir.messages.send(actor, agent.id, message("preview me"));
    await memoir.messages.complete(actor, id);
    const timeless = (body: unknown) => JSON.stringify(body).replaceAll(/\d\d:\d\d:\d\d/g, "");
    expect(timeless(shown)).toBe(timeless(openai.requests[0]?.body));
    const { conversation } = await memoir.conversations.create(actor, agent.id, { model: "openai/gpt-4.1" });
    const there = await memoir.messages.preview(actor, { conversationId: conversation.id }, message("and here"));
    expect(there).toMatchObject({ model: "gpt-4.1" });
    expect(JSON.stringify(there)).not.toContain("preview me");
  });

  test("a preview of a model that is not reached over HTTP shows what it would be handed", async (context) => {
    const { memoir, actor, createAgent, model } = await open(dialect, context);
    const { agent } = await createAgent();
    const shown = await memoir.messages.preview(actor, { agentId: agent.id }, message("hello"));
    expect(JSON.stringify(shown)).toContain("hello");
    expect(model.requests.length).toBeLessThanOrEqual(1);
    expect(await memoir.runs.list(actor, { page: { limit: 10, order: "asc" } })).toEqual([]);
  });
});

test.for(dialects)("%s: of messages sent at the same moment none is forgotten", async (dialect, context) => {
  const { memoir, actor, createAgent } = await open(dialect, context);
  const { agent } = await createAgent({ model: "openai/gpt-4o-mini" });
  for (let round = 0; round < 40; round++) {
    const sent = ["one", "two", "three"].map(async (text) => {
      const run = await memoir.messages.send(actor, agent.id, message(text));
      return await memoir.messages.complete(actor, run.id);
    });
    expect((await Promise.all(sent)).map(({ reason }) => reason)).toEqual(["end_turn", "end_turn", "end_turn"]);
  }
});
