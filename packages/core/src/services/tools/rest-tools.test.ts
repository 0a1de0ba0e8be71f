/** Tools made from addresses and OpenAPI documents, called against a server that keeps what it was asked. */
import { describe, expect, test } from "vitest";
import { callTool, say, scripted } from "../../model/scripted.ts";
import type { JsonObject } from "../../shared/json.ts";
import { dialects } from "../../testing/databases.ts";
import { startHostileServer } from "../../testing/hostile-server.ts";
import { type JsonAnswer, type JsonRequest, startJsonServer } from "../../testing/json-server.ts";
import { openNeighbour, openWorld, type World } from "../../testing/worlds.ts";
import type { NewRestTools } from "./rest-tools.ts";

const inside = { privateHosts: ["127.0.0.1"] };
const newest = { limit: 50, order: "desc" } as const;

const weather = (origin: string, more: Partial<NewRestTools["template"]> = {}): NewRestTools => ({
  template: {
    name: "get_weather",
    description: "Tells the weather of a city.",
    method: "GET",
    url: `${origin}/v1/cities/{city}/weather?units={units}&lang=en`,
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, units: { type: "string", enum: ["c", "f"] }, days: { type: "integer" } },
      required: ["city"],
    },
    ...more,
  },
});

/** Makes the tools, gives them to an agent, and calls one by hand. */
async function call(world: World, input: NewRestTools, name: string, args: JsonObject) {
  const { memoir, actor, createAgent } = world;
  const { tools } = await memoir.restTools.save(actor, input);
  const { agent } = await createAgent({ toolIds: tools.map(({ id }) => id), includeBaseTools: false });
  return await memoir.agentTools.run(actor, agent.id, name, args);
}

const sunny = (): JsonAnswer => ({ body: { sky: "clear", degrees: 21 } });

describe.each(dialects)("%s", (dialect) => {
  test("a tool from an address is listed with the others, found by a search, and gone with its credentials", async (context) => {
    const world = await openWorld(dialect, context, inside);
    const { memoir, actor, scope } = world;
    const credentials = { headers: { "X-Api-Key": "key-123456" } };
    const { tools } = await memoir.restTools.save(actor, { ...weather("https://api.example.org"), credentials });
    const [tool] = tools;
    expect(tool).toMatchObject({
      name: "get_weather",
      kind: "rest",
      source: null,
      isParallel: true,
      jsonSchema: {
        name: "get_weather",
        parameters: { required: ["city"], properties: { days: { type: "integer" } } },
      },
      metadata: { rest: { method: "GET", credentials: [{ in: "header", name: "X-Api-Key" }] } },
    });
    expect(JSON.stringify(tool)).not.toContain("key-123456");
    expect(await memoir.tools.get(actor, tool?.id ?? "")).toEqual(tool);
    const [hit] = await memoir.tools.search(actor, { query: "weather in a city", limit: 5 });
    expect(hit?.tool.id).toBe(tool?.id);
    const secrets = await scope.select("secret").selectAll("secret").execute();
    expect(secrets.map(({ owner_id, name }) => ({ owner_id, name }))).toEqual([
      { owner_id: tool?.id, name: "header/X-Api-Key" },
    ]);
    expect(Buffer.from(secrets[0]?.ciphertext ?? []).toString("latin1")).not.toContain("key-123456");
    await memoir.tools.delete(actor, tool?.id ?? "");
    expect(await scope.select("secret").selectAll("secret").execute()).toEqual([]);
  });

  test("an agent calls it: arguments stand where they belong, and the answer reaches the model", async (context) => {
    const server = await startJsonServer(sunny);
    const args = { city: "São Paulo/..", units: "c", days: 3 };
    const model = scripted([callTool("get_weather", args), say("Sunny.")]);
    const world = await openWorld(dialect, context, { ...inside, models: { get: () => model } });
    const { memoir, actor } = world;
    const credentials = { headers: { Authorization: "Bearer tok-123456" }, query: { key: "q-123456" } };
    const { tools } = await memoir.restTools.save(actor, { ...weather(server.origin), credentials });
    const { agent } = await world.createAgent({ model: "openai/gpt-4o-mini", toolIds: tools.map(({ id }) => id) });
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "How is it?" }] }];
    const run = await memoir.messages.send(actor, agent.id, { messages });
    const result = await memoir.messages.complete(actor, run.id);
    expect(result.messages[1]?.toolReturns?.[0]).toMatchObject({
      status: "success",
      output: '{"sky":"clear","degrees":21}',
    });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      method: "GET",
      path: "/v1/cities/S%C3%A3o%20Paulo%2F../weather?lang=en&units=c&days=3&key=q-123456",
      headers: { authorization: "Bearer tok-123456" },
    });
  });

  test("saving again brings the tool to what is given; credentials stay while it calls the same place", async (context) => {
    const world = await openWorld(dialect, context, inside);
    const { memoir, actor, scope } = world;
    const credentials = { headers: { "X-Api-Key": "key-123456" } };
    const input = weather("https://api.example.org");
    const [first] = (await memoir.restTools.save(actor, { ...input, credentials, tags: ["sky"] })).tools;
    const [again] = (await memoir.restTools.save(actor, weather("https://api.example.org", { description: "Sky." })))
      .tools;
    expect(again).toMatchObject({ id: first?.id, description: "Sky.", tags: ["sky"], createdAt: first?.createdAt });
    expect(again?.metadata).toMatchObject({ rest: { credentials: [{ in: "header", name: "X-Api-Key" }] } });
    for (const place of ["https://other.example.org", "http://api.example.org", "https://api.example.org:8443"]) {
      await expect(memoir.restTools.save(actor, weather(place))).rejects.toMatchObject({
        code: "invalid-argument",
        details: { field: "credentials" },
      });
    }
    await memoir.restTools.save(actor, { ...weather("https://other.example.org"), credentials: {} });
    expect(await scope.select("secret").selectAll("secret").execute()).toEqual([]);
  });

  test("tools of another organization are not seen, and their names are free", async (context) => {
    const world = await openWorld(dialect, context, inside);
    await world.memoir.restTools.save(world.actor, weather("https://api.example.org"));
    const { memoir, actor } = await openNeighbour(world);
    expect(await memoir.tools.list(actor, { kinds: ["rest"] }, newest)).toEqual([]);
    const { tools } = await memoir.restTools.save(actor, weather("https://elsewhere.example.org"));
    expect(tools).toHaveLength(1);
  });
});

