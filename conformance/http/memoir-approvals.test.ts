/** `/v1/memoir/approvals`: what waits is looked at and answered call by call, by those who may. */
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import { allow, both, deny, type Json, mail, openApprovalWorld } from "../crash/approval-world.ts";

const list = "/v1/memoir/approvals";
const idsOf = ({ tool_calls: calls }: Json): string[] => calls.map(({ tool_call_id: id }: Json) => id);

test.for(dialects)("%s: what waits is listed, shown on its agent, and answered in parts", async (dialect, context) => {
  const { send, ask, agentId, calls, history } = await openApprovalWorld(dialect, context);
  expect((await ask("GET", list)).body).toEqual([]);
  const question = (await send(both)).body.messages.at(-1);
  const path = `${list}/${question.id}`;
  const [waiting] = (await ask("GET", list)).body;
  expect(waiting).toMatchObject({ id: question.id, agent_id: agentId, run_id: question.run_id, resumed_by: null });
  // Due times come from a clock of their own, which may be some milliseconds apart.
  const lifetime = Date.parse(waiting.expires_at) - Date.parse(waiting.created_at);
  expect(Math.abs(lifetime - 86_400_000)).toBeLessThan(60_000);
  expect((await ask("GET", path)).body).toEqual(waiting);
  for (const [query, count] of [
    [`agent_id=${agentId}`, 1],
    [`conversation_id=${waiting.conversation_id}`, 1],
    ["agent_id=agent-00000000-0000-4000-8000-00000000dead", 0],
    [`after=${waiting.id}`, 0],
  ] as const) {
    expect((await ask("GET", `${list}?${query}`)).body, query).toHaveLength(count);
  }
  const agent = await ask("GET", `/v1/agents/${agentId}?include=agent.pending_approval`);
  expect(agent.body.pending_approval).toEqual(question);
  const [first, second] = idsOf(waiting);
  const hashes = waiting.tool_calls.map(({ hash }: Json) => hash);
  const answer = (...answers: object[]) => ask("POST", `${path}/answers`, { answers });
  const wrong = await answer({ ...allow(first ?? ""), hash: hashes[1] });
  expect([wrong.status, wrong.headers.get("x-should-retry")]).toEqual([409, "false"]);
  expect(wrong.body.detail).toContain("look at the call again");
  expect((await answer(allow("call_of_nobody"))).status).toBe(400);
  const half = await answer({ ...allow(first ?? ""), hash: hashes[0] });
  expect(half.body.tool_calls.map(({ answered }: Json) => answered)).toEqual([true, false]);
  expect([half.body.resumed_by, calls]).toEqual([null, []]);
  // It still waits for the other.
  expect((await send(mail("more"))).status).toBe(409);
  const whole = await answer({ ...deny(second ?? "", "once is enough"), hash: hashes[1] });
  const runId = whole.body.resumed_by;
  await expect.poll(async () => (await ask("GET", `/v1/runs/${runId}`)).body.status).toBe("completed");
  expect(calls.map(({ tool }) => tool)).toEqual(["look_up", "send_mail"]);
  expect((await history()).at(-1)).toMatchObject({ message_type: "assistant_message", run_id: runId });
  expect((await ask("GET", list)).body).toEqual([]);
  const answered = [{ answered: true }, { answered: true }];
  expect((await ask("GET", path)).body).toMatchObject({ id: question.id, resumed_by: runId, tool_calls: answered });
  expect((await ask("GET", `/v1/agents/${agentId}?include=agent.pending_approval`)).body.pending_approval).toBeNull();
  expect(await answer(allow(first ?? ""))).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining("No tool call is currently awaiting approval") },
  });
});

test.for(dialects)("%s: two who answer at once are both heard, once", async (dialect, context) => {
  const { send, ask, calls } = await openApprovalWorld(dialect, context);
  const question = (await send(both)).body.messages.at(-1);
  const answers = idsOf(question).flatMap((id) => Array.from({ length: 5 }, () => allow(id)));
  const path = `${list}/${question.id}/answers`;
  const got = await Promise.all(answers.map((answer) => ask("POST", path, { answers: [answer] })));
  // Those that came after the last one that was missing find nothing that waits.
  expect(got.every(({ status }) => status === 200 || status === 400)).toBe(true);
  const runs = new Set(got.map(({ body }) => body.resumed_by).filter(Boolean));
  expect(runs.size).toBe(1);
  const [runId] = runs;
  await expect.poll(async () => (await ask("GET", `/v1/runs/${runId}`)).body.status).toBe("completed");
  expect(calls.map(({ tool }) => tool).sort()).toEqual(["look_up", "send_mail", "send_mail"]);
});

test.for(dialects)("%s: nobody answers, or sees, what is not theirs", async (dialect, context) => {
  const { send, ask, memoir, agentId, calls } = await openApprovalWorld(dialect, context);
  const question = (await send(mail("hi"))).body.messages[0];
  const owner = memoir.defaultActor;
  const { id: orgId } = await memoir.tenants.createOrganization("elsewhere");
  const { id: userId } = await memoir.tenants.createUser({ name: "stranger", orgId });
  const { agent: other } = await memoir.agents.create(owner, { model: "memoir/demo", name: "Other" });
  const keys = {
    stranger: await memoir.keys.create({ orgId, userId }, { name: "stranger", role: "owner" }),
    reader: await memoir.keys.create(owner, { name: "reader", role: "reader" }),
    other: await memoir.keys.create(owner, { name: "other", agentId: other.id }),
    own: await memoir.keys.create(owner, { name: "own", agentId }),
  };
  const as = async (who: keyof typeof keys, method: string, path: string, body?: object) =>
    await ask(method, path, body, { authorization: `Bearer ${keys[who].secret}` });
  const one = `${list}/${question.id}`;
  const answers = { answers: [allow(question.tool_call.tool_call_id)] };
  expect((await as("stranger", "GET", list)).body).toEqual([]);
  const statuses = async (who: keyof typeof keys) => [
    (await as(who, "GET", list)).status,
    (await as(who, "GET", one)).status,
    (await as(who, "POST", `${one}/answers`, answers)).status,
  ];
  expect(await statuses("stranger")).toEqual([200, 404, 404]);
  expect(await statuses("reader")).toEqual([200, 200, 403]);
  expect(await statuses("other")).toEqual([403, 404, 404]);
  expect(calls).toEqual([]);
  expect(await statuses("own")).toEqual([403, 200, 200]);
  await expect.poll(() => calls).toHaveLength(1);
});
