/** A real HTTP server that answers with JSON as a test says, and keeps what it was asked. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface JsonRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into it
  readonly body: any;
}

export interface JsonAnswer {
  readonly status?: number;
  /** Text and bytes are sent as they are. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface JsonServer {
  readonly origin: string;
  readonly requests: readonly JsonRequest[];
  /** How many did not wait for their answer. */
  hungUp(): number;
  close(): Promise<void>;
}

/** Undefined answers 404; a promise that does not settle lets the caller wait. */
export async function startJsonServer(
  answer: (request: JsonRequest) => JsonAnswer | undefined | Promise<JsonAnswer | undefined>,
): Promise<JsonServer> {
  const requests: JsonRequest[] = [];
  let hungUp = 0;
  const server = createServer(async (incoming, response) => {
    const { method = "GET", url: path = "/", headers } = incoming;
    response.on("close", () => {
      if (!response.writableFinished) hungUp++;
    });
    const text = (await incoming.toArray()).join("");
    const request: JsonRequest = { method, path, headers, body: text === "" ? undefined : JSON.parse(text) };
    requests.push(request);
    const {
      status = 200,
      body,
      headers: more = {},
    } = (await answer(request)) ?? { status: 404, body: { error: "none" } };
    response.writeHead(status, { "content-type": "application/json", ...more });
    response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  onTestFinished(close);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, requests, hungUp: () => hungUp, close };
}
