/** Who is told that a step has ended: what arrives, what is sent again, and that nobody waits for it. */
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { Log, StepEnd } from "@memoir/core";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "./config/read-config.ts";
import type { Environment } from "./config/settings.ts";
import { StepWebhook, type StepWebhookLimits } from "./step-webhook.ts";
import { readStepWebhook } from "./step-webhook-message.ts";
import { serveOnce } from "./testing/serve-once.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Answers with these statuses, then with 204; 0 for no answer at all. */
async function startReceiver(statuses: number[] = []) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part) => (text += String(part)));
    request.on("end", () => {
      received.push({ headers: request.headers, text });
      const status = statuses.shift() ?? 204;
      if (status > 0) response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ended`, received };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

const step = (id: string, status: StepEnd["status"] = "success"): StepEnd => ({
  ...{ id, status, orgId: "org-1", agentId: "agent-1", conversationId: "conv-1", runId: "run-1" },
  endedAt: Date.UTC(2026, 0, 2) * 1_000,
});

function open(environment: Environment, limits: Partial<StepWebhookLimits> = {}) {
  const lines: { fields: object; message: string }[] = [];
  const keep = (fields: object, message: string) => void lines.push({ fields, message });
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  const settings = readStepWebhook(readConfig([], environment, "/nowhere").config, environment);
  if (!settings) throw new Error("there is no webhook");
  const webhook = new StepWebhook(settings, log, { pausesMs: [5, 5], ...limits });
  onTestFinished(() => webhook.close());
  return { webhook, lines };
}

const secret = `whsec_${Buffer.from("a secret of sixteen").toString("base64")}`;
const second = { MEMOIR_STEP_WEBHOOK_VERSION: "2", MEMOIR_STEP_WEBHOOK_SECRET: secret };

test("a message to an agent on a running server tells its step, once it can be read", async () => {
  const { url, received } = await startReceiver();
  const server = await serveOnce({ STEP_COMPLETE_WEBHOOK: url, STEP_COMPLETE_KEY: "k3y" });
  const call = async (method: string, path: string, body?: object) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${server.address}/v1${path}`, {
      ...{ method, headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return (await answer.json()) as Record<string, string>;
  };
  const agent = await call("POST", "/agents/", { model: "memoir/demo" });
  await call("POST", `/agents/${agent.id}/messages`, { input: "Hello" });
  await until(() => received.length > 0);
  const told = received.map(({ text }) => JSON.parse(text));
  expect(received[0]?.headers.authorization).toBe("Bearer k3y");
  expect(received[0]?.headers["webhook-signature"]).toBeUndefined();
  const stored = await call("GET", `/steps/${told[0].step_id}`);
  expect(stored).toMatchObject({ id: told[0].step_id, status: "success", agent_id: agent.id });
  expect(told[0]).toEqual({ step_id: stored.id });
});

test("the second form says what happened, and is signed with what is not sent", async () => {
  const { url, received } = await startReceiver();
  const { webhook } = open({ ...second, STEP_COMPLETE_WEBHOOK: url, STEP_COMPLETE_KEY: "k3y" });
  for (const status of ["success", "failed", "cancelled"] as const) webhook.tell(step(`step-${status}`, status));
  await until(() => received.length === 3);
  const bodies = received.map(({ text }) => JSON.parse(text));
  const common = { agent_id: "agent-1", run_id: "run-1", organization_id: "org-1" };
  const at = "2026-01-02T00:00:00.000Z";
  expect(bodies.sort((one, other) => (one.type < other.type ? -1 : 1))).toEqual([
    {
      id: "event-cancelled",
      type: "step.cancelled",
      step_id: "step-cancelled",
      status: "cancelled",
      created_at: at,
      ...common,
    },
    {
      id: "event-success",
      type: "step.completed",
      step_id: "step-success",
      status: "success",
      created_at: at,
      ...common,
    },
    { id: "event-failed", type: "step.failed", step_id: "step-failed", status: "failed", created_at: at, ...common },
  ]);
  for (const { headers, text } of received) {
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
    const expected = createHmac("sha256", "a secret of sixteen").update(signed).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${expected}`);
    expect([headers["webhook-id"], headers.authorization]).toEqual([JSON.parse(text).id, "Bearer k3y"]);
  }
});

test("without a secret of its own the key signs, and is not sent", async () => {
  const { url, received } = await startReceiver();
  const { MEMOIR_STEP_WEBHOOK_SECRET: _, ...rest } = second;
  const { webhook } = open({ ...rest, STEP_COMPLETE_WEBHOOK: url, STEP_COMPLETE_KEY: "k3y" });
  webhook.tell(step("step-1"));
  await until(() => received.length === 1);
  expect(JSON.stringify(received[0])).not.toContain("k3y");
  expect(received[0]?.headers["webhook-signature"]).toMatch(/^v1,/);
});

test("the second form is sent again with the same id while that may help, the first never", async () => {
  const again = await startReceiver([503, 429]);
  const { webhook, lines } = open({ ...second, STEP_COMPLETE_WEBHOOK: again.url });
  webhook.tell(step("step-1"));
  await until(() => again.received.length === 3);
  expect(new Set(again.received.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set(["event-1"]));
  expect(lines.map(({ message }) => message)).toEqual(
    Array(2).fill("the end of a step was not taken; it is sent again"),
  );

  const refusing = await startReceiver([302, 503]);
  const final = open({ ...second, STEP_COMPLETE_WEBHOOK: refusing.url });
  const once = open({ STEP_COMPLETE_WEBHOOK: refusing.url });
  final.webhook.tell(step("step-2"));
  await until(() => final.lines.length === 1);
  once.webhook.tell(step("step-3"));
  await until(() => once.lines.length === 1);
  await Promise.all([final.webhook.close(), once.webhook.close()]);
  expect(refusing.received).toHaveLength(2);
  expect(final.lines[0]?.fields).toMatchObject({ event: "event-2", error: "the receiver answered 302" });
  expect(JSON.stringify(once.lines)).not.toContain("/ended");
});

test("a receiver that does not answer is given up, and what is too much for it is dropped and said", async () => {
  const { url, received } = await startReceiver(Array(100).fill(0));
  const limits = { atOnce: 2, maxWaiting: 3, answerMs: 60_000, drainMs: 20 };
  const { webhook, lines } = open({ ...second, STEP_COMPLETE_WEBHOOK: url }, limits);
  for (let n = 0; n < 10; n++) webhook.tell(step(`step-${n}`));
  await until(() => received.length === 2);
  await webhook.close();
  expect(received).toHaveLength(2);
  const dropped = lines.flatMap(({ fields }) => ("dropped" in fields ? [Number(fields.dropped)] : []));
  expect(dropped.reduce((sum, count) => sum + count, 0)).toBe(8);
  const faults = lines.flatMap(({ fields }) => ("error" in fields ? [fields.error] : []));
  expect(faults).toEqual(Array(2).fill("the server stopped before it was answered"));
});

test("who closes has what is left sent first", async () => {
  const { url, received } = await startReceiver([503]);
  const { webhook, lines } = open({ ...second, STEP_COMPLETE_WEBHOOK: url }, { atOnce: 1, pausesMs: [60_000] });
  for (const id of ["step-1", "step-2", "step-3"]) webhook.tell(step(id));
  await until(() => lines.length > 0);
  await webhook.close();
  expect(received.map(({ headers }) => headers["webhook-id"])).toEqual(["event-1", "event-2", "event-3", "event-1"]);
});

test("settings that cannot work are refused at the start", () => {
  const refuse = (environment: Environment) => {
    try {
      return readStepWebhook(readConfig([], environment, "/nowhere").config, environment);
    } catch (error) {
      return (error as Error).message;
    }
  };
  const url = "https://example.org/ended";
  expect(refuse({})).toBeUndefined();
  expect(refuse({ STEP_COMPLETE_WEBHOOK: "example.org" })).toMatch(/^STEP_COMPLETE_WEBHOOK must begin with http/);
  expect(refuse({ STEP_COMPLETE_WEBHOOK: "https://a:b@example.org" })).toMatch(/must not hold a password/);
  expect(refuse({ STEP_COMPLETE_WEBHOOK: url, MEMOIR_STEP_WEBHOOK_VERSION: "3" })).toMatch(/must be one of 1, 2/);
  expect(refuse({ STEP_COMPLETE_WEBHOOK: url, MEMOIR_STEP_WEBHOOK_VERSION: "2" })).toMatch(
    /MEMOIR_STEP_WEBHOOK_SECRET/,
  );
  expect(refuse({ STEP_COMPLETE_WEBHOOK: url, MEMOIR_STEP_WEBHOOK_SECRET: "whsec_?" })).toMatch(/must be base64/);
  expect(refuse({ STEP_COMPLETE_WEBHOOK: url, MEMOIR_STEP_WEBHOOK_SECRET: secret })).toMatch(
    /^MEMOIR_STEP_WEBHOOK_SECRET signs nothing in version 1: set MEMOIR_STEP_WEBHOOK_VERSION=2/,
  );
  expect(refuse({ ...second, STEP_COMPLETE_WEBHOOK: url, MEMOIR_STEP_WEBHOOK_SECRET: " " })).toMatch(
    /^MEMOIR_STEP_WEBHOOK_SECRET must not be empty/,
  );
  expect(refuse({ ...second, STEP_COMPLETE_WEBHOOK: url, MEMOIR_STEP_WEBHOOK_SECRET: `${secret}\n` })).toMatchObject({
    secret,
  });
  expect(refuse({ STEP_COMPLETE_WEBHOOK: url, STEP_COMPLETE_KEY: "a\nb" })).toMatch(/^STEP_COMPLETE_KEY must be/);
});
