/** The official npm client and runs, steps, searches, and messages that nobody waits for. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { JobWire, MessageWire, RunWire, SendResponseWire, StepWire } from "@memoir/server/wire";
import { describe, expect, onTestFinished, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { type DirectedOptions, startDirectedModels } from "../support/directed-models.ts";
import { loadClient } from "../support/npm-client.ts";
import { startServer } from "../support/server.ts";

const unknownId = "00000000-0000-4000-8000-00000000dead";

async function connect(dialect: DialectName, context: TestContext, directions: DirectedOptions = {}) {
  const Letta = await loadClient(context);
  const { openai, providers } = await startDirectedModels(directions);
  const { url, memoir } = await startServer(dialect, context, { core: { providers, privateHosts: ["127.0.0.1"] } });
  const client = new Letta({ baseURL: url, apiKey: "any", maxRetries: 0 });
  const memory_blocks = [{ label: "human", value: "Name: Ada." }];
  const { id: agentId } = await client.agents.create({ model: "openai/gpt-4o-mini", memory_blocks });
  const tell = async (content: string) => {
    const { messages } = await client.agents.messages.create(agentId, { messages: [{ role: "user", content }] });
    return messages[0]?.run_id ?? "";
  };
  const finish = async (runId: string) => {
    for (;;) {
      const run = await client.runs.retrieve(runId);
      if (run.completed_at !== null) return run;
      await sleep(5);
    }
  };
  return { client, url, memoir, agentId, tell, finish, openai };
}

const refusal = (status: number, detail: string | RegExp) => ({
  status,
  error: { detail: expect.stringMatching(detail) },
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const edit = '!tool memory_insert {"label":"human","new_string":"Likes tea."}\n!say noted';

describe.for(dialects)("%s: the npm client", (dialect) => {
  test("reads runs with their messages, steps and usage", async (context) => {
    const { client, agentId, tell } = await connect(dialect, context);
    const first = await tell("hello");
    const second = await tell(edit);
    const runs = await collect<RunWire>(client.runs.list({ agent_id: agentId, limit: 1 }));
    expect(runs.map(({ id }) => id)).toEqual([second, first]);
    expect(runs[0]).toMatchObject({
      status: "completed",
      agent_id: agentId,
      conversation_id: null,
      background: false,
      metadata: { run_type: "send_message" },
      request_config: { use_assistant_message: true, include_return_message_types: null },
      stop_reason: "end_turn",
      total_duration_ns: expect.any(Number),
    });
    expect(await client.runs.retrieve(second)).toEqual(runs[0]);
    const items = await collect<MessageWire>(client.runs.messages.list(second, { limit: 2 }));
    const types = items.map(({ message_type }) => message_type);
    expect(types).toEqual(["user_message", "tool_call_message", "tool_return_message", "assistant_message"]);
    const newest = await client.runs.messages.list(second, { order: "desc" });
    expect(newest.items.map(({ message_type }) => message_type)).toEqual(types.toReversed());
    const steps = await collect<StepWire>(client.runs.steps.list(second, { limit: 1 }));
    expect(steps.map(({ stop_reason }) => stop_reason)).toEqual(["end_turn", null]);
    const usage = await client.runs.usage.retrieve(second);
    expect(usage.total_tokens).toBe(steps.reduce((sum, step) => sum + step.total_tokens, 0));
    const metrics = await client.get<{ num_steps: number; tools_used: string[]; run_ns: number }>(
      `/v1/runs/${second}/metrics`,
    );
    expect(metrics).toMatchObject({ num_steps: 2, run_ns: runs[0]?.total_duration_ns });
    expect(metrics.tools_used).toEqual([expect.stringMatching(/^tool-/)]);
    const used = await client.get<RunWire[]>("/v1/_internal_runs/", { query: { tools_used: metrics.tools_used } });
    expect(used.map(({ id }) => id)).toEqual([second]);
    const long = await client.get<RunWire[]>("/v1/_internal_runs/", {
      query: { step_count: 1, step_count_operator: "lte", order_by: "duration", order: "asc" },
    });
    expect(long.map(({ id }) => id)).toEqual([first]);
    expect((await client.runs.list({ statuses: ["failed"] })).items).toEqual([]);
    await expect(client.runs.list({ statuses: ["odd"] })).rejects.toMatchObject(refusal(400, "odd"));
    await expect(client.runs.list({ limit: 1001 })).rejects.toMatchObject({ status: 422 });
    await expect(client.runs.retrieve("run-x")).rejects.toMatchObject(refusal(400, "Invalid run ID format: run-x"));
    await expect(client.runs.retrieve(`run-${unknownId}`)).rejects.toMatchObject(refusal(404, "Run not found"));
    await client.delete(`/v1/runs/${first}`);
    expect((await client.runs.list()).items.map(({ id }) => id)).toEqual([second]);
  });

  test("says of a failed run what went wrong", async (context) => {
    const { client, agentId } = await connect(dialect, context);
    const messages = [{ role: "user", content: "!fail 400" }];
    await expect(client.agents.messages.create(agentId, { messages })).rejects.toMatchObject({ status: 400 });
    const [run] = (await client.runs.list({ stop_reason: "llm_api_error" })).items;
    expect(run).toMatchObject({
      status: "failed",
      metadata: { error: { error_type: "llm_bad_request", message: expect.any(String), run_id: run?.id } },
    });
    const [step] = (await client.steps.list({ agent_id: agentId })).items;
    expect(step).toMatchObject({ status: "failed", error_type: "llm_bad_request" });
  });

  test("rates steps and finds them again", async (context) => {
    const { client, agentId, tell } = await connect(dialect, context);
    const runId = await tell(edit);
    const steps = await collect<StepWire>(client.steps.list({ agent_id: agentId, order: "asc", limit: 1 }));
    expect(steps.map((step) => step.run_id)).toEqual([runId, runId]);
    const [first] = steps;
    const id = first?.id ?? "";
    expect(await client.steps.retrieve(id)).toEqual(first);
    const rated = await client.steps.feedback.create(id, { feedback: "negative", tags: ["slow"] });
    expect(rated).toMatchObject({ id, feedback: "negative", tags: ["slow"] });
    expect((await client.steps.list({ feedback: "negative", tags: ["slow"] })).items).toEqual([rated]);
    expect((await client.steps.list({ has_feedback: false })).items).toHaveLength(1);
    expect(await client.steps.metrics.retrieve(id)).toMatchObject({ id, run_id: runId, step_ns: expect.any(Number) });
    const items = (await client.steps.messages.list(id)).items;
    expect(items.map(({ message_type }) => message_type)).toEqual([
      "user_message",
      "tool_call_message",
      "tool_return_message",
    ]);
    await expect(client.steps.feedback.create(id, { feedback: "so-so" })).rejects.toMatchObject({ status: 422 });
    await expect(client.steps.retrieve(`step-${unknownId}`)).rejects.toMatchObject({ status: 404 });
    await expect(client.steps.retrieve("step-1")).rejects.toMatchObject({ status: 422 });
  });

  test("sends without waiting, and is called back with the answer", async (context) => {
    const { client, agentId, finish } = await connect(dialect, context);
    const told = Promise.withResolvers<{ run_id: string; status: string; metadata: { result: SendResponseWire } }>();
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (part) => (body += String(part)));
      request.on("end", () => told.resolve(JSON.parse(body)));
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const callback_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const messages = [{ role: "user", content: "later" }];
    const run = await client.agents.messages.createAsync(agentId, { messages, callback_url });
    expect(run).toMatchObject({ status: "created", background: true, callback_url, completed_at: null });
    expect(run.metadata).toEqual({ run_type: "send_message_async", lettuce: null });
    const call = await told.promise;
    expect(call).toMatchObject({ run_id: run.id, status: "completed", completed_at: expect.any(String) });
    expect(call.metadata.result.messages[0]).toMatchObject({ message_type: "assistant_message" });
    expect(call.metadata.result.stop_reason.stop_reason).toBe("end_turn");
    expect(await finish(run.id)).toMatchObject({ status: "completed", metadata: run.metadata });
    const bad = client.agents.messages.createAsync(agentId, { messages, callback_url: "http://10.0.0.1/" });
    await expect(bad).rejects.toMatchObject(refusal(422, "MEMOIR_MCP_ALLOW_PRIVATE"));
  });

  test("cancels what an agent is working on", async (context) => {
    const gate = Promise.withResolvers<void>();
    const { client, agentId, openai } = await connect(dialect, context, { gate: () => gate.promise });
    onTestFinished(() => gate.resolve());
    await expect(client.agents.messages.cancel(agentId)).rejects.toMatchObject(refusal(409, "CONFLICT"));
    const messages = [{ role: "user", content: "slow" }];
    const run = await client.agents.messages.createAsync(agentId, { messages });
    while (openai.requests.length === 0) await sleep(5);
    expect((await client.get<RunWire[]>("/v1/runs/active")).map(({ id }) => id)).toEqual([run.id]);
    expect(await client.agents.messages.cancel(agentId, { run_ids: [run.id] })).toEqual({ [run.id]: "cancelled" });
    expect(await client.runs.retrieve(run.id)).toMatchObject({ status: "cancelled", stop_reason: "cancelled" });
    const unknown = client.agents.messages.cancel(agentId, { run_ids: [`run-${unknownId}`] });
    await expect(unknown).rejects.toMatchObject({ status: 404 });
  });

  test("finds what was said, by its words and across agents", async (context) => {
    const { client, agentId, tell } = await connect(dialect, context);
    await tell("green tea leaves");
    const other = await client.agents.create({ model: "openai/gpt-4o-mini", agent_type: "memgpt_v2_agent" });
    const messages = [{ role: "user", content: '!tool send_message {"message":"black tea"}' }];
    await client.agents.messages.create(other.id, { messages });
    const found = await client.messages.search({ query: "tea", limit: 10 });
    expect(found).toContainEqual({
      message_id: expect.stringMatching(/^message-/),
      message_type: "assistant_message",
      content: "black tea",
      agent_id: other.id,
      conversation_id: null,
      created_at: expect.stringMatching(/Z$/),
    });
    expect(found.some((item) => item.agent_id === agentId)).toBe(true);
    const own = await client.messages.search({ query: "tea", agent_id: agentId, search_mode: "fts" });
    expect(new Set(own.map((item) => item.agent_id))).toEqual(new Set([agentId]));
    const ranked = await client.post<{ fts_rank: number; rrf_score: number; message: { role: string } }[]>(
      "/v1/agents/messages/search",
      { body: { query: "green", roles: ["user"] } },
    );
    expect(ranked).toMatchObject([{ fts_rank: 1, rrf_score: 1, message: { role: "user" } }]);
    // Two messages, of which the return of the message tool is not shown.
    expect(await client.messages.list({ limit: 2 })).toMatchObject([{ content: "black tea" }]);
    const types = await client.messages.list({ include_return_message_types: ["assistant_message"] });
    expect(types.map((item) => ("content" in item ? item.content : ""))).toContain("black tea");
    const id = own[0]?.message_id ?? "";
    expect((await client.messages.retrieve(id))[0]).toMatchObject({ id });
    await expect(client.messages.retrieve(`message-${unknownId}`)).rejects.toMatchObject({ status: 404 });
    await expect(client.messages.search({ query: "x", limit: 101 })).rejects.toMatchObject({ status: 422 });
    const change = client.patch(`/v1/agents/${agentId}/messages/${id}`, { body: { content: "edited" } });
    await expect(change).rejects.toMatchObject(refusal(405, "cannot be edited"));
  });

  test("asks beside the conversation, and looks at what would be sent", async (context) => {
    const { client, agentId, openai } = await connect(dialect, context);
    const path = `/v1/agents/${agentId}`;
    const body = { prompt: "say something", system_prompt: "be short" };
    const answer = await client.post<{ content: string; model: string; usage: object }>(`${path}/generate`, { body });
    expect(answer).toMatchObject({ model: "gpt-4o-mini", usage: { step_count: 0, context_tokens: null } });
    expect(answer.content).toContain("say something");
    expect((await client.agents.messages.list(agentId)).items).toHaveLength(1);
    const asked = (prompt: string) => client.post(`${path}/generate`, { body: { prompt } });
    await expect(asked("")).rejects.toMatchObject({ status: 422 });
    await expect(asked("!fail 400")).rejects.toMatchObject({ status: 502 });
    const before = openai.requests.length;
    const preview = { body: { messages: [{ role: "user", content: "preview me" }] } };
    const shown = await client.post<{ model: string; messages: object[] }>(
      `${path}/messages/preview-raw-payload`,
      preview,
    );
    expect(shown.messages.at(-1)).toMatchObject({ role: "user", content: "preview me" });
    const client_tools = [{ name: "read_clipboard", description: "Read the clipboard" }];
    const client_skills = [{ name: "knitting", description: "Knows yarn", location: "/skills/knitting" }];
    const equipped = { body: { ...preview.body, client_tools, client_skills } };
    const whole = JSON.stringify(await client.post(`${path}/messages/preview-raw-payload`, equipped));
    expect(["read_clipboard", "/skills/knitting"].filter((word) => whole.includes(word))).toHaveLength(2);
    const there = await client.post(`/v1/conversations/${agentId}/messages/preview-raw-payload`, preview);
    expect(there).toMatchObject({ model: "gpt-4o-mini" });
    expect(openai.requests).toHaveLength(before);
  });

  test("sends many messages at once", async (context) => {
    const { client, agentId, finish } = await connect(dialect, context);
    const message = (content: string) => ({ agent_id: agentId, messages: [{ role: "user", content }] });
    const body = { requests: [message("one"), message("two")] };
    const batch = await client.post<JobWire>("/v1/messages/batches", { body });
    expect(batch).toMatchObject({ job_type: "batch", metadata: { job_type: "batch_messages" }, callback_url: null });
    for (const run of (await client.runs.list()).items) await finish(run.id);
    expect(await client.get<JobWire>(`/v1/messages/batches/${batch.id}`)).toMatchObject({ status: "completed" });
    expect(await client.get<JobWire[]>("/v1/messages/batches")).toEqual([]);
    expect((await client.get<JobWire[]>("/v1/jobs/")).map(({ id }) => id)).toEqual([batch.id]);
    expect(await client.get<JobWire[]>("/v1/jobs/active")).toEqual([]);
    const said = await client.get<{ messages: { role: string }[] }>(`/v1/messages/batches/${batch.id}/messages`);
    expect(said.messages.map(({ role }) => role)).toEqual(["assistant", "user", "assistant", "user"]);
    expect(await client.patch(`/v1/messages/batches/${batch.id}/cancel`)).toBeNull();
    expect(await client.patch<JobWire>(`/v1/jobs/${batch.id}/cancel`)).toMatchObject({ status: "completed" });
    expect(await client.delete<JobWire>(`/v1/jobs/${batch.id}`)).toMatchObject({ id: batch.id });
    await expect(client.get(`/v1/jobs/${batch.id}`)).rejects.toMatchObject({ status: 404 });
    await expect(client.get("/v1/messages/batches/x")).rejects.toMatchObject({ status: 400 });
    const wrong = { body: { requests: [{ ...message("x"), agent_id: `agent-${unknownId}` }] } };
    await expect(client.post("/v1/messages/batches", wrong)).rejects.toMatchObject({ status: 404 });
  });

  test("is told what is gone", async (context) => {
    const { client, agentId } = await connect(dialect, context);
    const voice = client.post(`/v1/voice-beta/${agentId}/chat/completions`, { body: {} });
    await expect(voice).rejects.toMatchObject(refusal(410, "no longer served"));
  });
});
