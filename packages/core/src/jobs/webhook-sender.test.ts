import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { guardedPost } from "../network/post.ts";
import { defaultOrgId } from "../shared/ids.ts";
import { silentLog } from "../shared/log.ts";
import { claimOutbox, putOutbox } from "../store/runs/outbox.ts";
import { listDueOutbox } from "../store/system.ts";
import { dialects, openTestStore } from "../testing/databases.ts";
import { createWebhookSender, type WebhookSenderOptions } from "./webhook-sender.ts";

/** Responds with `statuses` in turn and repeats the last one. */
async function startReceiver(...statuses: readonly number[]) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => {
      bodies.push(body);
      response
        .writeHead(statuses[Math.min(bodies.length, statuses.length) - 1] ?? 200, { location: "/elsewhere" })
        .end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, bodies };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
}

const farAway = Number.MAX_SAFE_INTEGER;

describe.for(dialects)("%s", (dialect) => {
  const open = async (context: Parameters<typeof openTestStore>[1], input: Partial<WebhookSenderOptions> = {}) => {
    const store = await openTestStore(dialect, context);
    const webhookSender = createWebhookSender({
      store,
      log: silentLog,
      allowedHosts: ["127.0.0.1"],
      compose: async (_, { payload }) => ({ told: payload.id }),
      retryDelaysMs: [1, 1],
      pollMs: 5,
      ...input,
    });
    onTestFinished(() => webhookSender.stop());
    const put = (target: string) => store.write(defaultOrgId, (scope) => putOutbox(scope, "run", target, "run-1"));
    const left = async () => (await listDueOutbox(store, farAway, 10)).map(({ item }) => item);
    return { webhookSender, put, left, store };
  };

  test("what a process that died was sending is sent at the next start, with all its attempts left", async (context) => {
    const { url, bodies } = await startReceiver(500, 500, 500);
    const { webhookSender, put, left, store } = await open(context);
    await put(url);
    const [item] = await left();
    const claim = async () =>
      item && store.write(defaultOrgId, (scope) => claimOutbox(scope, item, store.due() + 60_000_000));
    expect([await claim(), await claim()]).toEqual([true, false]);
    webhookSender.start();
    await until(async () => (await left()).length === 0);
    expect(bodies).toHaveLength(3);
  });

  test("what was postponed by a clock that was set back since is sent", async (context) => {
    const { url, bodies } = await startReceiver(200);
    const { webhookSender, put, left, store } = await open(context);
    await put(url);
    await store.unscoped
      .updateTable("outbox")
      .set({ due_at: store.due() + 86_400_000_000 })
      .execute();
    webhookSender.start();
    await until(async () => (await left()).length === 0);
    expect(bodies).toHaveLength(1);
  });

  test("what was put into the outbox before a crash is sent at the next start", async (context) => {
    const { url, bodies } = await startReceiver(200);
    const { webhookSender, put, left } = await open(context);
    await put(url);
    webhookSender.start();
    await until(async () => (await left()).length === 0);
    expect(bodies).toEqual([JSON.stringify({ told: "run-1" })]);
  });

  test("a receiver that is busy is told again, and given up after the last try", async (context) => {
    const { url, bodies } = await startReceiver(503, 429, 500);
    const { webhookSender, put, left } = await open(context);
    await put(url);
    webhookSender.start();
    await until(async () => (await left()).length === 0);
    expect(bodies).toHaveLength(3);
  });

  test.for([404, 302])("a receiver that answers %i is not told again, nor followed", async (status, context) => {
    const { url, bodies } = await startReceiver(status);
    const { webhookSender, put, left } = await open(context);
    await put(url);
    webhookSender.start();
    await until(async () => (await left()).length === 0);
    expect(bodies).toHaveLength(1);
  });

  test("what is not known yet is sent later, what is gone never", async (context) => {
    const { url, bodies } = await startReceiver(200);
    let asked = 0;
    const compose: WebhookSenderOptions["compose"] = async () =>
      ++asked === 1 ? "later" : asked === 2 ? { now: true } : undefined;
    const { webhookSender, put, left } = await open(context, { compose });
    await put(url);
    webhookSender.start();
    await until(async () => (await left()).length === 0);
    await put(url);
    webhookSender.wake();
    await until(async () => (await left()).length === 0);
    expect(bodies).toEqual([JSON.stringify({ now: true })]);
    expect(asked).toBe(3);
  });
});

test.for([
  "http://127.0.0.1:9/x",
  "http://[::1]:9/x",
  "http://[::ffff:10.0.0.1]/x",
  "http://169.254.169.254/latest",
  "http://168.63.129.16/machine",
  "http://[::ffff:0:127.0.0.1]/",
  "http://localhost:9/x",
  "ftp://a.example/x",
])("%s is not called", async (address) => {
  await expect(guardedPost(address, "{}", [])).rejects.toThrow(/own network|begins with/);
});

test("a receiver that answers by changing the protocol has not been told, and keeps nobody waiting", async () => {
  const server = createServer((_, { socket }) => {
    socket?.end("HTTP/1.1 101 Other\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await expect(guardedPost(address, "{}", ["127.0.0.1"])).rejects.toThrow("without an answer");
});

test("a name is judged by the address it stands for", async () => {
  const { url, bodies } = await startReceiver(200);
  const named = url.replace("127.0.0.1", "ip6-localhost.example.localhost");
  await expect(guardedPost(named, "{}", [])).rejects.toThrow("own network");
  expect(bodies).toEqual([]);
});
