/** Calls that wait for an answer from outside, over plain HTTP: asked, answered, refused, given up. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import {
  allow,
  answering,
  both,
  clipboard,
  deny,
  give,
  itemsOf,
  mail,
  openApprovalWorld,
  readFrames,
  reasonOf,
  say,
  typesOf,
} from "../crash/approval-world.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServerProcess } from "../support/server.ts";

const pendingText = "waiting for approval on a tool call";

test.for(dialects)("%s: a call is asked, allowed and run; another is denied", async (dialect, context) => {
  const { send, calls, history, errors } = await openApprovalWorld(dialect, context);
  const asked = await send(mail("hi"));
  expect(asked.body.stop_reason.stop_reason).toBe("requires_approval");
  const [question] = asked.body.messages;
  expect(question.tool_call).toEqual(question.tool_calls[0]);
  expect(calls).toEqual([]);
  const done = await send(answering(allow(question.tool_call.tool_call_id)));
  expect(typesOf(done.body.messages)).toEqual(["tool_return_message", "assistant_message"]);
  expect(done.body.messages[0]).toMatchObject({ step_id: question.step_id, tool_return: "send_mail did hi" });
  expect(calls).toEqual([{ tool: "send_mail", args: { text: "hi" } }]);
  // The older form, by the id of the message that asks.
  const again = (await send(mail("no"))).body.messages[0];
  const legacy = { type: "approval", approval_request_id: again.id, approve: false, reason: "not now" };
  const denied = await send({ messages: [legacy] });
  expect(denied.body.messages[0]).toMatchObject({ message_type: "tool_return_message", status: "error" });
  expect(denied.body.messages[0].tool_return).toContain("not now");
  expect(calls).toHaveLength(1);
  // And by that of the call, without a type.
  const third = (await send(mail("yes"))).body.messages[0];
  expect(
    (await send({ messages: [{ approval_request_id: third.tool_call.tool_call_id, approve: true }] })).status,
  ).toBe(200);
  expect(calls).toHaveLength(2);
  const answers = (await history()).filter(({ message_type: type }) => type === "approval_response_message");
  expect(answers.map(({ approve, reason, otid, step_id }) => [approve, reason, otid, step_id])).toEqual([
    [true, null, null, null],
    [false, "not now", null, null],
    [true, null, null, null],
  ]);
  expect(errors).toEqual([]);
});

test.for(dialects)(
  "%s: several calls are answered together, whole and in both kinds of stream",
  async (dialect, context) => {
    const { send, stream, calls, history } = await openApprovalWorld(dialect, context);
    for (const tokens of [undefined, false, true]) {
      const frames = tokens === undefined ? undefined : await stream({ ...both, stream_tokens: tokens });
      const items = frames ? itemsOf(frames) : (await send(both)).body.messages;
      const kept = (await history()).filter(({ message_type: type }) => type === "approval_request_message").at(-1);
      const [first, second] = kept.tool_calls.map(({ tool_call_id: id }: { tool_call_id: string }) => id);
      expect(new Set(typesOf(items))).toEqual(new Set(["tool_call_message", "approval_request_message"]));
      const asked = items.filter(
        ({ message_type: type }: { message_type: string }) => type === "approval_request_message",
      );
      const free = items.find(({ message_type: type }: { message_type: string }) => type === "tool_call_message");
      expect(free.id).toBe(kept.id);
      for (const item of asked) expect([item.id, item.otid, item.step_id]).toEqual([kept.id, kept.id, kept.step_id]);
      if (tokens) expectDeltas(asked, kept.tool_calls);
      else expect(asked).toEqual([kept]);
      const answer = answering(allow(first), deny(second, "once is enough"));
      const done = frames ? await stream({ ...answer, stream_tokens: tokens }) : undefined;
      const results = done ? itemsOf(done) : (await send(answer)).body.messages;
      const [returned, ...rest] = results;
      expect(returned.tool_returns.map(({ status }: { status: string }) => status)).toEqual([
        "error",
        "success",
        "success",
      ]);
      expect(new Set(typesOf(rest))).toEqual(new Set(["assistant_message"]));
      expect(calls.splice(0).map(({ tool }) => tool)).toEqual(["look_up", "send_mail"]);
    }
  },
);

test.for(dialects)("%s: a call that is cut off is not asked for, in a stream either", async (dialect, context) => {
  const { ask, stream, agentId } = await openApprovalWorld(dialect, context);
  expect((await ask("PATCH", `/v1/agents/${agentId}`, { parallel_tool_calls: false })).status).toBe(200);
  const two = [1, 2].map((text) => ({ name: "send_mail", arguments: { text: `${text}` } }));
  const frames = await stream({ ...say(`!tools ${JSON.stringify(two)}\n!say Done.`), stream_tokens: true });
  const asked = itemsOf(frames).filter(({ message_type: type }) => type === "approval_request_message");
  const ids = new Set<string>(asked.map(({ tool_call: { tool_call_id: id } }) => id));
  const answered = await stream(answering(...[...ids].map(allow)));
  expect([ids.size, reasonOf(answered)]).toEqual([1, "end_turn"]);
});

/** Null keys stay; the pieces of each call make up its arguments. */
function expectDeltas(items: readonly { tool_call: object; tool_calls: object }[], calls: readonly object[]): void {
  const made = new Map<string, { name: string; arguments: string; tool_call_id: string }>();
  for (const { tool_call: delta, tool_calls: same } of items) {
    expect(same).toEqual(delta);
    expect(Object.keys(delta)).toEqual(["name", "arguments", "tool_call_id"]);
    const { name, arguments: text, tool_call_id: id } = delta as Record<string, string | null>;
    const call = made.get(String(id)) ?? { name: "", arguments: "", tool_call_id: String(id) };
    made.set(call.tool_call_id, { ...call, name: call.name + (name ?? ""), arguments: call.arguments + (text ?? "") });
  }
  expect([...made.values()]).toEqual(calls);
}

