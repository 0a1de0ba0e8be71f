import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { type EventStream, openEventStream } from "./sse.ts";

/** A stream whose reader reads nothing until its socket is resumed. */
async function openStopped() {
  const app = fastify();
  const opened = new Promise<{ stream: EventStream; raw: ServerResponse }>((resolve) => {
    app.get("/", (_, reply) => resolve({ stream: openEventStream(reply), raw: reply.raw }));
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(async () => {
    socket.destroy();
    await app.close();
  });
  await once(socket, "connect");
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  return { ...(await opened), socket };
}

test("a reader that stops reading is sent no pings, and gets the events when it reads on", async () => {
  const { stream, raw, socket } = await openStopped();
  const large = "a".repeat(16 * 2 ** 20);
  let isSent = false;
  const sending = stream.send(large).then(() => {
    isSent = true;
  });
  await setImmediate();
  expect(isSent).toBe(false);
  const [buffered, listeners] = [raw.writableLength, raw.listenerCount("drain")];
  expect(buffered).toBeGreaterThan(0);
  for (let count = 0; count < 50; count++) stream.offer({ message_type: "ping" });
  expect(raw.listenerCount("drain")).toBe(listeners);
  expect(raw.writableLength).toBe(buffered);
  let text = "";
  socket.setEncoding("latin1").on("data", (part: string) => {
    text += part;
  });
  socket.resume();
  await sending;
  stream.offer({ message_type: "ping" });
  await expect.poll(() => text).toContain("ping");
  expect(text.match(/ping/g)).toHaveLength(1);
  expect(text.length).toBeGreaterThan(large.length);
});
