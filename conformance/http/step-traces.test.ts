/** What a model saw in a step, over HTTP: rebuilt, kept, compared, and in the form clients know. */
import { expect, onTestFinished, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { startScriptedOpenAi } from "../../packages/core/src/testing/scripted-openai.ts";
import { hasRecordings, readSample, skipRecorded } from "../recorded/recordings.ts";
import { startServer } from "../support/server.ts";

const key = "sk-key-of-this-test-0042";

async function ask(url: string, method: string, path: string, body?: object) {
  const response = await fetch(`${url}/v1${path}`, {
    method,
    ...(body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into field by field.
  return { status: response.status, body: (await response.json()) as any };
}

test.for(dialects)("%s: every step tells what its model saw", async (dialect, context) => {
  const insert = { name: "memory_insert", arguments: '{"label":"human","new_string":"Likes tea."}' };
  const provider = await startScriptedOpenAi([{ toolCalls: [insert] }, { text: "Noted – für später." }]);
  onTestFinished(() => provider.close());
  const providers = { openai: { apiKey: key, baseUrl: provider.baseUrl } };
  const { url, errors } = await startServer(dialect, context, { core: { providers } });
  const agent = await ask(url, "POST", "/agents/", {
    model: "openai/gpt-4o-mini",
    memory_blocks: [{ label: "human", value: "Name: Ada" }],
    tags: ["wire"],
  });
  const answer = await ask(url, "POST", `/agents/${agent.body.id}/messages`, { input: "I like tea" });
  const stepIds = [...new Set<string>(answer.body.messages.map((item: { step_id: string }) => item.step_id))];
  expect(stepIds).toHaveLength(2);
  const sent = provider.requests.map(({ text }) => text);
  for (const [index, stepId] of stepIds.entries()) {
    const request = await ask(url, "GET", `/memoir/steps/${stepId}/request`);
    expect(request.body).toMatchObject({ exact: true, form: "wire", body: sent[index], stored_body: sent[index] });
    const { traces } = (await ask(url, "GET", `/memoir/steps/${stepId}/trace`)).body;
    expect(traces).toMatchObject([{ kind: "exchange", purpose: "step", status: 200, request: sent[index] }]);
    expect(traces[0].response).toContain("data: [DONE]");
    expect(JSON.stringify([request.body, traces])).not.toContain(key);
  }
  const [first = "", second = ""] = stepIds;

  const diff = (await ask(url, "GET", `/memoir/steps/${first}/diff?with=${second}`)).body;
  expect(diff).toMatchObject({ from: { step_id: first, exact: true }, to: { step_id: second, exact: true } });
  expect(diff.messages.added).toMatchObject([
    { place: 1, message: { role: "assistant", tool_calls: [{ name: "memory_insert" }] } },
    { place: 2, message: { role: "tool", tool_returns: [{ name: "memory_insert", status: "success" }] } },
  ]);

  const trace = (await ask(url, "GET", `/steps/${second}/trace`)).body;
  expect(trace).toMatchObject({
    id: expect.stringMatching(/^provider_trace-/),
    step_id: second,
    agent_id: agent.body.id,
    agent_tags: ["wire"],
    call_type: "agent_step",
    llm_config: { handle: "openai/gpt-4o-mini" },
  });
  expect(trace.request_json).toEqual(JSON.parse(sent[1] ?? ""));
  expect(trace.response_json.events.length).toBeGreaterThan(2);
  expect((await ask(url, "GET", `/telemetry/${second}`)).body).toEqual(trace);
  if (hasRecordings) expect(Object.keys(trace)).toEqual(Object.keys(readSample("", "step-trace")?.response.body ?? {}));
  const spans = await ask(url, "GET", `/runs/${trace.run_id}/trace`);
  expect(spans.body).toMatchObject([{ parent_span_id: first, status: "ok" }, { parent_span_id: second }]);
  expect((await ask(url, "GET", `/runs/${trace.run_id}/trace?limit=1`)).body).toHaveLength(1);
  expect(errors).toEqual([]);
});

test.for(dialects)("%s: steps and traces that are not there are said to be so", async (dialect, context) => {
  const { url, errors } = await startServer(dialect, context, { core: { traceDays: 0 } });
  const agent = await ask(url, "POST", "/agents/", { model: "memoir/demo" });
  const answer = await ask(url, "POST", `/agents/${agent.body.id}/messages`, { input: "hi" });
  const stepId = answer.body.messages[0].step_id;
  expect(await ask(url, "GET", `/steps/${stepId}/trace`)).toEqual({ status: 200, body: null });
  expect((await ask(url, "GET", `/memoir/steps/${stepId}/trace`)).body).toEqual({ step_id: stepId, traces: [] });
  const request = (await ask(url, "GET", `/memoir/steps/${stepId}/request`)).body;
  expect(request).toMatchObject({ exact: true, form: "request", stored_body: null });

  const absent = "step-00000000-0000-4000-8000-00000000dead";
  expect(await ask(url, "GET", `/steps/${absent}/trace`)).toEqual({ status: 200, body: null });
  for (const path of ["trace", "request", `diff?with=${stepId}`]) {
    expect((await ask(url, "GET", `/memoir/steps/${absent}/${path}`)).status).toBe(404);
  }
  expect((await ask(url, "GET", `/memoir/steps/${stepId}/diff?with=${absent}`)).status).toBe(404);
  expect((await ask(url, "GET", "/runs/run-00000000-0000-4000-8000-00000000dead/trace")).status).toBe(404);
  for (const path of [`/memoir/steps/${stepId}/diff`, `/memoir/steps/${stepId}/diff?with=x`, "/memoir/steps/x/trace"]) {
    expect((await ask(url, "GET", path)).status).toBe(422);
  }
  expect((await ask(url, "GET", "/runs/x/trace?limit=0")).status).toBe(422);
  expect(errors).toEqual([]);
});

if (!hasRecordings) skipRecorded("a trace has the recorded fields");
