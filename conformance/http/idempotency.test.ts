/** The same request made again happens once: by its Idempotency-Key, or by the otids of everything in it. */
import { expect, test } from "vitest";
import { dialects } from "../../packages/core/src/testing/databases.ts";
import {
  allow,
  answering,
  clipboard,
  deny,
  give,
  itemsOf,
  mail,
  openApprovalWorld,
  readFrames,
  say,
} from "../crash/approval-world.ts";

const times = <T>(count: number, make: () => Promise<T>) => Promise.all(Array.from({ length: count }, make));
const withOtid = (otid: string) => ({ messages: [{ role: "user", content: "!say Once.", otid }] });

test.for(dialects)("%s: the same request, twenty times at once, begins one run", async (dialect, context) => {
  const { send, stream, requests, ask, agentId } = await openApprovalWorld(dialect, context);
  const keyed = { "idempotency-key": "key-1" };
  const whole = await times(20, () => send(say("!say Once."), keyed));
  for (const answer of whole) expect(answer).toMatchObject({ status: 200, body: whole[0]?.body });
  // Long after it has ended, too.
  expect((await send(say("!say Once."), keyed)).body).toEqual(whole[0]?.body);
  expect(requests).toHaveLength(1);
  const named = await times(20, () => send(withOtid("otid-1")));
  expect(new Set(named.map(({ body }) => body.messages[0].run_id)).size).toBe(1);
  expect(requests).toHaveLength(2);
  for (const [body, headers] of [
    [{ ...withOtid("otid-2"), stream_tokens: true }, {}],
    [{ ...withOtid("otid-3"), background: true }, {}],
    [say("!say Once."), { "idempotency-key": "key-2" }],
  ] as const) {
    const before = requests.length;
    const streams = await times(20, () => stream(body, headers));
    for (const frames of streams) expect(frames).toEqual(streams[0]);
    expect(await stream(body, headers)).toEqual(streams[0]);
    expect(requests).toHaveLength(before + 1);
  }
  const runs = await ask("GET", `/v1/runs/?agent_id=${agentId}`);
  expect(runs.body).toHaveLength(5);
});

test.for(dialects)("%s: what still waits its turn is found by its otid too", async (dialect, context) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { stream, url, agentId } = await openApprovalWorld(dialect, context, { gate: () => held });
  const first = stream(say("!say First."));
  await expect
    .poll(async () => (await (await fetch(`${url}/v1/runs/?active=true`)).json()) as object[])
    .toHaveLength(1);
  const second = stream({ ...withOtid("waiting"), background: true });
  await expect
    .poll(async () => (await (await fetch(`${url}/v1/runs/?active=true`)).json()) as object[])
    .toHaveLength(2);
  const found = await fetch(`${url}/v1/conversations/default/stream`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ agent_id: agentId, otid: "waiting" }),
  });
  release();
  await first;
  expect(await readFrames(found)).toEqual(await second);
});

test.for(dialects)("%s: a key stands for one request, in one conversation", async (dialect, context) => {
  const { send, ask, agentId, requests } = await openApprovalWorld(dialect, context);
  const keyed = { "idempotency-key": "key-1" };
  const first = await send(say("!say One."), keyed);
  const other = await send(say("!say Two."), keyed);
  expect([other.status, other.headers.get("x-should-retry")]).toEqual([409, "false"]);
  expect(other.body.detail).toContain("Idempotency-Key");
  const conversation = await ask("POST", `/v1/conversations/?agent_id=${agentId}`, {});
  const path = `/v1/conversations/${conversation.body.id}/messages`;
  const elsewhere = await ask("POST", path, { ...say("!say Two."), streaming: false }, keyed);
  expect(elsewhere.body.messages[0].run_id).not.toBe(first.body.messages[0].run_id);
  const run = await ask("POST", `/v1/agents/${agentId}/messages/async`, say("!say One."), keyed);
  expect(run.body.id).toBe(first.body.messages[0].run_id);
  expect(requests).toHaveLength(2);
});

test.for(dialects)("%s: an answer is taken once, however often it comes", async (dialect, context) => {
  const { send, stream, calls, requests } = await openApprovalWorld(dialect, context);
  const id = (await send(mail("hi"))).body.messages[0].tool_call.tool_call_id;
  const keyed = { "idempotency-key": "key-1" };
  const got = await times(20, () => send(answering(allow(id)), keyed));
  for (const answer of got) expect(answer).toMatchObject({ status: 200, body: got[0]?.body });
  expect(calls).toHaveLength(1);
  expect(requests).toHaveLength(2);
  // The key is used up, also for the opposite and for something else.
  for (const body of [answering(deny(id)), say("hello")]) expect((await send(body, keyed)).status).toBe(409);
  // Without a key the call's id is all there is to go by: what was sent with it is answered.
  const later = await send({
    messages: [...answering(allow(id)).messages, { role: "user", content: "!say And hello." }],
  });
  expect(later.body.messages.at(-1).content).toBe("And hello.");
  expect(calls).toHaveLength(1);
  const client_tools = [clipboard];
  const question = itemsOf(await stream({ ...say('!tool read_clipboard {"n":1}\n!say Seen.'), client_tools }))[0];
  const image = { type: "image", source: { type: "url", url: "data:image/png;base64,iVBORw0KGgo=" } };
  const parts = [{ type: "text", text: "x" }, image];
  const messages = [{ type: "approval", otid: "otid-9", approvals: [give(question.tool_call.tool_call_id, parts)] }];
  const before = requests.length;
  const streams = await times(5, () => stream({ messages, client_tools, background: true }));
  for (const frames of streams) expect(frames).toEqual(streams[0]);
  expect(requests).toHaveLength(before + 1);
});

test.for(dialects)(
  "%s: a busy conversation makes others wait, or refuses them where it is told to",
  async (dialect, context) => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const world = await openApprovalWorld(dialect, context, { refusesBusy: true, gate: () => gate });
    const { url, agentId, ask, send } = world;
    const body = (content: string, more: object = {}) => ({ ...say(content), agent_id: agentId, ...more });
    const path = "/v1/conversations/default/messages";
    const headers = { "content-type": "application/json" };
    const first = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body("!say One.")) });
    for (const streaming of [true, false]) {
      const refused = await ask("POST", path, body("!say Two.", { streaming }));
      expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([409, "false"]);
      expect(refused.body.detail).toContain(`(run_id=${refused.body.run_id}) is currently being processed`);
    }
    // The agent's own path never refused anybody.
    const waiting = send(say("!say Three."));
    open();
    const frames = await readFrames(first);
    expect(itemsOf(frames)[0]?.content).toBe("One.");
    expect((await waiting).body.messages[0].content).toBe("Three.");
  },
);
