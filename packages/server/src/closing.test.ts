/** A server that is told to stop stops, whoever is connected to it. */
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { Memoir } from "@memoir/core";
import pino from "pino";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "./app.ts";

test("connections that nobody has used keep it no longer than those that were", { timeout: 30_000 }, async () => {
  const memoir = new Memoir({ database: ":memory:" });
  await memoir.start();
  onTestFinished(() => memoir.close());
  const app = await createApp({ memoir, log: pino({ level: "silent" }), findProviders: async () => [] });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const unused = connect(port, "127.0.0.1");
  unused.on("error", () => {});
  const closed = once(unused, "close");
  // What was answered is kept for the next request.
  expect((await fetch(`http://127.0.0.1:${port}/v1/health/`)).status).toBe(200);
  await app.close();
  await closed;
});
