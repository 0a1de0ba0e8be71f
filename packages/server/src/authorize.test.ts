/** Who may do what, over real connections. */
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRateLimit } from "./request-guards.ts";
import { openApp as open } from "./testing/open-app.ts";

const say = { messages: [{ role: "user", content: "hello" }] };

describe("a server with a password", () => {
  test("lets keys in, and nobody else", async () => {
    const { memoir, call, as } = await open({ password: "open sesame" });
    const { secret } = await memoir.keys.create(memoir.defaultActor, { name: "ci" });
    expect((await call("GET", "/v1/agents/")).status).toBe(401);
    expect((await as("mk-wrong")("GET", "/v1/agents/")).status).toBe(401);
    expect((await as(secret)("GET", "/v1/agents/")).status).toBe(200);
    expect((await as("open sesame")("GET", "/v1/agents/")).status).toBe(200);
    expect((await call("GET", "/v1/health/")).status).toBe(200);
    expect((await call("GET", "/v1/no-such-thing")).status).toBe(401);
  });

  test("forgets a key that was revoked or has expired", async () => {
    const { memoir, as } = await open({ password: "open sesame" });
    const me = memoir.defaultActor;
    const revoked = await memoir.keys.create(me, { name: "a" });
    await memoir.keys.revoke(me, revoked.key.id);
    const soon = Date.now() + 300;
    const expiring = await memoir.keys.create(me, { name: "b", expiresAt: soon * 1000 });
    while (Date.now() <= soon) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const { secret } of [revoked, expiring]) expect((await as(secret)("GET", "/v1/agents/")).status).toBe(401);
  });

  test("takes who is acting from the key, not from a header", async () => {
    const { memoir, call } = await open({ password: "open sesame" });
    const { secret } = await memoir.keys.create(memoir.defaultActor, { name: "ci" });
    const headers = { authorization: `Bearer ${secret}`, user_id: "not an id" };
    expect((await call("GET", "/v1/agents/", headers)).status).toBe(200);
    expect((await call("GET", "/v1/agents/", { ...headers, authorization: "Bearer open sesame" })).status).toBe(400);
  });
});

describe("roles", () => {
  test("a reader reads, a member works, an owner manages", async () => {
    const { memoir, as, createAgent } = await open({ needsKey: true });
    const agentId = await createAgent();
    const keyOf = async (role: "owner" | "member" | "reader") =>
      as((await memoir.keys.create(memoir.defaultActor, { name: role, role })).secret);
    const [owner, member, reader] = [await keyOf("owner"), await keyOf("member"), await keyOf("reader")];
    expect((await reader("GET", `/v1/agents/${agentId}`)).status).toBe(200);
    const refused = await reader("POST", `/v1/agents/${agentId}/messages`, say);
    expect(refused.status).toBe(403);
    expect(JSON.parse(refused.text).detail).toBe('FORBIDDEN: the key "reader" may only read');
    expect((await reader("DELETE", `/v1/agents/${agentId}`)).status).toBe(403);
    expect((await member("POST", `/v1/agents/${agentId}/messages`, say)).status).toBe(200);
    expect((await member("GET", "/v1/memoir/keys")).status).toBe(403);
    expect((await member("POST", "/v1/providers/", { name: "x", provider_type: "openai", api_key: "k" })).status).toBe(
      403,
    );
    expect((await owner("GET", "/v1/memoir/keys")).status).toBe(200);
  });

  test("a key is shown once, and listed without itself", async () => {
    const { memoir, as } = await open({ needsKey: true });
    const owner = as((await memoir.keys.create(memoir.defaultActor, { name: "me", role: "owner" })).secret);
    const made = JSON.parse((await owner("POST", "/v1/memoir/keys", { name: "ci", role: "reader" })).text);
    expect(made).toMatchObject({ name: "ci", role: "reader", key: expect.stringMatching(/^mk-/) });
    const listed = (await owner("GET", "/v1/memoir/keys")).text;
    expect(listed).toContain(made.id);
    expect(listed).not.toContain(made.key);
    expect((await as(made.key)("GET", "/v1/agents/")).status).toBe(200);
    expect((await owner("DELETE", `/v1/memoir/keys/${made.id}`)).status).toBe(200);
    expect((await as(made.key)("GET", "/v1/agents/")).status).toBe(401);
  });

  test.for([
    [{ name: "" }, "name"],
    [{ name: "x", role: "king" }, "role"],
    [{ name: "x", expires_at: "2001-01-01T00:00:00Z" }, "expires_at"],
    [{ name: "x", agent_id: "agent-1" }, "agent_id"],
  ] as const)("a key that makes no sense is refused by its field: %o", async ([body, field]) => {
    const { call } = await open();
    const { status, text } = await call("POST", "/v1/memoir/keys", {}, body);
    expect(status).toBe(422);
    expect(text).toContain(field);
  });
});