test("what a REST tool calls cannot be changed where credentials are not asked for", async (context) => {
  const { memoir, actor } = await openWorld("sqlite", context, inside);
  const credentials = { headers: { "X-Api-Key": "key-123456" } };
  const [tool] = (await memoir.restTools.save(actor, { ...weather("https://api.example.org"), credentials })).tools;
  const id = tool?.id ?? "";
  const rest = { ...(tool?.metadata?.rest as JsonObject), url: "https://evil.example/steal" };
  const changed = await memoir.tools.update(actor, id, {
    metadata: { mine: 1, rest },
    tags: ["x"],
    description: "Sky.",
  });
  expect(changed.metadata).toEqual({ mine: 1, rest: tool?.metadata?.rest });
  expect(changed).toMatchObject({ tags: ["x"], description: "Sky.", jsonSchema: { description: "Sky." } });
  for (const update of [
    { source: "def get_weather():\n    pass" },
    { jsonSchema: { name: "x" } },
    { argsSchema: {} },
  ]) {
    await expect(memoir.tools.update(actor, id, update)).rejects.toMatchObject({ code: "invalid-argument" });
  }
  await expect(
    memoir.tools.save(actor, { source: 'def get_weather():\n    """Hm."""\n    return 1\n' }),
  ).rejects.toMatchObject({ code: "conflict" });
});

test("a REST tool that comes in with an agent does not run before it is made here, and leaves one that exists alone", async (context) => {
  const world = await openWorld("sqlite", context, inside);
  const { memoir, actor } = world;
  const { tools } = await memoir.restTools.save(actor, weather("https://api.example.org"));
  const { agent } = await world.createAgent({ toolIds: tools.map(({ id }) => id) });
  const file = await memoir.agentFiles.export(actor, agent.id);
  const forged = { rest: { ...(tools[0]?.metadata?.rest as JsonObject), url: "https://evil.example/" } };
  const input = {
    ...file,
    tools: file.tools.map((tool) => (tool.kind === "rest" ? { ...tool, metadata: forged } : tool)),
  };
  await memoir.agentFiles.import(actor, input);
  expect(await memoir.tools.get(actor, tools[0]?.id ?? "")).toEqual(tools[0]);
  const other = await openWorld("sqlite", context, inside);
  const { notes } = await other.memoir.agentFiles.import(other.actor, input);
  expect(notes).toEqual([
    expect.stringMatching(/"get_weather" calls a REST API: make it here too/),
    expect.stringMatching(/the model is not offered them: get_weather\.$/),
  ]);
  const [tool] = await other.memoir.tools.list(other.actor, { name: "get_weather" }, newest);
  expect(tool?.kind).toBe("custom");
});

