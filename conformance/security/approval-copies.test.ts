/** What becomes of a question when its conversation is forked, exported, set by hand, deleted or looked into. */
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { allow, answering, type Json, mail, openApprovalWorld, say } from "../crash/approval-world.ts";

/** Every call that the model is shown has its result right behind it. */
function expectSound({ messages }: { messages: readonly Json[] }): void {
  const called: string[] = messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }: Json) => id));
  const returned: string[] = messages.flatMap(({ tool_call_id: id }) => id ?? []);
  expect(returned).toEqual(called);
}

test.for(dialects)("%s: a fork does not wait for what the first conversation waits for", async (dialect, context) => {
  const { ask, send, agentId, requests, calls } = await openApprovalWorld(dialect, context);
  const { id: first } = (await ask("POST", `/v1/conversations/?agent_id=${agentId}`, {})).body;
  const to = (id: string, body: object) =>
    ask("POST", `/v1/conversations/${id}/messages`, { ...body, streaming: false });
  const question = (await to(first, mail("hi"))).body.messages[0];
  const { id: fork } = (await ask("POST", `/v1/conversations/${first}/fork`)).body;
  expect((await to(fork, say("!say From the fork."))).body.messages?.at(-1).content).toBe("From the fork.");
  expectSound(requests.at(-1)?.body);
  const answer = answering(allow(question.tool_call.tool_call_id));
  expect((await to(fork, answer)).status).toBe(400);
  expect((await to(first, answer)).status).toBe(200);
  expectSound(requests.at(-1)?.body);
  expect(calls).toHaveLength(1);
  // Another one of the agent was never held up.
  await to(first, mail("again"));
  expect((await send(say("!say Here."))).status).toBe(200);
  expect((await ask("GET", "/v1/memoir/approvals")).body).toHaveLength(1);
  expect((await ask("DELETE", `/v1/conversations/${first}`)).status).toBe(200);
  expect((await ask("GET", "/v1/memoir/approvals")).body).toEqual([]);
});

test.for(dialects)("%s: an agent that waits goes out, comes in, and can be talked to", async (dialect, context) => {
  const { ask, send, agentId, url, requests, calls } = await openApprovalWorld(dialect, context);
  const question = (await send(mail("hi"))).body.messages[0];
  const file = await ask("GET", `/v1/agents/${agentId}/export`);
  const form = new FormData();
  form.append("file", new Blob([JSON.stringify(file.body)]), "agent.af");
  const made = await fetch(`${url}/v1/agents/import`, { method: "POST", body: form });
  const { agent_ids: ids } = (await made.json()) as { agent_ids: string[] };
  const path = `/v1/agents/${ids[0]}/messages`;
  const answer = await ask("POST", path, say("!say I am the copy."));
  expect([answer.status, answer.body.messages?.at(-1).content]).toEqual([200, "I am the copy."]);
  expectSound(requests.at(-1)?.body);
  expect((await send(answering(allow(question.tool_call.tool_call_id)))).status).toBe(200);
  expect(calls).toHaveLength(1);
});

test.for(dialects)("%s: looking at an agent that waits changes nothing", async (dialect, context) => {
  const { ask, send, agentId, calls } = await openApprovalWorld(dialect, context);
  const question = (await send(mail("hi"))).body.messages[0];
  for (const [method, path, body] of [
    ["GET", `/v1/agents/${agentId}/context`],
    ["POST", `/v1/agents/${agentId}/messages/preview-raw-payload`, say("hello?")],
    ["POST", `/v1/agents/${agentId}/recompile`],
    ["GET", `/v1/messages/${question.id}`],
    ["GET", `/v1/steps/${question.step_id}/messages`],
    ["GET", `/v1/runs/${question.run_id}/messages`],
  ] as const) {
    const answer = await ask(method, path, body);
    expect([path, answer.status, JSON.stringify(answer.body).length > 2]).toEqual([path, 200, true]);
  }
  expect((await ask("POST", `/v1/agents/${agentId}/summarize`, {})).status).toBe(409);
  expect((await ask("PATCH", `/v1/agents/${agentId}`, { name: "Renamed" })).status).toBe(200);
  expect((await send(answering(allow(question.tool_call.tool_call_id)))).status).toBe(200);
  expect(calls).toHaveLength(1);
  const again = (await send(mail("hi"))).body.messages[0];
  expect((await ask("DELETE", `/v1/runs/${again.run_id}`)).status).toBe(200);
  expect((await send(say("!say Free."))).body.messages.at(-1).content).toBe("Free.");
  await send(mail("hi"));
  expect((await ask("PATCH", `/v1/agents/${agentId}/reset-messages`, {})).status).toBe(200);
  expect((await send(say("!say Fresh."))).body.messages.at(-1).content).toBe("Fresh.");
});