describe("a key for one agent", () => {
  test("reaches that agent's words and memory, and sees nothing else", async () => {
    const { memoir, as, createAgent } = await open({ needsKey: true });
    const me = memoir.defaultActor;
    const [own, other] = [await createAgent(), await createAgent()];
    const key = as((await memoir.keys.create(me, { name: "bot", agentId: own })).secret);
    const sent = await key("POST", `/v1/agents/${own}/messages`, say);
    expect(sent.status).toBe(200);
    expect((await key("GET", `/v1/agents/${own}`)).status).toBe(200);
    expect((await key("GET", `/v1/agents/${own}/core-memory/blocks/human`)).status).toBe(200);
    expect((await key("PATCH", `/v1/agents/${own}/core-memory/blocks/human`, { value: "Ada" })).status).toBe(200);
    const foreign = await key("GET", `/v1/agents/${other}`);
    const absent = await key("GET", "/v1/agents/agent-00000000-0000-4000-8000-00000000dead");
    expect([foreign.status, absent.status]).toEqual([404, 404]);
    expect(foreign.text.replace(other, "X")).toBe(absent.text.replace(/agent-[0-9a-f-]+/, "X"));
    expect((await key("POST", `/v1/agents/${other}/messages`, say)).status).toBe(404);
    for (const [method, path, body] of [
      ["GET", "/v1/agents/", undefined],
      ["GET", "/v1/blocks/", undefined],
      ["POST", "/v1/agents/", { model: "memoir/demo" }],
      ["PATCH", `/v1/agents/${own}`, { name: "Renamed" }],
      ["DELETE", `/v1/agents/${own}`, undefined],
      ["GET", "/v1/memoir/keys", undefined],
    ] as const) {
      expect([path, method, (await key(method, path, body)).status]).toEqual([path, method, 403]);
    }
  });

  test("has its agent for a model, and no other", async () => {
    const { memoir, as, createAgent } = await open({ needsKey: true });
    const [own, other] = [await createAgent(), await createAgent()];
    const { secret } = await memoir.keys.create(memoir.defaultActor, { name: "chat", agentId: own });
    const key = as(secret);
    const listed = JSON.parse((await key("GET", "/v1/memoir/openai/models")).text);
    expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([own]);
    expect((await key("GET", `/v1/memoir/openai/models/${other}`)).status).toBe(404);
    for (const path of ["/v1/chat/completions", "/v1/memoir/openai/chat/completions"]) {
      expect((await key("POST", path, { model: own, ...say })).status).toBe(200);
      expect((await key("POST", path, { model: other, ...say })).status).toBe(404);
      expect((await key("POST", path, say)).status).toBe(403);
    }
  });

  test("is not fooled by one agent in the body and another in the query", async () => {
    const { memoir, as, createAgent } = await open({ needsKey: true });
    const [own, other] = [await createAgent(), await createAgent()];
    const key = as((await memoir.keys.create(memoir.defaultActor, { name: "bot", agentId: own })).secret);
    for (const what of ["fork", "cancel"]) {
      const path = `/v1/conversations/default/${what}?agent_id=`;
      expect((await key("POST", `${path}${other}`, { agent_id: own })).status).toBe(404);
      expect((await key("POST", `${path}${own}`, { agent_id: other })).status).toBe(404);
      expect((await key("POST", `${path}${own}`)).status).toBe(what === "fork" ? 200 : 409);
    }
    expect(await memoir.conversations.list(memoir.defaultActor, { page: { limit: 9, order: "asc" } })).toHaveLength(1);
  });

  test("one for a conversation does not even reach the agent's other words", async () => {
    const { memoir, as, createAgent } = await open({ needsKey: true });
    const me = memoir.defaultActor;
    const agentId = await createAgent();
    const own = await memoir.conversations.create(me, agentId, {});
    const other = await memoir.conversations.create(me, agentId, {});
    const { secret } = await memoir.keys.create(me, { name: "visitor", conversationId: own.conversation.id });
    const key = as(secret);
    const send = { ...say, streaming: false };
    expect((await key("POST", `/v1/conversations/${own.conversation.id}/messages`, send)).status).toBe(200);
    expect((await key("GET", `/v1/conversations/${own.conversation.id}/messages`)).status).toBe(200);
    expect((await key("GET", `/v1/conversations/${other.conversation.id}/messages`)).status).toBe(404);
    expect((await key("GET", `/v1/agents/${agentId}`)).status).toBe(404);
    expect((await key("GET", "/v1/conversations/")).status).toBe(403);
  });
});