test.for(dialects)("%s: question and answer can be followed again in the background", async (dialect, context) => {
  const { url, stream, agentId, history } = await openApprovalWorld(dialect, context);
  const options = { stream_tokens: true, background: true };
  const follow = (path: string, body: object) =>
    fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  let body: object = mail("hi");
  for (const reason of ["requires_approval", "end_turn"]) {
    const frames = await stream({ ...body, ...options });
    expect(reasonOf(frames)).toBe(reason);
    const numbered = frames.filter(({ data }) => data.seq_id !== undefined);
    expect(numbered.map(({ data }) => data.seq_id)).toEqual(numbered.map((_, index) => index + 1));
    const runId = frames[0]?.data.run_id;
    for (let after = 0; after <= frames.length; after++) {
      const again = await follow(`/v1/runs/${runId}/stream`, { starting_after: after });
      if (after < frames.length) expect(await readFrames(again)).toEqual(frames.slice(after));
    }
    if (reason === "end_turn") {
      const named = await follow("/v1/conversations/default/stream", { agent_id: agentId, otid: "the-answer" });
      expect(await readFrames(named)).toEqual(frames);
    }
    const approvals = [allow(itemsOf(frames)[0]?.tool_call?.tool_call_id ?? "")];
    body = { messages: [{ type: "approval", otid: "the-answer", approvals }] };
  }
  const response = (await history()).find(({ message_type: type }) => type === "approval_response_message");
  expect(response.otid).toBeNull();
});

test.for(dialects)(
  "%s: whoever speaks while a call waits is told so, in the form of their path",
  async (dialect, context) => {
    const { send, stream, ask, agentId } = await openApprovalWorld(dialect, context);
    const { id } = (await send(mail("hi"))).body.messages[0];
    const whole = await send(say("hello?"));
    expect([whole.status, whole.headers.get("x-should-retry")]).toEqual([409, "false"]);
    expect(whole.body.detail).toEqual({
      code: "PENDING_APPROVAL",
      message: expect.stringContaining(pendingText),
      pending_request_id: id,
    });
    const place = `/v1/conversations/default/messages`;
    const plain = await ask("POST", place, { ...say("hello?"), agent_id: agentId, streaming: false });
    expect([plain.status, plain.headers.get("x-should-retry")]).toEqual([409, "false"]);
    expect(plain.body).toEqual({ detail: expect.stringContaining(pendingText) });
    for (const body of [say("hello?"), answering(allow("call_of_nobody"))]) {
      const frames = await stream({ ...body, stream_tokens: true });
      expect(frames.map(({ event, data }) => event ?? data.message_type ?? data)).toEqual([
        "ping",
        "stop_reason",
        "error",
        "[DONE]",
      ]);
      expect(reasonOf(frames)).toBe("error");
      const { detail, error_type: type, run_id: runId } = frames[2]?.data ?? {};
      expect(type).toBe("internal_error");
      expect(detail).toMatch(/waiting for approval|Invalid tool call IDs/);
      const run = await ask("GET", `/v1/runs/${runId}`);
      expect(run.body).toMatchObject({ status: "failed", stop_reason: "error", metadata: { error: {} } });
    }
    const late = await ask("POST", `/v1/agents/${agentId}/messages/async`, say("hello?"));
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining(pendingText)]);
    const wrong = await send(answering(allow("call_of_nobody")));
    expect([wrong.status, wrong.body.detail]).toEqual([
      400,
      expect.stringContaining("Invalid tool call IDs. Expected '['"),
    ]);
  },
);