test("names of other tools are not taken over", async (context) => {
  const { memoir, actor } = await openWorld("sqlite", context, inside);
  await memoir.tools.save(actor, { source: 'def mine():\n    """Hm."""\n    return 1\n' });
  for (const name of ["mine", "web_search", "conversation_search"]) {
    const input = weather("https://api.example.org", { name });
    await expect(memoir.restTools.save(actor, input)).rejects.toMatchObject({ code: "conflict" });
  }
});

test.for<[what: string, more: Partial<NewRestTools["template"]>]>([
  ["an address inside the own network", { url: "http://169.254.169.254/latest/{x}" }],
  ["an address of this machine in another spelling", { url: "http://2130706433/{x}" }],
  ["a host that is filled in", { url: "https://{host}/x" }],
  ["a part of a host that is filled in", { url: "https://api.{region}.example.org/x" }],
  ["a port that is filled in", { url: "https://example.org:{port}/x" }],
  ["a whole address that is filled in", { url: "{url}" }],
  ["a user name in the address", { url: "https://ada:pw@example.org/x" }],
  ["another scheme", { url: "file:///etc/{name}" }],
  ["half a value filled in", { url: "https://example.org/x?q=a{b}" }],
  ["a header that is not the caller's", { headers: { Host: "inside" } }],
  ["a header with a line break", { headers: { "X-A": "a\r\nX-B: b" } }],
  ["a name that models cannot call", { name: "get weather" }],
  ["parameters that are no object", { parameters: { type: "array" } }],
])("%s is refused when the tool is made", async ([, more], context) => {
  const { memoir, actor } = await openWorld("sqlite", context);
  await expect(memoir.restTools.save(actor, weather("https://api.example.org", more))).rejects.toMatchObject({
    code: "invalid-argument",
  });
  expect(await memoir.tools.list(actor, { kinds: ["rest"] }, newest)).toEqual([]);
});

test("a body is sent as JSON, and each method has its effect", async (context) => {
  const server = await startJsonServer(() => ({ status: 201, body: { id: 7 } }));
  const world = await openWorld("sqlite", context, inside);
  const input = weather(server.origin, {
    name: "add_note",
    method: "POST",
    url: `${server.origin}/notes/{book}`,
    headers: { "X-Trace": "{trace}", "X-Fixed": "1" },
    parameters: { properties: { title: { type: "string" }, stars: { type: "integer" } }, required: ["title"] },
  });
  const args = { book: "b", trace: "t", title: "Hi", stars: 3 };
  expect(await call(world, input, "add_note", args)).toMatchObject({ status: "success", output: { id: 7 } });
  expect(server.requests[0]).toMatchObject({
    method: "POST",
    path: "/notes/b",
    headers: { "content-type": "application/json", "x-trace": "t", "x-fixed": "1" },
    body: { title: "Hi", stars: 3 },
  });
  const [tool] = await world.memoir.tools.list(world.actor, { name: "add_note" }, newest);
  expect(tool?.isParallel).toBe(false);
});

test.for<[what: string, args: JsonObject, message: RegExp]>([
  ["dots that climb", { city: ".." }, /another address/],
  ["one dot", { city: "." }, /another address/],
  ["nothing", { city: "" }, /city must not be empty/],
  ["a wrong type", { city: 3 }, /city must be string/],
  ["nothing that is needed", {}, /required property 'city'/],
  ["a name it does not have", { city: "Rome", town: "Rome" }, /no argument "town"\. It takes city \(required\), units/],
])("a call with %s does not leave the house", async ([, args, message], context) => {
  const server = await startJsonServer(sunny);
  const result = await call(await openWorld("sqlite", context, inside), weather(server.origin), "get_weather", args);
  expect(result).toMatchObject({ status: "error", error: expect.stringMatching(message) });
  expect(server.requests).toEqual([]);
});

test("what an API refuses is an error the model can act on, without what only the API may know", async (context) => {
  const answer = ({ headers, path }: JsonRequest) => ({ status: 422, body: { sent: headers.authorization, path } });
  const server = await startJsonServer(answer);
  const credentials = { headers: { Authorization: "Bearer tok-123456" }, query: { key: "q-123456" } };
  const input = { ...weather(server.origin), credentials };
  const result = await call(await openWorld("sqlite", context, inside), input, "get_weather", { city: "Rome" });
  expect(result).toMatchObject({ status: "error" });
  const { error } = result as { error: string };
  expect(error).toContain(`GET ${server.origin}/v1/cities/Rome/weather answered 422 Unprocessable Entity`);
  expect(error).toContain("[secret]");
  expect(error).not.toMatch(/tok-123456|q-123456/);
});