test("what is changed with a key is written down, with the key that did it", async () => {
  const { memoir, as, createAgent } = await open({ needsKey: true });
  const me = memoir.defaultActor;
  const agentId = await createAgent();
  const { key, secret } = await memoir.keys.create(me, { name: "ci", role: "owner" });
  await as(secret)("PATCH", `/v1/agents/${agentId}`, { name: "Renamed" });
  await as(secret)("GET", `/v1/agents/${agentId}`);
  const entries = JSON.parse((await as(secret)("GET", "/v1/memoir/audit")).text);
  expect(entries).toEqual([
    {
      id: expect.stringMatching(/^audit-/),
      user_id: me.userId,
      key_id: key.id,
      action: "modify_agent",
      target: `/v1/agents/${agentId}`,
      created_at: expect.any(String),
    },
  ]);
});

test("what the password's holder changes is written down too", async () => {
  const { memoir, as } = await open({ password: "open sesame" });
  await as("open sesame")("POST", "/v1/blocks/", { label: "human", value: "Ada" });
  const [entry] = await memoir.audit.list(memoir.defaultActor, { limit: 5, order: "desc" });
  expect(entry).toMatchObject({ action: "create_block", keyId: null });
});

describe("a server that lets in anyone on this machine", () => {
  test("answers to its own names only, so that no page elsewhere can borrow one", async () => {
    const { call } = await open({ ownHosts: ["memoir.test"] });
    for (const host of ["localhost:8283", "127.0.0.1", "letta.localhost", "[::1]:80", "memoir.test"]) {
      expect([host, (await call("GET", "/v1/health/", { host })).status]).toEqual([host, 200]);
    }
    const refused = await call("GET", "/v1/agents/", { host: "evil.example:8283" });
    expect(refused.status).toBe(403);
    expect(JSON.parse(refused.text).detail).toContain("MEMOIR_HOSTS");
  });

  test("refuses what a page of another origin sends", async () => {
    const { call } = await open({ ownHosts: [], allowedOrigins: ["https://app.example"] });
    const from = (origin: string) => call("POST", "/v1/agents/", { origin }, { model: "memoir/demo" });
    expect((await from("https://evil.example")).status).toBe(403);
    expect((await from("https://app.example")).status).toBe(200);
    expect((await from("http://localhost:3000")).status).toBe(200);
    // Ports and names of other programs of this machine: a form or a bodyless POST of theirs reaches us unasked.
    expect((await from("http://localhost:9999")).status).toBe(403);
    expect((await from("http://other.localhost")).status).toBe(403);
    const own = { origin: "http://localhost:7000", host: "localhost:7000" };
    expect((await call("POST", "/v1/agents/", own, { model: "memoir/demo" })).status).toBe(200);
    expect((await from("null")).status).toBe(403);
  });

  test("still asks for a good key where one is sent", async () => {
    const { memoir, as } = await open();
    const { secret, key } = await memoir.keys.create(memoir.defaultActor, { name: "r", role: "reader" });
    expect((await as(secret)("POST", "/v1/agents/", { model: "memoir/demo" })).status).toBe(403);
    await memoir.keys.revoke(memoir.defaultActor, key.id);
    expect((await as(secret)("GET", "/v1/agents/")).status).toBe(401);
    expect((await as("sk-anything")("GET", "/v1/agents/")).status).toBe(200);
  });
});

