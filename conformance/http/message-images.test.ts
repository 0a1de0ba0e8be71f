/** Images by address and by id: fetched or looked up when a message is accepted, and shown in full ever after. */
import { createHash } from "node:crypto";
import { expect, type TestContext, test } from "vitest";
import { type DialectName, dialects } from "../../packages/core/src/testing/databases.ts";
import { type JsonAnswer, startJsonServer } from "../../packages/core/src/testing/json-server.ts";
import { startScriptedGemini } from "../../packages/core/src/testing/scripted-gemini.ts";
import type { Json } from "../crash/approval-world.ts";
import { startDirectedModels } from "../support/directed-models.ts";
import { startServer } from "../support/server.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const picture = Buffer.from(png, "base64");
const gif = Buffer.from("GIF89a\x01\x00\x01\x00", "latin1");

const pages: Readonly<Record<string, JsonAnswer>> = {
  "/dot.png?sig=s3cret": { body: picture },
  "/moved": { status: 302, headers: { location: "/dot.png?sig=s3cret" }, body: "" },
  "/inside": { status: 302, headers: { location: "http://169.254.169.254/latest" }, body: "" },
  "/odd.gif": { body: gif, headers: { "content-type": "text/html" } },
  "/page.png": { body: "<html>", headers: { "content-type": "image/png" } },
  "/large.png": { body: Buffer.concat([picture, Buffer.alloc(10 * 1024 * 1024)]) },
};

async function openWorld(dialect: DialectName, context: TestContext, pageHosts: readonly string[] = ["127.0.0.1"]) {
  const host = await startJsonServer(({ path }) => pages[path]);
  const { providers, openai, anthropic } = await startDirectedModels();
  const gemini = await startScriptedGemini(() => ({ text: "Seen." }));
  context.onTestFinished(() => gemini.close());
  const google_ai = { apiKey: "key", baseUrl: gemini.origin };
  const core = { providers: { ...providers, google_ai }, web: { pageHosts } };
  const { url, errors } = await startServer(dialect, context, { core });
  const ask = async (method: string, path: string, body?: object, headers = {}) => {
    const sent = body
      ? { body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } }
      : {};
    const answer = await fetch(url + path, { method, ...sent });
    return { status: answer.status, body: (await answer.json()) as Json };
  };
  const createAgent = async (model = "openai/gpt-4o-mini"): Promise<string> =>
    (await ask("POST", "/v1/agents/", { model, include_base_tools: false })).body.id;
  const send = (agent: string, sources: readonly object[], more: object = {}, headers = {}) => {
    const content = [{ type: "text", text: "look" }, ...sources.map((source) => ({ type: "image", source }))];
    return ask("POST", `/v1/agents/${agent}/messages`, { messages: [{ role: "user", content, ...more }] }, headers);
  };
  const listImages = async (agent: string): Promise<Json[]> => {
    const { body } = await ask("GET", `/v1/agents/${agent}/messages?order=asc&limit=100`);
    return body.flatMap(({ content }: Json) =>
      Array.isArray(content) ? content.flatMap((part: Json) => (part.type === "image" ? [part.source] : [])) : [],
    );
  };
  const at = (path: string) => ({ type: "url", url: host.origin + path });
  return { host, openai, anthropic, gemini, ask, createAgent, send, listImages, at, errors };
}

test.for(dialects)("%s: an image by address reaches every provider, and is fetched once", async (dialect, context) => {
  const { host, openai, anthropic, gemini, createAgent, send, at, listImages, ask } = await openWorld(dialect, context);
  const models = ["openai/gpt-4o-mini", "anthropic/claude-sonnet-4-5-20250929", "google_ai/gemini-2.5-flash"];
  for (const [index, provider] of [openai, anthropic, gemini].entries()) {
    const agent = await createAgent(models[index]);
    const answer = await send(agent, [at("/dot.png?sig=s3cret"), at("/dot.png?sig=s3cret")]);
    expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
    expect((await send(agent, [])).status).toBe(200);
    const sent = provider.requests.slice(-2).map(({ text }) => text.split(png).length - 1);
    expect([models[index], ...sent]).toEqual([models[index], 2, 2]);
    expect(provider.requests.at(-1)?.text).not.toContain(host.origin);
    const shown = { type: "letta", file_id: expect.stringMatching(/^file-/), media_type: "image/png", data: png };
    expect(await listImages(agent)).toEqual([expect.objectContaining(shown), expect.objectContaining(shown)]);
  }
  expect(host.requests).toHaveLength(3);
  const agent = await createAgent();
  const mixed = [at("/moved"), at("/odd.gif"), { type: "url", url: `data:image/jpeg;base64,${png}` }];
  expect((await send(agent, mixed)).status).toBe(200);
  expect((await listImages(agent)).map(({ media_type: type }) => type)).toEqual([
    "image/png",
    "image/gif",
    "image/png",
  ]);
  const content = [{ type: "image", source: at("/odd.gif") }];
  const preview = await ask("POST", `/v1/agents/${agent}/messages/preview-raw-payload`, {
    messages: [{ role: "user", content }],
  });
  expect(JSON.stringify(preview.body)).toContain(gif.toString("base64"));
});