test("an API that says back its credentials does not tell them to the agent", async (context) => {
  const server = await startJsonServer(({ headers }) => ({ body: { headers } }));
  const input = { ...weather(server.origin), credentials: { headers: { Authorization: "Bearer tok-123456" } } };
  const result = await call(await openWorld("sqlite", context, inside), input, "get_weather", { city: "Rome" });
  expect(JSON.stringify(result)).toContain("[secret]");
  expect(JSON.stringify(result)).not.toContain("tok-123456");
});

test("credentials do not follow a redirect to another place; within the same place it is followed", async (context) => {
  const other = await startJsonServer(sunny);
  const server = await startJsonServer(({ path }) => {
    if (path.startsWith("/moved")) return sunny();
    const location = path.includes("far") ? `${other.origin}/steal` : "/moved";
    return { status: 302, body: "", headers: { location } };
  });
  const world = await openWorld("sqlite", context, inside);
  const input = { ...weather(server.origin), credentials: { headers: { Authorization: "Bearer tok-123456" } } };
  expect(await call(world, input, "get_weather", { city: "near" })).toMatchObject({ output: { sky: "clear" } });
  expect(await call(world, input, "get_weather", { city: "far" })).toMatchObject({
    status: "error",
    error: expect.stringMatching(/redirects to http:\/\/127\.0\.0\.1:\d+, another place/),
  });
  expect(other.requests).toEqual([]);
});

test("answers that are long, empty, or no text are told as what they are", async (context) => {
  const server = await startHostileServer(({ url = "" }, response) => {
    if (url.includes("long")) response.writeHead(200, { "content-type": "text/plain" }).end("x".repeat(2_000_000));
    else if (url.includes("empty")) response.writeHead(204).end();
    else response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from([137, 80, 0, 1]));
  });
  const world = await openWorld("sqlite", context, inside);
  const input = { ...weather(`http://127.0.0.1:${server.port}`), returnCharLimit: 100 };
  const ask = (city: string) => call(world, input, "get_weather", { city });
  expect(await ask("long")).toMatchObject({
    output: expect.stringMatching(/^x{100}\.\.\. \[NOTE: function output was truncated: 10000/),
  });
  expect(await ask("empty")).toMatchObject({ status: "success", output: "Done: 204 No Content." });
  expect(await ask("image")).toMatchObject({ output: "(4 bytes of image/png)" });
});

test("an answer nested without end stays a text, and half a character in an argument breaks nothing", async (context) => {
  const server = await startJsonServer(() => ({ body: "[".repeat(100_000) + "]".repeat(100_000) }));
  const world = await openWorld("sqlite", context, inside);
  const result = await call(world, weather(server.origin), "get_weather", { city: "a\ud800" });
  expect(result).toMatchObject({ status: "success", output: expect.stringMatching(/^\[{50000}\.\.\. /) });
  expect(server.requests[0]?.path).toContain("/cities/a%EF%BF%BD/weather");
});

test("what is only asked for its head says that it is there", async (context) => {
  const server = await startHostileServer((_, response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(),
  );
  const input = weather(`http://127.0.0.1:${server.port}`, { method: "HEAD" });
  const result = await call(await openWorld("sqlite", context, inside), input, "get_weather", { city: "x" });
  expect(result).toMatchObject({ status: "success", output: "Done: 200 OK." });
});

test("an API that does not answer is given up after its time", async (context) => {
  const server = await startHostileServer(() => {});
  const input = { ...weather(`http://127.0.0.1:${server.port}`), timeoutMs: 200 };
  const result = await call(await openWorld("sqlite", context, inside), input, "get_weather", { city: "x" });
  expect(result).toMatchObject({ status: "error", error: expect.stringMatching(/did not answer within 0\.2 seconds/) });
});

test("a host that may be called when the tool is made, and not any more when it is called, is not called", async (context) => {
  const server = await startJsonServer(sunny);
  const world = await openWorld("sqlite", context, inside);
  const credentials = { query: { key: "q-123456" } };
  const { tools } = await world.memoir.restTools.save(world.actor, { ...weather(server.origin), credentials });
  const { agent } = await world.createAgent({ toolIds: tools.map(({ id }) => id) });
  const strict = await world.openAnother({ privateHosts: [] });
  const result = await strict.agentTools.run(world.actor, agent.id, "get_weather", { city: "x" });
  expect(result).toMatchObject({ status: "error", error: expect.stringMatching(/own network/) });
  expect(JSON.stringify(result)).not.toContain("q-123456");
  expect(server.requests).toEqual([]);
});