test("every answer tells browsers not to guess, frame or keep it", async () => {
  const { call } = await open();
  const { headers } = await call("GET", "/v1/agents/");
  expect(headers).toMatchObject({
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
});

test("an address that is spelled otherwise is kept out of caches too, and so is a stream", async () => {
  const { call, createAgent } = await open();
  for (const path of ["http://elsewhere.example/v1/agents/", "/%761/agents/", "/v1/no-such-thing"]) {
    const { headers } = await call("GET", path);
    expect([path, headers["cache-control"], headers["x-frame-options"]]).toEqual([path, "no-store", "DENY"]);
  }
  const stream = await call("POST", `/v1/agents/${await createAgent()}/messages/stream`, {}, say);
  expect(stream.headers).toMatchObject({
    "content-type": expect.stringContaining("text/event-stream"),
    "cache-control": expect.stringContaining("no-store"),
    "x-frame-options": "DENY",
  });
});

test("the status shows owners where the data are and which providers have keys, and nobody else", async () => {
  const openAi = { name: "openai", title: "OpenAI", found: true, detail: "OPENAI_API_KEY" };
  const { memoir, as } = await open({ password: "open sesame", findProviders: async () => [openAi] });
  const statusFor = async (secret: string) => JSON.parse((await as(secret)("GET", "/v1/memoir/status")).text);
  const whole = { database: { kind: "sqlite", location: ":memory:" }, providers: [openAi] };
  expect(await statusFor("open sesame")).toMatchObject(whole);
  for (const role of ["owner", "member", "reader"] as const) {
    const { secret } = await memoir.keys.create(memoir.defaultActor, { name: role, role });
    const shown = role === "owner" ? whole : { database: { kind: "sqlite", location: null }, providers: [] };
    expect(await statusFor(secret)).toMatchObject(shown);
  }
});

test("the caller's request id is used where it is one", async () => {
  const { call } = await open();
  const idFor = async (id: string) =>
    (await call("GET", "/v1/health/", { "x-request-id": id })).headers["x-request-id"];
  expect(await idFor("req-1.a:b/c=")).toBe("req-1.a:b/c=");
  const ours = expect.stringMatching(/^[0-9a-f-]{36}$/);
  for (const id of ["x".repeat(129), "two words", '{"level":60}', ""])
    expect([id, await idFor(id)]).toEqual([id, ours]);
});

test("a page is never longer than 1,000, and goes on after its last item", async () => {
  const { memoir, call } = await open();
  const drafts = Array.from({ length: 1_001 }, (_, index) => ({ label: `b${index}`, value: "" }));
  await memoir.blocks.createAll(memoir.defaultActor, drafts);
  const list = async (query: string) => JSON.parse((await call("GET", `/v1/blocks/?limit=2147483647${query}`)).text);
  const first = await list("");
  expect(first).toHaveLength(1_000);
  expect(await list(`&after=${first.at(-1).id}`)).toHaveLength(1);
});

test("a request that stops half-way is answered 408 and its connection closed", async () => {
  const { port } = await open({ requestTimeout: 0.2 });
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(
    "POST /v1/agents/ HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
  );
  let answer = "";
  for await (const part of socket) answer += part;
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

describe("rate limits", () => {
  test("count for each caller alone and end with the minute", () => {
    let now = 0;
    const limit = createRateLimit(2, () => now);
    limit.take("a");
    limit.take("a");
    expect(() => limit.take("a")).toThrow(/at most 2 requests a minute; try again in 60 s/);
    limit.take("b");
    now = 60_000;
    limit.take("a");
  });

  test("answer 429 with the time to wait", async () => {
    const { call } = await open({ rateLimit: 2 });
    for (let count = 0; count < 2; count++) expect((await call("GET", "/v1/agents/")).status).toBe(200);
    const refused = await call("GET", "/v1/agents/");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await call("GET", "/v1/health/")).status).toBe(200);
  });
});