test.for(dialects)(
  "%s: an image that cannot be fetched is refused, and nothing is stored",
  async (dialect, context) => {
    const { createAgent, send, at, listImages, host, errors } = await openWorld(dialect, context);
    const agent = await createAgent();
    const refuse = async (source: object, reason: RegExp) => {
      const { status, body } = await send(agent, [at("/odd.gif"), source]);
      expect([status, body.detail]).toEqual([400, expect.stringMatching(reason)]);
      expect(body.detail).not.toContain("s3cret");
    };
    await refuse(at("/none.png?sig=s3cret"), /the image at http:\/\/127\.0\.0\.1:\d+\/none\.png cannot be used: .*404/);
    await refuse(at("/page.png"), /page\.png cannot be used: it is not a PNG, JPEG, GIF or WebP image/);
    await refuse(at("/large.png"), /large\.png cannot be used: it is larger than 10485760 bytes/);
    await refuse(at("/inside"), /169\.254\.169\.254.*own network.*MEMOIR_FETCH_ALLOW_PRIVATE/);
    await refuse({ type: "url", url: "http://127.0.0.1:9/x.png" }, /could not be reached/);
    await refuse({ type: "url", url: "http://10.0.0.1/x.png" }, /own network.*MEMOIR_FETCH_ALLOW_PRIVATE/);
    await refuse({ type: "url", url: "data:image/png,abc" }, /data:image\/png;base64/);
    await refuse({ type: "url", url: "data:image/png;base64,aGVsbG8=" }, /it is not a PNG/);
    const many = Array.from({ length: 21 }, (_, index) => at(`/odd.gif?${index}`));
    const before = host.requests.length;
    expect((await send(agent, many)).body.detail).toMatch(/no more than 20 images by address/);
    expect(host.requests).toHaveLength(before);
    expect(await listImages(agent)).toEqual([]);
    expect((await send(agent, [])).status).toBe(200);
    expect(errors).toEqual([]);
  },
);

test("the own network is closed unless the operator opens it", async (context) => {
  const { createAgent, send, at, host } = await openWorld("sqlite", context, []);
  const { status, body } = await send(await createAgent(), [at("/odd.gif")]);
  expect([status, body.detail]).toEqual([400, expect.stringContaining("MEMOIR_FETCH_ALLOW_PRIVATE")]);
  expect(host.requests).toEqual([]);
});

test.for(dialects)("%s: a request sent again is known when its image is gone", async (dialect, context) => {
  const { createAgent, send, at, host, openai } = await openWorld(dialect, context);
  const agent = await createAgent();
  const key = { "idempotency-key": "one" };
  const first = await send(agent, [at("/odd.gif")], {}, key);
  const named = await send(agent, [at("/odd.gif")], { otid: "otid-1" });
  await host.close();
  const again = [await send(agent, [at("/odd.gif")], {}, key), await send(agent, [at("/odd.gif")], { otid: "otid-1" })];
  expect(again.map(({ status, body }) => [status, body.messages])).toEqual([
    [200, first.body.messages],
    [200, named.body.messages],
  ]);
  expect(openai.requests).toHaveLength(2);
});

test.for(dialects)("%s: what a list of messages shows can be sent again", async (dialect, context) => {
  const { createAgent, send, listImages, openai } = await openWorld(dialect, context);
  const agent = await createAgent();
  await send(agent, [{ type: "base64", media_type: "image/png", data: png, detail: "low" }]);
  const [shown] = await listImages(agent);
  expect(shown).toMatchObject({ type: "letta", detail: "low" });
  const { file_id } = shown;
  const other = await createAgent();
  for (const source of [shown, { type: "letta", file_id }, { type: "letta", file_id: "file-x", data: png }]) {
    expect((await send(other, [source])).status).toBe(200);
  }
  expect(openai.requests.at(-1)?.text.split(png)).toHaveLength(4);
  expect((await listImages(other)).map((image) => [image.file_id, image.detail])).toEqual([
    [file_id, "low"],
    [file_id, null],
    [file_id, null],
  ]);
  const hash = createHash("sha256").update("image/png\0other").digest("hex");
  const unknown = `file-${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(12, 15)}-8${hash.slice(15, 18)}-${hash.slice(18, 30)}`;
  for (const id of [unknown, "file-x", ""]) {
    const { status, body } = await send(other, [{ type: "letta", file_id: id }]);
    expect([status, body.detail]).toEqual([400, expect.stringContaining(`there is no stored image ${id}`)]);
  }
});

test.for(dialects)("%s: a stored image of another organization is not found", async (dialect, context) => {
  const { createAgent, send, listImages, ask } = await openWorld(dialect, context);
  const agent = await createAgent();
  await send(agent, [{ type: "base64", media_type: "image/png", data: png }]);
  const [{ file_id }] = await listImages(agent);
  const org = (await ask("POST", "/v1/admin/orgs/", { name: "other" })).body;
  const user = (await ask("POST", "/v1/admin/users/", { name: "u", organization_id: org.id })).body;
  const headers = { user_id: user.id };
  const made = await ask("POST", "/v1/agents/", { model: "openai/gpt-4o-mini", include_base_tools: false }, headers);
  expect(made.status).toBe(200);
  expect((await send(made.body.id, [{ type: "letta", file_id }], {}, headers)).status).toBe(400);
});