test.for(dialects)(
  "%s: a client runs its own tool, and may show a picture of what came of it",
  async (dialect, context) => {
    const { send, stream, requests, ask } = await openApprovalWorld(dialect, context);
    const client_tools = [clipboard];
    const body = { ...say('!tool read_clipboard {"n":1}\n!say Seen.'), client_tools };
    const first = (await send(body)).body.messages[0];
    const tool_returns = [give(first.tool_call.tool_call_id, "clipboard text")];
    const done = await send({ messages: [{ type: "tool_return", tool_returns }], client_tools });
    expect(done.body.messages[0]).toMatchObject({ name: null, tool_return: "clipboard text", status: "success" });
    // Tools that are not sent again are not there any more.
    expect(requests.at(-1)?.body.tools.map((tool: { function: { name: string } }) => tool.function.name)).toContain(
      "read_clipboard",
    );
    const second = itemsOf(await stream({ ...body, stream_tokens: true }))[0];
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } };
    const parts = [{ type: "text", text: "A dot:" }, image];
    const seen = await send(answering(give(second.tool_call.tool_call_id, parts)));
    expect(seen.body.messages[0].tool_return).toMatch(/^A dot:\n/);
    const last = requests.at(-1)?.body;
    expect(JSON.stringify(last.messages.at(-1))).toContain(pixel);
    expect(last.tools.map((tool: { function: { name: string } }) => tool.function.name)).not.toContain(
      "read_clipboard",
    );
    // Where answers come one by one there is nobody to show it to.
    const third = (await send(body)).body.messages[0];
    const answers = { answers: [give(third.tool_call.tool_call_id, parts)] };
    const refused = await ask("POST", `/v1/memoir/approvals/${third.id}/answers`, answers);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([422, expect.stringContaining("tool_return")]);
  },
);

test.for(dialects)(
  "%s: what nobody answers is given up, and the next message finds a way",
  async (dialect, context) => {
    const { send, calls, history } = await openApprovalWorld(dialect, context, { core: { approvalSeconds: 0.1 } });
    expect((await send(mail("hi"))).body.stop_reason.stop_reason).toBe("requires_approval");
    await sleep(150);
    const answer = await send(say("!say I am here."));
    expect(answer.body.messages.at(-1).content).toBe("I am here.");
    expect(calls).toEqual([]);
    const denial = (await history()).find(({ message_type: type }) => type === "tool_return_message");
    expect(denial).toMatchObject({ status: "error", tool_return: expect.stringContaining("nobody answered in time") });
  },
);

test("a server that starts gives up what has waited too long", async (context) => {
  const models = await startDirectedModels();
  const env = { ...models.env, MEMOIR_CLIENT_TOOL_TIMEOUT: "1" };
  const server = await startServerProcess("sqlite", context, { env });
  const post = async (url: string, body: object) => {
    const headers = { "content-type": "application/json" };
    return await (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  const { id } = (await post(`${server.url}/v1/agents/`, { model: "openai/gpt-4o-mini" })) as { id: string };
  const body = { ...say('!tool read_clipboard {"n":1}'), client_tools: [clipboard] };
  await post(`${server.url}/v1/agents/${id}/messages`, body);
  await server.end("SIGKILL");
  await sleep(1_100);
  const { url } = await startServerProcess("sqlite", context, { env, database: server.database });
  await expect.poll(async () => await (await fetch(`${url}/v1/memoir/approvals`)).json()).toEqual([]);
  expect(await (await fetch(`${url}/v1/agents/${id}/messages`)).text()).toContain("nobody answered in time");
});

test("a stream that waits behind a question ends when its message is taken back; the question stays", async (context) => {
  const gate = Promise.withResolvers<void>();
  const { send, stream, ask, agentId } = await openApprovalWorld("sqlite", context, { gate: () => gate.promise });
  const asking = send(mail("hi"));
  const open = async () => (await ask("GET", `/v1/runs/?agent_id=${agentId}&order=desc`)).body;
  await expect.poll(async () => (await open()).length).toBe(1);
  const waiting = stream({ ...say("!say Late."), background: true });
  await expect.poll(async () => (await open()).length).toBe(2);
  gate.resolve();
  expect((await asking).body.stop_reason.stop_reason).toBe("requires_approval");
  const [{ id, status }] = await open();
  expect(status).toBe("created");
  const cancelled = await ask("POST", `/v1/agents/${agentId}/messages/cancel`, { run_ids: [id] });
  expect(cancelled).toMatchObject({ status: 200, body: { [id]: "cancelled" } });
  const ends = (await waiting).filter(({ data }) => data?.message_type !== "ping");
  expect(ends.map(({ data }) => data?.stop_reason ?? data)).toEqual(["cancelled", "[DONE]"]);
  expect((await ask("GET", `/v1/runs/${id}`)).body).toMatchObject({ status: "cancelled", stop_reason: "cancelled" });
  expect((await ask("GET", `/v1/agents/${agentId}`)).body.last_stop_reason).toBe("requires_approval");
  expect((await send(say("!say Too soon."))).status).toBe(409);
});

test.for(dialects)("%s: cancelling denies what waits", async (dialect, context) => {
  const { send, ask, agentId, calls, history } = await openApprovalWorld(dialect, context);
  for (const path of [`/v1/agents/${agentId}/messages/cancel`, `/v1/conversations/${agentId}/cancel`]) {
    const { run_id: runId } = (await send(mail("hi"))).body.messages[0];
    expect(await ask("POST", path, {})).toMatchObject({ status: 200, body: { [runId]: "cancelled" } });
    expect((await ask("GET", `/v1/runs/${runId}`)).body).toMatchObject({
      status: "cancelled",
      stop_reason: "cancelled",
    });
    expect((await send(say("!say Back."))).body.messages.at(-1).content).toBe("Back.");
  }
  expect(calls).toEqual([]);
  expect(JSON.stringify(await history())).toContain("the user cancelled the run");
});
