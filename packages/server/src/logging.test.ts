import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Memoir } from "@memoir/core";
import pino from "pino";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "./app.ts";
import type { ServerConfig } from "./config/settings.ts";
import { createLog } from "./logging.ts";

function open(level: ServerConfig["log"]) {
  const folder = mkdtempSync(join(tmpdir(), "memoir-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "log");
  const log = createLog(level, pino.destination({ dest: file, sync: true }));
  const text = () => readFileSync(file, "utf8");
  const lines = (): Record<string, unknown>[] =>
    text()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  return { log, text, lines };
}

async function openApp(level: ServerConfig["log"], password?: string) {
  const { log, text, lines } = open(level);
  const memoir = new Memoir({ database: ":memory:" });
  await memoir.start();
  const app = await createApp({ memoir, log, password, findProviders: async () => [] });
  onTestFinished(async () => {
    await app.close();
    await memoir.close();
  });
  return { app, memoir, text, lines };
}

test("secrets in a logged object are blotted out, at the depths where they come", () => {
  const { log, text, lines } = open("info");
  const secret = "hunter2";
  const names = [
    ...["authorization", "password", "encryptionKey", "encryptionKeyOld", "formerKeys", "apiKey", "api_key", "secrets"],
    ...["tool_exec_environment_variables", "env_vars", "environment", "variables", "x-bare-password"],
    "stepWebhookSecret",
  ];
  for (const name of names) {
    log.info({ [name]: secret, a: { [name]: secret, b: { [name]: { deeper: secret } } }, user: "Ada" }, "x");
  }
  expect(text()).not.toContain(secret);
  expect(lines()).toHaveLength(names.length);
  expect(lines()[0]).toMatchObject({ authorization: "[redacted]", user: "Ada", msg: "x" });
});

test("a request is one line: who, what, how it ended, under the caller's own id", async () => {
  const { app, lines } = await openApp("info");
  const answer = await app.inject({ url: "/v1/agents/count?name=Ada", headers: { "x-request-id": "mine-1" } });
  expect(answer.headers["x-request-id"]).toBe("mine-1");
  expect(lines()).toEqual([
    expect.objectContaining({ request: "mine-1", method: "GET", url: "/v1/agents/count", status: 200, msg: "request" }),
  ]);
});

test("a request without an id gets one, which the caller is told", async () => {
  const { app, lines } = await openApp("info");
  const answers = [await app.inject("/v1/health/"), await app.inject("/v1/nothing")];
  const ids = answers.map(({ headers }) => headers["x-request-id"]);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  expect(new Set(ids).size).toBe(2);
  expect(lines().map(({ request }) => request)).toEqual(ids);
});

test("neither passwords nor what people search for stand in the log", async () => {
  const { app, text } = await openApp("debug", "hunter2");
  await app.inject({ url: "/v1/agents/?query_text=private-words", headers: { authorization: "Bearer hunter2" } });
  await app.inject({ url: "/v1/agents/?name=private-words", headers: { "x-bare-password": "password hunter3" } });
  await app.inject({
    method: "POST",
    url: "/v1/agents/",
    headers: { authorization: "Bearer hunter2" },
    payload: { model: "openai/gpt-4o-mini", secrets: { TOKEN: "private-token" }, name: "/" },
  });
  expect(text()).toContain("/v1/agents/");
  expect(text()).not.toMatch(/hunter|private/);
});

test("a fault of ours is logged with its cause and the request it belongs to; a caller's mistake is not", async () => {
  const { app, memoir, lines } = await openApp("error");
  await app.inject("/v1/agents/not-an-id");
  expect(lines()).toEqual([]);
  await memoir.close();
  const answer = await app.inject({ url: "/v1/ready/", headers: { "x-request-id": "mine-2" } });
  expect(answer.statusCode).toBe(503);
  expect(lines()).toEqual([
    expect.objectContaining({ level: 50, request: "mine-2", url: "/v1/ready/", err: expect.objectContaining({}) }),
  ]);
});

test("silent is silent", async () => {
  const { app, memoir, text } = await openApp("silent");
  await memoir.close();
  await app.inject("/v1/ready/");
  expect(text()).toBe("");
});
