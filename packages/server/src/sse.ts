/**
 * Server-sent events, written by hand: one write for each event. A reader that stops reading is waited for with nothing
 * buffered but what the connection holds; one that goes away ends the stream and nothing else.
 */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import { securityHeaders } from "./request-guards.ts";

export interface EventStream {
  /** Ends when the reader goes away. */
  readonly signal: AbortSignal;
  /** Waits until the reader has room. */
  send(data: object | string, event?: string): Promise<void>;
  /** Sends only if the reader has room: pings for a reader that has stopped would pile up. */
  offer(data: object): void;
  end(): void;
}

/** From here on nothing but events can be answered. */
export function openEventStream(reply: FastifyReply): EventStream {
  const { raw } = reply;
  const leaving = new AbortController();
  raw.on("close", () => leaving.abort());
  reply.request.span?.beginStream();
  reply.hijack();
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    ...securityHeaders,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store, no-cache",
    "x-request-id": reply.request.id,
    // Proxies that collect answers would keep the events back.
    "x-accel-buffering": "no",
  });
  raw.flushHeaders();
  async function send(data: object | string, event?: string): Promise<void> {
    if (leaving.signal.aborted) return;
    const lead = event === undefined ? "" : `event: ${event}\n`;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    if (!raw.write(`${lead}data: ${text}\n\n`)) await drained(raw, leaving.signal);
  }
  return {
    signal: leaving.signal,
    send,
    offer(data) {
      if (!raw.writableNeedDrain) void send(data);
    },
    end() {
      const { socket } = raw;
      // A server that is closing would wait for the connection to be used again.
      raw.end(() => {
        if (reply.server.leaving.aborted) socket?.destroySoon();
      });
    },
  };
}

async function drained(raw: ServerResponse, signal: AbortSignal): Promise<void> {
  await once(raw, "drain", { signal }).catch(() => {});
}
