/** Values of secrets over HTTP: they go in, and do not come out again. */
import { Memoir } from "@memoir/core";
import pino from "pino";
import { expect, onTestFinished, test } from "vitest";
import { type AppOptions, createApp } from "./app.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Loose = any;

async function open(options: Partial<AppOptions> = {}) {
  const memoir = new Memoir({ database: ":memory:" });
  await memoir.start();
  const log = pino({ level: "silent" });
  const app = await createApp({ memoir, log, findProviders: async () => [], checkResponses: true, ...options });
  onTestFinished(async () => {
    await app.close();
    await memoir.close();
  });
  const call = async (method: "GET" | "POST" | "PATCH", url: string, payload?: object, key?: string) => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const answer = await app.inject({ method, url: `/v1${url}`, headers, ...(payload ? { payload } : {}) });
    return { status: answer.statusCode, body: answer.json() as Loose, text: answer.body };
  };
  const stored = async (id: string) => {
    const { secrets } = await memoir.agents.get(memoir.defaultActor, id);
    return Object.fromEntries(secrets.map(({ name, value }) => [name, value]));
  };
  return { memoir, call, stored };
}

const newAgent = { model: "memoir/demo", secrets: { TOKEN: "s3cret-1", OTHER: "s3cret-2", EMPTY: "" } };
const values = (body: Loose) => Object.fromEntries(body.secrets.map(({ key, value }: Loose) => [key, value]));

test("who sends a secret finds it in the answer, and nobody finds it afterwards", async () => {
  const { call } = await open();
  const { body: created } = await call("POST", "/agents/", newAgent);
  expect(values(created)).toEqual(newAgent.secrets);
  const masked = { TOKEN: "********", OTHER: "********", EMPTY: "" };
  const read = await call("GET", `/agents/${created.id}?include=agent.secrets`);
  expect(values(read.body)).toEqual(masked);
  expect(read.body.tool_exec_environment_variables).toEqual(read.body.secrets);
  const others = [
    await call("GET", "/agents/"),
    await call("PATCH", `/agents/${created.id}`, { name: "Renamed" }),
    await call("GET", `/agents/${created.id}/export`),
  ];
  for (const { status, text } of [read, ...others]) {
    expect(status).toBe(200);
    expect(text).not.toContain("s3cret");
  }
});

test("a client that reads all secrets, changes one and writes them back keeps the others", async () => {
  const { call, stored } = await open();
  const { id } = (await call("POST", "/agents/", newAgent)).body;
  const read = values((await call("GET", `/agents/${id}?include=agent.secrets`)).body);
  const { OTHER: _, ...rest } = read;
  const { body } = await call("PATCH", `/agents/${id}`, { secrets: { ...rest, NEW: "n3w" } });
  expect(values(body)).toEqual({ TOKEN: "********", EMPTY: "", NEW: "n3w" });
  expect(await stored(id)).toEqual({ TOKEN: "s3cret-1", EMPTY: "", NEW: "n3w" });
});

test("a mask without a value behind it is refused, and nothing is changed", async () => {
  const { call, stored } = await open();
  const { id } = (await call("POST", "/agents/", newAgent)).body;
  const refused = await call("PATCH", `/agents/${id}`, { name: "X", secrets: { TOKEN: "new", LOST: "********" } });
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("LOST")]);
  expect(await stored(id)).toEqual(newAgent.secrets);
  expect((await call("POST", "/agents/", { ...newAgent, secrets: { A: "********" } })).status).toBe(422);
});

test("where the operator lets values be read, readers and keys for one agent still do not see them", async () => {
  const { memoir, call } = await open({ showsSecrets: true });
  const { id } = (await call("POST", "/agents/", newAgent)).body;
  const make = async (input: Loose) => (await memoir.keys.create(memoir.defaultActor, { name: "k", ...input })).secret;
  const seen = async (key?: string) =>
    values((await call("GET", `/agents/${id}?include=agent.secrets`, undefined, key)).body).TOKEN;
  expect([await seen(), await seen(await make({}))]).toEqual(["s3cret-1", "s3cret-1"]);
  const [reader, scoped] = [await make({ role: "reader" }), await make({ agentId: id })];
  expect([await seen(reader), await seen(scoped)]).toEqual(["********", "********"]);
});

test("variables of a sandbox are kept in the same way", async () => {
  const { memoir, call } = await open();
  const { id } = (await call("POST", "/sandbox-config/local/default")).body;
  const path = `/sandbox-config/${id}/environment-variable`;
  const made = (await call("POST", path, { key: "TOKEN", value: "s3cret-1" })).body;
  expect(made.value).toBe("s3cret-1");
  expect((await call("GET", path)).body).toMatchObject([{ key: "TOKEN", value: "********", value_enc: null }]);
  const place = `/sandbox-config/environment-variable/${made.id}`;
  const renamed = await call("PATCH", place, { key: "RENAMED", value: "********" });
  expect(renamed.body).toMatchObject({ key: "RENAMED", value: "********" });
  const [variable] = await memoir.sandboxConfigs.listVariables(memoir.defaultActor, id);
  expect(variable).toMatchObject({ name: "RENAMED", value: "s3cret-1" });
  expect((await call("PATCH", place, { value: "s3cret-2" })).body.value).toBe("s3cret-2");
  expect((await call("POST", path, { key: "B", value: "********" })).status).toBe(422);
});
