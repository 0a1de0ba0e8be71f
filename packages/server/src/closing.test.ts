/** A server that is told to stop stops, whoever is connected to it. */
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { Memoir } from "@memoir/core";
import pino from "pino";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "./app.ts";
import { serveOnce } from "./testing/serve-once.ts";

test("connections on which nothing was asked, or half of it, keep it no longer than others", {
  timeout: 30_000,
}, async () => {
  const memoir = new Memoir({ database: ":memory:" });
  await memoir.start();
  onTestFinished(() => memoir.close());
  const app = await createApp({ memoir, log: pino({ level: "silent" }), findProviders: async () => [] });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const open = (words: string) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(words));
    socket.on("error", () => {});
    return once(socket, "close");
  };
  const closed = [open(""), open("GET /v1/health/ HTTP/1.1\r\nHost: ")];
  const ask = () => fetch(`http://127.0.0.1:${port}/v1/health/`);
  // What was answered is kept for the next request.
  expect((await ask()).status).toBe(200);
  const asked = once(app.server, "request");
  const answered = ask();
  await asked;
  await app.close();
  expect((await answered).status).toBe(200);
  await Promise.all(closed);
});

test("half a request keeps it as long as one under way may take, and no longer", { timeout: 60_000 }, async () => {
  const server = await serveOnce();
  const { hostname, port } = new URL(server.address);
  const head = `POST /v1/agents/ HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
  const socket = connect(Number(port), hostname, () => socket.write(head));
  socket.on("error", () => {});
  const closed = once(socket, "close");
  // The server has met it when it has answered someone who came later.
  expect((await fetch(`${server.address}/v1/health/`)).status).toBe(200);
  await server.close();
  await closed;
});
