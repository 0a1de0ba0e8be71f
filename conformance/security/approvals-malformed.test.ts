/** Answers and client tools that are not what they should be: refused, naming the field, and nothing is written. */
import { expect, test } from "vitest";
import {
  allow,
  answering,
  clipboard,
  give,
  type Json,
  openApprovalWorld,
  say,
  typesOf,
} from "../crash/approval-world.ts";

const hello = { role: "user", content: "hello" };
const [approval] = answering(allow("call_1")).messages;
const returns = (...tool_returns: object[]) => ({ messages: [{ type: "tool_return", tool_returns }] });
const tools = (...client_tools: object[]) => ({ ...say("hello"), client_tools });

const wrong: readonly (readonly [what: string, body: object, field: string])[] = [
  ["an approval that is not first", { messages: [hello, approval] }, "messages"],
  ["a tool return that is not first", { messages: [hello, ...returns(give("call_1", "x")).messages] }, "messages"],
  ["an approval that says nothing", { messages: [{ type: "approval" }] }, "approvals"],
  ["an older approval without its request", { messages: [{ type: "approval", approve: true }] }, "approvals"],
  ["an answer that neither allows nor returns", answering({ tool_call_id: "call_1" }), "approve"],
  ["an answer for no call", answering({ type: "approval", approve: true }), "tool_call_id"],
  ["an answer that is no yes or no", answering({ ...allow("call_1"), approve: "perhaps" }), "approve"],
  ["a return without a status", returns({ type: "tool", tool_call_id: "c", tool_return: "x" }), "status"],
  ["a return with an odd status", returns({ ...give("c", "x"), status: "maybe" }), "status"],
  ["a return that is a number", returns(give("c", 7)), "tool_return"],
  ["a return with an odd part", returns(give("c", [{ type: "video" }])), "tool_return"],
  ["a type that is not known", { messages: [{ type: "applause" }] }, "messages"],
  ["a client tool with a bad name", tools({ ...clipboard, name: "read clipboard!" }), "name"],
  ["a client tool without a name", tools({ description: "x" }), "name"],
  ["two client tools of one name", tools(clipboard, clipboard), "client_tools"],
  ["parameters that are no schema", tools({ ...clipboard, parameters: "text" }), "parameters"],
  ["a skill without a place", { ...say("hello"), client_skills: [{ name: "pdf", description: "x" }] }, "location"],
];

test("what is malformed is refused with the field's name, and nothing is kept of it", async (context) => {
  const { send, ask, agentId, history, errors } = await openApprovalWorld("sqlite", context);
  // A prompt that no turn has stored yet is compiled for each list, and says when.
  const settled = async () => JSON.stringify(await history()).replace(/last recompiled: [^\\]*/g, "");
  const before = await settled();
  for (const [what, body, field] of wrong) {
    for (const more of [{}, { streaming: true, stream_tokens: true }]) {
      const answer = await send({ ...body, ...more });
      expect(answer, what).toMatchObject({ status: 422, body: { trace_id: "" } });
      const records = JSON.parse(answer.body.detail);
      expect(records.map(({ loc }: Json) => loc.join(".")).join(" "), what).toContain(field);
    }
  }
  expect(await settled()).toEqual(before);
  expect((await ask("GET", `/v1/runs/?agent_id=${agentId}`)).body).toEqual([]);
  expect(errors).toEqual([]);
});

test("an answer without answers is refused, streamed or not", async (context) => {
  const { send } = await openApprovalWorld("sqlite", context);
  for (const body of [answering(), returns()]) {
    for (const more of [{}, { streaming: true }]) {
      const { status, body: error } = await send({ ...body, ...more });
      expect([status, error.detail]).toEqual([400, expect.stringContaining("approvals must not be empty")]);
    }
  }
});

test("answers under /v1/memoir are checked as well", async (context) => {
  const { ask } = await openApprovalWorld("sqlite", context);
  const post = (id: string, answers: unknown) => ask("POST", `/v1/memoir/approvals/${id}/answers`, { answers });
  const nobody = "message-00000000-0000-4000-8000-00000000dead";
  expect((await post("call_1", [allow("call_1")])).status).toBe(422);
  expect((await post(nobody, [])).status).toBe(422);
  expect((await post(nobody, [{ tool_call_id: "call_1" }])).status).toBe(422);
  expect((await post(nobody, [allow("call_1")])).status).toBe(404);
  for (const query of ["limit=-1", "limit=many"]) {
    expect((await ask("GET", `/v1/memoir/approvals?${query}`)).status, query).toBe(422);
  }
});

test("edited arguments have to fit the tool", async (context) => {
  const { send, calls } = await openApprovalWorld("sqlite", context);
  const { tool_call: call } = (await send(say('!tool send_mail {"text":"hi"}\n!say Done.'))).body.messages[0];
  const edit = (args: unknown) => send(answering({ ...allow(call.tool_call_id), arguments: args }));
  for (const args of [{ text: 1 }, {}, "not JSON", '["list"]', 7]) {
    const refused = await edit(args);
    expect([refused.status, JSON.stringify(refused.body)], JSON.stringify(args)).toEqual([
      422,
      expect.stringContaining("arguments"),
    ]);
  }
  const done = await edit({ text: "dear Ada" });
  expect(done.body.messages[0].tool_return).toContain("dear Ada");
  expect(calls).toEqual([{ tool: "send_mail", args: { text: "dear Ada" } }]);
});

test("a thousand client tools are offered to the model", async (context) => {
  const { send, requests } = await openApprovalWorld("sqlite", context);
  const client_tools = Array.from({ length: 1_000 }, (_, index) => ({ ...clipboard, name: `tool_${index}` }));
  const asked = await send({ ...say('!tool tool_999 {"n":1}\n!say Done.'), client_tools });
  expect(typesOf(asked.body.messages)).toEqual(["approval_request_message"]);
  expect(requests[0]?.body.tools.length).toBe(1_002);
  const { tool_call: call } = asked.body.messages[0];
  const done = await send({ ...answering(give(call.tool_call_id, "x")), client_tools });
  expect(done.body.stop_reason.stop_reason).toBe("end_turn");
});
